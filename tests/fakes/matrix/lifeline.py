"""Runs Synapse for as long as whoever started it lives: as a script, with Synapse's own arguments after the folder.

A pipe, not the parent-death signal: that one is Linux's only, and comes when the starting *thread* ends.

What it does for its operator is left out, which nobody here looks at and takes a fifth of its time: to hand each answer to a thread
to be written as JSON, to count all it does, and to look whether its own schemas are schemas.
"""

import os
import runpy
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, Self


def _watch(folder: str) -> None:
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGKILL)


class _Unread:
    """A metric that nobody reads: whatever is done with it, it stays itself."""

    def __getattr__(self, _: str) -> Self:
        return self

    def __call__(self, *_: object, **__: object) -> Self:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


def _lighten() -> None:
    metric: Any = import_module("prometheus_client.metrics").MetricWrapperBase
    answers: Any = import_module("synapse.http.server")
    rules: Any = import_module("synapse.events.validator")
    unread = _Unread()

    async def here(_: object, work: Callable[..., object], *given: object) -> object:
        return work(*given)

    answers.defer_to_thread = here
    metric.labels = lambda *_, **__: unread
    for one in (rules.POWER_LEVELS_VALIDATOR, rules.MENTIONS_VALIDATOR):
        one.check_schema = lambda *_, **__: None


def main() -> None:
    """Run until the homeserver ends, or standard input does: then the folder goes, too."""
    folder = sys.argv.pop(1)
    os.chdir(folder)
    threading.Thread(target=_watch, args=(folder,), daemon=True).start()
    _lighten()
    runpy.run_module("synapse.app.homeserver", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
