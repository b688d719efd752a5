"""`lyra status`: what is stored and what is pending, in numbers; `lyra privacy`: the policy that goes with it."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from bot.app import open_app
from bot.commands.texts import receipts
from bot.models.connect import Connector
from bot.printing import show
from bot.rights.policy import policy
from bot.service import costs
from localization.numerals import number
from localization.sentences import _, ngettext
from memory.store import restoring
from memory.text.time.times import iso


async def status(as_json: bool) -> None:
    """Print counts over all domains, and the models in use."""
    async with open_app() as app:
        backlog = asdict(await app.memory.backlog())
        backlog["parked"] = await app.memory.journal.parked()
        backlog["dreams_parked"] = len(await app.memory.dreams.parked())
        backlog["calls_today"] = (await app.memory.spending.today()).calls
        backlog["chat"] = app.models.chat.name if app.models.chat else None
        backlog["summary"] = app.models.writer.name
        backlog["embed"] = app.embedder_choice.embedder.name if app.embedder_choice.embedder else None
        spent = await costs.usage_report(app.memory, app.models.backends)
        backlog["usage"] = {when: costs.as_json(some) for when, (_label, some) in zip(("today", "days_30"), spent, strict=True)}
        backlog["waiting_for_vectors"] = waiting = await app.memory.waiting_for_vectors()
        aside = restoring.set_aside(app.memory.path)
        backlog["set_aside"] = [{"file": str(one.path), "until": iso(one.until, app.base.time_zone)} for one in aside]
        if as_json:
            print(json.dumps(backlog))
        else:
            show(_kept_line(backlog))
            show(_waiting(backlog))
            show(Connector(app.models, app.base.environment, _no_probe).describe("lyra "))
            show(app.embedder_choice.describe())
            if waiting:
                show(ngettext("{n} text waits for that; words find it meanwhile.",
                               "{n} texts wait for that; words find them meanwhile.", waiting))  # fmt: skip
            for label, some in spent:
                for line in costs.in_words(label, some):
                    show(line)
            for one in aside:
                show(receipts.set_aside(one, app.base.time_zone))
            if backlog["parked"]:
                show(receipts.given_up(backlog["parked"]))
            calls = backlog["calls_today"]
            show(ngettext("{n} call to a model today that nobody asked for.",
                           "{n} calls to models today that nobody asked for.", calls))  # fmt: skip
            if places := backlog["dreams_parked"]:
                show(ngettext("{n} place is not dreamt of any more after three tries; try: lyra dream --force",
                               "{n} places are not dreamt of any more after three tries; try: lyra dream --force", places))  # fmt: skip


def _kept_line(backlog: Mapping[str, int]) -> str:
    return _(
        "{conversations}, {items} items so far.",
        conversations=ngettext("{n} conversation", "{n} conversations", backlog["sessions"]),
        items=number(backlog["max_exchange_id"]),
    )


def _waiting(backlog: Mapping[str, int]) -> str:
    return _(
        "{messages} not in a gist yet, {conversations}; {ripe} of these have none yet, or enough for another. {whole} fully in the profile.",
        messages=ngettext("{n} message", "{n} messages", backlog["unsummarized_total"]),
        conversations=ngettext("in {n} conversation", "in {n} conversations", backlog["dirty"]),
        ripe=number(backlog["ripe"]),
        whole=ngettext("{n} conversation", "{n} conversations", backlog["profile_sessions_covered"]),
    )


async def _no_probe(_: str) -> list[str]:
    return []


async def privacy() -> None:
    """Print the privacy policy that follows from the configuration and the model in use."""
    async with open_app() as app:
        show(policy(app.base.settings, app.models.answering, app.models.writing, app.memory.address))
