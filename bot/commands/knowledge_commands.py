"""What Lyra derived from messages: facts, months, arcs, her self-state, each with its sources.

Facts are corrected and dropped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adapters.command_table import Action, Call, Parameter, Reply
from bot.commands.group import Group, caller, command, plain
from bot.commands.texts import ladder_text, page_text
from bot.delivery.links import NO_LINKS, written_urls
from bot.errors import BadInput
from bot.rights.correction import replace_fact
from localization.sentences import _, lazy
from memory.types import Exchange, Kind, NewExchange, Statement

_PAGE = 5
_PAST = Parameter("past", lazy("show what was replaced since"), type=bool, named=True)
_FACT = Parameter("fact", lazy("the id of a fact, as the profile shows it"), value=lazy("FACT"), required=True)


class KnowledgeCommands(Group):
    """/memory profile, eras, narrative, self, about, correct, forget."""

    @command("memory profile", lazy("the facts I know here, and what they rest on"), _PAST, given=["profile"])
    @command("memory eras", lazy("what was going on, month by month"), _PAST, given=["era"])
    @command("memory narrative", lazy("what is going on, and what was left open"), _PAST, given=["narrative"])
    @command("memory self", lazy("how I am here, and what I say about myself"), _PAST, given=["self"])
    async def _tier(self, tier: str, call: Call) -> Reply:
        # "Show more" continues this list, not an earlier one.
        self._pages.last(call.person)
        return await self._page(tier, call, 0)

    @command(
        "memory about",
        lazy("what I know of a person, a pet, a place or a project"),
        Parameter("name", lazy("whom or what, by name"), value=lazy("NAME"), required=True, rest=True, suggests=True),
    )
    async def _about(self, call: Call) -> Reply:
        view, name = await self._view(call), str(call.arguments["name"])
        pages = await view.pages.about(name, await self._name(call, view))
        if not pages:
            return plain(page_text.unknown_name_notice(name))
        facts = [fact for page in pages for fact in page.facts]
        said, now, zone = await view.digests.receipts(facts), self._services.clock.now(), view.home.time_zone
        messages = {one.exchange.key: one.exchange for page in pages for one in (*page.said, *page.own)}
        here = await written_urls([*messages.values(), *(message for some in said.values() for message in some)])
        ids = await view.ids.short([id for page in pages for id in page_text.shown_ids(page)])
        text = "\n\n".join(page_text.render(page, said, ids, now, zone) for page in pages)
        closed = await self._domains_out_of_reach(call)
        links = {one: self._link_to(call, one, closed) for page in pages for one in (*page.said, *page.own)}
        cards = tuple(card for page in pages for card in page_text.cards(page, said, ids, now, zone, links))
        passing = here | set(filter(None, links.values()))
        return Reply(text, passing, shows=_shows(facts, said) | messages.keys(), cards=cards)

    @command("memory reset", lazy("start my mood and drives here afresh"))
    async def _reset(self, call: Call) -> Reply:
        if self._shared(call) and not call.admin:
            raise BadInput(lazy("Only those who run this place can let me begin anew here."))
        await (await self._view(call)).self_state.reset()
        return plain(str(ladder_text.RESET))

    async def _page(self, tier: str, call: Call, begin: int) -> Reply:
        view, past = await self._view(call), bool(call.arguments.get("past"))
        # Newest month first, its paragraphs as written.
        stated = sorted(await view.digests.statements(tier, past=past), key=lambda one: one.period, reverse=True)
        shown = stated[begin : begin + _PAGE]
        receipts = await view.digests.receipts(shown)
        months = await view.digests.era_sessions() if tier == "era" and not past else {}
        zone = view.home.time_zone
        ids, now = await view.ids.short([one.id for one in shown]), self._services.clock.now()
        lines = list(ladder_text.numbered_statements(shown, receipts, months, ids, now, zone, begin=begin + 1))
        if not shown:
            lines.append(ladder_text.empty_notice(tier, past=past, model=not self._services.models.writer.extractive))
        if tier == "self" and not begin:
            lines[:0] = [await ladder_text.render_self(view.self_state, zone, past=past)]
        forgettable = shown if tier == "profile" and not past else ()
        actions = [
            Action(_("Forget {number}", number=at), "memory forget", one.id)
            for at, one in enumerate(forgettable, start=begin + 1)
        ]
        if len(stated) > begin + _PAGE:
            actions.append(self._pages.keep(call.person, lambda: self._further(tier, call, begin + _PAGE)))
        said_here = await written_urls(message for one in shown for message in receipts[one.key])
        return Reply("\n".join(lines), said_here, tuple(actions), _shows(shown, receipts))

    async def _further(self, tier: str, call: Call, begin: int) -> Reply:
        return await self._page(tier, await self._with_current_readers(call), begin)

    @command(
        "memory correct",
        lazy("correct a fact"),
        _FACT,
        Parameter("text", lazy("what is true instead, as a sentence of its own"), value=lazy("TEXT"), required=True, rest=True),
        takes_back=True,
    )
    async def _correct(self, call: Call) -> Reply:
        await self._require_kept(call)
        text = str(call.arguments["text"]).strip()
        if not text:
            raise BadInput(ladder_text.NO_WORDS)
        view, session = await self._here_to_store(call)
        only = self._only(call)
        fact = await view.facts.find(str(call.arguments["fact"]), only)
        who = caller(call)
        message = NewExchange(Kind.SAID, text, call.id, self._services.clock.now(), call.person.name, "user", who)
        message = replace(message, borne=await self._name_use(call, view, call.person))
        new = await replace_fact(view, session, fact, message, only)
        self._services.maintenance.poke(view.home, session)
        said, now = await view.digests.receipts([new]), self._services.clock.now()
        ids = await view.ids.short([new.id])
        text = ladder_text.correction_notice(fact, new, said[new.key], ids, now, view.home.time_zone)
        return Reply(text, NO_LINKS, shows=_shows([new], said))

    @command("memory forget", lazy("forget a fact, for good"), _FACT, takes_back=True)
    async def _forget(self, call: Call) -> Reply:
        view = await self._view(call)
        rested = await view.facts.forget(str(call.arguments["fact"]), self._only(call))
        ids = await view.ids.short([message.id for message in rested])
        text = ladder_text.forgotten_fact_notice(
            rested, ids, self._services.clock.now(), view.home.time_zone, f"{self._sign(call)}forget"
        )
        return Reply(text, NO_LINKS, shows=frozenset(message.key for message in rested))


def _shows(stated: Sequence[Statement], said: Mapping[int, Sequence[Exchange]]) -> frozenset[int]:
    """Return the items shown by statements and by the messages below them."""
    return frozenset(one.key for one in stated) | {message.key for one in stated for message in said[one.key]}
