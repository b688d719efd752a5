"""What every test run says and needs."""

import gc
import os
import re
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy  # noqa: F401 - its threads are meant below, and are found once it is loaded
import pytest
from hypothesis import HealthCheck, Phase, settings
from threadpoolctl import threadpool_limits

from tests.fakes.discord import Channel, DiscordServer, Guild, spec
from tests.kits.fresh import POSTGRESQL, SQLITE, STORE, drop_databases, on_server, share
from tests.kits.size import TORTURE, examples

# How long an example takes says how busy the machine is, and nothing of what is proven. A short run tries the same examples each
# time, `make torture` looks for others. Which lines alone fail is not explained: to know them every line of every example is traced.
settings.register_profile(
    "lyra",
    deadline=None,
    derandomize=not TORTURE,
    max_examples=examples(40) if TORTURE else 8,
    report_multiple_bugs=False,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.target, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("lyra")


def _large_enough(memory: str) -> bool:
    """Say whether memory serves as a disk there that has room for all, and that programs may be run from."""
    if not os.access(memory, os.W_OK):
        return False
    return shutil.disk_usage(memory).free > 2 << 30 and not os.statvfs(memory).f_flag & os.ST_NOEXEC


# Every commit waits for its disk, and a disk that is there for the tests alone survives no kill any better. Workers are told by the
# first process of a run.
if "TMPDIR" not in os.environ and _large_enough("/dev/shm"):
    tempfile.tempdir = os.environ["TMPDIR"] = "/dev/shm"

# Whoever starts a run in the background may have it ignore Ctrl-C, and so would every process that tests send it to.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Each worker has a part of a processor: more threads would wait for each other, and do so by turning round.
threadpool_limits(1, user_api="blas")

# What is loaded and collected stays for the whole run: nobody needs to look whether it is garbage.
gc.disable()

_NO_HOMESERVER = "Synapse is not here: nothing of Matrix is proven in this run."
_synapse = find_spec("synapse") is not None

# What is missing leaves out what it alone can prove; under CI nothing may be missing.
collect_ignore_glob = [] if spec.there() or spec.required() else ["contract/test_discord_server*.py"]
if not _synapse and not spec.required():
    collect_ignore_glob += ["contract/*synapse*.py", *(f"{part}/*matrix*.py" for part in ("flow", "faults", "e2e"))]


def pytest_report_header() -> list[str]:
    """Say so where Discord's requests are served unjudged, or no homeserver can be started."""
    return [*([] if spec.there() else [spec.ABSENT]), *([] if _synapse else [_NO_HOMESERVER])]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to `make torture` what varies what other tests prove, and out what is about a file where none is kept."""
    left = [item for item in items if (not TORTURE and _varies(item)) or (on_server() and item.get_closest_marker("file"))]
    config.hook.pytest_deselected(items=left)
    kept = set(items) - set(left)
    items[:] = _spread([item for item in items if item in kept])


def _spread(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Put the files that take the homeserver evenly among the others: it is one process, which all workers would wait for at once.

    The last of them come a little before the end, so that nobody waits for them alone.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    served = [of_file for of_file in files.values() if any("synapse" in getattr(item, "fixturenames", ()) for item in of_file)]
    others = [of_file for of_file in files.values() if of_file not in served]
    spread = ((served, 0.9), (others, 1.0))
    places = [(until * at / len(some), of_file) for some, until in spread for at, of_file in enumerate(some)]
    return [item for _, of_file in sorted(places, key=lambda place: place[0]) for item in of_file]


def pytest_collection_finish() -> None:
    """Look for garbage among what tests leave, and nowhere else; seldom, as each look among the youngest takes its time."""
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


_TWINS = {"the twin", "unguarded", "without the guard", "without a look"}
"""What the case of a test is called that has its guard switched off."""
_WITHOUT = re.compile(r"without_(the|that|its|one_of_the)_guards?(_|\b)|^test_without_\w+_would_")


def _varies(item: pytest.Item) -> bool:
    """Say whether a test is marked so, has its guard switched off, is another case of a test that takes a homeserver or is marked
    `first`, or combines what others try one by one.
    """
    cases = getattr(item, "callspec", None)
    later = cases is not None and any(cases.indices.values()) and "synapse" in getattr(item, "fixturenames", ())
    first = cases is not None and any(cases.indices.values()) and item.get_closest_marker("first") is not None
    return later or first or _is_twin(item) or _combines(item) or item.get_closest_marker("torture") is not None


def _is_twin(item: pytest.Item) -> bool:
    """Say whether a test, or this case of it, has its guard switched off."""
    cases = getattr(item, "callspec", None)
    named = cases.id.split("-") if cases is not None else []
    return not _TWINS.isdisjoint(named) or ("guarded" not in named and _WITHOUT.search(item.name) is not None)


def _combines(item: pytest.Item) -> bool:
    """Say whether a case of a test that is marked `each` has other than the first value in several of its parameters."""
    cases = getattr(item, "callspec", None)
    if cases is None or item.get_closest_marker("each") is None:
        return False
    later = 0
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else [*mark.args[0]]
        first = next(iter(mark.args[1]))
        first = first.values if isinstance(first, type(pytest.param())) else (first,) if len(names) == 1 else first
        later += [cases.params[name.strip()] for name in names] != [*first]
    return later > 1


@pytest.fixture(scope="session", autouse=True)
def _server(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Have the workers of a run share a database server, as soon as one of them asks for it."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        share(tmp_path_factory.getbasetemp().parent)


@pytest.fixture(autouse=True)
def _databases() -> Iterator[None]:
    """Remove the databases of a test after it."""
    yield
    drop_databases()


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Keep the memories of a test in either store."""
    monkeypatch.setenv(STORE, request.param)
    return str(request.param)


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    """A loopback Discord; in the end, all that was sent must have been Discord's own, both ways."""
    async with DiscordServer() as server:
        yield server
        assert server.violations == [] and server.own_faults == []


@pytest.fixture
def home(server: DiscordServer) -> Guild:
    """A server of that Discord."""
    return server.world.guild("Home")


@pytest.fixture
def general(server: DiscordServer, home: Guild) -> Channel:
    """A channel that everybody reads there."""
    return server.world.channel(home, "general")
