"""Fixtures that enter something for the time of a test: `model = entered(ModelServer)` in a test module."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


def entered(make: Callable[[], AbstractContextManager[T]]) -> Any:
    """Return a fixture that makes something anew for each test, enters it, and leaves it afterwards."""

    @pytest.fixture
    def held() -> Iterator[T]:
        with make() as one:
            yield one

    return held


def entered_in_loop(make: Callable[[], AbstractAsyncContextManager[T]]) -> Any:
    """Return a fixture that does so with what is entered in the loop of a test."""

    @pytest.fixture
    async def held() -> AsyncIterator[T]:
        async with make() as one:
            yield one

    return held
