"""`lyra status`: how much is kept and what waits, in numbers."""

import json
from dataclasses import asdict

from bot.app import opened
from bot.commands import receipts
from bot.models.connect import Connector
from bot.service import costs
from memory.store import restoring
from memory.text.quantities import counted
from memory.text.times import iso


async def status(as_json: bool) -> int:
    """Print counts over all domains, and which models serve."""
    async with opened() as app:
        backlog = asdict(await app.memory.backlog())
        backlog["parked"] = await app.memory.journal.parked()
        backlog["dreams_parked"] = len(await app.memory.dreams.parked())
        backlog["calls_today"] = (await app.memory.spending.today()).calls
        backlog["chat"] = app.models.chat.name if app.models.chat else None
        backlog["summary"] = app.models.writer.name
        backlog["embed"] = app.meaning.embedder.name if app.meaning.embedder else None
        today, month = [await costs.costs(app.memory, app.base.settings.models, days) for days in (1, costs.MONTH)]
        backlog["usage"] = {"today": costs.as_json(today), "days_30": costs.as_json(month)}
        aside = restoring.set_aside(app.memory.path)
        backlog["set_aside"] = [{"file": str(one.path), "until": iso(one.until, app.base.time_zone)} for one in aside]
        if as_json:
            print(json.dumps(backlog))
        else:
            print(f"{counted(backlog['sessions'], 'conversation')}, {backlog['max_exchange_id']:,} items so far.")
            print(f"{counted(backlog['unsummarized_total'], 'message')} in no gist yet, "
                  f"in {counted(backlog['dirty'], 'conversation')}, {backlog['ripe']} of them ripe; "
                  f"{backlog['profile_sessions_covered']} wholly in the profile.")  # fmt: skip
            print(Connector(app.models, app.base.around, _no_probe).describe())
            print(app.meaning.describe())
            for line in (*costs.in_words("Models, today", today), *costs.in_words("Models, these 30 days", month)):
                print(line)
            for one in aside:
                print(receipts.set_aside(one, app.base.time_zone))
            if backlog["parked"]:
                print(f"{backlog['parked']} messages were given up after three tries; the log says why.")
            print(f"{counted(backlog['calls_today'], 'call')} of a model today that nobody asked for.")
            if backlog["dreams_parked"]:
                print(f"{backlog['dreams_parked']} places are not dreamt of any more after three tries; try: lyra dream --force")
    return 0


async def _no_probe(_: str) -> list[str]:
    return []
