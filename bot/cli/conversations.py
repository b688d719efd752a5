"""The commands that read or remove conversations: recall, sessions, summarize, export, forget."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from adapters.events import Person
from bot.app import App, open_app
from bot.cli import json_output
from bot.cli.embedding_progress import embed_waiting
from bot.cli.output import confirm, interruptible, progress_bar
from bot.commands.texts import receipts
from bot.commands.texts.receipts import nothing_sure
from bot.errors import BadInput, LyraError
from bot.printing import note, show
from bot.rights.exporting import all_of, own_of
from bot.rights.forget_preview import nothing_found, preview, span
from bot.service.deadline import until_stopped
from bot.service.maintenance import Estimate
from localization.numerals import number
from localization.sentences import _, ngettext
from memory.errors import EmbeddingFailed
from memory.index.hits import Condensed, Hit
from memory.text.sanitize import clean
from memory.view.selecting import MOST, Selection
from memory.view.view import View

_LONGEST = 64 * 1024
_STANDARD_INPUT = "-"
_PATIENCE = 20.0
"""In seconds, how long a question in another language waits for the vectors of what was told in English."""


async def recall(as_: str, query: str, k: int, session: str, as_json: bool, *, digests: bool) -> int:
    """Print the hits for a question, or for each line of standard input; with `digests`, including gists and months.

    Returns 1 if a line could not be read.
    """
    if digests and session:
        raise BadInput("Gists and months are found in all conversations at once; leave out --session or --digests.")
    questions = _Questions(query)
    async with open_app() as app:
        view, asker = await app.view(as_), as_ or app.base.environment.user
        only = await view.sessions.find(session) if session else None
        for at, line in enumerate(questions):
            if not (line or as_json):
                continue
            await _open_to(app, view, line)
            hits: Sequence[Hit | Condensed] = (
                await view.recall.everything(line, k)
                if digests
                else await view.recall.messages(line, k, session=only, asker=asker)
            )
            if query == _STANDARD_INPUT and not as_json:
                show(f"\n{line}" if at else line)
            await _print_hits(app, view, line, hits, as_json)
    return 1 if questions.refused else 0


async def _open_to(app: App, view: View, question: str) -> None:
    """Have what was told in English found by a question in another language, the first time that one is asked."""
    try:
        if await view.open_to(question):
            async with until_stopped() as stop:
                await embed_waiting(app, view, stop, _PATIENCE)
    except EmbeddingFailed as how:
        note(_("{how} Words find these messages meanwhile; their vectors come later.", how=how))


class _Questions:
    """A single question, or those on standard input, one a line; unusable lines are reported, counted and skipped."""

    def __init__(self, query: str) -> None:
        self._query = query
        self.refused = 0

    def __iter__(self) -> Iterator[str]:
        if self._query != _STANDARD_INPUT:
            yield self._query
            return
        at = 0
        while raw := _line():
            at += 1
            if len(raw) > _LONGEST:
                self._refuse(_("Line {line} is longer than 64 KiB and was not looked for; ask in fewer words.", line=at))
                continue
            try:
                question = clean(raw.decode("utf-8-sig")).strip()
            except UnicodeDecodeError:
                self._refuse(_("Line {line} is not UTF-8 and was not looked for; convert the input first.", line=at))
                continue
            yield question

    def _refuse(self, why: str) -> None:
        self.refused += 1
        note(why)


def _line() -> bytes:
    """Return the next line of standard input, truncated if too long; b'' at the end."""
    with interruptible():
        raw = rest = sys.stdin.buffer.readline(_LONGEST + 1)
        while len(rest) > _LONGEST and not rest.endswith(b"\n"):
            rest = sys.stdin.buffer.readline(_LONGEST + 1)
    return raw


async def _print_hits(app: App, view: View, query: str, hits: Sequence[Hit | Condensed], as_json: bool) -> None:
    zone, now = view.home.time_zone, app.base.clock.now()
    if as_json:
        found = [json_output.hit(hit, zone) if isinstance(hit, Hit) else json_output.condensed(hit, zone) for hit in hits]
        json_output.say({"query": query, "hits": found})
    elif not hits:
        show(_('Nothing was found about "{query}".', query=query))
    else:
        ids = await view.ids.short(receipts.shown_ids(*hits))
        if unsure := nothing_sure(hits):
            show(unsure)
        for at, hit in enumerate(hits, start=1):
            shown = receipts.hit(hit, ids, now, zone) if isinstance(hit, Hit) else receipts.condensed(hit, ids, now, zone)
            show(f"{at}. {shown}")


async def sessions(as_: str, as_json: bool) -> None:
    """Print a person's conversations, newest first."""
    async with open_app() as app:
        view = await app.view(as_)
        found = await view.sessions.all()
        for session in found:
            if as_json:
                json_output.say(json_output.session(session, view.home.time_zone))
            else:
                last = receipts.since(session.last_at, app.base.clock.now())
                show(f"{receipts.one_line(session.name)}: {receipts.message_count(session.messages)}, {last}")
        if not found and not as_json:
            show(_("There are no conversations yet. Start one with: lyra chat"))


async def summarize(as_: str, name: str, as_json: bool) -> None:
    """Print the summary of a conversation, updated first if there is something new."""
    async with open_app() as app:
        view = await app.view(as_)
        if name:
            session = await view.sessions.find(name)
        else:
            newest = await view.sessions.all()
            if not newest:
                raise LyraError("There is nothing to summarize yet. Start a conversation with: lyra chat")
            session = newest[0]
        digests = await app.maintenance.summarize(view.home, session)
        if as_json:
            json_output.say([json_output.digest(session, d, view.home.time_zone) for d in digests])
        else:
            show(
                receipts.summary(digests, view.home.time_zone)
                or _('There is nothing to summarize in "{name}" yet.', name=session.name)
            )


async def summarize_all(limit: int | None, workers: int | None, yes: bool, as_json: bool) -> int:
    """Summarize every conversation that has something new; return 1 if any failed."""
    async with open_app() as app:
        waiting = await app.maintenance.waiting(limit)
        if app.models.summary is not None and (estimate := await app.maintenance.estimate(waiting)).calls:
            note(_price(app, estimate))
            if sys.stdin.isatty() and not confirm(_("Go on?"), yes=yes):
                return 1
        with progress_bar(_("Summarized")) as progress:
            result = await app.maintenance.summarize_all(waiting, workers or app.base.settings.workers, progress)
        if result.pieces:
            pieces = ngettext("{n} piece of profile, eras, narrative and self made.",
                            "{n} pieces of profile, eras, narrative and self made.", result.pieces)  # fmt: skip
            note(pieces)
        if result.elsewhere:
            busy = ngettext("Another process is summarizing {n} conversation just now.",
                            "Another process is summarizing {n} conversations just now.", result.elsewhere)  # fmt: skip
            note(busy)
        if broken := result.failed - result.elsewhere:
            failures = ngettext("{n} conversation could not be summarized; lyra logs says why, and the next time it is tried again.",
                            "{n} conversations could not be summarized; lyra logs says why, and the next time they are tried again.", broken)  # fmt: skip
            note(failures)
        counts = {"summarized": result.summarized, "failed": result.failed, "total": result.total}
        if as_json:
            json_output.say(counts)
        elif not sys.stdout.isatty():
            print(_("summarized {summarized}, failed {failed}, total {total}", **counts))
        elif result.summarized:
            show(ngettext("Summarized {n} conversation.", "Summarized {n} conversations.", result.summarized))
        elif not result.failed:
            show(_("Nothing is new since the last summaries."))
    return 1 if result.failed else 0


def _price(app: App, estimate: Estimate) -> str:
    backend = next(iter(app.models.summarizing), None)
    price = (backend.price_in * estimate.tokens + backend.price_out * 600 * estimate.calls) / 1_000_000 if backend else 0
    cost = (
        _(", about {price} in your currency", price=number(price, digits=2))
        if price
        else _(", at no price that the configuration names")
    )
    return _(
        "{conversations}: about {calls} of {model} and {tokens} tokens{cost}.",
        conversations=ngettext("{n} conversation", "{n} conversations", estimate.sessions)
        if estimate.sessions
        else _("Facts, months and what is going on"),
        calls=ngettext("{n} call", "{n} calls", estimate.calls),
        model=app.models.writer.name.removeprefix("model:"),
        tokens=number(estimate.tokens),
        cost=cost,
    )


_OFTEN = 500
"""How many messages are printed between two progress updates."""


async def export(as_: str, as_text: bool, *, own: bool) -> None:
    """Print every message of a person's memory in the order stored; `own`: across all their accounts and shared places."""
    async with open_app() as app:
        view, person = await app.view(as_), Person("console", as_ or app.base.environment.user, "")
        messages = own_of(person, app.memory, app.domains) if own else all_of(view)
        total = 0 if own else await view.messages.count()
        # If the lines themselves are watched, they are the progress; the first appear at once.
        tells = not sys.stdout.isatty() and (own or total > _OFTEN)
        with progress_bar(_("Exported messages:")) if tells else nullcontext() as progress:
            done = 0
            async for one in messages:
                (show if as_text else print)(one.line(as_text=as_text))
                done += 1
                if progress and not done % _OFTEN:
                    progress(done, total)


async def forget(as_: str, id_: str, session: str, yes: bool) -> int:
    """Forget a message or a conversation and print the receipt; return 1 without confirmation."""
    async with open_app() as app:
        view = await app.view(as_)
        if id_:
            if sys.stdin.isatty() and not yes:
                _show_extent(app, view, await view.extent(id_))
                if not confirm(_("Forget this for good?"), yes=yes):
                    note(_("Nothing was forgotten."))
                    return 1
            show(receipts.forgotten_counts(await view.forget_message(id_)))
        else:
            found = await view.sessions.find(session)
            question = receipts.forget_session(found)
            if not confirm(question, yes=yes):
                note(_('Nothing was forgotten. Say --yes to forget "{name}" for good.', name=found.name))
                return 1
            show(receipts.forgotten_counts(await view.forget_session(found)))
    return 0


async def forget_selected(as_: str, about: str, since: str, until: str, yes: bool) -> int:
    """Show everything that matches a topic or a time, and forget it once confirmed; return 1 without confirmation."""
    async with open_app() as app:
        view = await app.view(as_)
        now, zone = app.base.clock.now(), view.home.time_zone
        going = await view.selecting.select(about, span(since, until, now, zone))
        if not going.messages:
            show(nothing_found())
            return 0
        for line in preview(going, now, zone, MOST):
            show(line)
        if not confirm(_("Forget this for good?"), yes=yes):
            note(_("Nothing was forgotten. Say --yes to forget this for good."))
            return 1
        show(receipts.forgotten_counts(await view.selecting.forget(going)))
    return 0


def _show_extent(app: App, view: View, extent: Selection) -> None:
    now, zone = app.base.clock.now(), view.home.time_zone
    show(receipts.message_line(extent.messages[0], now, zone))
    along = [receipts.message_line(one, now, zone) for one in extent.replies] + [receipts.one_line(text) for text in extent.above]
    if along or extent.elsewhere:
        show(_("With it goes what was made of it:"))
    for line in along:
        show(f"    {line}")
    if extent.elsewhere:
        show("    " + ngettext("{n} reply elsewhere", "{n} replies elsewhere", extent.elsewhere))
