"""Summaries of conversations, and an overview of what is stored.

Also a look back at a place's recent messages: summarized for the asker, and not stored.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from adapters.command_table import Call, Parameter, Reply
from adapters.markup import abridged
from adapters.message_parts import Quote
from bot.admission.allowance import Allowance, Grant, too_much
from bot.commands.group import Group, command, plain
from bot.commands.texts import receipts
from bot.context.quoting import (
    messages_before,
    opted_out_forwards,
    unforgotten_quotes,
    without_confidences,
    without_forwards,
    without_told_again,
)
from bot.context.unstored_names import with_display_names
from bot.errors import BadInput
from bot.imports import imported
from bot.models.chains import Models
from bot.service.log import log
from localization.sentences import _, lazy, ngettext
from memory.errors import NotFound, WriterFailed, WriterRefused
from memory.ports import Source, Task
from memory.text.time.times import iso_minute
from memory.tiers.messages.asides import Aside
from memory.types import Session
from memory.view.view import View


async def quick_gist(quotes: Sequence[Quote], models: Models, time_zone: str, most_characters: int) -> str:
    """Return the gist of messages, one paragraph per `most_characters` of them; extractive if no model answers."""
    sources = [Source(f"m{at}", q.speaker, iso_minute(q.said_at, time_zone), q.text) for at, q in enumerate(quotes, start=1)]
    tasks = [Task("gist", tuple(chunk)) for chunk in imported("memory.derive.drafting").chunks(sources, most_characters)]
    return "\n\n".join([await _written_gist(task, models) for task in tasks])


async def _written_gist(task: Task, models: Models) -> str:
    for writer in (models.writer, models.extractive):
        try:
            good, _refused = await asyncio.to_thread(imported("memory.derive.drafting").supported, await writer.write(task), task)
            if good:
                return " ".join(entry.text for entry in good)
        except (WriterFailed, WriterRefused) as error:
            log.info("glance.extracted", why=type(error).__name__)
    return ""


_MOST_LAST = 200
_NEWEST = 3
_TRIES = 3


@dataclass(frozen=True, slots=True)
class SummaryCommands(Group):
    """/summarize, /sessions, /memory view. A summary counts towards the allowance, as a model writes it."""

    _allowance: Allowance

    @command(
        "summarize",
        lazy("the summary of this conversation, or of another"),
        Parameter(
            "session", lazy("which conversation; this one if you name none"), value=lazy("SESSION"), rest=True, suggests=True
        ),
        Parameter("last", lazy("only look at so many messages of this channel, and keep nothing of it"), type=int, named=True),
        Parameter("public", lazy("show the answer to everyone here"), type=bool, named=True),
    )
    async def _summarize(self, call: Call) -> Reply:
        chosen = await self._services.preferences.read(call.person, call.place)
        grant, seconds = await self._allowance.take(call.person, call.place, self._services.clock.now(), chosen)
        if grant in (Grant.DECLINED, Grant.IGNORED):
            # Each call is acknowledged while its caller waits.
            raise BadInput(too_much(seconds, kept=False))
        if "last" in call.arguments:
            return await self._look_back(call, int(call.arguments["last"]))
        view, session = await self._here(call)
        if "session" in call.arguments:
            session = await self._find_session(call, view, str(call.arguments["session"]))
        digests = await self._services.maintenance.summarize(view.home, session)
        if not digests:
            return plain(_("There is nothing to summarize here yet."))
        return plain(receipts.summary(digests, view.home.time_zone), shows=[one.key for one in digests])

    async def _find_session(self, call: Call, view: View, name: str) -> Session:
        try:
            return await view.sessions.find(name)
        except NotFound:
            # A platform may cut the names that it offers.
            begun = [one for one in await view.sessions.all() if name and one.name.startswith(name)]
            if len(begun) == 1:
                return begun[0]
            sign, given = self._sign(call), abridged(name)
            raise BadInput(
                'There is no conversation "{name}" here; {sign}sessions shows which there are.', name=given, sign=sign
            ) from None

    async def _look_back(self, call: Call, n: int) -> Reply:
        """Summarize recent messages for the asker alone; nothing is stored."""
        if not call.private:
            raise BadInput("A look back answers only you: leave out public.")
        if not 1 <= n <= _MOST_LAST:
            raise BadInput("I can look back at 1 to {most_last} messages.", most_last=_MOST_LAST)
        view, session = await self._here(call)
        zone, read = view.home.time_zone, await self._readable(call, view, n)
        for _try in range(_TRIES):
            begun = self._services.clock.now()
            if not read:
                return plain(_("There is nothing here that you and I can both read back."))
            quotes = await with_display_names(view.messages, self._adapters[call.place.platform], call.place, read)
            text = await quick_gist(quotes, self._services.models, zone, self._services.settings.max_transcript_chars)
            # Nothing else would reveal that a message was withdrawn meanwhile, or that the asker may not read it any more.
            now = await self._readable(call, view, n)
            if set(read) <= set(now):
                since = receipts.moment(quotes[0].said_at, self._services.clock.now(), zone)
                # Where commands are typed, answers are messages, which stay.
                stays = bool(self._adapters[call.place.platform].prefix)
                seen = {Aside(one.id, one.said_at, one.edited_at, begun) for one in quotes} if stays else ()
                shows = await view.posts.items_of(session, seen)
                head = ngettext(
                    "{n} message since {since}, kept nowhere:",
                    "{n} messages since {since}, kept nowhere:",
                    len(quotes),
                    since=since,
                )
                told = f"{head}\n{text}"
                return plain(told, shows=shows)
            read = now
        raise BadInput("What was said here changed again and again while I read it; ask me once more in a minute.")

    async def _readable(self, call: Call, view: View, n: int) -> Sequence[Quote]:
        """Return those of the last n messages that asker and Lyra can both read now, in their current text, oldest first."""
        adapter, services = self._adapters[call.place.platform], self._services
        read = await messages_before(adapter, call.place, call.message, n, call.person)
        stored = await view.messages.kept(call.place.platform, [quote.id for quote in read])
        heeded = await services.preferences.without_opted_out_people(call.place.platform, read, stored)
        unheeded = await opted_out_forwards(services.memory, services.preferences, adapter, heeded)
        heeded = [without_forwards(one, unheeded) for one in heeded]
        heeded = await asyncio.to_thread(without_confidences, heeded)
        hidden = await view.messages.in_confidence(call.place.platform, [quote.id for quote in heeded])
        heeded = [quote for quote in heeded if quote.id not in hidden]
        heeded = await without_told_again(view, call.place.platform, heeded)
        return await unforgotten_quotes(services.memory, view, call.place, heeded)

    @command("sessions", lazy("your conversations, newest first"))
    async def _sessions(self, call: Call) -> Reply:
        view, here = await self._here(call)
        now = self._services.clock.now()
        lines = [
            f"{'*' if session.key == here.key else ' '} {session.name}: "
            f"{receipts.message_count(session.messages)}, {receipts.since(session.last_at, now)}"
            for session in await view.sessions.all()
        ]
        return plain("\n".join(lines) or _("There is no conversation yet."))

    @command(
        "memory view",
        lazy("what is kept, and what was made of it"),
        Parameter("part", lazy("what to see"), value=lazy("PART"), choices=("summaries",)),
    )
    async def _memory(self, call: Call) -> Reply:
        view = await self._view(call)
        sessions = await view.sessions.all()
        digests = await view.digests.all()
        gists = sum(digest.tier == "gist" for _session, digest in digests)
        n, _last = await view.messages.count_said()
        sign = self._sign(call)
        text = (
            ngettext("{n} message said here", "{n} messages said here", n)
            if self._shared(call)
            else ngettext("{n} message of yours", "{n} messages of yours", n)
        )
        parts = ", ".join(("profile", "eras", "narrative", "self", *(("bank",) if self._shared(call) else ())))
        lines = [
            _(
                "I keep {kept} {conversations}, and {gists} of them. {sign}forget removes what you name, for good.",
                kept=text,
                conversations=ngettext("in {n} conversation", "in {n} conversations", len(sessions)),
                gists=ngettext("{n} gist", "{n} gists", gists),
                sign=sign,
            ),
            _("What I made of it: {sign}memory {parts}.", sign=sign, parts=parts),
        ]
        zone = view.home.time_zone
        newest = digests[-_NEWEST:]
        lines += [f"\n{session.name}\n{receipts.summary([digest], zone)}" for session, digest in newest]
        return plain("\n".join(lines), shows=[digest.key for _session, digest in newest])
