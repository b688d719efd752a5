"""Recall, and storing a message on request."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adapters.command_table import Action, Call, Card, Parameter, Reply
from bot.commands.command_calls import MORE
from bot.commands.group import Group, command, off_record, plain
from bot.commands.texts import receipts
from bot.commands.texts.receipts import nothing_sure
from bot.context.quoting import opted_out_forwards, says_nothing, without_forgotten, without_forwards
from bot.conversation.intake import new_exchange
from bot.conversation.preferences import PAUSED
from bot.delivery.links import written_urls
from bot.errors import BadInput
from bot.reconciliation.message_verification import MessageVerification
from localization.sentences import _, lazy
from memory.view.shown_messages import ShownMessage

_PAGE = 5
_MOST = 50
_MOST_QUOTED = 100
_SUGGESTIONS, _LOOKED_THROUGH = 25, 500
_FORGOTTEN = lazy("That message was forgotten, and stays so.")
SESSION, NAME = "session", "name"
"""The parameters with suggestions: a conversation, or a topic."""


@dataclass(frozen=True, slots=True)
class RecallCommands(Group):
    """/recall, Show more, Remember this."""

    _verification: MessageVerification

    async def suggest(self, call: Call, parameter: str, typed: str) -> Sequence[str]:
        """Return completions for a partly typed argument: known names and conversations."""
        view, typed = await self._view(call), " ".join(typed.split()).casefold()
        named = [] if parameter == SESSION else [one.name for one in await view.pages.names(_LOOKED_THROUGH)]
        talks = [] if parameter == NAME else [one.name for one in await view.sessions.all()]
        found = [one for one in dict.fromkeys((*named, *talks)) if typed in one.casefold()]
        # Prefix matches first.
        return sorted(found, key=lambda one: not one.casefold().startswith(typed))[:_SUGGESTIONS]

    @command(
        "recall",
        lazy("find what was said about something"),
        Parameter("query", lazy("what to look for"), value=lazy("QUERY"), required=True, rest=True, suggests=True),
    )
    async def _recall(self, call: Call) -> Reply:
        # "Show more" continues this list, not an earlier one.
        self._pages.last(call.person)
        query = str(call.arguments["query"])
        await self._services.maintenance.open_to((await self._view(call)).home, query)
        return await self._page(call, query, 0)

    async def _page(self, call: Call, words: str, begin: int) -> Reply:
        view = await self._view(call)
        asker = await self._name(call, view)
        hits = await self._verification.hits(lambda: view.recall.messages(words, min(begin + _PAGE + 1, _MOST), asker=asker))
        shown = hits[begin : begin + _PAGE]
        if not shown:
            query = receipts.one_line(words, _MOST_QUOTED)
            more = _('I found nothing more about "{words}".', words=query)
            return plain(more if begin else _('I found nothing about "{words}".', words=query))
        now, zone = self._services.clock.now(), view.home.time_zone
        ids, closed = await view.ids.short(receipts.shown_ids(*shown)), await self._domains_out_of_reach(call)
        numbered = [(at, hit, self._link_to(call, hit, closed)) for at, hit in enumerate(shown, start=begin + 1)]
        lines = [f"{at}. {receipts.hit(hit, ids, now, zone, link)}" for at, hit, link in numbered]
        cards = [receipts.card(hit, at, ids, now, zone, link) for at, hit, link in numbered]
        if unsure := nothing_sure(shown):
            lines.insert(0, unsure)
            cards.insert(0, Card(unsure))
        theirs = {view.home.key, *closed}
        actions = [
            Action(_("Forget {number}", number=at), "forget", hit.exchange.id)
            for at, hit, _link in numbered
            if hit.exchange.domain in theirs
        ]
        if len(hits) > begin + _PAGE:
            actions.append(self._pages.keep(call.person, lambda: self._further(call, words, begin + _PAGE)))
        passing = await written_urls(hit.exchange for hit in shown) | {link for _at, _hit, link in numbered if link}
        shows = frozenset(hit.exchange.key for hit in shown)
        return Reply("\n".join(lines), passing, tuple(actions), shows, cards=tuple(cards))

    async def _further(self, call: Call, words: str, begin: int) -> Reply:
        return await self._page(await self._with_current_readers(call), words, begin)

    @command(MORE, lazy("the next page of the last list"), Parameter("page", lazy("which"), value=lazy("PAGE")), hidden=True)
    async def _more(self, call: Call) -> Reply:
        return await self._pages.show(call.person, str(call.arguments.get("page", "")) or self._pages.last(call.person))

    @command("remember", lazy("keep this message"), menu="Remember this", hidden=True)
    async def _remember(self, call: Call) -> Reply:
        target = call.target
        if target is None:
            raise BadInput("There is no message to keep.")
        if target.hidden:
            raise BadInput(
                "I leave that message out of this conversation: as far as I know, not everyone who reads here could read it."
            )
        if await self._services.preferences.on(target.person, PAUSED):
            raise BadInput("{name} told me to keep nothing of theirs.", name=target.person.name)
        if call.off_record:
            raise BadInput(off_record(self._sign(call)))
        platform, key = call.place.platform, call.place.key
        view, session = await self._here_to_store(call)
        known = await self._services.memory.kept.knows(platform, key, [target.id]) or await view.messages.find(
            platform, None, target.id
        )
        if await self._services.memory.shown.withheld(platform, [ShownMessage(target.id, [key], False, target.said_at)]):
            raise BadInput(_FORGOTTEN)
        if known or await view.posts.may_be_shown(platform, [target.id]):
            return plain(_("I have that already."))
        forwarded = bool(target.forwards)
        adapter = self._adapters[platform]
        unheeded = await opted_out_forwards(self._services.memory, self._services.preferences, adapter, [target])
        if unheeded and says_nothing(target := without_forwards(target, unheeded)):
            raise BadInput("Whoever said this told me to keep nothing of theirs.")
        (target,) = await without_forgotten(self._services.memory, view, platform, [target])
        if forwarded and says_nothing(target):
            raise BadInput(_FORGOTTEN)
        contents = await adapter.read_attachments(target) if target.attachments else ()
        new = replace(await new_exchange(target, contents), borne=await self._name_use(call, view, target.person))
        stored = await view.say(session, [new])
        if not stored.stored:
            raise BadInput(_FORGOTTEN)
        self._services.maintenance.poke(view.home, session)
        return plain(_("Kept."))
