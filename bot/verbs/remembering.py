"""Finding again, keeping on purpose, and forgetting."""

from collections.abc import Sequence
from urllib.parse import unquote

from adapters.table import Action, Call, CommandSpec, Parameter, Reply
from bot import receipts
from bot.attachments import told
from bot.errors import BadInput
from bot.intake import said
from bot.links import given
from bot.receipts import counted
from bot.verbs.group import Group, plain
from bot.verbs.pages import MORE
from memory.errors import NotFound
from memory.types import Session
from memory.view import View

_PAGE = 5
_MOST = 50
_SUGGESTIONS = 25
_SUGGESTED_CHARACTERS = 100


class Remembering(Group):
    """/recall, Show more, Remember this, /forget, Forget this."""

    def specs(self) -> Sequence[CommandSpec]:
        """Return the commands of this group."""
        query = Parameter("query", "what to look for", required=True, rest=True, suggests=True)
        what = Parameter("what", "the id or link of a message, or: session, or: all", required=True, rest=True)
        return (
            CommandSpec("recall", "find what was said about something", self._recall, (query,)),
            CommandSpec(MORE, "the next page of the last list", self._more, (Parameter("page", "which"),), hidden=True),
            CommandSpec("remember", "keep this message", self._remember, menu="Remember this", hidden=True),
            CommandSpec("forget", "forget a message, this conversation, or everything of yours here", self._forget, (what,)),
            CommandSpec("forget this", "forget this message", self._forget_this, menu="Forget this", hidden=True),
        )

    async def suggest(self, call: Call, typed: str) -> Sequence[str]:
        """Return beginnings of gists that are near to what a person types."""
        view = await self._view(call)
        digests = [hit.digest for hit in await view.gists(typed, _SUGGESTIONS)] if typed.strip() else []
        lines = [_beginning(digest.text) for digest in digests or await view.newest_gists(_SUGGESTIONS)]
        return list(dict.fromkeys(line for line in lines if line))[:_SUGGESTIONS]

    async def _recall(self, call: Call) -> Reply:
        # What comes next is the next of this list, not of one before it.
        self._pages.last(call.person)
        return await self._page(call, str(call.arguments["query"]), 0)

    async def _page(self, call: Call, words: str, begin: int) -> Reply:
        view = await self._view(call)
        hits = await view.recall(words, min(begin + _PAGE + 1, _MOST), asker=call.person.name)
        shown = hits[begin : begin + _PAGE]
        if not shown:
            return plain(f'I found nothing{" more" if begin else ""} about "{words}".')
        now, zone = self._h.clock.now(), view.home.time_zone
        adapter = self._adapters[call.place.platform]
        links = [adapter.link(hit.place, hit.exchange.source_id) if hit.platform == adapter.platform else "" for hit in shown]
        lines = [
            f"{at}. {receipts.hit(hit, now, zone, link)}"
            for at, (hit, link) in enumerate(zip(shown, links, strict=True), start=begin + 1)
        ]
        actions = [
            Action(f"Forget {at}", "forget", hit.exchange.id)
            for at, hit in enumerate(shown, start=begin + 1)
            if hit.exchange.domain == view.home.key
        ]
        if len(hits) > begin + _PAGE:
            actions.append(self._pages.keep(call.person, lambda: self._further(call, words, begin + _PAGE)))
        said_here = await given(hit.exchange for hit in shown)
        return Reply("\n".join(lines), said_here | {link for link in links if link}, tuple(actions))

    async def _further(self, call: Call, words: str, begin: int) -> Reply:
        return await self._page(await self._still(call), words, begin)

    async def _more(self, call: Call) -> Reply:
        return await self._pages.show(call.person, str(call.arguments.get("page", "")) or self._pages.last(call.person))

    async def _remember(self, call: Call) -> Reply:
        target = call.target
        if target is None:
            raise BadInput("There is no message to keep.")
        if await self._h.preferences.on(target.person, "paused"):
            raise BadInput(f"{target.person.name} told me to keep nothing of theirs.")
        platform, key = call.place.platform, call.place.key
        view, session = await self._here(call)
        if await self._h.memory.knows(platform, key, [target.id]) or await view.find(platform, None, target.id):
            return plain("I have that already.")
        contents = await self._adapters[platform].read(target) if target.attachments else ()
        kept = await view.say(session, [said(target, told(target, contents))])
        if not kept.stored:
            raise BadInput("That message was forgotten, and stays so.")
        self._h.keeper.poke(view.home, session)
        return plain("Kept.")

    async def _forget_this(self, call: Call) -> Reply:
        view = await self._view(call)
        found = await view.find(call.place.platform, None, call.target.id) if call.target else None
        if found is None:
            return plain("I keep nothing of that message.")
        return plain(receipts.forgotten(await view.forget_message(found.id, self._only(call))))

    async def _forget(self, call: Call) -> Reply:
        view, session = await self._here(call)
        what = str(call.arguments["what"]).strip()
        many, _, sure = what.casefold().partition(" ")
        if many in ("session", "all") and sure in ("", "yes"):
            return await self._forget_many(call, view, session, everything=many == "all", sure=bool(sure))
        source_id = _source_id(what)
        found = await view.find(call.place.platform, None, source_id) if source_id else None
        return plain(receipts.forgotten(await view.forget_message(found.id if found else what, self._only(call))))

    async def _forget_many(self, call: Call, view: View, session: Session, *, everything: bool, sure: bool) -> Reply:
        only = self._only(call)
        if only:
            question = "Forget all that you said here" + (", in every conversation" if everything else "") + ", for good?"
        elif everything:
            question = f"Forget everything in {counted(len(await view.sessions()), 'conversation')}, for good?"
        else:
            question = f'Forget all {session.messages:,} messages of "{session.name}", for good?'
        if not sure and call.surface is None:
            where = f' in "{call.place.name}"' if self._shared(call) else ""
            return plain(f"{question} Then say{where}: {self._sign(call)}forget {'all' if everything else 'session'} yes")
        if not sure and call.surface and not await call.surface.confirm(question):
            return plain("Nothing was forgotten.")
        try:
            receipt = await (view.forget_all(only) if everything else view.forget_session(session, only))
        except NotFound:
            return plain("Nothing was left to forget.")
        return plain(receipts.forgotten(receipt))


def _source_id(what: str) -> str:
    """Return the platform's id of a message in what people type or copy of it: the id itself, or its link; '' for neither."""
    if what.startswith("$"):
        return what
    last = unquote(what.partition("?")[0].rstrip("/").rpartition("/")[2])
    if what.startswith("matrix:"):
        return f"${last}"
    return last if last.startswith("$") or last.isdigit() else ""


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _SUGGESTED_CHARACTERS:
        return line
    return line[: _SUGGESTED_CHARACTERS - 1].rpartition(" ")[0] + "…"
