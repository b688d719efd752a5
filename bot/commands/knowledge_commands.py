"""What Lyra derived from messages: facts, months, arcs, her self-state, each with its sources.

Facts are corrected and dropped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adapters.command_table import Action, Call, Parameter, Reply
from adapters.events import Reach
from bot.commands.group import Group, caller, command, plain
from bot.commands.texts import ladder_text, page_text, receipts
from bot.commands.texts.ladder_text import TAKES_A_MODEL
from bot.delivery.links import written_urls
from bot.errors import BadInput
from bot.rights.correction import replace_fact
from localization.sentences import _, lazy
from memory.types import Exchange, Kind, NewExchange, Statement
from memory.view.view import View

_PAGE = 5
_PAST = Parameter("past", lazy("show what was replaced since"), type=bool, named=True)
_FACT = Parameter("fact", lazy("the id of a fact, as the profile shows it"), value=lazy("FACT"), required=True)
PRIVATE = lazy("There is no bank here: it is for places that several people read.")
_NO_ADMIN = lazy("Only those who run this place can turn its bank on or off.")
_EVERYONE = {Reach.PUBLIC: lazy("this server"), Reach.RESTRICTED: lazy("this channel"), Reach.ROOM: lazy("this room")}
_CHOICES = ("show", "on", "off", "leave", "join")


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
            raise BadInput("Only those who run this place can let me begin anew here.")
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
        return plain(text, shows=_shows([new], said))

    @command("memory forget", lazy("forget a fact, for good"), _FACT, takes_back=True)
    async def _forget(self, call: Call) -> Reply:
        view = await self._view(call)
        rested = await view.facts.forget(str(call.arguments["fact"]), self._only(call))
        ids = await view.ids.short([message.id for message in rested])
        text = ladder_text.forgotten_fact_notice(
            rested, ids, self._services.clock.now(), view.home.time_zone, f"{self._sign(call)}forget"
        )
        return plain(text, shows=[message.key for message in rested])


def _shows(stated: Sequence[Statement], said: Mapping[int, Sequence[Exchange]]) -> frozenset[int]:
    return frozenset(one.key for one in stated) | {message.key for one in stated for message in said[one.key]}


class BankCommands(Group):
    """/memory bank."""

    @command(
        "memory bank",
        lazy("the notes that everyone here shares"),
        Parameter(
            "choice",
            lazy("show it; on, off: for admins; leave, join: keep what you say out of it"),
            value=lazy("CHOICE"),
            choices=_CHOICES,
        ),
    )
    async def _bank(self, call: Call) -> Reply:
        if not self._shared(call):
            return plain(str(PRIVATE))
        view = await self._view(call)
        choice = str(call.arguments.get("choice", "show"))
        if choice in ("on", "off") and not call.admin:
            raise BadInput(_NO_ADMIN)
        match choice:
            case "on":
                return await self._on(call, view)
            case "off":
                return await self._off(call, view)
            case "leave" | "join":
                return await self._take_part(call, view, joins=choice == "join")
        return await self._show(call, view)

    async def _show(self, call: Call, view: View) -> Reply:
        since = (await view.bank.state()).since
        if since is None:
            return plain(
                _("The bank is off here; those who run this place turn it on with {sign}memory bank on.", sign=self._sign(call))
            )
        block = await view.bank.render(self._services.settings.memory_bank_max_tokens)
        if not block.text:
            why = TAKES_A_MODEL if self._services.models.writer.extractive else _("A conversation is noted once it is over.")
            return plain(_("The bank is on, and empty so far. {why}", why=why))
        on = _(
            "On since {since}; everyone who reads {everyone} sees this:",
            since=receipts.day(since, view.home.time_zone),
            everyone=_EVERYONE[call.place.reach],
        )
        return plain(f"{on}\n{ladder_text.notes(block.shown)}", shows=[one.key for one in block.shown])

    async def _on(self, call: Call, view: View) -> Reply:
        if self._services.models.writer.extractive:
            raise BadInput(TAKES_A_MODEL)
        if not await view.bank.turn_on():
            return plain(_("The bank is on already."))
        sign, here, who = self._sign(call), _EVERYONE[call.place.reach], await self._name(call, view)
        await self._announce(
            call,
            lazy(
                "{who} turned the memory bank on. From now on I note each conversation that I keep here in a few lines, "
                "once it is over: its topic, facts, names, decisions and open questions. Everyone who can read {here} can "
                "see the notes with {sign}memory bank, and I have them in view whenever I answer here. {sign}memory bank "
                "leave keeps what you say out of them; {sign}forget takes out what rests on what you forget.",
                who=who,
                here=here,
                sign=sign,
            ),
        )
        self._services.maintenance.poke(view.home)
        return plain(_("The bank is on, and I said so here."))

    async def _off(self, call: Call, view: View) -> Reply:
        if not await view.bank.turn_off():
            return plain(_("The bank is off already."))
        who = await self._name(call, view)
        await self._announce(
            call, lazy("{who} turned the memory bank off, and I emptied it. The messages themselves stay.", who=who)
        )
        return plain(_("The bank is off and empty, and I said so here."))

    async def _take_part(self, call: Call, view: View, *, joins: bool) -> Reply:
        who = caller(call)
        sign = self._sign(call)
        if joins:
            await view.bank.opt_in(who)
            return plain(_("What you say here enters the bank again, if it is on. {sign}memory bank leave undoes it.", sign=sign))
        await view.bank.opt_out(who)
        return plain(
            _(
                "What you said here is out of the bank, and what you say stays out. {sign}memory bank join undoes it; "
                "{sign}forget forgets the messages themselves.",
                sign=sign,
            )
        )
