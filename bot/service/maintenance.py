"""Background maintenance: gists for due sessions, and vectors for new texts."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine
from dataclasses import dataclass
from typing import Any

from adapters.task_groups import cancel
from bot.config.settings import Settings
from bot.imports import deriving
from bot.keyed_locks import KeyedLocks
from bot.models.chains import Models, limits
from bot.service.due_domains import DueDomains
from bot.service.log import carried_on, log
from bot.service.priority import Priority
from memory.core import Memory
from memory.errors import BusyElsewhere, MemoryFailure
from memory.ports import Clock, Progress, Writer
from memory.types import Digest, Domain, Session

_DRAIN_SECONDS = 3.0
_JOB = "housekeeping"
_OPENING_SECONDS = 5.0
_MANY = 500
"""From this many missing vectors on, progress is logged, and shutdown does not wait for them."""
_COLLECTING_SECONDS = 0.02
"""Seconds to collect work for other processes, since each hand-over takes a transaction."""
_IN_TURN = 512
"""How many items of a domain are embedded before the next domain has its turn."""


@dataclass(frozen=True, slots=True)
class Summarized:
    """The result of `summarize --all`: of the `failed`, other processes write `elsewhere`; `pieces` counts what is above gists."""

    summarized: int
    failed: int
    elsewhere: int
    total: int
    pieces: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated model usage of `summarize --all`."""

    sessions: int
    calls: int
    tokens: int


class Maintenance:
    """Maintains the memory: after a turn when poked, every minute in `lyra run`, and at startup."""

    def __init__(
        self, memory: Memory, models: Models, settings: Settings, clock: Clock, priority: Priority | None = None
    ) -> None:
        self._memory = memory
        self._priority = priority or Priority()
        self._models = models
        self._settings = settings
        self._clock = clock
        self._busy: set[asyncio.Task[None]] = set()
        self._poked: dict[Domain, set[Session | None]] = {}
        self._unembedded: dict[int, Domain] = {}
        self._embedding: asyncio.Task[None] | None = None
        self._left = 0
        self._due_domains = DueDomains(memory, clock)
        self._locks = KeyedLocks[str]()
        self._left_to_others = False
        self._leaving: set[int] = set()

    def leave_to_others(self) -> None:
        """Leave poked work to other processes from now on."""
        self._left_to_others = True

    def poke(self, domain: Domain, session: Session | None = None) -> None:
        """Schedule maintenance of a domain, or of one session, in the background."""
        if self._left_to_others:
            self._leave(domain)
            return
        if not self._poked:
            self._begin(self._maintain_poked())
        self._poked.setdefault(domain, set()).add(session)

    async def _maintain_poked(self) -> None:
        await self._priority.pause()
        poked, self._poked = self._poked, {}
        for domain, sessions in poked.items():
            self._begin(self._maintain_and_embed(domain, sessions))

    def _leave(self, domain: Domain) -> None:
        if not self._leaving:
            self._begin(carried_on(self._hand_over(), _JOB))
        self._leaving.add(domain.key)

    async def _hand_over(self) -> None:
        # Includes what is poked meanwhile.
        await asyncio.sleep(_COLLECTING_SECONDS)
        domains, self._leaving = self._leaving, set()
        await self._memory.chores.add(domains)

    async def maintain(self, domain: Domain, still: Callable[[], Awaitable[bool]]) -> None:
        """Maintain a domain until it is done and embedded, as long as this process `still` holds the work."""
        is_quiet = await self._maintain_sessions(domain, [None])
        embeds: bool | None = True
        while embeds and await still():
            embeds = await carried_on(self._embed_some(domain), _JOB)
        if not is_quiet or embeds is None:
            self._due_domains.look_again(domain)

    async def drain(self, seconds: float = _DRAIN_SECONDS) -> None:
        """Wait some seconds for work in progress, then cancel it; its claims let the next start continue.

        Embedding many texts, which takes minutes, is not waited for.
        """
        deadline = asyncio.get_running_loop().time() + seconds
        with self._priority.without_pause():
            while self._busy and (left := deadline - asyncio.get_running_loop().time()) > 0:
                if self._embedding and self._left > _MANY:
                    self._embedding.cancel()
                await asyncio.wait(self._busy, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        await cancel(*self._busy)

    async def tick(self) -> None:
        """Maintain every domain with anything in it that changed since it was last looked at, or in which something may be due."""
        async for domain in self._due_domains.taken():
            if not await self._maintain_and_embed(domain, [None]):
                self._due_domains.look_again(domain)

    async def leave_due(self) -> None:
        """Leave every domain that `tick` would maintain to whichever worker has time."""
        due = [domain async for domain in self._due_domains.taken()]
        try:
            if due:
                await self._memory.chores.add([domain.key for domain in due])
        except BaseException:
            for domain in due:
                self._due_domains.look_again(domain)
            raise

    async def _maintain_and_embed(self, domain: Domain, sessions: Collection[Session | None]) -> bool:
        self.embed_soon(domain)
        is_quiet = await self._maintain_sessions(domain, sessions)
        if not is_quiet:
            self.embed_soon(domain)
        return is_quiet

    async def _maintain_sessions(self, domain: Domain, sessions: Collection[Session | None]) -> bool:
        """Maintain sessions of a domain; return whether there was nothing to be written and nothing failed."""
        quiet = [await carried_on(self._write_due(domain, session), _JOB) for session in sessions]
        read = [await carried_on(self._read_names(domain), _JOB), await carried_on(self._memory.read_again(domain), _JOB)]
        return all(quiet) and None not in read

    async def _write_due(self, domain: Domain, only: Session | None) -> bool:
        """Write what is due in a session, or in all of a domain; return whether nothing was."""
        # Importing derivation takes a fifth of a start, and mostly there is nothing to derive.
        is_quiet = True
        for session in [only] if only else await self._dirty(domain):
            async with self._locks.alone(session.id):
                if await self._memory.is_ripe(domain, session):
                    is_quiet = False
                    consolidator = deriving(self._memory).consolidator(domain, self._unasked(domain), self._models.extractive)
                    await consolidator.close_episodes(session)
                    await consolidator.digest(session)
        if (await self._memory.view(domain).bank.state()).since is not None:
            async with self._locks.alone(f"bank {domain.key}"):
                banked = await deriving(self._memory).bank(domain, self._unasked(domain)).keep()
                is_quiet = is_quiet and not (banked.conversations or banked.digests)
        return is_quiet

    async def _read_names(self, domain: Domain) -> int:
        # In sequence, since both would scan the same messages.
        async with self._locks.alone(f"names {domain.key}"):
            return await self._memory.read_names(domain)

    def _unasked(self, domain: Domain) -> Writer:
        """Return the writer for unrequested work: within the daily budget, and behind live conversations."""
        writer = self._models.unasked(domain, self._memory.spending, limits(self._settings), self._priority.free, paced=True)
        return writer or self._models.extractive

    def embed_soon(self, domain: Domain) -> None:
        """Schedule embedding for a domain, concurrently, since a large import takes minutes."""
        self._unembedded[domain.key] = domain
        if self._embedding is None or self._embedding.done():
            self._embedding = self._begin(self._embed())

    async def open_to(self, domain: Domain, question: str) -> None:
        """Begin to embed a domain that holds only English for a question in another language; wait for its first messages, briefly."""
        await asyncio.wait({self._begin(self._open_to(domain, question))}, timeout=_OPENING_SECONDS)

    async def _open_to(self, domain: Domain, question: str) -> None:
        if await carried_on(self._memory.view(domain).open_to(question), _JOB):
            self.poke(domain)

    async def _embed(self) -> None:
        while self._unembedded:
            await self._priority.pause()
            domains, self._unembedded = self._unembedded, {}
            # Round-robin over domains, so that nobody waits for somebody else's import.
            for domain in domains.values():
                is_left = await carried_on(self._embed_some(domain), _JOB)
                if is_left is None:
                    self._due_domains.look_again(domain)
                elif is_left:
                    self._unembedded[domain.key] = domain

    async def _embed_some(self, domain: Domain) -> bool:
        return await self._memory.view(domain).embed(self._log_progress, _IN_TURN) >= _IN_TURN

    def _log_progress(self, done: int, total: int) -> None:
        self._left = total - done
        if total > _MANY:
            log.info("embedded", done=done, of=total)

    def _begin(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[None]:
        task: asyncio.Task[Any] = asyncio.create_task(work)
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)
        return task

    async def summarize(self, domain: Domain, session: Session, *, redo: bool = False) -> list[Digest]:
        """Update one session's digests, including its open end, and return its summary.

        With `redo`, extractive gists are rewritten by the model.
        Raises WriterFailed if the model is unreachable, BusyElsewhere if another process is writing it now.
        """
        async with self._locks.alone(session.id):
            consolidator = deriving(self._memory).consolidator(domain, self._models.writer, self._models.extractive)
            await consolidator.close_episodes(session, asked=True)
            await consolidator.digest(session, redo=redo)
            if await consolidator.due(session):
                raise BusyElsewhere('Another process is summarizing "{name}". Try again in a moment.', name=session.name)
            self.embed_soon(domain)
            return await consolidator.summary(session)

    async def climb(self, domain: Domain) -> int:
        """Update profile, eras, narrative and self-state of a domain; return how many pieces were written.

        Does nothing without a model. Raises WriterFailed if the model is unreachable.
        """
        async with self._locks.alone(f"ladder {domain.key}"):
            return await deriving(self._memory).ladder(domain, self._models.writer).climb(asked=True)

    async def summarize_by_id(self, session_id: str) -> list[Digest]:
        """Like `summarize`, for a session of any domain by its public id. Raises NotFound."""
        session, domain = await self._memory.places.session_by_id(session_id)
        return await self.summarize(domain, session)

    async def waiting(self, limit: int | None = None) -> list[tuple[Domain, Session]]:
        """Return every session with a message in no gist, oldest first."""
        redo, domains = not self._models.writer.extractive, await self._memory.places.domains()
        found = [(domain, session) for domain in domains for session in await self._dirty(domain, redo=redo)]
        return sorted(found, key=lambda pair: pair[1].last_at)[:limit]

    async def estimate(self, pairs: list[tuple[Domain, Session]]) -> Estimate:
        """Return the estimated calls and tokens of summarizing these sessions, and of all that `summarize_all` writes besides."""
        room = await self._models.summary_room()
        calls = tokens = 0
        for domain in await self._memory.places.domains():
            estimating = deriving(self._memory).estimating(domain, self._models.writer, room)
            expected = await estimating.expected([session for one, session in pairs if one.key == domain.key])
            calls, tokens = calls + expected.calls, tokens + expected.tokens
        return Estimate(len(pairs), calls, tokens)

    async def summarize_all(self, pairs: list[tuple[Domain, Session]], workers: int, progress: Progress) -> Summarized:
        """Summarize these sessions, `workers` at a time; failures are counted and left for the next run."""
        room = asyncio.Semaphore(workers)
        done = failed = elsewhere = 0

        async def one(domain: Domain, session: Session) -> None:
            nonlocal done, failed, elsewhere
            async with room:
                try:
                    await self.summarize(domain, session, redo=True)
                    done += 1
                except MemoryFailure as error:
                    log.warning("summarize.failed", session=session.id, why=str(error))
                    failed += 1
                    elsewhere += isinstance(error, BusyElsewhere)
                progress(done + failed, len(pairs))

        async with asyncio.TaskGroup() as group:
            for domain, session in pairs:
                group.create_task(one(domain, session))
        pieces = 0
        for domain in await self._memory.places.domains():
            try:
                pieces += await self.climb(domain)
            except MemoryFailure as error:
                log.warning("climb.failed", why=str(error))
        return Summarized(done, failed, elsewhere, len(pairs), pieces)

    async def _dirty(self, domain: Domain, *, redo: bool = False) -> list[Session]:
        keys = set(await self._memory.dirty(domain, redo_for=self._models.writer.name if redo else None))
        return [session for session in await self._memory.view(domain).sessions.all() if session.key in keys] if keys else []
