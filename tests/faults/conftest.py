"""What is killed here is killed at moments of a whole life, its start included: every process is one of its own interpreter."""

import pytest

from tests.kits.lyra_kit import Home


@pytest.fixture(autouse=True)
def started_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no command forked."""
    monkeypatch.setattr(Home, "forks", False)
