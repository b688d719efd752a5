"""`lyra memory`: what was derived from a person's conversations: shown, corrected and dropped."""

import sys
from collections.abc import Mapping, Sequence

from bot.app import App, open_app
from bot.cli import json_output
from bot.cli.output import page_of
from bot.commands.knowledge_commands import PRIVATE
from bot.commands.texts import ladder_text, page_text, receipts
from bot.printing import note, show
from bot.rights.correction import correct_fact
from localization.sentences import _, lazy
from memory.types import Statement
from memory.view.view import View

TIERS = {"profile": "profile", "eras": "era", "narrative": "narrative", "self": "self"}
_NOW_CONNECTED = lazy("lyra model connects one.")
_NOW_MADE = lazy("lyra summarize --all makes what is due.")


async def summaries(as_: str, as_json: bool, page: int, *, everything: bool) -> None:
    """Print the gists and summaries of a person's conversations, or one page of them."""
    async with open_app() as app:
        view = await app.view(as_)
        found, _begin, more = page_of(await view.digests.all(), page, everything=everything)
        for session, digest in found:
            if as_json:
                json_output.say(json_output.digest(session, digest, view.home.time_zone))
            else:
                show(_("{session} ({tier}, by {writer}), ", session=session.name, tier=digest.tier, writer=digest.writer) +
                     f"{receipts.summary([digest], view.home.time_zone)}\n")  # fmt: skip
        if not found and not as_json:
            show(_("Nothing has been summarized yet. Try: lyra summarize"))
        if more and not as_json:
            show(more)


async def tier(as_: str, part: str, past: bool, as_json: bool, page: int, *, everything: bool) -> None:
    """Print a person's profile, eras, narrative or Lyra's self-state, or what these replaced."""
    async with open_app() as app:
        view, name = await app.view(as_), TIERS[part]
        stated = sorted(await view.digests.statements(name, past=past), key=lambda one: one.period)
        told, before, more = page_of(stated, page, everything=everything)
        zone, said = view.home.time_zone, await view.digests.receipts(told)
        months = await view.digests.era_sessions() if name == "era" and not past else {}
        if as_json:
            for row in await _rows(view, name, told, said, months, past=past):
                json_output.say(row)
        else:
            if name == "self" and (now := await ladder_text.render_self(view.self_state, zone, past=past)):
                show(now)
            ids = await view.ids.short([one.id for one in told])
            for line in ladder_text.numbered_statements(told, said, months, ids, app.base.clock.now(), zone, begin=before + 1):
                show(line)
            if more:
                show(more)
        if not told:
            # Scripts get JSON objects alone.
            show(_nothing(app, name, past=past), file=sys.stderr if as_json else sys.stdout)


async def _rows(
    view: View, name: str, told: Sequence[Statement], said: ladder_text.Receipts, months: Mapping[str, int], *, past: bool
) -> Sequence[json_output.Row]:
    zone = view.home.time_zone
    match name:
        case "profile":
            return [json_output.fact(one, said, zone) for one in told]
        case "era":
            return json_output.months(told, said, months, zone)
        case "narrative":
            return [json_output.line(one, said, zone) for one in told]
    return [json_output.state(await view.self_state.now(), told, said, zone, await view.self_state.history() if past else ())]


def _nothing(app: App, name: str, *, past: bool) -> str:
    model = not app.models.writer.extractive
    more = "" if past else f" {_NOW_MADE if model else _NOW_CONNECTED}"
    return ladder_text.empty_notice(name, past=past, model=model) + more


async def bank(as_json: bool) -> None:
    """Explain that a private conversation has no bank."""
    show(str(PRIVATE), file=sys.stderr if as_json else sys.stdout)


async def reset(as_: str, as_json: bool) -> None:
    """Reset Lyra's self-state with a person."""
    async with open_app() as app:
        await (await app.view(as_)).self_state.reset()
        if as_json:
            json_output.say({"reset": True})
        else:
            show(str(ladder_text.RESET))


async def correct(as_: str, fact: str, text: str, as_json: bool) -> None:
    """Replace a fact with what a person says. Raises BadInput for empty text, NotFound."""
    async with open_app() as app:
        view, name = await app.view(as_), as_ or app.base.environment.user
        old, new = await correct_fact(app, view, name, fact, text)
        said, zone, now = await view.digests.receipts([new]), view.home.time_zone, app.base.clock.now()
        if as_json:
            json_output.say(json_output.fact(new, said, zone))
        else:
            ids = await view.ids.short([new.id])
            show(ladder_text.correction_notice(old, new, said[new.key], ids, now, zone))


async def about(as_: str, name: str, as_json: bool) -> int:
    """Print the pages of a name; return 1 if there is none."""
    async with open_app() as app:
        view = await app.view(as_)
        pages = await view.pages.about(name)
        said, zone = await view.digests.receipts([fact for page in pages for fact in page.facts]), view.home.time_zone
        for page in pages:
            if as_json:
                json_output.say(json_output.page(page, said, zone))
            else:
                ids = await view.ids.short(page_text.shown_ids(page))
                show(page_text.render(page, said, ids, app.base.clock.now(), zone))
        if not pages:
            note(page_text.unknown_name_notice(name))
    return 0 if pages else 1


async def forget(as_: str, fact: str, as_json: bool) -> None:
    """Drop a fact, and print the messages it rested on."""
    async with open_app() as app:
        view = await app.view(as_)
        fact = await view.ids.full(fact)
        rested = await view.facts.forget(fact)
        if as_json:
            json_output.say({"forgotten": fact, "sources": [message.id for message in rested]})
        else:
            ids = await view.ids.short([message.id for message in rested])
            show(ladder_text.forgotten_fact_notice(rested, ids, app.base.clock.now(), view.home.time_zone, "lyra forget"))
