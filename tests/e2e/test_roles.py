"""`lyra run --role …`: several processes that share one memory on a server, each doing its part."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.fakes import openai_behaviours as b
from tests.fakes.pulse import PATIENCE
from tests.kits import fresh
from tests.kits.customized import customized
from tests.kits.discord_thread import DiscordThread
from tests.kits.lyra_kit import Home, ModelServer, Process, one_sentence
from tests.kits.postgres import Postgres, unguarded
from tests.kits.size import TORTURE


class Shared:
    """A home whose memory is in a database, on Discord, with a model."""

    def __init__(self, folder: Path, discord: DiscordThread, model: ModelServer, server: Postgres | None = None) -> None:
        self.discord, self.model = discord, model
        self._server = server or fresh.server()
        # Folders of two tests that run at once may bear one name.
        self.name = f"roles{os.getpid()}{folder.name}"[:60]
        self.address = self._server.make(self.name)
        store = f'[store]\nurl = "{self.address.url}"\n'
        config = model.config('summary = "offline"\nsummarize_after = 4')
        self.home = Home(folder, f"{config}{discord.config('streaming = false')}[web]\nport = 0\n{store}", **discord.variables)

    def count(self, query: str) -> int:
        """Return the number that a query of the database gives."""
        with psycopg.connect(unguarded(self.address), autocommit=True) as connection:
            found = connection.execute(query.encode()).fetchone()
        assert found
        return int(found[0])

    def tell(self, statement: str) -> None:
        """Run a statement as whoever the server belongs to."""
        with psycopg.connect(unguarded(self.address), autocommit=True) as connection:
            connection.execute(statement.encode())

    def shut(self) -> None:
        """Let nobody into the database, and end every connection there is."""
        self._alter("ALLOW_CONNECTIONS false")
        self._cut()

    def open(self) -> None:
        """Let everybody in again."""
        self._alter("ALLOW_CONNECTIONS true")

    def demote(self) -> None:
        """Have only what takes no writes behind the address, and end every connection there is."""
        self._alter("SET default_transaction_read_only = on")
        self._cut()

    def promote(self) -> None:
        """Have what is behind the address take writes again."""
        self._alter("RESET default_transaction_read_only")

    def _alter(self, how: str) -> None:
        self._server.ask(f'ALTER DATABASE "{self.name}" {how}')

    def _cut(self) -> None:
        self._server.ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.name}'")

    def until(self, query: str, number: int) -> None:
        """Wait until a query of the database gives a number."""
        ends = time.monotonic() + PATIENCE
        while (found := self.count(query)) != number:
            assert time.monotonic() < ends, f"{found} is not {number}: {query}"
            time.sleep(0.02)


_STILL_SECONDS = 60
HURRIED = "from memory.store.postgresql import connecting\nconnecting.PATIENCE_SECONDS = 2.0\n"
"""Has her find out soon that the database is out of reach."""
GISTS = "SELECT count(*) FROM lyra.digests"
CHORES = "SELECT count(*) FROM lyra.claims WHERE name = 'chore'"


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    """A home whose memory is in a database of its own."""
    with DiscordThread() as discord, ModelServer(lambda request: "Noted.") as model:
        yield Shared(tmp_path, discord, model)
        assert discord.server.violations == [] and discord.server.own_faults == []


def connected(process: Process) -> None:
    """Wait until a platform process is connected."""
    process.note("Discord: connected.")


def test_what_one_process_hears_another_looks_after(shared: Shared) -> None:
    discord = shared.discord
    dm = discord.dm("ada")
    with shared.home.started("run", "--role", "platform") as platform:
        connected(platform)
        for n in range(4):
            assert discord.answered(discord.ask("ada", dm, f"The kayak is red, I tell you for the {n}th time."))
        shared.until(CHORES, 1)
        assert shared.count(GISTS) == 0, "who talks with people makes nothing that nobody waits for"
        with shared.home.started("run", "--role", "worker") as worker:
            worker.note("Lyra works here")
            shared.until(CHORES, 0)
            made = shared.count(GISTS)
            assert made >= 1
            for n in range(4):
                assert discord.answered(discord.ask("ada", dm, f"And the tent is green, for the {n}th time."))
            began = time.monotonic()
            shared.until(GISTS, made + 1)
            assert time.monotonic() - began < 30, "it was called, and did not wait to look by itself"
            assert worker.stop().code == 0
        assert platform.stop().code == 0
    assert shared.count("SELECT count(*) FROM lyra.processes") == 0


def test_where_a_platform_process_is_killed_another_goes_on_within_five_seconds(shared: Shared) -> None:
    discord, model = shared.discord, shared.model
    dm = discord.dm("ada")
    with shared.home.started("run", "--role", "platform") as one, shared.home.started("run", "--role", "platform") as other:
        first, second = (other, one) if "stands by" in one.note("Discord: ") else (one, other)
        if second is other:
            assert "stands by" in second.note("Discord: ")
        else:
            connected(first)
        assert len(discord.answered(discord.ask("ada", dm, "hello"))) == 1
        calls = len(model.chats)
        model.script(b.Hang())
        asked = discord.ask("ada", dm, "one more")
        model.wait(calls + 1)
        first.kill()
        killed = time.monotonic()
        while_away = discord.ask("ada", dm, "and this")
        second.note("Discord: connected.")
        assert time.monotonic() - killed < (5 if TORTURE else 30), "a busy machine takes its time"
        for question in (asked, while_away):
            discord.answered(question)
        assert second.stop().code == 0
    said = [message.content for message in discord.call(discord.world.by_bot)]
    assert sum("Noted." in text for text in said) in (2, 3), said


def test_where_a_platform_process_ends_another_goes_on_with_its_session(shared: Shared) -> None:
    discord = shared.discord
    dm = discord.dm("ada")
    with shared.home.started("run", "--role", "platform") as first:
        connected(first)
        assert discord.answered(discord.ask("ada", dm, "hello"))
        with shared.home.started("run", "--role", "platform") as second:
            assert "stands by" in second.note("Discord: ")
            assert first.stop().code == 0
            meanwhile = discord.ask("ada", dm, "and this")
            connected(second)
            assert discord.answered(meanwhile) == ["Noted."]
            gateway = discord.server.gateway
            assert discord.call(lambda: (len(gateway.identifies), len(gateway.resumes))) == (1, 1)
            assert second.stop().code == 0
    assert discord.call(lambda: len(discord.world.by_bot(dm))) == 3, "with the introduction, each was answered once"


@pytest.mark.torture
def test_a_worker_that_stood_still_publishes_nothing_and_ends(shared: Shared) -> None:
    discord, model = shared.discord, shared.model
    shared.home.configure((shared.home.path / "lyra.toml").read_text().replace('summary = "offline"', 'summary = "main"'))
    with shared.home.started("run", "--role", "platform") as platform:
        connected(platform)
        for n in range(4):
            assert discord.answered(discord.ask("ada", discord.dm("ada"), f"The kayak is red, for the {n}th time."))
        shared.until(CHORES, 1)
        calls = len(model.chats)
        model.script(b.Held("The kayak is red."))
        with shared.home.started("run", "--role", "worker") as frozen:
            model.wait(calls + 1)
            frozen.send(signal.SIGSTOP)
            stopped = time.monotonic()
            with shared.home.started("run", "--role", "worker"):
                shared.until(CHORES, 0)
                made = shared.count(GISTS)
                assert made >= 1
                time.sleep(max(_STILL_SECONDS - (time.monotonic() - stopped), 0))
                # What it waited for is there now, and what comes of it is not kept.
                model.go()
                frozen.send(signal.SIGCONT)
                frozen.note("stood still for too long")
                assert frozen.wait().code == 1
                assert shared.count(GISTS) == made


@pytest.mark.parametrize("role", [["--role", "platform"], []], ids=["one of several", "alone"])
def test_what_is_said_while_the_database_is_out_of_reach_is_answered_once_it_is_back(shared: Shared, role: list[str]) -> None:
    discord = shared.discord
    with shared.home.started("run", *role, env=customized(shared.home.folder / "hurried", HURRIED)) as lyra:
        connected(lyra)
        assert discord.answered(discord.ask("ada", discord.dm("ada"), "hello"))
        shared.shut()
        # No history that she knows of will ever tell of them.
        asked = [discord.ask(name, discord.dm(name), "hello, I am new") for name in ("bob", "eva")]
        assert "cannot be reached" in lyra.note("platform.waits")
        shared.open()
        for one in asked:
            assert "Noted." in discord.answered(one)
        assert lyra.stop().code == 0


def test_she_keeps_her_model_where_the_configuration_cannot_be_read_again_as_the_database_is_out_of_reach(shared: Shared) -> None:
    discord = shared.discord
    with shared.home.started("run", env=customized(shared.home.folder / "hurried", HURRIED)) as lyra:
        connected(lyra)
        shared.shut()
        lyra.send(signal.SIGHUP)
        assert "cannot be reached" in lyra.note("The earlier configuration stays in use.")
        shared.open()
        assert "Noted." in discord.answered(discord.ask("ada", discord.dm("ada"), "hello"))
        assert lyra.stop().code == 0


def test_a_memory_in_a_file_takes_no_roles(tmp_path: Path) -> None:
    home = Home(tmp_path)
    done = home.lyra("run", "--role", "worker")
    assert done.code == 1 and "lyra move --to postgresql://" in done.err.splitlines()[-1]


def test_who_does_everything_is_alone_and_those_in_roles_are_not(shared: Shared) -> None:
    with shared.home.started("run", "--role", "worker") as one, shared.home.started("run", "--role", "worker") as other:
        for process in (one, other):
            process.note("Lyra works here")
        assert "One `lyra run` is enough" in one_sentence(shared.home.lyra("run"))
        elsewhere = shared.home.copied(shared.home.folder / "elsewhere", (shared.home.path / "lyra.toml").read_text())
        assert "from another home" in elsewhere.lyra("run").err.splitlines()[-1]
        assert one.stop().code == other.stop().code == 0
    with elsewhere.started("run") as alone:
        connected(alone)
        assert "without a role is awake" in shared.home.lyra("run", "--role", "worker").err.splitlines()[-1]
        assert alone.stop().code == 0
