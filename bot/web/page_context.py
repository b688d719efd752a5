"""What every page works with: memory as its visitor may know it, and templates that escape all values.

Templates use `_("…")` and `ngettext("…", "…", n)` like all other code, in the language of the page's reader. Sentences and
their values are escaped, except for values that are the template's own markup.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nh3
from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from markdown_it import MarkdownIt
from markupsafe import Markup, escape
from yarl import URL

from adapters.base import Adapter
from adapters.events import Person
from adapters.markup import count_marks, printable
from bot.app import App
from bot.commands.texts import kinds, receipts
from bot.commands.texts.ladder_text import drive_name, note_head
from bot.commands.texts.receipts import how_sure, in_words, nothing_sure
from bot.talk import Talk
from bot.web.guard import VISITOR
from bot.web.serving import BrowserPlatform
from bot.web.signins import SignedIn
from localization.current_language import current, language_code
from localization.numerals import number, signed
from localization.sentences import Sentence, _, lazy
from memory.text.time.times import local
from memory.types import Identity
from memory.view.view import View

_MOST = 20
"""How many languages of a header are considered."""
_TAGS = {
    "p", "br", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_MARKDOWN = (
    MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 40})
    .enable(["table", "strikethrough"])
    .disable(["link", "image", "autolink", "reference"])
)
_MOST_MARKS = 2_000
"""Rendering more would block the event loop."""
_CLEANER = nh3.Cleaner(tags=_TAGS, attributes={"ol": {"start"}})


def preferred_language(header: str) -> str:
    """Return the supported language that Accept-Language prefers, '' if it names none."""
    ranked = [_ranked(one) for one in header.split(",")[:_MOST]]
    wanted = [(language_code(name), weight) for name, weight in ranked if weight > 0]
    return next((code for code, _weight in sorted(wanted, key=lambda one: -one[1]) if code), "")


def _ranked(entry: str) -> tuple[str, float]:
    name, _, parameter = entry.partition(";")
    try:
        return name, float(parameter.strip().removeprefix("q=") or 1)
    except ValueError:
        return name, 0


def _fill(sentence: Sentence, values: Mapping[str, object]) -> Markup:
    text = escape(sentence.unfilled(current()))
    return text.format(**values) if values else text


WORDS: Mapping[str, Callable[..., Markup]] = {
    "_": lambda sentence, /, **values: _fill(Sentence(sentence), values),
    "ngettext": lambda sentence, plural, n, /, **values: _fill(Sentence(sentence, plural, n), {"n": number(n), **values}),
}
"""The translation functions of the templates."""


TEMPLATES = Path(__file__).with_name("templates")
NAVIGATION = (
    ("talk", "/talk", lazy("Talk")), ("search", "/search", lazy("Search")), ("timeline", "/timeline", lazy("Timeline")),
    ("facts", "/facts", lazy("What I know")), ("people", "/people", lazy("People and things")), ("self", "/self", lazy("How I am")),
    ("dreams", "/dreams", lazy("Dreams and thoughts")), ("places", "/places", lazy("Shared places")),
    ("numbers", "/numbers", lazy("Numbers")), ("export", "/export", lazy("Take it with you")),
    ("health", "/health", lazy("How things are")), ("activity", "/activity", lazy("What I do")),
)  # fmt: skip


_ENTRY_OF = {
    "gists": "timeline",
    "conversations": "timeline",
    "messages": "search",
    "thoughts": "dreams",
    "persona": "self",
    "policy": "export",
    "verify": "health",
}
"""The navigation entry under which a page without an entry of its own is listed."""


@dataclass(frozen=True, slots=True)
class Times:
    """Formats instants in a home's time zone."""

    now: int
    zone: str

    def moment(self, at: int) -> str:
        """Return an instant as people write it: today at 21:04, on 3 March 2026 at 08:00."""
        return receipts.moment(at, self.now, self.zone)

    def day(self, at: int) -> str:
        """Return the date of an instant: 3 March 2026."""
        return receipts.day(at, self.zone)

    def iso(self, at: int) -> str:
        """Return an instant in ISO 8601."""
        return local(at, self.zone).isoformat(timespec="seconds")

    def ago(self, at: int) -> str:
        """Return how long ago an instant was."""
        return receipts.since(at, self.now)


@dataclass(frozen=True, slots=True)
class PageContext:
    """The open parts of Lyra that pages use, and how pages are rendered."""

    app: App
    talk: Talk
    browsing: BrowserPlatform
    templates: Environment
    platforms: Mapping[str, Adapter]
    resuming: set[asyncio.Task[None]] = field(default_factory=set)
    """What takes up, in the background, what was left over in a conversation."""
    waiting_answers: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    """Answers that wait for one of a browser without scripts, by place."""

    def language(self, request: web.BaseRequest) -> str:
        """Return the language of a request: set by the visitor in conversation, configured, or asked for by the browser.

        '' stands for the machine's language.
        """
        own = self.app.preferences.language(_person(request[VISITOR].identity)) if VISITOR in request else ""
        chosen = language_code(own) or language_code(self.app.base.settings.language)
        return chosen or preferred_language(request.headers.get("Accept-Language", ""))

    def page(self, template: str, code: int = 200, /, **facts: object) -> web.Response:
        """Render a page."""
        return web.Response(text=self.templates.get_template(template).render(facts), status=code, content_type="text/html")


CONTEXT = web.AppKey("context", PageContext)


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of somebody who is signed in: their accounts, the one of the sign-in first, and memory as they may know it."""

    request: web.Request
    context: PageContext
    accounts: Sequence[Identity]
    view: View

    @property
    def app(self) -> App:
        """The open app."""
        return self.context.app

    @property
    def person(self) -> Person:
        """The person, as the account of the sign-in."""
        return _person(self.request[VISITOR].identity)

    @property
    def is_owner(self) -> bool:
        """Whether the person is this machine's system user."""
        return self.person.id == self.app.base.environment.user

    def require_owner(self) -> None:
        """Raise HTTPForbidden for anybody but this machine's system user."""
        if not self.is_owner:
            raise web.HTTPForbidden

    @property
    def times(self) -> Times:
        """The formatting of instants for the readers of the view."""
        return Times(self.app.base.clock.now(), self.view.home.time_zone)

    async def page(self, template: str, /, **facts: object) -> web.Response:
        """Render a page in a worker thread, as it may hold many long texts."""
        visitor, segment = self.request[VISITOR], self.request.path.split("/")[1]
        values = {
            **facts,
            "visitor": visitor.identity.native_id,
            "form_token": visitor.form_token,
            "navigation": NAVIGATION,
            "here": _ENTRY_OF.get(segment, segment),
            "accounts": self.accounts,
            "read": _chosen(visitor, self.accounts),
            "times": self.times,
            "home": self.view.home.key,
        }
        return await asyncio.to_thread(self.context.page, template, **values)


async def visiting(request: web.Request, *, own: bool = False) -> Visit:
    """Return a visit of the account that the person chose to read, or of their `own`, with which they signed in."""
    context, visitor = request.app[CONTEXT], request[VISITOR]
    accounts = await context.app.domains.accounts(_person(visitor.identity))
    read = visitor.identity if own else _chosen(visitor, accounts)
    return Visit(request, context, accounts, await context.app.domains.view_of_account(read.platform, read.native_id))


def _person(identity: Identity) -> Person:
    return Person(identity.platform, identity.native_id, identity.native_id)


def _chosen(visitor: SignedIn, accounts: Collection[Identity]) -> Identity:
    """Return the account whose memory is read: the chosen one, if it still belongs to the same person."""
    return visitor.reads if visitor.reads in accounts else visitor.identity


def redirect(path: str, **query: str) -> web.Response:
    """Return a redirect to another page, after a form (303)."""
    return web.Response(status=303, headers={"Location": str(URL(path).with_query(query))})


def notice(request: web.Request, notices: Mapping[str, Sentence]) -> str:
    """Return the notice after a form, by its key in the URL: anybody can craft a link, so none of its words are shown."""
    return str(notices.get(request.query.get("told", ""), ""))


def templates() -> Environment:
    """Return the templates: all values are escaped, and a missing value is an error."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    found.globals.update(WORDS, language=current)
    filters: dict[str, Callable[..., object]] = dict(
        prose=prose, short=receipts.one_line, reasons=in_words, how_sure=how_sure, nothing_sure=nothing_sure, signed=signed, drive=drive_name,
        platform=kinds.platform, kind_of_name=kinds.name, purpose=kinds.purpose, noted=note_head,
        number=lambda n, digits=0: number(n, digits=digits),
        stored=lambda reason: _(reason) if reason else "",
    )  # fmt: skip
    found.filters.update({name: _evaluated_on_each_use(say) for name, say in filters.items()})
    return found


def _evaluated_on_each_use(say: Callable[..., object]) -> Callable[..., object]:
    """Return a filter evaluated on each use: Jinja would evaluate constants once, in the language of the first reader."""

    @pass_context
    def said(_context: object, *given: object) -> object:
        return say(*given)

    return said


def prose(text: str) -> Markup:
    """Render a reply as HTML with text formatting alone; a text with more marks is shown as written."""
    if count_marks(text) > _MOST_MARKS:
        return Markup("<pre>{}</pre>").format(escape(printable(text)))
    return Markup(_CLEANER.clean(_MARKDOWN.render(printable(text))))
