"""The live log of what she does with a person's memory: summaries, dreams, imports, in numbers and without anybody's words."""

import re
from collections.abc import Callable, Mapping
from datetime import date

from aiohttp import web

from bot.web.page_context import visiting
from bot.web.server_sent_events import StreamEvent, follow, last_seen
from localization.formatting import month
from localization.sentences import Sentence, lazy, lazy_plural
from memory.journal.ledger import Activity

routes = web.RouteTableDef()
_SHOWN = 100


@routes.get("/activity")
async def _activity(request: web.Request) -> web.Response:
    visit = await visiting(request)
    happened = await visit.view.activity(0, _SHOWN)
    seen = happened[-1].seq if happened else 0
    return await visit.page("activity.html", happened=[_described(one) for one in reversed(happened)], seen=seen)


@routes.get("/activity/stream", allow_head=False)
async def _stream(request: web.Request) -> web.StreamResponse:
    """Stream log entries from a sequence number on, until the tab is closed or Lyra stops."""
    visit, given = await visiting(request), request.headers.get("Last-Event-ID") or request.query.get("after", "0")
    times = visit.times

    async def news(seen: int) -> list[StreamEvent]:
        happened = [(one.seq, *_described(one)) for one in await visit.view.activity(seen, _SHOWN)]
        return [
            StreamEvent("done", {"at": times.moment(at), "what": what, "counts": counts}, seq)
            for seq, at, what, counts in happened
        ]

    return await follow(request, last_seen(given) or 0, news)


def _described(one: Activity) -> tuple[int, str, str]:
    """Return when something was done, what, and its numbers, as people write them."""
    what = str(_WORDS.get(one.kind, one.kind.capitalize()))
    numbers = [
        str(_COUNTED[name](value)) for name, value in one.detail.items()
        if name in _COUNTED and isinstance(value, int) and value
    ]  # fmt: skip
    period = str(one.detail.get("period", ""))
    if one.kind == "era" and _MONTH.fullmatch(period):
        numbers.insert(0, month(date.fromisoformat(f"{period}-01")))
    return one.at, what, ", ".join(numbers)


_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_WORDS = {
    "gist": lazy("Summarized part of a conversation"), "merge": lazy("Merged gists"), "summary": lazy("Summarized a conversation"),
    "profile": lazy("Updated facts"), "era": lazy("Wrote about a month"), "narrative": lazy("Said what is going on"),
    "self": lazy("Said how I am"), "reflection": lazy("Had a thought"), "dream": lazy("Dreamt"),
    "import": lazy("Imported messages"), "bank": lazy("Took notes of a shared place"),
}  # fmt: skip
_COUNTED: Mapping[str, Callable[[int], Sentence]] = {
    "sessions": lambda n: lazy_plural("{n} conversation", "{n} conversations", n),
    "stored": lambda n: lazy_plural("{n} message", "{n} messages", n),
    "known": lambda n: lazy_plural("{n} was here already", "{n} were here already", n),
    "forgotten": lambda n: lazy_plural("{n} had been forgotten and stays so", "{n} had been forgotten and stay so", n),
    "bad": lambda n: lazy_plural("{n} could not be used in full", "{n} could not be used in full", n),
    "calls": lambda n: lazy_plural("{n} call", "{n} calls", n),
    "tokens": lambda n: lazy_plural("{n} token", "{n} tokens", n),
}
"""The counts that are shown, with their wording; the others are for programs that read the log."""
