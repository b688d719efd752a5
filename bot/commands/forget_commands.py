"""Forgetting a message, a conversation, a topic, a time, or everything of a person; and deleting posts made from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from adapters.command_table import Action, Call, Parameter, Reply
from adapters.plain_words import offered
from bot.commands.command_calls import may_be_id, source_id
from bot.commands.group import Group, caller, command, plain
from bot.commands.texts import receipts
from bot.delivery.outgoing import GONE, REFUSED, WAITING
from bot.errors import BadInput
from bot.imports import imported
from bot.rights.forget_preview import nothing_found, preview, span
from bot.service.sweeping import drop_quotes
from localization.numerals import number
from localization.sentences import _, lazy, ngettext
from localization.yes_or_no import YES
from memory.errors import NotFound
from memory.types import MINUTE, Exchange, Forgotten, Identity, Session
from memory.view.selecting import Selection, combined
from memory.view.view import View

_THAT = "that"
"""The argument for the last message that states something; it is shown before it is forgotten."""
_POSTS = "posts"
_LAST = "last"
_LOOKED_BACK = 50
_MOST_POSTS = 200
_SHOWN = "shown"
"""The argument that confirms what was shown."""
_SELECTORS = ("about", "since", "until")
"""The arguments that select."""
_EACH, _MOST = 5, 1_500
_LASTS = 10 * MINUTE


class ForgettingScope(NamedTuple):
    """A view in which a person may forget, and whose messages: those of an account, None for everybody's."""

    view: View
    only: Identity | None


class Selected(NamedTuple):
    """What is to be forgotten in one view."""

    view: View
    selection: Selection


@dataclass(frozen=True, slots=True)
class _Shown:
    """What was shown to a person as going, at which place, and when (microseconds UTC)."""

    going: Sequence[Selected]
    place: str
    at: int


@dataclass(frozen=True, slots=True)
class ForgetCommands(Group):
    """/forget, Forget this. What a topic or a time selects is shown first, and nothing beyond it is forgotten."""

    _shown: dict[Identity, _Shown] = field(default_factory=dict)

    @command("forget this", lazy("forget this message"), menu="Forget this", hidden=True, takes_back=True)
    async def _forget_this(self, call: Call) -> Reply:
        # Opening the session makes sure that the place is known to the tombstone, whether anything is kept here or not.
        view, _session = await self._here(call)
        for there, only in await self._theirs(call):
            found = await there.messages.find(call.place.platform, None, call.target.id) if call.target else None
            if found is not None:
                return await self._forgotten(call, view, await there.forget_message(found.id, only))
        if call.target is None or (self._only(call) and call.target.person.id != call.person.id):
            return plain(_("I keep nothing of that message."))
        receipt = await self._services.memory.kept.disregard(call.place.platform, call.place.key, call.target.id)
        self._services.off_record.forget(call.place.platform, [call.target.id])
        if receipt != Forgotten(0, 0, 0):
            return await self._forgotten(call, view, receipt)
        return plain(_("I keep nothing of that message, and do not look at it again."))

    async def _forgotten(self, call: Call, view: View, receipt: Forgotten) -> Reply:
        """Return the receipt, with how to delete her posts made from what is forgotten, if any can still be read."""
        await drop_quotes(self._services.memory, self._adapters)
        text = f"{receipts.forgotten_counts(receipt)} {await self._services.outgoing.remove_thread_names()}".rstrip()
        remaining = await view.posts.count_left() if self._adapters[call.place.platform].removes else 0
        if not remaining:
            return plain(text)
        can = ngettext(
            "{n} message of mine here came of what is forgotten and can still be read.",
            "{n} messages of mine here came of what is forgotten and can still be read.",
            remaining,
        )
        if not self._adapters[call.place.platform].prefix:
            shall = ngettext("Shall I delete it?", "Shall I delete them?", remaining)
            return plain(f"{text} {can} {shall}", actions=(Action(_("Delete my messages"), "forget", _POSTS),))
        command = f"{self._sign(call)}forget {_POSTS}"
        delete = ngettext(
            "To delete it, say{where}: {command}",
            "To delete them, say{where}: {command}",
            remaining,
            where=self._where(call),
            command=command,
        )
        return plain(f"{text} {can} {delete}")

    async def _delete_posts(self, view: View) -> Reply:
        """Delete her posts that were made from what is forgotten, at most 200 at a time."""
        removed = await view.posts.delete(self._services.outgoing.composer.keys(), _MOST_POSTS)
        done, left = await self._services.outgoing.delete(removed), await view.posts.count_left()
        if not removed:
            return plain(_("No message of mine is left that came of what is forgotten."))
        n, refused, waiting = done[GONE], done[REFUSED], done[WAITING]
        left -= refused
        more = _("; {left} are left", left=number(left)) if left else ""
        text = ngettext("Deleted: {n} message of mine{more}.", "Deleted: {n} messages of mine{more}.", n, more=more) if n else ""
        barred = ngettext(
            "I may not delete {n} message of mine; whoever may delete messages there can.",
            "I may not delete {n} messages of mine; whoever may delete messages there can.",
            refused,
        )
        later = ngettext(
            "{n} message of mine could not be deleted yet, and is deleted as soon as that can be done.",
            "{n} messages of mine could not be deleted yet, and are deleted as soon as that can be done.",
            waiting,
        )
        return plain(" ".join(filter(None, (text, barred if refused else "", later if waiting else ""))))

    @command(
        "forget",
        lazy("forget a message, this conversation, a topic, a time, or everything of yours here"),
        Parameter(
            "what",
            lazy("the id or link of a message, or: last, or: session, or: all, or: posts (mine, of what is forgotten)"),
            value=lazy("WHAT"),
            rest=True,
        ),
        Parameter("about", lazy("everything about this"), rest=True, named=True, value=lazy("TOPIC")),
        Parameter(
            "since", lazy("what was said from then on, like 2026-03-04 or 2026-03"), rest=True, named=True, value=lazy("TIME")
        ),
        Parameter(
            "until", lazy("what was said until then, that day or month included"), rest=True, named=True, value=lazy("TIME")
        ),
        takes_back=True,
    )
    async def _forget(self, call: Call) -> Reply:
        view, session = await self._here(call)
        what = str(call.arguments.get("what", "")).strip()
        if any(call.arguments.get(name) for name in _SELECTORS):
            return await self._ask(call, view, await self._selected(call))
        if what.casefold() == _SHOWN:
            return await self._forget_shown(call, view)
        if not what:
            raise BadInput(
                "{sign}forget needs WHAT: the id or link of a message, or: last, or: session, or: all, or: posts (mine, of "
                "what is forgotten), or about:TOPIC, since:TIME, until:TIME.",
                sign=self._sign(call),
            )
        if what.casefold() == _THAT:
            return await self._forget_that(call, view, session)
        many, _space, sure = what.casefold().partition(" ")
        if many == _POSTS:
            if not self._adapters[call.place.platform].removes:
                return plain(_("What stands on a screen I cannot take back; clear it there."))
            return await self._delete_posts(view)
        if many in ("session", "all") and (not sure or sure in YES):
            return await self._forget_many(call, view, session, everything=many == "all", sure=bool(sure))
        if many == _LAST and not sure:
            newest = await self._newest(call, view, session)
            if not newest:
                return plain(_("You said nothing here that I keep."))
            what = newest[0].id
        try:
            receipt = await self._forget_one(await self._theirs(call), what)
        except NotFound as error:
            if may_be_id(what):
                raise
            raise BadInput(
                '"{what}" is not the id of a message. To see and forget what I keep about it: {sign}forget about:{what}',
                what=what,
                sign=self._sign(call),
            ) from error
        return await self._forgotten(call, view, receipt)

    async def _forget_that(self, call: Call, view: View, session: Session) -> Reply:
        """Show the caller's last statement here, skipping questions and greetings, and forget it once confirmed."""
        newest = await self._newest(call, view, session)
        if not newest:
            return plain(_("You said nothing here that I keep."))
        tells = imported("bot.models.offline.message_kinds:tells")
        meant = next((one for one in newest if tells(one.text)), newest[0])
        return await self._ask(call, view, [Selected(view, await view.selecting.with_message(meant))])

    async def _newest(self, call: Call, view: View, session: Session) -> list[Exchange]:
        """Return the caller's latest messages here, newest first, but for those that only ask to forget."""
        newest = await view.messages.latest_of(session, caller(call), _LOOKED_BACK)
        return [one for one in newest if not ((offer := offered(one.text, "")) and offer.forgets)]

    async def _selected(self, call: Call) -> Sequence[Selected]:
        """Return what a topic or a time selects wherever a person may forget from here. Raises BadInput."""
        about, since, until = (str(call.arguments.get(name, "")).strip() for name in _SELECTORS)
        scopes = await self._homes(call)
        within = span(since, until, self._services.clock.now(), scopes[0].view.home.time_zone)
        return [Selected(view, await view.selecting.select(about, within, only)) for view, only in scopes]

    async def _ask(self, call: Call, view: View, found: Sequence[Selected]) -> Reply:
        """Show what goes, and forget it once that is confirmed: at once, or within ten minutes at the same place."""
        now, going = self._services.clock.now(), combined([one.selection for one in found])
        if not going.messages:
            return plain(nothing_found())
        lines = preview(going, now, found[0].view.home.time_zone, _EACH)
        text = "\n".join([_("This will be gone for good:"), *lines])[:_MOST]
        if call.surface is not None:
            if await call.surface.confirm(f"{text}\n{_('Forget this for good?')}"):
                return await self._forget_selected(call, view, found)
            return plain(_("Nothing was forgotten."))
        self._shown[caller(call)] = _Shown(found, call.place.key, now)
        command = f"{self._sign(call)}forget {_SHOWN}"
        confirmation = _("If it shall, say{where} within ten minutes: {command}", where=self._where(call), command=command)
        return plain(f"{text}\n{confirmation}", shows=[one.key for one in (*going.messages, *going.replies)])

    async def _forget_shown(self, call: Call, view: View) -> Reply:
        shown = self._shown.pop(caller(call), None)
        if shown is None or shown.place != call.place.key or self._services.clock.now() - shown.at > _LASTS:
            raise BadInput("Nothing was shown to you here in the last ten minutes; ask for it again.")
        return await self._forget_selected(call, view, shown.going)

    async def _forget_selected(self, call: Call, view: View, found: Sequence[Selected]) -> Reply:
        receipts_of_homes = [await there.selecting.forget(selection) for there, selection in found]
        return await self._forgotten(call, view, sum(receipts_of_homes, Forgotten(0, 0, 0)))

    async def _forget_one(self, scopes: Sequence[ForgettingScope], what: str) -> Forgotten:
        """Forget a message, given by id or link, in whichever view holds it. Raises NotFound, NotYours."""
        named = source_id(what)
        (view, only), *others = scopes
        found = await view.messages.find(view.home.ref.platform, None, named) if named else None
        try:
            return await view.forget_message(found.id if found else what, only)
        except NotFound:
            if not others:
                raise
        return await self._forget_one(others, what)

    async def _theirs(self, call: Call) -> list[ForgettingScope]:
        """Return where a person may forget, and whose messages: here, and in rooms that this one replaced.

        In private, also those of their other accounts.
        """
        own = caller(call)
        here, *elsewhere = await self._homes(call)
        return [here, *(ForgettingScope(view, own) for view in await self._services.domains.earlier(call.place)), *elsewhere]

    async def _homes(self, call: Call) -> list[ForgettingScope]:
        """Return where a person may forget of this place and, in private, of their other accounts."""
        elsewhere = [] if self._shared(call) else await self._services.domains.other_homes(call.person)
        return [ForgettingScope(await self._view(call), self._only(call)), *(ForgettingScope(view, None) for view in elsewhere)]

    async def _forget_many(self, call: Call, view: View, session: Session, *, everything: bool, sure: bool) -> Reply:
        only, there = self._only(call), await self._theirs(call) if everything else []
        if only:
            question = (
                _("Forget all that you said here, in every conversation, for good?")
                if everything
                else _("Forget all that you said here, for good?")
            )
        elif everything:
            conversations = sum([len(await one.sessions.all()) for one, _only in there])
            question = ngettext(
                "Forget everything in {n} conversation, for good?", "Forget everything in {n} conversations, for good?", conversations
            ) if conversations else _("Forget everything that I keep here, for good?")  # fmt: skip
        else:
            question = receipts.forget_session(session)
        if not sure and call.surface is None:
            command = f"{self._sign(call)}forget {'all' if everything else 'session'} yes"
            return plain(_("{question} Then say{where}: {command}", question=question, where=self._where(call), command=command))
        if not sure and call.surface and not await call.surface.confirm(question):
            return plain(_("Nothing was forgotten."))
        self._services.off_record.end(call.place)
        try:
            gone = [await one.forget_all(by) for one, by in there] or [await view.forget_session(session, only)]
        except NotFound:
            return plain(_("Nothing was left to forget."))
        return await self._forgotten(call, view, sum(gone, Forgotten(0, 0, 0)))

    def _where(self, call: Call) -> str:
        """Return the place of a call in words, for answers that may be read elsewhere."""
        return _(' in "{place}"', place=call.place.name) if self._shared(call) and call.place.name else ""
