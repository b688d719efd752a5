"""One person under several accounts: linked by a code that is shown to one and typed by another, and parted again."""

from collections.abc import Sequence

from adapters.command_table import Action, Call, CommandSpec, Parameter, Reply
from adapters.errors import PlaceGone
from adapters.events import Person
from bot.commands.group import Group, plain
from bot.commands.texts import kinds
from bot.conversation.preferences import PAUSED
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from localization.languages import reading
from localization.sentences import Sentence, _, lazy
from memory.places.linking import Party, Request
from memory.types import Identity

LINK, UNLINK = "link", "unlink"
_YES, _NO = ("yes", "ja"), ("no", "nein")
_ENDED = lazy("That does not wait for an answer any more; begin anew with a new code.")


class LinkCommands(Group):
    """/link and /unlink."""

    def specs(self) -> Sequence[CommandSpec]:
        """Return the commands of this group."""
        code = Parameter(
            "code", lazy("the code that I showed you under your other account; without it I show you one"), rest=True
        )
        return (
            CommandSpec(LINK, lazy("have me know you under another account of yours as well"), self._link, (code,)),
            CommandSpec(UNLINK, lazy("part this account from those that it is linked with"), self._unlink),
        )

    async def _link(self, call: Call) -> Reply:
        if self._shared(call):
            raise BadInput(lazy("Say that to me in a DM."))
        if await self._services.preferences.on(call.person, PAUSED):
            raise BadInput(lazy("You told me to keep nothing of yours. Say {sign}privacy resume first.", sign=self._sign(call)))
        linking, me = self._services.memory.linking, _party(call)
        said, _space, word = str(call.arguments.get("code", "")).strip().partition(" ")
        if said.casefold() in (*_YES, *_NO):
            request = await linking.request(me.account)
            if request is None or request.word != word.strip():
                raise BadInput(_ENDED)
            return await self._decided(call, request, yes=said.casefold() in _YES)
        if said:
            own = await self._services.domains.accounts(call.person)
            return await self._ask(call, await linking.enter(said + word, me, own))
        waiting = await linking.request(me.account)
        return await self._ask(call, waiting) if waiting else plain(await self._shown(call, await linking.show(me)))

    async def _shown(self, call: Call, code: str) -> str:
        """Say what is to be done with a code, and with which accounts this one is linked already."""
        _this, *others = await self._services.domains.accounts(call.person)
        lines = [
            _(
                "Say this to me under your other account, alone with me, within ten minutes: {sign}link {code} (on Discord /link, on Matrix "
                "!link, at the terminal either /link or lyra link). Then I ask you here whether it was you.",
                sign=self._sign(call),
                code=code,
            ),
            _("Give the code to nobody else: who links with you reads what you tell me alone."),
        ]
        if others:
            linked = ", ".join(f"{kinds.platform(one.platform)} ({one.native_id})" for one in others)
            lines.append(_("You are one person to me already with: {accounts}.", accounts=linked))
        return "\n".join(lines)

    async def _ask(self, call: Call, request: Request) -> Reply:
        question = str(_question(request, _me(call)))
        if call.surface is not None:
            return await self._decided(call, request, yes=await call.surface.confirm(question))
        return Reply(f"{question}\n{_how(request, self._sign(call))}", NO_LINKS)

    async def _decided(self, call: Call, request: Request, *, yes: bool) -> Reply:
        linking = self._services.memory.linking
        if not yes:
            await linking.refuse(request)
            return plain(_("Nothing was linked."))
        if request.typed.account == _me(call):
            if not await linking.agree(request):
                raise BadInput(_ENDED)
            await self._ask_there(request)
            where = _where(request.showed.account)
            return plain(
                _(
                    "Now say yes there, {where}: I ask you there. If you see nothing, say link to me there once more.",
                    where=where,
                )
            )
        if not await linking.link(request):
            raise BadInput(_ENDED)
        await self._tell(request.typed, _linked(request.showed, self._sign_of(request.typed)), ())
        return plain(str(_linked(request.typed, self._sign(call))))

    async def _ask_there(self, request: Request) -> None:
        """Ask whoever a code was shown to, where it was shown, if that can be reached from here."""
        to, sign = request.showed, self._sign_of(request.showed)
        actions = (
            Action(_("Yes, that is me"), LINK, f"{_YES[0]} {request.word}"),
            Action(_("No"), LINK, f"{_NO[0]} {request.word}"),
        )
        await self._tell(to, _question(request, to.account), actions, _how(request, sign))

    async def _tell(self, to: Party, said: Sentence, actions: Sequence[Action], how: Sentence | None = None) -> None:
        adapter = self._adapters.get(to.account.platform)
        person = Person(to.account.platform, to.account.native_id, to.name)
        try:
            place = await adapter.locate_key(to.place) if adapter else None
        except PlaceGone:
            return
        # Others may have come to where it was shown.
        if adapter is None or place is None or not place.is_private or place.alone not in ("", person.id):
            return
        view, session = await self._services.domains.here(place, person)
        with reading(await self._services.languages.to(place, person)):
            text = f"{said}\n{how}" if how and adapter.prefix else str(said)
            parts = await self._services.outgoing.parts(place.platform, text, links=NO_LINKS, actions=actions)
        await view.notices.queue(session, parts, [])
        if adapter.at_hand(place.key):
            await self._services.outgoing.flush(place.platform, place.key, parts)

    def _sign_of(self, party: Party) -> str:
        adapter = self._adapters.get(party.account.platform)
        return (adapter.prefix if adapter else "") or "/"

    async def _unlink(self, call: Call) -> Reply:
        domains = self._services.domains
        if await self._services.memory.linking.unlink(domains.people.declared(_me(call))):
            return plain(
                _("Parted: what you tell me here is known here alone again, and what you told me elsewhere is not read here.")
            )
        if len(await domains.accounts(call.person)) > 1:
            raise BadInput(
                lazy("Whoever runs me declared in the configuration that these accounts are yours; they can change it there.")
            )
        raise BadInput(lazy("This account is linked with no other."))


def _me(call: Call) -> Identity:
    return Identity(call.person.platform, call.person.id)


def _party(call: Call) -> Party:
    return Party(_me(call), call.person.name, call.place.key)


def _question(request: Request, me: Identity) -> Sentence:
    """Return what one of the two is asked, who sees so who the other one is."""
    other = request.showed if me == request.typed.account else request.typed
    who = {"name": other.name, "account": other.account.native_id, "where": _where(other.account)}
    if other is request.showed:
        return lazy(
            "That code was shown to {name} ({account}) {where}. Is that you? Then say yes: from then on I know there what you tell me "
            "here alone, and here what you tell me there.",
            **who,
        )
    return lazy(
        "Your code was typed by {name} ({account}) {where}. Is that you? Then say yes: from then on I know there what you tell me here "
        "alone, and here what you tell me there.",
        **who,
    )


def _how(request: Request, sign: str) -> Sentence:
    return lazy(
        "To answer, say within ten minutes: {sign}link yes {word}, or: {sign}link no {word}", sign=sign, word=request.word
    )


def _linked(other: Party, sign: str) -> Sentence:
    return lazy(
        "Linked: {name} {where} and you here are one person to me. What you tell me alone in one place I know in the other; what is "
        "said in encrypted rooms stays there. {sign}unlink parts them again.",
        name=other.name,
        where=_where(other.account),
        sign=sign,
    )


def _where(account: Identity) -> Sentence:
    if account.platform == "console":
        return lazy("at the terminal")
    return lazy("on {platform}", platform=kinds.platform(account.platform))
