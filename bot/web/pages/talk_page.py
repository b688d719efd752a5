"""Talking in the browser: a conversation, its input, and answers as they stream in, or with the page if scripts are off."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from functools import partial
from secrets import token_hex

from aiohttp import web

from adapters.browser.browser import CLOSING, Tab, TabEvent
from adapters.events import conversation
from bot.web.page_context import Visit, prose, redirect, visiting
from bot.web.server_sent_events import streaming
from memory.text.off_loop import off_loop
from memory.text.sanitize import clean
from memory.types import MOST_NAME

routes = web.RouteTableDef()
_SHOWN = 40
_MOST = 256 * 1024
_PULSE_SECONDS = 15.0
_UNSCRIPTED_SECONDS = 20.0
"""How long a form of a browser without scripts waits for its answer."""
_FIRST = "main"
_ANSWERED = "answered"


@routes.get("/talk")
async def talk(request: web.Request) -> web.Response:
    """Show a conversation, the latest if none is named."""
    return await _page(request, _conversation_name(request.query.get("in")))


async def _page(request: web.Request, name: str, beside: Sequence[TabEvent] = ()) -> web.Response:
    """Render a conversation, the latest for ''; `beside` is shown in addition to its stored messages."""
    visit = await visiting(request, own=True)
    app, view, platform = visit.app, visit.view, visit.context.browsing.browser.platform
    conversations = [one for one in await view.sessions.all() if one.ref.platform == platform]
    name = name or (conversations[0].name if conversations else _FIRST)
    session = next((one for one in conversations if one.name == name), None)
    page = await view.calendar.messages(session, _SHOWN) if session else None
    return await visit.page(
        "talk.html", name=name, session=session, page=page, conversations=conversations, goes_to=app.models.goes_to,
        address=app.memory.address, has_model=app.models.chat is not None, beside=beside,
        once=token_hex(16),
    )  # fmt: skip


@routes.post("/talk")
async def _say(request: web.Request) -> web.Response:
    form = await request.post()
    text, name = str(form.get("text", "")).strip(), _conversation_name(form.get("conversation")) or _FIRST
    if text:
        if len(text.encode("utf-8", "replace")) > _MOST:
            raise web.HTTPRequestEntityTooLarge(_MOST, len(text))
        visit = await visiting(request, own=True)
        (place, thread), context = await _place_and_thread(visit, name), visit.context
        once = str(form.get("once", ""))
        if _is_scripted(request):
            await context.browsing.browser.say(visit.person, thread, name, clean(text), once)
        else:
            with context.browsing.tabs.opened(place) as tab:
                answered = await context.browsing.browser.say(visit.person, thread, name, clean(text), once)
                return await _wait_for_answer(visit, name, place, tab, answered)
    return _done(request, name, kept=bool(text))


@routes.post("/talk/answer")
async def _answer_question(request: web.Request) -> web.Response:
    form, visit = await request.post(), await visiting(request, own=True)
    context, person = visit.context, visit.person
    question, yes, name = (
        str(form.get("question", "")),
        form.get("yes") == "yes",
        _conversation_name(form.get("conversation")) or _FIRST,
    )
    place, _ = await _place_and_thread(visit, name)
    if _is_scripted(request) or place not in context.waiting_answers:
        return _done(request, name, settled=context.browsing.browser.answer_question(person, question, yes=yes))
    with context.browsing.tabs.opened(place) as tab:
        context.browsing.browser.answer_question(person, question, yes=yes)
        return await _wait_for_answer(visit, name, place, tab, context.waiting_answers.pop(place))


async def _wait_for_answer(visit: Visit, name: str, place: str, tab: Tab, answered: Awaitable[None]) -> web.Response:
    """Wait for an answer or a question, then render the page with what was shown meanwhile and is stored nowhere."""
    waiting = asyncio.ensure_future(answered)
    waiting.add_done_callback(lambda _: visit.context.browsing.tabs.show(place, _ANSWERED))
    beside: list[TabEvent] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(_UNSCRIPTED_SECONDS):
            while (shown := await tab.get()).kind not in (_ANSWERED, CLOSING):
                if shown.kind == "enter":
                    return redirect("/talk", **{"in": str(shown.facts["name"])})
                beside += [shown] if shown.kind in ("notice", "question") else []
                if shown.kind == "question":
                    visit.context.waiting_answers[place] = waiting
                    break
    return await _page(visit.request, name, beside) if beside else redirect("/talk", **{"in": name})


async def _place_and_thread(visit: Visit, name: str) -> tuple[str, str]:
    """Return the place key and the thread of the visitor's conversation with that name."""
    thread = await visit.app.domains.thread_of(visit.view, name)
    return conversation(visit.person.platform, visit.person.id, thread).key, thread


@routes.post("/talk/stop")
async def _stop(request: web.Request) -> web.Response:
    """Stop the answer in progress in a conversation; the part made so far stays."""
    form = await request.post()
    name = _conversation_name(form.get("conversation")) or _FIRST
    visit = await visiting(request, own=True)
    place, _ = await _place_and_thread(visit, name)
    ended = visit.context.talk.running_answers.stop(visit.context.browsing.browser.platform, place)
    return _done(request, name, ended=ended)


@routes.get("/talk/stream", allow_head=False)
async def _stream(request: web.Request) -> web.StreamResponse:
    """Stream what is said in a conversation from now on, until the tab is closed or Lyra stops."""
    visit = await visiting(request, own=True)
    context = visit.context
    place, _ = await _place_and_thread(visit, _conversation_name(request.query.get("in")) or _FIRST)
    async with streaming(request) as stream:
        with context.browsing.tabs.opened(place) as tab, context.browsing.tab_presence.present(place) as held:
            await stream.send("open", {})
            for question in context.browsing.browser.open_questions(place):
                await stream.send(question.kind, question.facts)
            if held:
                task = asyncio.create_task(_resume(visit, place))
                context.resuming.add(task)
                task.add_done_callback(context.resuming.discard)
            while (shown := await _next_event(tab)).kind != CLOSING:
                await (stream.send(shown.kind, await _event_facts(shown)) if shown.kind else stream.heartbeat())
    return stream.response


async def _resume(visit: Visit, place: str) -> None:
    visit.app.maintenance.poke(visit.view.home)
    await visit.context.talk.resume_place(visit.person.platform, place)
    await visit.context.talk.reflections.say(visit.view.home, at_hand=True)


def _is_scripted(request: web.Request) -> bool:
    """Return whether a script of the page sent the request, and shows the result itself."""
    return request.headers.get("X-Requested-With") == "fetch"


def _done(request: web.Request, name: str, **outcome: bool) -> web.Response:
    """Return what a script is told of a form, or lead a browser without scripts back to the conversation."""
    return web.json_response(outcome) if _is_scripted(request) else redirect("/talk", **{"in": name})


def _conversation_name(given: object) -> str:
    """Return a conversation's name from a request, '' if missing. Raises HTTPBadRequest if it is invalid."""
    name = clean(given).strip() if isinstance(given, str) else ""
    if len(name) > MOST_NAME or len(name.splitlines()) > 1:
        raise web.HTTPBadRequest
    return name


async def _next_event(tab: Tab) -> TabEvent:
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
