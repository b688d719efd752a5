"""Talking: a conversation, what is said into it, and answers as they come."""

import asyncio
from collections.abc import Sequence

from aiohttp import web

from adapters.browser.tabs import Shown, Tab
from adapters.events import conversation
from bot.web.desk import Desk, go
from bot.web.events import streaming
from bot.web.prose import prose
from memory.text.storable import clean
from memory.types import MOST_NAME
from memory.view.view import View

_SHOWN = 40
_MOST = 256 * 1024
_PULSE_SECONDS = 15.0
_FIRST = "main"
CLOSING = "closing"


class TalkPage:
    """/talk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._following: set[asyncio.Task[None]] = set()

    def routes(self) -> Sequence[web.RouteDef]:
        """Return what is answered here."""
        return (
            web.get("/talk", self._show),
            web.post("/talk", self._say),
            web.get("/talk/stream", self._stream),
            web.post("/talk/answer", self._settle),
            web.post("/talk/stop", self._stop),
        )

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._desk.own_view(request)
        platform = self._desk.browser.platform
        conversations = [one for one in await view.sessions.all() if one.ref.platform == platform]
        name = _named(request.query.get("in")) or (conversations[0].name if conversations else _FIRST)
        session = next((one for one in conversations if one.name == name), None)
        page = await view.calendar.messages(session, _SHOWN) if session else None
        return self._desk.page(
            request, "talk.html", view, name=name, session=session, page=page, conversations=conversations,
            goes_to=self._desk.app.models.goes_to, has_model=self._desk.app.models.chat is not None,
        )  # fmt: skip

    async def _say(self, request: web.Request) -> web.Response:
        form = await request.post()
        text, name = str(form.get("text", "")).strip(), _named(form.get("conversation")) or _FIRST
        if text:
            if len(text.encode("utf-8", "replace")) > _MOST:
                raise web.HTTPRequestEntityTooLarge(_MOST, len(text))
            view = await self._desk.own_view(request)
            thread = await self._desk.app.domains.thread(view, name)
            await self._desk.browser.say(self._desk.person(request), thread, name, clean(text))
        if request.headers.get("X-Requested-With") == "fetch":
            return web.json_response({"kept": bool(text)})
        return go("/talk", **{"in": name})

    async def _settle(self, request: web.Request) -> web.Response:
        form = await request.post()
        open_ = self._desk.browser.settle(str(form.get("question", "")), yes=form.get("yes") == "yes")
        return web.json_response({"settled": open_})

    async def _stop(self, request: web.Request) -> web.Response:
        """End the answer that is being made in a conversation; what came of it by now stays."""
        view, person, form = await self._desk.own_view(request), self._desk.person(request), await request.post()
        name = _named(form.get("conversation")) or _FIRST
        thread = await self._desk.app.domains.thread(view, name)
        ended = self._desk.talk.mailboxes.end(person.platform, conversation(person.platform, person.id, thread).key)
        if request.headers.get("X-Requested-With") == "fetch":
            return web.json_response({"ended": ended})
        return go("/talk", **{"in": name})

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        """Send what is said in a conversation from now on, until the tab is closed or Lyra goes."""
        view, person = await self._desk.own_view(request), self._desk.person(request)
        thread = await self._desk.app.domains.thread(view, _named(request.query.get("in")) or _FIRST)
        place = conversation(person.platform, person.id, thread).key
        async with streaming(request) as (stream, response):
            with self._desk.tabs.opened(place) as tab, self._desk.seats.taken(place) as held:
                await stream.send("open", {})
                if held:
                    self._follow(view, person.platform, place)
                while (shown := await _next(tab)).kind != CLOSING:
                    await (stream.send(shown.kind, _facts(shown)) if shown.kind else stream.pulse())
        return response

    def _follow(self, view: View, platform: str, place: str) -> None:
        """Take up what was left over at a place, beside whoever opened it."""
        task = asyncio.create_task(self._take_up(view, platform, place))
        self._following.add(task)
        task.add_done_callback(self._following.discard)

    async def _take_up(self, view: View, platform: str, place: str) -> None:
        self._desk.app.maintenance.poke(view.home)
        await self._desk.talk.take_up(platform, place)
        await self._desk.talk.reflections.say(view.home, at_hand=True)


def _named(given: object) -> str:
    """Return the name of a conversation as a request gives it, '' where it gives none. Raises HTTPBadRequest for what can be no name."""
    name = clean(given).strip() if isinstance(given, str) else ""
    if len(name) > MOST_NAME or len(name.splitlines()) > 1:
        raise web.HTTPBadRequest
    return name


async def _next(tab: Tab) -> Shown:
    """Return what is shown next; something without a kind where nothing is for a while."""
    try:
        return await asyncio.wait_for(tab.get(), _PULSE_SECONDS)
    except TimeoutError:
        return Shown("")


def _facts(shown: Shown) -> dict[str, object]:
    if shown.kind in ("answer", "reflection"):
        return {**shown.facts, "html": prose(str(shown.facts["text"]))}
    return shown.facts
