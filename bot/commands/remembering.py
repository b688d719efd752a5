"""Finding again, keeping on purpose, and forgetting."""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote

from adapters.base import Adapter
from adapters.command_table import Action, Call, Card, CommandSpec, Parameter, Reply
from bot.commands.group import Group, off_record, plain
from bot.commands.pages import MORE, Pages
from bot.commands.texts import receipts
from bot.commands.texts.reasons import nothing_sure
from bot.context.quoting import says_nothing, without_forgotten
from bot.conversation.attachments import told
from bot.conversation.intake import said
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS, given
from bot.errors import BadInput
from bot.reconciliation.verifying import Verifying
from bot.rights.selected import SHOWN, TOLD, SelectedForgetting
from localization.numerals import number
from localization.sentences import _, lazy, ngettext
from memory.errors import NotFound
from memory.types import Forgotten, Identity, Session
from memory.view.shown_messages import ShownMessage
from memory.view.view import View

_PAGE = 5
_MOST = 50
_POSTS = "posts"
_LAST = "last"
_SURE = ("yes", "ja")
_MOST_POSTS = 200
_SUGGESTIONS, _LOOKED_THROUGH = 25, 500
SESSION, NAME = "session", "name"
"""Parameters that are a conversation, or what is talked of."""


class Remembering(Group):
    """/recall, Show more, Remember this, /forget, Forget this."""

    def __init__(self, services: Services, adapters: dict[str, Adapter], pages: Pages, verifying: Verifying) -> None:
        super().__init__(services, adapters, pages)
        self._verifying = verifying
        self._selecting = SelectedForgetting(services)

    def specs(self) -> Sequence[CommandSpec]:
        """Return the commands of this group."""
        query = Parameter("query", lazy("what to look for"), value=lazy("QUERY"), required=True, rest=True, suggests=True)
        what = Parameter(
            "what",
            lazy("the id or link of a message, or: last, or: session, or: all, or: posts (mine, of what is forgotten)"),
            value=lazy("WHAT"),
            rest=True,
        )
        about = Parameter("about", lazy("everything about this"), rest=True, named=True, value=lazy("TOPIC"))
        since = Parameter(
            "since", lazy("what was said from then on, like 2026-03-04 or 2026-03"), rest=True, named=True, value=lazy("TIME")
        )
        until = Parameter(
            "until", lazy("what was said until then, that day or month included"), rest=True, named=True, value=lazy("TIME")
        )
        return (
            CommandSpec("recall", lazy("find what was said about something"), self._recall, (query,)),
            CommandSpec(
                MORE,
                lazy("the next page of the last list"),
                self._more,
                (Parameter("page", lazy("which"), value=lazy("PAGE")),),
                hidden=True,
            ),
            CommandSpec("remember", lazy("keep this message"), self._remember, menu="Remember this", hidden=True),
            CommandSpec(
                "forget",
                lazy("forget a message, this conversation, a topic, a time, or everything of yours here"),
                self._forget,
                (what, about, since, until),
                takes_back=True,
            ),
            CommandSpec(
                "forget this", lazy("forget this message"), self._forget_this, menu="Forget this", hidden=True, takes_back=True
            ),
        )

    async def suggest(self, call: Call, parameter: str, typed: str) -> Sequence[str]:
        """Return what a person may mean by what they type: names of what was talked of, and of conversations."""
        view, typed = await self._view(call), " ".join(typed.split()).casefold()
        named = [] if parameter == SESSION else [one.name for one in await view.pages.names(_LOOKED_THROUGH)]
        talks = [] if parameter == NAME else [one.name for one in await view.sessions.all()]
        found = [one for one in dict.fromkeys((*named, *talks)) if typed in one.casefold()]
        # What begins so goes first.
        return sorted(found, key=lambda one: not one.casefold().startswith(typed))[:_SUGGESTIONS]

    async def _recall(self, call: Call) -> Reply:
        # What comes next is the next of this list, not of one before it.
        self._pages.last(call.person)
        return await self._page(call, str(call.arguments["query"]), 0)

    async def _page(self, call: Call, words: str, begin: int) -> Reply:
        view = await self._view(call)
        asker = await self._name(call, view)
        hits = await self._verifying.hits(lambda: view.recall.messages(words, min(begin + _PAGE + 1, _MOST), asker=asker))
        shown = hits[begin : begin + _PAGE]
        if not shown:
            more = _('I found nothing more about "{words}".', words=words)
            return plain(more if begin else _('I found nothing about "{words}".', words=words))
        now, zone = self._services.clock.now(), view.home.time_zone
        ids, closed = await view.ids.short(receipts.named(*shown)), await self._closed(call)
        numbered = [(at, hit, self._address(call, hit, closed)) for at, hit in enumerate(shown, start=begin + 1)]
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
        passing = await given(hit.exchange for hit in shown) | {link for _at, _hit, link in numbered if link}
        shows = frozenset(hit.exchange.key for hit in shown)
        return Reply("\n".join(lines), passing, tuple(actions), shows, cards=tuple(cards))

    async def _further(self, call: Call, words: str, begin: int) -> Reply:
        return await self._page(await self._still(call), words, begin)

    async def _more(self, call: Call) -> Reply:
        return await self._pages.show(call.person, str(call.arguments.get("page", "")) or self._pages.last(call.person))

    async def _remember(self, call: Call) -> Reply:
        target = call.target
        if target is None:
            raise BadInput(lazy("There is no message to keep."))
        if target.hidden:
            raise BadInput(
                lazy("I keep that message out of this conversation: not everyone who reads here could read it, for all I know.")
            )
        if await self._services.preferences.on(target.person, "paused"):
            raise BadInput(lazy("{name} told me to keep nothing of theirs.", name=target.person.name))
        if call.off_record:
            raise BadInput(off_record(self._sign(call)))
        platform, key = call.place.platform, call.place.key
        view, session = await self._to_keep(call)
        known = await self._services.memory.knows(platform, key, [target.id]) or await view.messages.find(
            platform, None, target.id
        )
        if await self._services.memory.shown.withheld(platform, [ShownMessage(target.id, [key], False, target.said_at)]):
            raise BadInput(lazy("That message was forgotten, and stays so."))
        if known or await view.posts.may_be_shown(platform, [target.id]):
            return plain(_("I have that already."))
        forwarded = bool(target.forwards)
        (target,) = await without_forgotten(self._services.memory, view, platform, [target])
        if forwarded and says_nothing(target):
            raise BadInput(lazy("That message was forgotten, and stays so."))
        contents = await self._adapters[platform].read(target) if target.attachments else ()
        new = replace(await said(target, told(target, contents)), borne=await self._borne(call, view, target.person))
        kept = await view.say(session, [new])
        if not kept.stored:
            raise BadInput(lazy("That message was forgotten, and stays so."))
        self._services.maintenance.poke(view.home, session)
        return plain(_("Kept."))

    async def _forget_this(self, call: Call) -> Reply:
        # With a conversation at this place there is a name to put the tombstone on, be anything kept here or not.
        view, _session = await self._here(call)
        for there, only in await self._theirs(call):
            found = await there.messages.find(call.place.platform, None, call.target.id) if call.target else None
            if found is not None:
                return await self._forgotten(call, view, await there.forget_message(found.id, only))
        if call.target is None or (self._only(call) and call.target.person.id != call.person.id):
            return plain(_("I keep nothing of that message."))
        receipt = await self._services.memory.disregard(call.place.platform, call.place.key, call.target.id)
        if receipt != Forgotten(0, 0, 0):
            return await self._forgotten(call, view, receipt)
        return plain(_("I keep nothing of that message, and do not look at it again."))

    async def _forgotten(self, call: Call, view: View, receipt: Forgotten) -> Reply:
        """Say what is gone, and how messages of hers that came of it are deleted, where any can still be read."""
        told = receipts.forgotten(receipt)
        left = await view.posts.left() if self._adapters[call.place.platform].removes else 0
        if not left:
            return plain(told)
        can = ngettext(
            "{n} message of mine here came of what is forgotten and can still be read.",
            "{n} messages of mine here came of what is forgotten and can still be read.",
            left,
        )
        if not self._adapters[call.place.platform].prefix:
            shall = ngettext("Shall I delete it?", "Shall I delete them?", left)
            return Reply(f"{told} {can} {shall}", NO_LINKS, (Action(_("Delete my messages"), "forget", _POSTS),))
        command = f"{self._sign(call)}forget {_POSTS}"
        delete = ngettext(
            "To delete it, say{where}: {command}",
            "To delete them, say{where}: {command}",
            left,
            where=self._where(call),
            command=command,
        )
        return plain(f"{told} {can} {delete}")

    async def _delete_posts(self, view: View) -> Reply:
        """Delete messages of hers that came of what is forgotten, some hundred at a time."""
        removed = await view.posts.delete(self._services.outgoing.keys(), _MOST_POSTS)
        for (platform, place), parts in removed.items():
            await self._services.outgoing.flush(platform, place, parts)
        n, left = sum(len(parts) for parts in removed.values()), await view.posts.left()
        if not n:
            return plain(_("No message of mine is left that came of what is forgotten."))
        more = _("; {left} are left", left=number(left)) if left else ""
        return plain(ngettext("Deleted: {n} message of mine{more}.", "Deleted: {n} messages of mine{more}.", n, more=more))

    async def _forget(self, call: Call) -> Reply:
        view, session = await self._here(call)
        what = str(call.arguments.get("what", "")).strip()
        if what.casefold() == SHOWN or any(call.arguments.get(name) for name in TOLD):
            receipt = await self._selecting.run(call, await self._homes(call), self._where(call), self._sign(call))
            return await self._forgotten(call, view, receipt) if isinstance(receipt, Forgotten) else receipt
        if not what:
            raise BadInput(
                lazy(
                    "{sign}forget needs WHAT: the id or link of a message, or: last, or: session, or: all, or: posts (mine, of "
                    "what is forgotten), or about:TOPIC, since:TIME, until:TIME.",
                    sign=self._sign(call),
                )
            )
        many, _space, sure = what.casefold().partition(" ")
        if many == _POSTS:
            if not self._adapters[call.place.platform].removes:
                return plain(_("What stands on a screen I cannot take back; clear it there."))
            return await self._delete_posts(view)
        if many in ("session", "all") and sure in ("", *_SURE):
            return await self._forget_many(call, view, session, everything=many == "all", sure=bool(sure))
        if many == _LAST and not sure:
            found = await view.messages.last_of(session, Identity(call.person.platform, call.person.id))
            if found is None:
                return plain(_("You said nothing here that I keep."))
            what = found.id
        return await self._forgotten(call, view, await self._forget_one(await self._theirs(call), what))

    async def _forget_one(self, there: Sequence[tuple[View, Identity | None]], what: str) -> Forgotten:
        """Forget a message where it is kept, by an id or a link. Raises NotFound, NotYours."""
        source_id = _source_id(what)
        (view, only), *others = there
        found = await view.messages.find(view.home.ref.platform, None, source_id) if source_id else None
        try:
            return await view.forget_message(found.id if found else what, only)
        except NotFound:
            if not others:
                raise
        return await self._forget_one(others, what)

    async def _theirs(self, call: Call) -> list[tuple[View, Identity | None]]:
        """Return where a person may have things forgotten, and whose: here, and what they said in the rooms that this one replaced;
        in private, under their other accounts as well.
        """
        own = Identity(call.person.platform, call.person.id)
        here, *elsewhere = await self._homes(call)
        return [here, *((view, own) for view in await self._services.domains.earlier(call.place)), *elsewhere]

    async def _homes(self, call: Call) -> list[tuple[View, Identity | None]]:
        """Return memory here, and in private that of a person's other accounts, with whose words may be forgotten there."""
        elsewhere = [] if self._shared(call) else await self._services.domains.other_homes(call.person)
        return [(await self._view(call), self._only(call)), *((view, None) for view in elsewhere)]

    async def _forget_many(self, call: Call, view: View, session: Session, *, everything: bool, sure: bool) -> Reply:
        only, there = self._only(call), await self._theirs(call) if everything else []
        if only:
            question = (
                _("Forget all that you said here, in every conversation, for good?")
                if everything
                else _("Forget all that you said here, for good?")
            )
        elif everything:
            question = ngettext(
                "Forget everything in {n} conversation, for good?",
                "Forget everything in {n} conversations, for good?",
                sum([len(await one.sessions.all()) for one, _only in there]),
            )
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
        """Name the place of a call, where its answer may be read elsewhere."""
        return _(' in "{place}"', place=call.place.name) if self._shared(call) and call.place.name else ""


def _source_id(what: str) -> str:
    """Return the platform's id of a message in what people type or copy of it: the id itself, or its link; '' for neither."""
    if what.startswith("$"):
        return what
    last = unquote(what.partition("?")[0].rstrip("/").rpartition("/")[2])
    if what.startswith("matrix:"):
        return f"${last}"
    return last if last.startswith("$") or last.isdigit() else ""
