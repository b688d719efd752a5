"""Facts learnt about backends while using them, stored by URL and model for the next start."""

from collections.abc import Awaitable, Callable, Iterable

from bot.config.sections import Backend
from memory.places.scope_settings import KeptSettings

TOOLS, REFUSED, USED = "tools", "refused", "used"
"""The fact about tools: the backend refuses requests that offer them or loses their calls, or it has used one."""
THOUGHTS, UNOPENED, NONE = "thoughts", "unopened", "none"
"""The fact about reasoning: it ends with a closing tag that was never opened, or there is none."""

EXTRAS = "extras"
"""The fact that the endpoint wants extra fields back with the tool calls that it made."""
REASONS = "reasons"
"""The fact that the model's reasoning takes so many tokens that its answers need more than the limit of an answer."""
ROLES, ALTERNATING, SYSTEMLESS = "roles", "alternating", "systemless"
"""The fact about roles: those of the model's chat template have to alternate, or to alternate without a system message."""


class BackendFacts:
    """The known facts about one backend. `keep` stores one for the next start."""

    def __init__(self, keep: Callable[[str, object], Awaitable[None]] | None = None) -> None:
        self._known: dict[str, object] = {}
        self._keep = keep

    def get(self, key: str) -> object:
        """Return a fact, None if unknown."""
        return self._known.get(key)

    def recall(self, key: str, value: object) -> None:
        """Load a fact from an earlier start."""
        self._known[key] = value

    async def note(self, key: str, value: object) -> None:
        """Store a fact, unless it is known already."""
        if self._known.get(key) != value:
            self._known[key] = value
            if self._keep:
                await self._keep(key, value)


class LearntFacts:
    """The facts about all backends."""

    def __init__(self, kept: KeptSettings) -> None:
        self._kept = kept
        self._facts: dict[str, BackendFacts] = {}

    async def open(self, backends: Iterable[Backend]) -> None:
        """Load the stored facts about these backends."""
        scopes = {_scope(backend): self.facts(backend) for backend in backends}
        for (scope, key), value in (await self._kept.of_scopes(list(scopes))).items():
            scopes[scope].recall(key, value)

    def facts(self, backend: Backend) -> BackendFacts:
        """Return the facts about a backend, which are extended from now on."""
        scope = _scope(backend)

        async def keep(key: str, value: object) -> None:
            await self._kept.set(scope, key, value)

        return self._facts.setdefault(scope, BackendFacts(keep))


def _scope(backend: Backend) -> str:
    return f"backend:{backend.base_url} {backend.model}"
