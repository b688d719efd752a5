"""What was found out about backends while they were asked, kept by address and model for the next start."""

from collections.abc import Awaitable, Callable, Iterable

from bot.config.sections import Backend
from memory.places.settings import KeptSettings

TOOLS, REFUSED, USED = "tools", "refused", "used"
"""That a backend accepts no request that offers tools, or hands on no calls of them, or that it did."""
THOUGHTS, UNOPENED, NONE = "thoughts", "unopened", "none"
"""That what a backend's model thinks stands in its answers up to a closing tag alone, or that it does not."""


class BackendFacts:
    """What is known of one backend. `keep` keeps a fact for the next start."""

    def __init__(self, keep: Callable[[str, object], Awaitable[None]] | None = None) -> None:
        self._known: dict[str, object] = {}
        self._keep = keep

    def get(self, key: str) -> object:
        """Return a fact, None where it is not known yet."""
        return self._known.get(key)

    def recall(self, key: str, value: object) -> None:
        """Take in what an earlier start found out."""
        self._known[key] = value

    async def note(self, key: str, value: object) -> None:
        """Note a fact; one that is known already is not written again."""
        if self._known.get(key) != value:
            self._known[key] = value
            if self._keep:
                await self._keep(key, value)


class Learnt:
    """The facts of all backends."""

    def __init__(self, kept: KeptSettings) -> None:
        self._kept = kept
        self._facts: dict[str, BackendFacts] = {}

    async def open(self, backends: Iterable[Backend]) -> None:
        """Read what earlier starts found out about these backends."""
        scopes = {_scope(backend): self.of(backend) for backend in backends}
        for (scope, key), value in (await self._kept.chosen(list(scopes))).items():
            scopes[scope].recall(key, value)

    def of(self, backend: Backend) -> BackendFacts:
        """Return what is known of a backend, and from now on found out."""
        scope = _scope(backend)

        async def keep(key: str, value: object) -> None:
            await self._kept.set(scope, key, value)

        return self._facts.setdefault(scope, BackendFacts(keep))


def _scope(backend: Backend) -> str:
    return f"backend:{backend.base_url} {backend.model}"
