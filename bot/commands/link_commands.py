"""Linking a person's accounts by a code that one shows and another types, and unlinking them."""

from collections.abc import Sequence

from adapters.command_table import Action, Call, Parameter, Reply
from adapters.errors import PlaceGone, PlatformFailure
from adapters.events import Person, Place, Reach, conversation, split_key
from adapters.markup import typed_prefix
from bot.commands.group import Group, caller, command, plain
from bot.commands.texts import kinds
from bot.conversation.preferences import PAUSED
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from localization.current_language import reading
from localization.sentences import Sentence, _, lazy
from localization.yes_or_no import NO, YES
from memory.places.linked_accounts import Declared
from memory.places.linking import LinkParty, Request
from memory.types import Identity

LINK, UNLINK = "link", "unlink"
_BOTH = 2
_USUAL = "main"
_ENDED = lazy("That does not wait for an answer any more; begin anew with a new code.")


class LinkCommands(Group):
    """/link and /unlink."""

    @command(
        LINK,
        lazy("link another account of yours, so that I know that both are you"),
        Parameter(
            "code",
            lazy("the code that I showed you under your other account; without it I show you one"),
            value=lazy("CODE"),
            rest=True,
        ),
    )
    async def _link(self, call: Call) -> Reply:
        self._require_private(call)
        if await self._services.preferences.on(call.person, PAUSED):
            raise BadInput("You told me to keep nothing of yours. Say {sign}privacy resume first.", sign=self._sign(call))
        linking, me = self._services.memory.linking, _party(call)
        said, _space, word = str(call.arguments.get("code", "")).strip().partition(" ")
        if said.casefold() in YES | NO:
            for request in await linking.requests(me.account, self._declared):
                if request.word == word.strip():
                    return await self._decided(call, request, yes=said.casefold() in YES)
            raise BadInput(_ENDED)
        if said:
            own = await self._services.domains.accounts(call.person)
            return await self._ask(call, await linking.claim_code(said + word, me, own))
        waiting = await linking.requests(me.account, self._declared)
        return await self._ask(call, waiting[0]) if waiting else plain(await self._instructions(call, await linking.new_code(me)))

    @property
    def _declared(self) -> Declared:
        return self._services.domains.people.declared

    async def _instructions(self, call: Call, code: str) -> str:
        """Return instructions for a code, and the accounts already linked with this one."""
        _this, *others = await self._services.domains.accounts(call.person)
        lines = [
            _(
                "Say this to me under your other account, alone with me, within ten minutes: {sign}link {code} (on Discord /link, on Matrix "
                "!link, at the terminal either /link or lyra link). Then I ask you here whether it was you.",
                sign=self._sign(call),
                code=code,
            ),
            _("Do not give the code to anybody else: whoever links with you can read what you tell me in private."),
        ]
        if others:
            lines.append(_("You are one person to me already with: {accounts}.", accounts=_list_accounts(others)))
            lines.append(_("Each of them is asked, too, before another account is linked."))
        return "\n".join(lines)

    async def _ask(self, call: Call, request: Request) -> Reply:
        question = "\n".join(map(str, await self._question(request, caller(call))))
        if call.surface is not None:
            return await self._decided(call, request, yes=await call.surface.confirm(question))
        return plain(f"{question}\n{_how(request, self._sign(call))}")

    async def _decided(self, call: Call, request: Request, *, yes: bool) -> Reply:
        """Take the answer of an account to whether it is to be linked."""
        if not yes:
            await self._services.memory.linking.refuse(request)
            return plain(_("Nothing was linked."))
        if request.typed.account == caller(call):
            return await self._agreed_where_typed(request)
        return await self._agreed_elsewhere(call, request)

    async def _agreed_where_typed(self, request: Request) -> Reply:
        """Ask the account that showed the code, now that the one that typed it agrees."""
        if not await self._services.memory.linking.agree(request):
            raise BadInput(_ENDED)
        await self._ask_at(request.showed, request)
        where = _where(request.showed.account)
        return plain(
            _("Now say yes there, {where}: I ask you there. If you see nothing, say link to me there once more.", where=where)
        )

    async def _agreed_elsewhere(self, call: Call, request: Request) -> Reply:
        """Link both sides once everybody who is linked with either agrees; ask those who have not yet."""
        people = self._services.domains.people
        sides = [(request.showed, request.typed), (request.typed, request.showed)]
        circles = [(await people.accounts(mine.account), other) for mine, other in sides]
        missing = await self._services.memory.linking.link(request, caller(call), self._declared)
        if missing is None:
            raise BadInput(_ENDED)
        if missing:
            asked = [one for group in missing for one in group]
            if request.agreed < _BOTH:
                for one in asked:
                    await self._ask_at(LinkParty(one, one.native_id, ""), request)
            return plain(
                _(
                    "Linked once these say yes as well, within the ten minutes of the code: {accounts}. I ask them where I reach them; whoever sees "
                    "nothing says link to me there.",
                    accounts=_list_accounts(asked),
                )
            )
        others = [(one, other) for circle, other in circles for one in circle]
        for one, other in others:
            if one != caller(call):
                to = next((side for side, _other in sides if side.account == one), LinkParty(one, one.native_id, ""))
                await self._tell(to, [_linked(other, self._sign_of(to))])
        mine = next(other for one, other in others if one == caller(call))
        return plain(str(_linked(mine, self._sign(call))))

    async def _question(self, request: Request, me: Identity) -> list[Sentence]:
        """Return the question put to an account, and who else is linked with the other one."""
        people = self._services.domains.people
        own, typed = await people.accounts(me), request.typed.account
        showed_side = me == request.showed.account or (me != typed and request.showed.account in own)
        other = request.typed if showed_side else request.showed
        further = [one for one in await people.accounts(other.account) if one != other.account and one not in own]
        lines = [_proposal(request, me, other)]
        if further:
            lines.append(
                lazy(
                    "Linked with that account, and so one person to me with you then as well: {accounts}.",
                    accounts=_list_accounts(further),
                )
            )
        return lines

    async def _ask_at(self, to: LinkParty, request: Request) -> None:
        """Ask an account in its private conversation with Lyra, if one can be reached from here."""
        await self._tell(to, await self._question(request, to.account), request)

    async def _tell(self, to: LinkParty, said: Sequence[Sentence], asks: Request | None = None) -> None:
        """Tell an account something in its private conversation with Lyra; where that `asks`, also how to answer."""
        how = [_how(asks, self._sign_of(to))] if asks else []
        adapter = self._adapters.get(to.account.platform)
        person = Person(to.account.platform, to.account.native_id, to.name)
        if adapter is None:
            await self._leave(to, [*said, *how], asks)
            return
        try:
            existing = adapter.locate_key(to.place) if to.place else self._services.domains.existing_dm(adapter, person)
            place = await existing or (None if to.place else await adapter.unprompted_place(person))
        except (PlaceGone, PlatformFailure):
            return
        # Others may have joined the place since the code was shown there.
        if place is None or not place.is_private or place.alone not in ("", person.id):
            return
        view, session = await self._services.domains.view_and_session(place, person)
        with reading(await self._services.languages.to(place, person)):
            text = "\n".join(map(str, [*said, *(how if adapter.prefix else ())]))
            parts = await self._services.outgoing.composer.parts(place.platform, text, links=NO_LINKS, actions=_choices(to, asks))
        await view.notices.queue(session, parts, [])
        if adapter.at_hand(place.key):
            await self._services.outgoing.flush(place.platform, place.key, parts)

    async def _leave(self, to: LinkParty, said: Sequence[Sentence], asks: Request | None) -> None:
        """Leave a message for an account, to be delivered by another process or in its next terminal conversation."""
        view = await self._services.domains.alone_with(to.account)
        sessions = await view.sessions.all() if view else []
        # A message in a conversation of another name is not seen until somebody opens that.
        usual = conversation(to.account.platform, to.account.native_id, _USUAL).key
        candidates = [*(one for at in (to.place, usual) for one in sessions if one.ref.place == at), *sessions]
        if view is None or not candidates:
            return
        # In the recipient's language, as far as it is known without asking their platform.
        person = Person(to.account.platform, to.account.native_id, to.name)
        place = Place(to.account.platform, split_key(candidates[0].ref.place)[1], "", Reach.DIRECT)
        with reading(await self._services.languages.to(place, person)):
            parts = await self._services.outgoing.composer.plain_text("\n".join(map(str, said)), _choices(to, asks))
        await view.notices.queue(candidates[0], parts, [])

    def _sign_of(self, party: LinkParty) -> str:
        adapter, matrix = self._adapters.get(party.account.platform), self._services.settings.matrix
        if adapter is None and matrix and party.account.platform == "matrix":
            return typed_prefix(matrix.prefix)
        return (adapter.prefix if adapter else "") or "/"

    @command(UNLINK, lazy("unlink this account from the others"))
    async def _unlink(self, call: Call) -> Reply:
        domains = self._services.domains
        circle = await domains.accounts(call.person)
        if await self._services.memory.linking.unlink(domains.people.declared(caller(call))):
            for one in circle[1:]:
                _this, *left = await domains.people.accounts(one)
                await self._tell(LinkParty(one, one.native_id, ""), [_parted(_party(call), left)])
            return plain(
                _("Parted: what you tell me here stays here again, and what you told me elsewhere no longer comes up here.")
            )
        if len(circle) > 1:
            raise BadInput(
                "Whoever runs me declared in the configuration that these accounts are yours; they can change it there."
            )
        return plain(_("This account is not linked with any other."))


def _party(call: Call) -> LinkParty:
    return LinkParty(caller(call), call.person.name, call.place.key)


def _choices(to: LinkParty, asks: Request | None) -> tuple[Action, ...]:
    if asks is None:
        return ()
    yes = _("Yes, that is me") if to == asks.showed else _("Yes")
    return Action(yes, LINK, f"yes {asks.word}"), Action(_("No"), LINK, f"no {asks.word}")


def _proposal(request: Request, me: Identity, other: LinkParty) -> Sentence:
    who = {"name": other.name, "account": other.account.native_id, "where": _where(other.account)}
    if me == request.typed.account:
        return lazy(
            "That code was shown to {name} ({account}) {where}. Is that you? Then say yes: from then on I "
            "know there what you tell me here in private, and here what you tell me there.",
            **who,
        )
    if me == request.showed.account:
        return lazy(
            "Your code was typed by {name} ({account}) {where}. Is that you? Then say yes: from then on I "
            "know there what you tell me here in private, and here what you tell me there.",
            **who,
        )
    by = request.showed if other is request.typed else request.typed
    return lazy(
        "{name} ({account}) {where} wants to be one person to me with the accounts that yours is linked with; {by} ({by_account}) "
        "{by_where} said yes. Do you agree? From then on what you tell me alone is known there, and can be forgotten from there. No "
        "answer within ten minutes is a no.",
        **who,
        by=by.name,
        by_account=by.account.native_id,
        by_where=_where(by.account),
    )


def _how(request: Request, sign: str) -> Sentence:
    return lazy(
        "To answer, say within ten minutes: {sign}link yes {word}, or: {sign}link no {word}", sign=sign, word=request.word
    )


def _linked(other: LinkParty, sign: str) -> Sentence:
    return lazy(
        "Linked: {name} {where} and you here are one person to me. What you tell me in private in one "
        "place I know in the other; what is said in encrypted rooms stays there. {sign}unlink parts them "
        "again.",
        name=other.name,
        where=_where(other.account),
        sign=sign,
    )


def _parted(who: LinkParty, left: Sequence[Identity]) -> Sentence:
    facts = {"name": who.name, "account": who.account.native_id, "where": _where(who.account)}
    if left:
        return lazy(
            "{name} ({account}) {where} had linked accounts parted: now you are one person to me with {accounts}, and with nobody else.",
            **facts,
            accounts=_list_accounts(left),
        )
    return lazy(
        "{name} ({account}) {where} had linked accounts parted: this account is now one person to me with no other.", **facts
    )


def _list_accounts(accounts: Sequence[Identity]) -> str:
    return ", ".join(f"{kinds.platform(one.platform)} ({one.native_id})" for one in accounts)


def _where(account: Identity) -> Sentence:
    if account.platform == "console":
        return lazy("at the terminal")
    return lazy("on {platform}", platform=kinds.platform(account.platform))
