"""The homeserver for tests: it starts, goes down and comes back with everything, and leaves nothing behind."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.matrix import People, Refused, Synapse, SynapseFailed, config
from tests.fakes.matrix.shared import SharedSynapse
from tests.fakes.matrix.synapse import free_port
from tests.fakes.pulse import PATIENCE

pytest_plugins = ["tests.fakes.matrix.fixtures"]

ROOT = Path(__file__).parents[2]
ORPHAN = """
from tests.fakes.matrix import Synapse
with Synapse() as synapse:
    print(synapse.port, synapse.folder, flush=True)
    input()
"""

ONCE = {"msgtype": "m.text", "body": "once"}


def alive(pid: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def listens(port: int) -> bool:
    """Whether anyone takes connections on a port of loopback."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def becomes(look: Callable[[], bool]) -> None:
    """Wait until something is so that nobody tells of."""
    async with asyncio.timeout(PATIENCE):
        while not look():
            await asyncio.sleep(0.01)


async def test_names_are_new_for_everyone(people: People) -> None:
    first, second = await people.person("ada"), await people.person("ada")
    assert first.user != second.user and first.user.startswith("@ada-") and first.user.endswith(":lyra.test")


@pytest.mark.torture
async def test_during_an_outage_nobody_answers_and_then_people_rooms_words_and_transactions_are_what_they_were() -> None:
    async with Synapse() as synapse, People(synapse) as people:
        ada, bob = await people.person("ada"), await people.person("bob", encrypts=True)
        room = await people.together(ada, bob)
        sent = await ada.sends(room, "m.room.message", ONCE, key="one")
        await bob.hears_text(room, ONCE["body"])
        pid = synapse.pid
        async with synapse.outage():
            assert synapse.pid == 0 and not alive(pid)
            with pytest.raises(aiohttp.ClientConnectionError):
                await ada.says(room, "nobody there?")
        assert synapse.pid not in (0, pid)
        assert await ada.sends(room, "m.room.message", ONCE, key="one") == sent
        await ada.says(room, "there you are")
        await bob.hears_text(room, "there you are")
        assert [event.body for event in await bob.messages(room)] == [ONCE["body"], "there you are"]


async def test_a_revoked_token_is_refused(people: People) -> None:
    ada = await people.person("ada")
    again = await people.second_device(ada, encrypts=False)
    await ada.logs_out()
    with pytest.raises(Refused) as refused:
        await ada.creates()
    assert (refused.value.status, refused.value.errcode) == (401, "M_UNKNOWN_TOKEN")
    assert await again.creates()


async def test_it_goes_when_whoever_started_it_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", ORPHAN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    assert parent.stdout and parent.stdin
    with parent.stdout, parent.stdin:
        port, folder = (await asyncio.to_thread(parent.stdout.readline)).decode().split()
        assert listens(int(port)) and Path(folder).exists()
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        await becomes(lambda: not listens(int(port)))
        assert not Path(folder).exists()


@pytest.mark.torture
async def test_without_its_lifeline_it_would_stay(tmp_path: Path) -> None:
    port = free_port()
    arguments = ["-m", "synapse.app.homeserver", "-c", str(config.write(tmp_path, port))]
    script = f"import subprocess, sys\nprint(subprocess.Popen([sys.executable, *{arguments}]).pid, flush=True)\ninput()"
    parent = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path)
    assert parent.stdout and parent.stdin
    with parent.stdout, parent.stdin:
        pid = int(await asyncio.to_thread(parent.stdout.readline))
        try:
            await becomes(lambda: listens(port))
            parent.kill()
            parent.wait()
            assert listens(port)
        finally:
            os.kill(pid, signal.SIGTERM)
        await becomes(lambda: not listens(port))


@pytest.mark.torture
async def test_it_outlives_the_thread_that_started_it_and_nothing_is_left_of_it() -> None:
    synapse = Synapse()
    thread = threading.Thread(target=synapse.__enter__)
    thread.start()
    await asyncio.to_thread(thread.join)
    pid, folder = synapse.pid, synapse.folder
    try:
        assert alive(pid) and (folder / "homeserver.db").exists()
        async with People(synapse) as people:
            assert await (await people.person("ada")).creates()
    finally:
        await asyncio.to_thread(synapse.__exit__)
    assert not alive(pid) and not folder.exists()


async def test_workers_share_one_until_the_last_of_them_is_gone(tmp_path: Path) -> None:
    first, second = SharedSynapse(tmp_path, "one"), SharedSynapse(tmp_path, "two")
    async with first:
        folder = first.folder
        async with second:
            assert (second.folder, second.port) == (folder, first.port)
            async with People(first) as people, People(second) as others:
                ada, other = await people.person("ada"), await others.person("ada")
                assert ada.user != other.user
            with pytest.raises(SynapseFailed, match="one of its own"):
                await first.restart()
        assert listens(first.port)
    await becomes(lambda: not listens(first.port))
    await becomes(lambda: not folder.exists())


def test_one_that_does_not_start_says_so_and_leaves_nothing() -> None:
    synapse = Synapse(patience=0)
    with pytest.raises(SynapseFailed), synapse:
        pass
    assert synapse.pid == 0 and not synapse.folder.exists()


def test_it_stays_quiet(synapse: Synapse) -> None:
    assert "ERROR" not in synapse.log
