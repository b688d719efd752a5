"""Talking in the browser: a conversation, its input, and answers as they stream in, or with the page if scripts are off."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from aiohttp import web

from adapters.browser.tabs import Tab, TabEvent
from adapters.events import conversation
from bot.web.page_context import PagePart, go
from bot.web.prose import prose
from bot.web.server_sent_events import streaming
from memory.text.off_loop import off_loop
from memory.text.storable import clean
from memory.types import MOST_NAME
from memory.view.view import View

_SHOWN = 40
_MOST = 256 * 1024
_PULSE_SECONDS = 15.0
_UNSCRIPTED_SECONDS = 20.0
"""How long a form of a browser without scripts waits for its answer."""
_FIRST = "main"
CLOSING = "closing"
_ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class TalkPage(PagePart):
    """/talk."""

    _resuming: set[asyncio.Task[None]] = field(default_factory=set)
    _waiting_answers: dict[str, asyncio.Future[None]] = field(default_factory=dict)

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (
            web.get("/talk", self._show),
            web.post("/talk", self._say),
            web.get("/talk/stream", self._stream, allow_head=False),
            web.post("/talk/answer", self._answer_question),
            web.post("/talk/stop", self._stop),
        )

    async def _show(self, request: web.Request) -> web.Response:
        return await self._page(request, _conversation_name(request.query.get("in")))

    async def _page(self, request: web.Request, name: str, beside: Sequence[TabEvent] = ()) -> web.Response:
        """Render a conversation, the latest for ''; `beside` is shown in addition to its stored messages."""
        view = await self._context.own_view(request)
        platform = self._context.browser.platform
        conversations = [one for one in await view.sessions.all() if one.ref.platform == platform]
        name = name or (conversations[0].name if conversations else _FIRST)
        session = next((one for one in conversations if one.name == name), None)
        page = await view.calendar.messages(session, _SHOWN) if session else None
        return await self._context.page(
            request, "talk.html", view, name=name, session=session, page=page, conversations=conversations,
            goes_to=self._context.app.models.goes_to, address=self._context.app.memory.address, has_model=self._context.app.models.chat is not None, beside=beside,
        )  # fmt: skip

    async def _say(self, request: web.Request) -> web.Response:
        form = await request.post()
        text, name = str(form.get("text", "")).strip(), _conversation_name(form.get("conversation")) or _FIRST
        if text:
            if len(text.encode("utf-8", "replace")) > _MOST:
                raise web.HTTPRequestEntityTooLarge(_MOST, len(text))
            place, thread = await self._place_and_thread(request, name)
            if _is_scripted(request):
                await self._context.browser.say(self._context.person(request), thread, name, clean(text))
            else:
                with self._context.tabs.opened(place) as tab:
                    answered = await self._context.browser.say(self._context.person(request), thread, name, clean(text))
                    return await self._wait_for_answer(request, name, place, tab, answered)
        if _is_scripted(request):
            return web.json_response({"kept": bool(text)})
        return go("/talk", **{"in": name})

    async def _answer_question(self, request: web.Request) -> web.Response:
        form, person = await request.post(), self._context.person(request)
        question, yes, name = (
            str(form.get("question", "")),
            form.get("yes") == "yes",
            _conversation_name(form.get("conversation")) or _FIRST,
        )
        place, _ = await self._place_and_thread(request, name)
        if _is_scripted(request) or place not in self._waiting_answers:
            was_open = self._context.browser.answer_question(person, question, yes=yes)
            return web.json_response({"settled": was_open}) if _is_scripted(request) else go("/talk", **{"in": name})
        with self._context.tabs.opened(place) as tab:
            self._context.browser.answer_question(person, question, yes=yes)
            return await self._wait_for_answer(request, name, place, tab, self._waiting_answers.pop(place))

    async def _wait_for_answer(
        self, request: web.Request, name: str, place: str, tab: Tab, answered: Awaitable[None]
    ) -> web.Response:
        """Wait for an answer or a question, then render the page with what was shown meanwhile and is stored nowhere."""
        waiting = asyncio.ensure_future(answered)
        waiting.add_done_callback(lambda _: self._context.tabs.show(place, _ANSWERED))
        beside: list[TabEvent] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(_UNSCRIPTED_SECONDS):
                while (shown := await tab.get()).kind not in (_ANSWERED, CLOSING):
                    if shown.kind == "enter":
                        return go("/talk", **{"in": str(shown.facts["name"])})
                    beside += [shown] if shown.kind in ("notice", "question") else []
                    if shown.kind == "question":
                        self._waiting_answers[place] = waiting
                        break
        return await self._page(request, name, beside) if beside else go("/talk", **{"in": name})

    async def _place_and_thread(self, request: web.Request, name: str) -> tuple[str, str]:
        """Return the place key and the thread of the visitor's conversation with that name."""
        person = self._context.person(request)
        thread = await self._context.app.domains.thread_of(await self._context.own_view(request), name)
        return conversation(person.platform, person.id, thread).key, thread

    async def _stop(self, request: web.Request) -> web.Response:
        """Stop the answer in progress in a conversation; the part made so far stays."""
        form = await request.post()
        name = _conversation_name(form.get("conversation")) or _FIRST
        place, _ = await self._place_and_thread(request, name)
        ended = self._context.talk.mailboxes.stop_answer(self._context.browser.platform, place)
        if _is_scripted(request):
            return web.json_response({"ended": ended})
        return go("/talk", **{"in": name})

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        """Stream what is said in a conversation from now on, until the tab is closed or Lyra stops."""
        view, person = await self._context.own_view(request), self._context.person(request)
        place, _ = await self._place_and_thread(request, _conversation_name(request.query.get("in")) or _FIRST)
        async with streaming(request) as (stream, response):
            with self._context.tabs.opened(place) as tab, self._context.tab_presence.taken(place) as held:
                await stream.send("open", {})
                for question in self._context.browser.open_questions(place):
                    await stream.send(question.kind, question.facts)
                if held:
                    self._resume_in_background(view, person.platform, place)
                while (shown := await _next(tab)).kind != CLOSING:
                    await (stream.send(shown.kind, await _event_facts(shown)) if shown.kind else stream.pulse())
        return response

    def _resume_in_background(self, view: View, platform: str, place: str) -> None:
        """Resume what was left over at a place, in the background."""
        task = asyncio.create_task(self._resume(view, platform, place))
        self._resuming.add(task)
        task.add_done_callback(self._resuming.discard)

    async def _resume(self, view: View, platform: str, place: str) -> None:
        self._context.app.maintenance.poke(view.home)
        await self._context.talk.take_up(platform, place)
        await self._context.talk.reflections.say(view.home, at_hand=True)


def _is_scripted(request: web.Request) -> bool:
    """Return whether a script of the page sent the request, and shows the result itself."""
    return request.headers.get("X-Requested-With") == "fetch"


def _conversation_name(given: object) -> str:
    """Return a conversation's name from a request, '' if missing. Raises HTTPBadRequest if it is invalid."""
    name = clean(given).strip() if isinstance(given, str) else ""
    if len(name) > MOST_NAME or len(name.splitlines()) > 1:
        raise web.HTTPBadRequest
    return name


async def _next(tab: Tab) -> TabEvent:
    """Return the next thing to show; one without a kind after a quiet interval."""
    try:
        async with asyncio.timeout(_PULSE_SECONDS):
            return await tab.get()
    except TimeoutError:
        return TabEvent("")


async def _event_facts(shown: TabEvent) -> dict[str, object]:
    if shown.kind in ("answer", "reflection"):
        text = str(shown.facts["text"])
        return {**shown.facts, "html": await off_loop(len(text), partial(prose, text))}
    return shown.facts
