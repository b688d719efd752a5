"""Memory: everything Lyra keeps, in one encrypted file or a database, behind views bound to who may know.

The path of a message: the journal commits the event as heard (T1); a view stores it as an exchange of a session before any
model sees it (T2); a view stores the reply, what it rests on, and every part to be sent, together with the end of the event (T3).

`Memory` shows no text itself: its counts span all domains, and what a platform removes or edits is removed or edited
wherever it is kept.
"""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

from memory.derive import refusals
from memory.derive.context import Context, closing
from memory.dream.schedule import DreamHours, Schedule
from memory.forget import old_tellings
from memory.forget.comparison_state import ComparisonState
from memory.forget.disappearance import Disappearance
from memory.forget.forgetting import Forgetting
from memory.forget.gone import is_sweeping
from memory.forget.retention import ClockJumps, Retention
from memory.forget.tombstones import Tombstones
from memory.index.embedder_routing import EmbedderRouting
from memory.index.recall.domain_indexes import MOST_BYTES, DomainIndexes
from memory.index.reindexing import reindex
from memory.journal.chores import Chores
from memory.journal.journal import Journal
from memory.journal.usage import Spending, Usage
from memory.places import identities, linking, named_conversations, opted_out, scope_settings
from memory.places.linked_accounts import LINKED
from memory.places.linking import Linking
from memory.places.places import Places
from memory.places.scope_settings import KeptSetting, KeptSettings, put
from memory.ports import Clock, Embedder, Ids, Progress, Writer
from memory.store import installation_values
from memory.store.backup import backup
from memory.store.commit_marks import CommitMarks
from memory.store.database import Database
from memory.store.domains import changes_by_domain
from memory.store.lineage import Seal
from memory.store.opening import open_database
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.sqlite.write_queue import ALONE, FileSharing
from memory.tiers import backlog, entities, episodes, reflections, rereading, selfstate, summaries
from memory.tiers.drives import Thresholds
from memory.tiers.episodes import BankRules, EpisodeRules
from memory.tiers.selfstate import StateOfMind
from memory.types import Domain, DomainKind, Forgotten, Identity, Session
from memory.view.binding import Shared
from memory.view.kept_messages import KeptMessages
from memory.view.shown_messages import ShownMessages
from memory.view.view import View

_SCOPE, _WRITERS = "install", "writers"
_CHOSEN = (*opted_out.CHOSEN, LINKED)
"""How the keys of settings begin that outlast a restore."""


@dataclass(frozen=True, slots=True)
class Ports:
    """What memory is given from outside; `others` embeds languages other than English where `embedder` covers English only."""

    clock: Clock
    ids: Ids
    embedder: Embedder | None = None
    others: Embedder | None = None


@dataclass(frozen=True, slots=True)
class ConsolidationRules:
    """How memory consolidates: the rules for episodes, the longest transcript one call may read, and how banks are kept.

    `recall_bytes` caps the RAM used by the indexes of the most recently queried domains; `hours` is when dreams may run,
    `thresholds` the drive levels that trigger work, `retention` the days each tier is kept, if not for ever.
    """

    rules: EpisodeRules = EpisodeRules()
    max_transcript_chars: int = 24_000
    bank: BankRules = BankRules()
    recall_bytes: int = MOST_BYTES
    hours: DreamHours = DreamHours()
    thresholds: Thresholds = Thresholds()
    retention: Mapping[str, float] = field(default_factory=dict)


class Memory:
    """An open memory. Use `Memory.open`; close it, or leave the `async with`."""

    def __init__(
        self, db: Database, path: Path, key: bytes | None, seal: Seal, ports: Ports, consolidation_rules: ConsolidationRules
    ) -> None:
        self.db = db
        self.path = path
        self.address: DatabaseAddress | None = None
        """The server's address, or None if the memory is a local file."""
        self.places = Places(db, seal)
        self.settings = KeptSettings(db)
        self.linking = Linking(db, seal, ports.clock)
        self.journal = Journal(db, ports.clock)
        self.verified = ComparisonState(db, ports.clock)
        self._key = key
        self._ports = ports
        self.consolidation_rules = consolidation_rules
        self._holders = db.holders(path.with_name("holders"), ports.ids.new())
        self._holders.mark()
        memory_name = hmac.digest(seal.key, b"commit marks", "sha256").hex()[:16]
        self.marks = CommitMarks(db, path, self._holders.own, memory_name, ports.clock)
        self._embedder_routing = EmbedderRouting(db, ports.clock, ports.embedder, ports.others)
        tombstones = Tombstones(db, path.with_name("tombstones.log"))
        self._forgetting = Forgetting(db, tombstones, seal, ports.clock, ports.embedder)
        self.domain_indexes = DomainIndexes(db, consolidation_rules.recall_bytes)
        self._reading = Shared(
            self.places, self.settings, self.domain_indexes, self._embedder_routing, self._forgetting, ports.clock
        )
        self.shown = ShownMessages(db, seal)
        self.kept = KeptMessages(db, seal, self._forgetting, ports.clock, self._reading.confiding)
        self.clock_jumps = ClockJumps(db, ports.clock)
        self._retention = Retention(db, self._forgetting, ports.clock, consolidation_rules.retention)
        self.disappearance = Disappearance(db, self._forgetting, ports.clock)
        self.forgotten_at_open = Forgotten(0, 0, 0)
        self.dreams = Schedule(db, self._holders, ports.clock, consolidation_rules.hours)
        self.chores = Chores(db, self._holders, ports.clock)
        self.spending = Spending(db, ports.clock)
        self.usage = Usage(db, ports.clock)
        self._read_again: set[int] = set()

    @classmethod
    async def open(
        cls, path: Path, key: bytes | None, ports: Ports, consolidation_rules: ConsolidationRules | None = None, *,
        address: DatabaseAddress | None = None, sharing: FileSharing = ALONE,
    ) -> Self:  # fmt: skip
        """Open or create the memory at `path`, or on the server at `address`, whose local files are at `path`.

        Before anything is read, the tombstone log is replayed on this database and whatever a kill interrupted is finished;
        `forgotten_at_open` has the counts. Raises the errors of `open_database`.
        """
        db = await open_database(path, key, address, sharing)
        try:
            await reindex(db)
            seal = Seal(await installation_values.seal_key(db, ports.ids))
            await named_conversations.seal_names(db, seal)
            memory = cls(db, path, key, seal, ports, consolidation_rules or ConsolidationRules())
            memory.address = address
            memory.forgotten_at_open = await memory._forgetting.resume()
            await memory.disappearance.resume()
            return memory
        except BaseException:
            await db.close()
            raise

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the database and release every claim."""
        await self.domain_indexes.close()
        await self._holders.leave()
        await self.db.close()

    def key_for(self, purpose: str) -> bytes | None:
        """Return a key derived for another purpose, which does not reveal the memory's; None if the memory is not encrypted."""
        return hmac.digest(self._key, f"lyra {purpose}".encode(), "sha256") if self._key else None

    def view(self, home: Domain, others: Sequence[Domain] = ()) -> View:
        """Return a view of memory bound to the readers of one place: `home` is read and written, the `others` only read."""
        return View(self._reading, home, others)

    async def read_names(self, domain: Domain) -> int:
        """Extract names from what is new in a domain, in batches; return how many items were scanned."""
        return await entities.catch_up(self.db, self.places.seal, domain)

    async def read_again(self, domain: Domain) -> int:
        """Re-read older messages for wishes and announcements, in batches; return how many were read.

        Only an upgrade leaves any to be read again, so a domain is looked through once.
        """
        if domain.key in self._read_again:
            return 0
        now = self._ports.clock.now()
        retire = partial(old_tellings.retire, now=now, seal=self.places.seal)
        done = await rereading.catch_up(self.db, self.places.seal, domain, now, retire)
        self._read_again.add(domain.key)
        return done

    async def with_waiting_thoughts(self) -> list[Domain]:
        """Return the domains with a reflection waiting to be posted."""
        return await reflections.waiting_in(self.db)

    def context(self, domain: Domain, writer: Writer, fallback: Writer) -> Context:
        """Return the context for deriving in one domain; digests come from `writer`, or from `fallback` if that fails."""
        return Context(
            self.db.within([domain.key]), self.places.seal, self._ports.clock, domain, writer, fallback, self.consolidation_rules.rules,
            self._holders, self.consolidation_rules.max_transcript_chars, self.consolidation_rules.bank,
        )  # fmt: skip

    async def settled(self) -> None:
        """Wait until everything being forgotten or withheld has left memory, so that the rest can be read again."""
        await self.disappearance.settled()
        await self._forgetting.settled()

    async def sweep(self) -> Forgotten:
        """Finish interrupted forgetting and withholding, and forget what vanished a week ago and nobody kept; return the receipt."""
        receipt = await self._forgetting.finish_what_is_left()
        if await self.clock_jumps.is_settled():
            receipt += await self.disappearance.forget_due()
        await self.disappearance.resume()
        return receipt

    async def spoken_in(self, who: Identity) -> list[Domain]:
        """Return the domains that hold something an account said, oldest first."""
        return await identities.spoken_in(self.db, who)

    async def opt_out(self, who: Identity, name: str, here: Domain | None, *, out: bool) -> None:
        """Stop (or resume) learning about an account from others' words, in `here` and the shared places where it talked."""
        spoken = await self.spoken_in(who)
        shared = {one.key: one for one in (*spoken, *([here] if here else ())) if one.ref.kind is not DomainKind.DM}
        known = [name, *(called for _, called in await identities.names(self.db, [who]) if called)]
        async with self.db.transaction() as tx:
            for domain in shared.values():
                await opted_out.leave_out(tx, self.places.seal, domain, known, out=out)

    async def chosen(self) -> list[KeptSetting]:
        """Return who opted out, what is off the record and which accounts are linked, for `take_over`."""
        return await scope_settings.beginning(self.db, _CHOSEN)

    async def take_over(self, chosen: Sequence[KeptSetting]) -> None:
        """Replace these choices with those of the memory that this one supersedes; codes to link accounts become invalid."""
        async with self.db.transaction() as tx:
            await scope_settings.replace(tx, _CHOSEN, chosen)
            await linking.end_all(tx)

    async def expire(self) -> int:
        """Delete what has outlived its retention, at most once an hour; return how many items were deleted."""
        return await self._retention.sweep() if await self.clock_jumps.is_settled() else 0

    async def backlog(self) -> backlog.Backlog:
        """Count, in one query, what is in no gist yet; a session is ripe if it has no gist or a full episode to digest."""
        return await backlog.count(self.db, self.consolidation_rules.rules)

    async def waiting_for_vectors(self) -> int:
        """Return how many messages and digests have no embedding yet and are found by their words alone."""
        return await self._embedder_routing.waiting()

    async def self_states(self) -> list[StateOfMind]:
        """Return the newest self-state of every domain that has dreamt, without naming the domains."""
        return await selfstate.newest(self.db)

    async def dirty(self, domain: Domain, *, redo_for: str | None = None) -> list[int]:
        """Return the keys of a domain's sessions with messages in no gist, or in an extractive one that a writer is to redo.

        Empty while something in the domain is being forgotten: nothing is derived from what may be going.
        """
        if await is_sweeping(self.db, [domain.key]):
            return []
        open_ends = [row["session"] for row in await episodes.open_ends(self.db, domain)]
        waiting = await episodes.without_gist(self.db, domain, redo_for=redo_for)
        return sorted({*open_ends, *(episode.session for episode in waiting)})

    async def is_ripe(self, domain: Domain, session: Session) -> bool:
        """Return whether an episode of a session is due to close, or a gist or merge of it is due to be written."""
        rules = await closing(self.places, domain, self.consolidation_rules.rules, self.consolidation_rules.bank)
        now = self._ports.clock.now()
        return await episodes.is_any_over(self.db, domain, session, rules, now) or await summaries.is_due(self.db, session)

    async def changes(self) -> dict[int, int]:
        """Return how many changes each domain has seen, with those of the confidences within it, by key."""
        return await changes_by_domain(self.db)

    async def quiet_until(self, domain: Domain, most: int) -> int | None:
        """Return until when, at most `most`, nothing becomes due in a domain by time alone; None if nobody knows.

        That is so where something is being forgotten, which ends without a change, and where the bank is on.
        """
        if await is_sweeping(self.db, [domain.key]) or (await self.view(domain).bank.state()).since is not None:
            return None
        return await backlog.quiet_until(self.db, domain, self.consolidation_rules.rules, most)

    async def know_writer(self, name: str, setup: str) -> None:
        """Record how a writer is set up (`setup`); where that changed, it is asked again for what it refused."""
        known = await self.settings.get(_SCOPE, _WRITERS)
        setups = dict(known) if isinstance(known, dict) else {}
        if setups.get(name) == setup:
            return
        async with self.db.transaction() as tx:
            await refusals.reopen(tx, name)
            await put(tx, _SCOPE, _WRITERS, {**setups, name: setup})

    async def backup(self, target: Path, tell: Progress = lambda *_: None) -> int:
        """Make a verified encrypted copy and return how many messages it holds. Raises BackupFailed.

        `tell` is called with the bytes copied and the total.
        """
        return await backup(self.db, self.path, self._key, target, tell)
