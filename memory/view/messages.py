"""Messages as they were said."""

from collections.abc import AsyncIterator, Sequence

from memory.forget.gone import shown as may_be_shown
from memory.places.shown_names import as_shown
from memory.tiers import exchanges
from memory.types import Exchange, Identity, Session
from memory.view.binding import Binding


class Messages:
    """The messages of one home, and those that may be read beside it."""

    def __init__(self, binding: Binding) -> None:
        self._b = binding

    async def all(self) -> AsyncIterator[tuple[str, Exchange]]:
        """Yield every message at home with its session's name, in the order they were stored."""
        names = {session.key: session.name for session in await self._b.sessions()}
        after = 0
        while page := await exchanges.page(self._b.db, self._b.home, self._b.domains, after):
            for message in page:
                if message.session not in names:
                    names.update((session.key, session.name) for session in await self._b.sessions())
                yield names[message.session], message
            after = page[-1].key

    async def by_source(self, session: Session, source_id: str) -> Exchange | None:
        """Return a message of a session by its platform's id."""
        self._b.own(session)
        return await exchanges.by_source(self._b.db, session, source_id)

    async def find(self, platform: str, place: str | None, source_id: str) -> Exchange | None:
        """Return a message at home by its place (None: any) and the platform's id, be it somebody's or a reply that went out."""
        return await exchanges.at_place(self._b.db, self._b.home, platform, place, source_id)

    async def kept_elsewhere(self, platform: str, ids: Sequence[str]) -> set[str]:
        """Return which messages, by the platform's ids, are kept, and only where other readers than this view's may know them."""
        kept = await exchanges.domains_of(self._b.db, platform, ids) if ids else {}
        return {id for id, domains in kept.items() if domains.isdisjoint(self._b.domains)}

    async def window(self, session: Session, least: int) -> list[Exchange]:
        """Return the last messages of a session, oldest first, at least `least`, from the beginning of an episode on."""
        self._b.own(session)
        return await exchanges.window(self._b.db, session, self._b.domains, least)

    async def names(self, people: Sequence[tuple[Identity | None, str]]) -> list[str]:
        """Return the names under which people are shown at home whose words are not kept, by their accounts and names."""
        shown = await as_shown(self._b.db, self._b.shared.seal, self._b.home, people) if people else {}
        return [shown[one] for one in people]

    async def said(self) -> tuple[int, int]:
        """Return how many messages people said at home, and when the last one was (0: never)."""
        return await exchanges.said(self._b.db, self._b.home)

    async def last_said(self, n: int) -> list[str]:
        """Return the last texts people said at home, oldest first."""
        rows = await self._b.db.all(
            f"SELECT text FROM exchanges e WHERE domain = :domain AND kind = 'said' AND {may_be_shown('e')} ORDER BY item DESC LIMIT :n",
            {"domain": self._b.home.key, "n": n},
        )
        return [row["text"] for row in reversed(rows)]
