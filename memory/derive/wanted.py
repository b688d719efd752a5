"""Whether what is being written is still wanted as it was read: a writer that had to wait asks, before it shows its sources to a model."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Require = Callable[[], Awaitable[None]]
_require: ContextVar[Require | None] = ContextVar("require", default=None)


@contextmanager
def requiring(require: Require) -> Iterator[None]:
    """Have `require_wanted` await this during the block."""
    token = _require.set(require)
    try:
        yield
    finally:
        _require.reset(token)


async def require_wanted() -> None:
    """Raise SourceGone if a source of what is being written here has changed, or may be going; nothing is required outside of a piece."""
    require = _require.get()
    if require is not None:
        await require()
