"""HTTP for scripts: health, metrics, the log of what is done, and a summary on demand. No response contains a message."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from aiohttp import web
from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from bot.conversation.mailboxes import Mailboxes
from bot.service.runtime_metrics import BOUNDS, RuntimeMetrics, measures
from bot.web.page_context import CONTEXT
from bot.web.server_sent_events import StreamEvent, follow, last_seen
from localization.sentences import _
from memory.core import Memory
from memory.journal import ledger
from memory.tiers.drives import NAMES

routes = web.RouteTableDef()


@routes.get("/healthz")
async def _health(_request: web.Request) -> web.Response:
    return web.json_response({"alive": True})


@routes.get("/readyz")
async def _ready(request: web.Request) -> web.Response:
    # Any read shows that the database answers; this one is asked often, so it goes through nothing but what waits.
    await request.app[CONTEXT].app.memory.journal.open_counts()
    return web.json_response({"ready": True})


@routes.get("/metrics")
async def _measure(request: web.Request) -> web.Response:
    context = request.app[CONTEXT]
    return web.Response(body=await exposition(context.app.memory, context.talk.mailboxes), content_type="text/plain")


@routes.post("/sessions/{id}/summarize")
async def _summarize(request: web.Request) -> web.Response:
    digests = await request.app[CONTEXT].app.maintenance.summarize_by_id(request.match_info["id"])
    return web.json_response({"session": request.match_info["id"], "digests": [digest.id for digest in digests]})


@routes.get("/log", allow_head=False)
async def _log(request: web.Request) -> web.StreamResponse:
    """Stream what any process does from now on as server-sent events, until the caller or Lyra goes."""
    given, db = request.headers.get("Last-Event-ID", ""), request.app[CONTEXT].app.memory.db
    seen = last_seen(given) if given else await ledger.last_happening(db)
    if seen is None:
        return web.json_response({"error": _("Last-Event-ID is a number that an event had.")}, status=400)

    async def news(seen: int) -> list[StreamEvent]:
        happened = await ledger.happenings(db, seen)
        return [StreamEvent(one.kind, {"at": one.at, **one.detail}, one.seq) for one in happened]

    return await follow(request, seen, news)


_OUTCOMES = ("answered", "held", "failed")
_PURPOSES = ("conversation", "digests", "embedding")
_STAGES = ("keep", "recall", "model", "answer", "store", "send")


async def exposition(memory: Memory, mailboxes: Mailboxes) -> bytes:
    """Return all metrics of a memory and of this process in the text exposition format."""
    return generate_latest(_Collected([*await _stored_metrics(memory, mailboxes), *_process_metrics(measures)]))


async def _stored_metrics(memory: Memory, mailboxes: Mailboxes) -> list[Metric]:
    journal = memory.journal
    backlog, heard, self_states = await memory.backlog(), await journal.open_counts(), await memory.self_states()
    spent = await memory.spending.today()
    drives = GaugeMetricFamily("lyra_drive_highest", "The highest level of a drive anywhere", labels=["drive"])
    for name in NAMES:
        drives.add_metric([name], max((mind.drives[name] for mind in self_states), default=0.0))
    inbox = GaugeMetricFamily("lyra_inbox_waiting", "Messages not answered: new ones, and held ones", labels=["state"])
    for state, n in heard.items():
        inbox.add_metric([state], n)
    gauges = (
        ("lyra_sessions", "Conversations kept", backlog.sessions),
        ("lyra_sessions_dirty", "Conversations with a message in no gist", backlog.dirty),
        ("lyra_sessions_ripe", "Conversations without a gist, or with enough for another", backlog.ripe),
        ("lyra_exchanges_unsummarized", "Messages in no gist", backlog.unsummarized_total),
        ("lyra_inbox_parked", "Messages given up after three tries", await journal.parked()),
        ("lyra_outbox_waiting", "Parts of answers that did not arrive yet", await journal.unsent()),
        ("lyra_mailboxes_waiting", "Messages that wait in this process", mailboxes.waiting),
        ("lyra_dreams_parked", "Places given up after three dreams that broke", len(await memory.dreams.parked())),
        ("lyra_store_reads", "Statements read since the start", memory.db.reads),
        ("lyra_store_transactions", "Transactions begun since the start", memory.db.transactions),
        ("lyra_unasked_calls_today", "Calls of a model today that nobody asked for", spent.calls),
        ("lyra_unasked_tokens_today", "Tokens of a model today that nobody asked for", spent.tokens),
    )
    return [drives, inbox, *(GaugeMetricFamily(name, help_, value) for name, help_, value in gauges)]


@dataclass(frozen=True, slots=True)
class _Collected:
    metrics: Sequence[Metric]

    def collect(self) -> Sequence[Metric]:
        return self.metrics


def _process_metrics(since_start: RuntimeMetrics) -> Iterator[Metric]:
    yield _counter("lyra_turns", "Turns by what became of them", "outcome", since_start.turns, _OUTCOMES)
    yield _counter("lyra_errors", "Errors by their kind", "kind", since_start.errors, ())
    yield _counter("lyra_model_calls", "Answers of models by purpose", "purpose", since_start.calls, _PURPOSES)
    yield _counter("lyra_model_tokens", "Tokens to and from models by purpose", "purpose", since_start.tokens, _PURPOSES)
    stages = HistogramMetricFamily("lyra_stage_seconds", "How long each stage of a turn took", labels=["stage"])
    for name in _STAGES:
        if found := since_start.stages.get(name):
            sums = list(accumulate(found.counts))
            bounds = [*map(str, BOUNDS), "+Inf"]
            stages.add_metric([name], list(zip(bounds, map(float, sums), strict=True)), found.total)
    yield stages


def _counter(name: str, help_: str, label: str, counts: dict[str, int], always: Iterable[str]) -> Metric:
    counter = CounterMetricFamily(name, help_, labels=[label])
    for value in dict.fromkeys([*always, *counts]):
        counter.add_metric([value], counts.get(value, 0))
    return counter
