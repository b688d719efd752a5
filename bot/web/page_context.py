"""What every page works with: memory as its visitor may know it, and templates that escape all values.

Templates use `_("…")` and `ngettext("…", "…", n)` like all other code, in the language of the page's reader. Sentences and
their values are escaped, except for values that are the template's own markup.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from markupsafe import Markup, escape
from yarl import URL

from adapters.base import Adapter
from adapters.browser.browser import Browser
from adapters.browser.tabs import Tabs
from adapters.events import Person
from bot.app import App
from bot.commands.texts import bank_text, kinds, receipts
from bot.commands.texts.ladder_text import drive_name
from bot.commands.texts.reasons import how_sure, in_words, nothing_sure
from bot.talk import Talk
from bot.web.guard import VISITOR
from bot.web.prose import prose
from bot.web.tab_presence import TabPresence
from localization.current_language import current, known
from localization.formatting import ago
from localization.numerals import number, signed
from localization.sentences import Sentence, _, lazy
from memory.text.time.times import local
from memory.types import Identity
from memory.view.view import View

_MOST = 20
"""How many languages of a header are considered."""


def accepted(header: str) -> str:
    """Return the supported language that Accept-Language prefers, '' if it names none."""
    ranked = [_ranked(one) for one in header.split(",")[:_MOST]]
    wanted = [(known(name), weight) for name, weight in ranked if weight > 0]
    return next((code for code, _weight in sorted(wanted, key=lambda one: -one[1]) if code), "")


def _ranked(entry: str) -> tuple[str, float]:
    name, _, parameter = entry.partition(";")
    try:
        return name, float(parameter.strip().removeprefix("q=") or 1)
    except ValueError:
        return name, 0


def _translated(sentence: str, /, **values: object) -> Markup:
    return _fill(Sentence(sentence), values)


def _translated_count(sentence: str, plural: str, n: int, /, **values: object) -> Markup:
    return _fill(Sentence(sentence, plural, n), {"n": number(n), **values})


def _fill(sentence: Sentence, values: Mapping[str, object]) -> Markup:
    text = escape(sentence.unfilled(current()))
    return text.format(**values) if values else text


WORDS: Mapping[str, Callable[..., Markup]] = {"_": _translated, "ngettext": _translated_count}
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


_ACCOUNTS: web.RequestKey[Collection[Identity]] = web.RequestKey("accounts", Collection)
"""The request key that holds the accounts of the signed-in person."""


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

    def hour(self, at: int) -> str:
        """Return the time of an instant: 21:04."""
        return f"{local(at, self.zone):%H:%M}"

    def iso(self, at: int) -> str:
        """Return an instant in ISO 8601."""
        return local(at, self.zone).isoformat(timespec="seconds")

    def ago(self, at: int) -> str:
        """Return how long ago an instant was."""
        return ago(timedelta(microseconds=self.now - at))


@dataclass(frozen=True, slots=True)
class PageContext:
    """The open parts of Lyra that pages use, and how pages are rendered."""

    app: App
    talk: Talk
    browser: Browser
    tabs: Tabs
    tab_presence: TabPresence
    templates: Environment
    platforms: Mapping[str, Adapter]

    def person(self, request: web.BaseRequest) -> Person:
        """Return the signed-in person."""
        identity = request[VISITOR].identity
        return Person(identity.platform, identity.native_id, identity.native_id)

    def is_owner(self, request: web.Request) -> bool:
        """Return whether the signed-in person is this machine's system user."""
        return self.person(request).id == self.app.base.environment.user

    def language(self, request: web.BaseRequest) -> str:
        """Return the language of a request: set by the visitor in conversation, configured, or asked for by the browser.

        '' stands for the machine's language.
        """
        own = self.app.preferences.language(self.person(request)) if VISITOR in request else ""
        chosen = known(own) or known(self.app.base.settings.language)
        return chosen or accepted(request.headers.get("Accept-Language", ""))

    async def view(self, request: web.Request) -> View:
        """Return the view of the signed-in person for the account that they chose to read."""
        return await self._view(_chosen(request, await self.accounts(request)))

    async def own_view(self, request: web.Request) -> View:
        """Return the view of the account with which the person signed in."""
        await self.accounts(request)
        return await self._view(request[VISITOR].identity)

    async def _view(self, identity: Identity) -> View:
        return await self.app.domains.view_of_account(identity.platform, identity.native_id)

    async def accounts(self, request: web.Request) -> list[Identity]:
        """Return the accounts of the signed-in person, the one of the sign-in first."""
        found = await self.app.domains.accounts(self.person(request))
        request[_ACCOUNTS] = found
        return found

    def times(self, view: View) -> Times:
        """Return the formatting of instants for the readers of a view."""
        return Times(self.app.base.clock.now(), view.home.time_zone)

    async def page(self, request: web.Request, template: str, view: View, /, **facts: object) -> web.Response:
        """Render a page in a worker thread, as it may hold many long texts.

        Raises KeyError unless `view` or `own_view` was called for the request.
        """
        accounts = request[_ACCOUNTS]
        values = {
            **facts,
            **_frame_values(request),
            "accounts": accounts,
            "read": _chosen(request, accounts),
            "times": self.times(view),
            "home": view.home.key,
        }
        return await asyncio.to_thread(self._render, template, 200, values)

    def plain(self, template: str, code: int = 200, /, **facts: object) -> web.Response:
        """Render a page for a visitor who is not signed in."""
        return self._render(template, code, facts)

    def _render(self, name: str, status: int, facts: Mapping[str, object]) -> web.Response:
        return web.Response(text=self.templates.get_template(name).render(facts), status=status, content_type="text/html")


@dataclass(frozen=True, slots=True)
class PagePart(ABC):
    """Part of what is served over HTTP."""

    _context: PageContext

    @abstractmethod
    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this part."""


def _chosen(request: web.Request, accounts: Collection[Identity]) -> Identity:
    """Return the account whose memory is read: the chosen one, if it still belongs to the same person."""
    visitor = request[VISITOR]
    return visitor.reads if visitor.reads in accounts else visitor.identity


def _frame_values(request: web.Request) -> Mapping[str, object]:
    visitor = request[VISITOR]
    segment = request.path.split("/")[1]
    entry = _ENTRY_OF.get(segment, segment)
    return {"visitor": visitor.identity.native_id, "form_token": visitor.form_token, "navigation": NAVIGATION, "here": entry}


def go(path: str, **query: str) -> web.Response:
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
        prose=prose, short=receipts.short, reasons=in_words, how_sure=how_sure, nothing_sure=nothing_sure, number=_number, signed=signed, drive=drive_name, stored=_stored,
        platform=kinds.platform, kind_of_name=kinds.name, purpose=kinds.purpose, noted=bank_text.head,
    )  # fmt: skip
    found.filters.update({name: _evaluated_on_each_use(say) for name, say in filters.items()})
    return found


def _evaluated_on_each_use(say: Callable[..., object]) -> Callable[..., object]:
    """Return a filter evaluated on each use: Jinja would evaluate constants once, in the language of the first reader."""

    @pass_context
    def said(_context: object, *given: object) -> object:
        return say(*given)

    return said


def _number(n: float, digits: int = 0) -> str:
    return number(n, digits=digits)


def _stored(reason: str) -> str:
    """Translate a sentence that is stored in English."""
    return _(reason) if reason else ""
