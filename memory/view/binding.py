"""What a view is bound to: the domain it writes, and those it may read beside it."""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from memory.errors import NotFound
from memory.forget.confidence_changes import ConfidenceChanges
from memory.forget.forgetting import Forgetting
from memory.index.embedder_routing import EmbedderRouting
from memory.index.recall.domain_indexes import DomainIndexes
from memory.index.recall.finder import Recall
from memory.journal import outbox
from memory.journal.parts import Part
from memory.places import confidences
from memory.places.places import Places
from memory.places.scope_settings import KeptSettings
from memory.ports import Clock
from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess, Transaction
from memory.store.lineage import Seal
from memory.types import Domain, DomainKind, Session


@dataclass(frozen=True, slots=True)
class Shared:
    """Dependencies that every view of one memory shares."""

    places: Places
    settings: KeptSettings
    domain_indexes: DomainIndexes
    embedder_routing: EmbedderRouting
    forgetting: Forgetting
    clock: Clock

    @property
    def confiding(self) -> ConfidenceChanges:
        return ConfidenceChanges(self.places.db, self.forgetting, self.clock, Recall(self.domain_indexes, self.embedder_routing))


@dataclass(slots=True)
class AsOpened:
    """What was read as a view was opened for a turn: whether nothing at home was told in confidence."""

    nothing_confided: bool = False


@dataclass(frozen=True, slots=True)
class Binding:
    """One home domain, and the domains that may be read beside it."""

    shared: Shared
    home: Domain
    others: Sequence[Domain] = ()
    as_opened: AsOpened = field(default_factory=AsOpened)

    async def has_confidences(self) -> bool:
        """Return whether anything at home is told in confidence; read only where the opening of the view did not tell that nothing is."""
        if self.home.ref.kind is DomainKind.DM or self.as_opened.nothing_confided:
            return False  # in a DM nothing is kept from anybody
        return bool(await confidences.within(self.db, self.home))

    @property
    def seal(self) -> Seal:
        """The seal of public ids."""
        return self.shared.places.seal

    def now(self) -> int:
        """Return the present instant."""
        return self.shared.clock.now()

    @property
    def db(self) -> DatabaseAccess:
        """The memory as it is for the domains that may be read: what is asked whether it stands anywhere is asked of `shared`."""
        return self.shared.places.db.within(self.domains)

    @property
    def readable(self) -> Sequence[Domain]:
        """The domains that may be read, home first."""
        return (self.home, *self.others)

    @property
    def domains(self) -> list[int]:
        """The keys of the domains that may be read, home first."""
        return [domain.key for domain in self.readable]

    @property
    def other_shared_places(self) -> Sequence[Domain]:
        """The others that are no DMs."""
        return [one for one in self.others if one.ref.kind is not DomainKind.DM]

    @property
    def others_of_place(self) -> Sequence[int]:
        """The keys of the others that may be read because of who reads the place; for a DM, only the person's other DMs."""
        alone = self.home.ref.kind is DomainKind.DM
        return [one.key for one in self.others if not alone or one.ref.kind is DomainKind.DM]

    @property
    def rooms_before(self) -> Sequence[int]:
        """The keys of the rooms that home, an upgraded room, replaced and continues."""
        return [one.key for one in self.others if one.ref.kind is self.home.ref.kind is DomainKind.ROOM]

    @property
    def scope(self) -> str:
        """The scope of home's settings."""
        return self.shared.places.scope(self.home)

    @property
    def bounds(self) -> Bounds:
        """The transaction bounds for writing home and resting on every readable domain."""
        return Bounds.of(self.home.key, rests_on=self.domains)

    def writing(self) -> AbstractAsyncContextManager[Transaction]:
        """Open a transaction that writes home and rests on every readable domain."""
        return self.db.transaction(bounds=self.bounds)

    def changing(self, items: Collection[int]) -> AbstractAsyncContextManager[Transaction]:
        """Open a transaction for changing items of home, which may be indexed in confidences within it."""
        return confidences.changing(self.db, self.home, items, self.domains)

    async def sessions(self) -> list[Session]:
        """Return home's sessions, newest first."""
        return await self.shared.places.sessions(self.home)

    def require_own(self, session: Session) -> None:
        """Raise NotFound unless the session belongs to home."""
        if session.domain != self.home.key:
            raise NotFound("That session belongs elsewhere.")

    async def queue(
        self, tx: Transaction, session: Session, parts: Sequence[Part], answers: str = "", item: int | None = None
    ) -> None:
        """Queue parts for the place of a session, in the caller's transaction."""
        ref, now = session.ref, self.now()
        await outbox.queue(tx, self.home, ref.platform, ref.place, parts, now, item, answers, self.others_of_place)


class ViewPart:
    """A part of a view: what is asked and done within one binding."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding

    @property
    def _db(self) -> DatabaseAccess:
        return self._binding.db

    @property
    def _home(self) -> Domain:
        return self._binding.home

    @property
    def _domains(self) -> list[int]:
        return self._binding.domains
