"""Runs the tests in several processes that are forked from the one which collected them: each library and each test is loaded once.

`pytest -p no:xdist -p tests.kits.workers --workers 5`. Where every worker starts and collects by itself, as with pytest-xdist, five of
them take a minute of a processor for what one does in ten seconds. The files of tests go to whichever worker is free, in their order.
"""

import gc
import os
import pickle
import selectors
import signal
import sys
import traceback
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from bot.imports import imported
from tests.kits.made_once import make_once

_LATE = (
    "adapters.discord.adapter", "adapters.matrix.adapter", "anyio._backends._asyncio", "babel.dates",
    "babel.lists", "babel.numbers", "bot.models.e5.embedder", "bot.models.endpoints.embedding", "bot.models.endpoints.llm",
    "bot.models.minilm.embedder", "bot.models.offline.extractive", "bot.web.server", "httpcore2", "memory.deriving",
    "memory.store.postgresql.database", "openai.pagination", "openai.resources.chat.completions.completions",
    "openai.resources.embeddings", "openai.resources.models", "structlog",
)  # fmt: skip
"""What Lyra loads when she needs it, and takes longest."""
_SIZE = 4
"""Bytes of a number in a pipe."""


@dataclass
class Worker:
    """A worker as seen from outside: what it says comes through a pipe, the test it is at is known until it says what came of it."""

    pid: int
    said: int
    at: pytest.Item | None = None
    left: bytearray = field(default_factory=bytearray)
    over: bool = False
    """Whether it says nothing more."""
    done: bool = False
    """Whether it said that it is through."""

    def messages(self) -> Iterator[tuple[str, Any]]:
        """Read what there is; return whole messages."""
        raw = os.read(self.said, 1 << 16)
        self.over = not raw
        self.left += raw
        while len(self.left) >= _SIZE:
            end = _SIZE + int.from_bytes(self.left[:_SIZE], "big")
            if len(self.left) < end:
                return
            message = pickle.loads(self.left[_SIZE:end])  # noqa: S301
            del self.left[:end]
            yield message


class Reports:
    """In a worker, tells of each report."""

    def __init__(self, config: pytest.Config, to: int) -> None:
        self._config = config
        self._to = to

    def say(self, kind: str, what: Any) -> None:
        """Tell something."""
        raw = pickle.dumps((kind, what))
        raw = len(raw).to_bytes(_SIZE, "big") + raw
        while raw:
            raw = raw[os.write(self._to, raw) :]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell what came of a step of a test."""
        self.say("report", self._config.hook.pytest_report_to_serializable(config=self._config, report=report))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the number of workers."""
    parser.addoption("--workers", type=int, default=0, help="run the tests in so many processes, forked once all is collected")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run what was collected in the workers; leave it to pytest where there are to be none, or nothing is to run."""
    config = session.config
    if not config.option.workers or config.option.collectonly or session.testsfailed or not session.items:
        return None
    for name in _LATE:
        imported(name)
    make_once()
    gc.freeze()
    os.environ["PYTEST_XDIST_TESTRUNUID"] = uuid.uuid4().hex
    folder = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    files, work = _files(session.items), os.pipe()
    # A pipe holds 16,384 of them, and whoever reads takes one: that is the whole queue.
    os.write(work[1], b"".join(at.to_bytes(_SIZE, "big") for at in range(len(files))))
    os.close(work[1])
    workers: list[Worker] = []
    try:
        for number in range(min(config.option.workers, len(files))):
            workers.append(_begun(session, files, work[0], folder / f"worker{number}", [one.said for one in workers]))
        _follow(session, workers)
    finally:
        os.close(work[0])
        for one in workers:
            _end(one)
    return True


def _files(items: Sequence[pytest.Item]) -> list[list[pytest.Item]]:
    return [[*of_file] for _, of_file in groupby(items, lambda item: item.path)]


def _begun(session: pytest.Session, files: list[list[pytest.Item]], work: int, folder: Path, others: Sequence[int]) -> Worker:
    said, to = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        os.close(to)
        return Worker(pid, said)
    code = 1
    try:
        for one in (said, *others):
            os.close(one)
        _be_one(session, files, work, folder, Reports(session.config, to))
        code = 0
    finally:
        # Nothing of the process that it was forked from is to be ended here.
        os._exit(code)


def _be_one(session: pytest.Session, files: list[list[pytest.Item]], work: int, folder: Path, reports: Reports) -> None:
    """Be a worker until no file is left."""
    config = session.config
    os.environ["PYTEST_XDIST_WORKER"] = folder.name
    folder.mkdir(mode=0o700)
    config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
    capturing = config.pluginmanager.getplugin("capturemanager")
    capturing.stop_global_capturing()
    capturing.start_global_capturing()
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(reports)
    try:
        item = next(given := _given(files, work), None)
        while item is not None:
            after = next(given, None)
            reports.say("at", item.nodeid)
            config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            reports.say("end", item.nodeid)
            if session.shouldfail or session.shouldstop:
                break
            item = after
        # What was left to be collected as garbage is looked at here.
        config._ensure_unconfigure()
        reports.say("done", None)
    except BaseException:
        reports.say("broken", traceback.format_exc())
        raise


def _given(files: list[list[pytest.Item]], work: int) -> Iterator[pytest.Item]:
    while at := os.read(work, _SIZE):
        yield from files[int.from_bytes(at, "big")]


def _follow(session: pytest.Session, workers: Sequence[Worker]) -> None:
    """Hand on what the workers say until all are done."""
    items = {item.nodeid: item for item in session.items}
    with selectors.DefaultSelector() as talking:
        for one in workers:
            talking.register(one.said, selectors.EVENT_READ, one)
        while talking.get_map():
            for key, _ in talking.select():
                worker: Worker = key.data
                for kind, what in worker.messages():
                    _hand_on(session, worker, kind, what, items)
                if worker.over:
                    talking.unregister(worker.said)
                    if not worker.done:
                        _lost(session, worker, "It ended in the middle of it.")
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)


def _hand_on(session: pytest.Session, worker: Worker, kind: str, what: Any, items: dict[str, pytest.Item]) -> None:
    hook = session.config.hook
    if kind == "at":
        worker.at = items[what]
        hook.pytest_runtest_logstart(nodeid=what, location=worker.at.location)
    elif kind == "report":
        hook.pytest_runtest_logreport(report=hook.pytest_report_from_serializable(config=session.config, data=what))
    elif kind == "end":
        hook.pytest_runtest_logfinish(nodeid=what, location=items[what].location)
    else:
        worker.done = True
        if kind == "broken":
            _lost(session, worker, what)


def _lost(session: pytest.Session, worker: Worker, why: str) -> None:
    """Count the test that a worker ended at as failed; what was left of its file is not run."""
    node, location = (worker.at.nodeid, worker.at.location) if worker.at else ("a worker", ("", None, ""))
    report = pytest.TestReport(node, location, {}, "failed", why, "call")
    session.config.hook.pytest_runtest_logreport(report=report)


def _end(worker: Worker) -> None:
    """Make sure that a worker is gone."""
    os.close(worker.said)
    if not worker.over:
        os.kill(worker.pid, signal.SIGTERM)
    os.waitpid(worker.pid, 0)
