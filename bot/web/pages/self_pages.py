"""Her self-state, now and over time; her dreams with their reports, and posted thoughts; and her persona."""

from aiohttp import web

from bot.commands.dream_commands import post_fewer, take_back
from bot.commands.texts.ladder_text import drive_name
from bot.errors import BadInput
from bot.web.charts import ChartSeries, lines
from bot.web.page_context import Visit, notice, redirect, visiting
from localization.sentences import _, lazy, told
from memory.tiers.drives import NAMES

routes = web.RouteTableDef()
_DONE = {
    "changed": lazy("That is who I am from my next answer on."),
    "reset": lazy("I am again who I was at first."),
    "busy": lazy("Another process dreams this just now."),
}
"""Notices after a form."""
_DREAMS, _THOUGHTS = 30, 20


@routes.get("/persona")
async def _persona(request: web.Request) -> web.Response:
    return await _show_persona(await visiting(request))


async def _show_persona(visit: Visit, text: str = "", problem: str = "") -> web.Response:
    persona = visit.app.persona
    return await visit.page(
        "persona.html", text=text or persona.current(), owner=visit.is_owner, problem=problem,
        is_own=persona.is_own and not persona.named, told=notice(visit.request, _DONE),
    )  # fmt: skip


@routes.post("/persona")
async def _change_persona(request: web.Request) -> web.Response:
    visit = await visiting(request)
    visit.require_owner()
    text = str((await request.post()).get("text", "")).replace("\r\n", "\n")
    try:
        visit.app.persona.write(text)
    except BadInput as error:
        return await _show_persona(visit, text, told(error))
    return redirect("/persona", told="changed")


@routes.post("/persona/reset")
async def _reset_persona(request: web.Request) -> web.Response:
    visit = await visiting(request)
    visit.require_owner()
    try:
        visit.app.persona.reset()
    except BadInput as error:
        return await _show_persona(visit, "", told(error))
    return redirect("/persona", told="reset")


@routes.get("/dreams")
async def _dreams(request: web.Request) -> web.Response:
    visit = await visiting(request)
    return await visit.page(
        "dreams.html", thoughts=await visit.view.thoughts.posted(_THOUGHTS), told=notice(request, _DONE), owner=visit.is_owner,
        dreams=await visit.app.memory.dreams.last_passes(visit.view.home, _DREAMS),
    )  # fmt: skip


@routes.post("/dreams/now")
async def _dream(request: web.Request) -> web.Response:
    """Dream this home now, due or not."""
    visit = await visiting(request)
    visit.require_owner()
    dreamt = await visit.app.dreams.dream(visit.view.home, forced=True)
    return redirect("/dreams", told="" if dreamt.report else "busy")


@routes.post("/thoughts/{id}/less")
async def _fewer_thoughts(request: web.Request) -> web.Response:
    visit = await visiting(request)
    thought = await visit.view.thoughts.find(request.match_info["id"])
    await post_fewer(visit.view, thought, visit.app.base.settings.dream.curiosity)
    return redirect("/dreams")


@routes.get("/thoughts/{id}/delete")
async def _ask_to_delete_thought(request: web.Request) -> web.Response:
    visit = await visiting(request)
    return await visit.page("forget_thought.html", thought=await visit.view.thoughts.find(request.match_info["id"]))


@routes.post("/thoughts/{id}/delete")
async def _delete_thought(request: web.Request) -> web.Response:
    visit = await visiting(request)
    await take_back(visit.view, await visit.view.thoughts.find(request.match_info["id"]), visit.context.talk.outgoing)
    return redirect("/dreams")


@routes.get("/self")
async def _self(request: web.Request) -> web.Response:
    visit = await visiting(request)
    view, times = visit.view, visit.times
    now, history = await view.self_state.now(), (await view.self_state.history())[::-1]
    ends = (times.day(history[0].at), times.day(history[-1].at)) if history else ("", "")
    receipts = await view.digests.receipts([*now.narrative, *now.reflections])
    moods = [ChartSeries(drive_name(name), [(one.at, getattr(one.mind, name)) for one in history]) for name in ("mood", "energy")]
    driven = [ChartSeries(drive_name(name), [(one.at, one.mind.drives[name]) for one in history]) for name in NAMES]
    return await visit.page(
        "self.html", now=now, said=receipts, drives=NAMES,
        moods=lines(moods, -1, 1, ends, _("Mood and energy over time")),
        driven=lines(driven, 0, 1, ends, _("What drives me over time")),
    )  # fmt: skip


@routes.post("/self/reset")
async def _reset_self(request: web.Request) -> web.Response:
    await (await visiting(request)).view.self_state.reset()
    return redirect("/self")
