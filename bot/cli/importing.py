"""`lyra import`: reads messages from a file.

Imported messages are embedded right away, with progress and until interrupted.
"""

import asyncio
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path

from adapters.events import conversation
from bot.app import App, open_app
from bot.cli.embedding_progress import embed_waiting
from bot.cli.output import interruptible, progress_bar
from bot.imports import deriving
from bot.printing import note, show
from bot.service.deadline import until_stopped
from localization.numerals import number
from localization.sentences import Said, _, lazy, ngettext
from memory.places.named_conversations import thread
from memory.transfer.detect import lines_in, read_file
from memory.transfer.message import BadConversation, BadLine, Incoming, speakers
from memory.transfer.seen_record import SeenItems
from memory.types import Identity, Imported, Kind, NewExchange, Session, SessionRef
from memory.view.view import View

_BATCH = 100
"""What one transaction stores, so that others who write wait for less than a second."""
_NAMED = 5


async def import_file(as_: str, file: str, format_: str, session: str) -> int:
    """Import a file into a person's memory; return 1 if some lines could not be used, with the good ones stored."""
    async with open_app(yields=True) as app:
        view = await app.view(as_)
        default = session or (Path(file).stem if file != "-" else "imported")
        person = as_ or app.base.environment.user
        importer = _Importer(app, view, person, default, placed=bool(session))
        with progress_bar(_("Imported lines:")) as progress:
            read = 0
            lines = read_file(Path(file), format_, view.home.time_zone, person)
            total = await asyncio.to_thread(lines_in, Path(file), format_)
            progress(0, total)
            while batch := await _batch(lines, may_wait=not Path(file).is_file()):
                await importer.take(batch)
                read += len(batch)
                progress(read, max(read, total) if total else 0)
        await importer.finish()
        # Everything is stored by now: an interrupt only cuts the embedding short.
        async with until_stopped() as stop:
            code = importer.tell()
            await embed_waiting(app, view, stop)
        return code


async def _batch(lines: Iterator[Incoming | BadLine], *, may_wait: bool) -> list[Incoming | BadLine]:
    if may_wait:
        # A thread that waits for a terminal or a pipe would outlast Ctrl-C.
        with interruptible():
            return list(islice(lines, _BATCH))
    return await asyncio.to_thread(lambda: list(islice(lines, _BATCH)))


class _Order:
    """Parts lines where their session changes, and where one tells what digests were made from, which is kept before it."""

    def __init__(self) -> None:
        self._part = 0

    def __call__(self, line: Incoming) -> tuple[str | None, str | None, int]:
        self._part += bool(line.seen and line.seen.made_from)
        return line.place, line.session, self._part


class _Importer:
    """Stores batches of messages in their sessions, and counts.

    `placed` says that the default session was named by the user.
    """

    def __init__(self, app: App, view: View, person: str, default: str, *, placed: bool) -> None:
        self._app = app
        self._view = view
        self._person = person
        self._default = default
        self._placed = placed
        self._sessions: dict[str, Session] = {}
        self._bad: list[BadLine] = []
        self._made_from: dict[str, SeenItems] = {}
        self._views_are_known = True
        self._counts = {"stored": 0, "known": 0, "forgotten": 0}

    async def take(self, batch: list[Incoming | BadLine]) -> None:
        """Store the good lines of a batch, in one transaction per session where no answer tells what it had in view."""
        good = [line for line in batch if isinstance(line, Incoming)]
        self._bad += [line for line in batch if isinstance(line, BadLine)]
        if any(line.seen for line in good):
            # In the order of the file: what an answer had in view is stored before it.
            for _order, run in groupby(good, _Order()):
                await self._store(list(run))
            return
        groups: dict[str, list[Incoming]] = {}
        for line in good:
            groups.setdefault(line.place or line.session or self._default, []).append(line)
        for lines in groups.values():
            await self._store(lines)

    async def _store(self, lines: Sequence[Incoming]) -> None:
        """Store lines of one session, the first of which may tell what digests were made from."""
        place = lines[0].place or lines[0].session or self._default
        session = self._sessions.get(place) or await self._session(place, lines[0])
        self._sessions[place] = session
        records = {line.source_id: line.seen for line in lines if line.seen}
        for record in records.values():
            for digest, items in record.made_from.items():
                self._made_from[digest] = self._made_from.get(digest, SeenItems()).and_(items)
        fresh = await self._view.seen_records.needing(session, records) if records and self._views_are_known else set()
        needed = self._needed({one for id_ in fresh for one in (*records[id_].items.digests, *records[id_].made_from)})
        unknown = await self._view.seen_records.keep_digests(needed, self._named()) if needed else {}
        # A line to come may have what these were made from, or tell the rest.
        self._made_from |= {digest: needed[digest] for digest in unknown}
        if any(unknown.values()):
            # Whatever is above a digest that lacks a source lacks it as well.
            self._views_are_known, fresh = False, set()
        kept = await self._view.say(session, [self._exchange(line, place) for line in lines])
        stored = {one.key: records[one.source_id] for one in kept.stored if one.source_id in fresh}
        if stored:
            await self._view.seen_records.keep(stored, self._named())
        self._counts["stored"] += len(kept.stored)
        self._counts["known"] += kept.known
        self._counts["forgotten"] += kept.forgotten

    def _named(self) -> dict[str, Session]:
        """Return the sessions by the names that lines have for them; '' stands for the default session, if there is one yet."""
        return {name: session for name, session in (*self._sessions.items(), ("", self._sessions.get(self._default))) if session}

    def _needed(self, digests: Collection[str]) -> dict[str, SeenItems]:
        """Return what these digests, and those beneath them, were made from, as far as the file told since it was last asked."""
        needed: dict[str, SeenItems] = {}
        while found := {digest: self._made_from.pop(digest) for digest in digests if digest in self._made_from}:
            needed |= found
            digests = {below for items in found.values() for below in items.digests}
        return needed

    async def _session(self, place: str, line: Incoming) -> Session:
        name = line.session or self._default
        told_apart = thread(self._app.memory.places.seal, self._person, place)
        ref = SessionRef("console", conversation("console", self._person, told_apart).key)
        if line.place is None and (line.session or self._placed):
            # One that was imported from elsewhere or begun with /new has another key than its name, under which it is exported.
            sessions = await self._view.sessions.all()
            called = next((one for one in sessions if one.name == name and one.ref.platform == "console"), None)
            if called and all(one.ref != ref for one in sessions):
                return called
        return await self._view.sessions.get(ref, name)

    def _exchange(self, line: Incoming, place: str) -> NewExchange:
        kind = {"user": Kind.SAID, "assistant": Kind.REPLY, "system": Kind.NOTICE}[line.role]
        speaker = line.speaker or speakers(self._person)[line.role]
        at = line.created_at if line.created_at is not None else self._app.base.clock.now()
        own = line.role == "user" and line.speaker in (None, self._person)
        identity = Identity("console", self._person) if own else None
        return NewExchange(
            kind, line.content, line.source_id, at, speaker, line.role, identity, line.echo,
            Imported(line.origin, line.former, self._placed, line.timed, conversation("console", self._person, place).key),
        )  # fmt: skip

    async def finish(self) -> None:
        """Close finished episodes, so that imported months get their digests, and record the import in the log."""
        consolidator = deriving(self._app.memory).consolidator(
            self._view.home, self._app.models.extractive, self._app.models.extractive
        )
        for session in self._sessions.values():
            await consolidator.close_episodes(session)
        if self._counts["forgotten"]:
            # A conversation whose messages are all forgotten was named after its file again.
            await self._view.sessions.drop_names_of_empty()
        await self._view.note("import", sessions=len(self._sessions), bad=len(self._bad), **self._counts)

    def tell(self) -> int:
        """Report what became of the lines; return the exit code."""
        stored, known, forgotten = self._counts.values()
        lines = [
            _(
                "Imported {messages} {conversations}",
                messages=ngettext("{n} message", "{n} messages", stored),
                conversations=ngettext("in {n} conversation", "in {n} conversations", len(self._sessions)),
            )
        ]
        if known:
            lines.append(ngettext("{n} was here already", "{n} were here already", known))
        if forgotten:
            lines.append(ngettext("{n} had been forgotten and stays so", "{n} had been forgotten and stay so", forgotten))
        show(f"{'; '.join(lines)}.")
        sys.stdout.flush()
        if not self._bad:
            return 0
        named = "; ".join(str(_located(bad)) for bad in self._bad[:_NAMED])
        more = _("; and {n} more", n=number(len(self._bad) - _NAMED)) if len(self._bad) > _NAMED else ""
        note(
            ngettext("{n} conversation could not be read in full (the rest of it is imported): {named}{more}.",
                     "{n} conversations could not be read in full (the rest of them is imported): {named}{more}.",
                     len(self._bad), named=named, more=more)
            if isinstance(self._bad[0], BadConversation)
            else ngettext("{n} line could not be used: {named}{more}.", "{n} lines could not be used: {named}{more}.",
                          len(self._bad), named=named, more=more)
        )  # fmt: skip
        return 1


def _located(bad: BadLine) -> Said:
    return bad.reason if isinstance(bad, BadConversation) else lazy("line {line}: {reason}", line=bad.line, reason=bad.reason)
