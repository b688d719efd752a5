"""A process whose database takes nothing: how it ends meanwhile, and that nothing is lost if its disk is full or it takes no writes."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.test_postgresql_outages import standing_still
from tests.e2e.test_roles import Shared, connected
from tests.kits.discord_thread import DiscordThread
from tests.kits.lyra_kit import Done, ModelServer, Process
from tests.kits.postgres import postgres

_AT_ONCE_SECONDS = 3.0
"""Less than any wait for a database that is out of reach."""


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    """A home whose memory is in a database of its own."""
    with DiscordThread() as discord, ModelServer(lambda request: "Noted.") as model:
        yield Shared(tmp_path, discord, model)


def stopped(lyra: Process) -> Done:
    """Ask a process to end, and require that it does at once."""
    began = time.monotonic()
    done = lyra.stop()
    took = time.monotonic() - began
    assert took < _AT_ONCE_SECONDS, done
    return done


@pytest.mark.parametrize("role", [["--role", "platform"], [], ["--role", "worker"]], ids=["platform", "alone", "worker"])
def test_who_waits_for_a_database_that_is_away_ends_at_once(shared: Shared, role: list[str]) -> None:
    discord = shared.discord
    with shared.home.started("run", *role) as lyra:
        if "worker" in role:
            lyra.note("Lyra works here")
        else:
            connected(lyra)
            assert discord.answered(discord.ask("ada", discord.dm("ada"), "hello"))
        shared.shut()
        if "worker" not in role:
            discord.ask("bob", discord.dm("bob"), "hello, I am new")
            lyra.note("platform.waits")
        done = stopped(lyra)
        assert done.code == 0 and "cut_off" not in done.err


def test_who_waits_for_a_database_that_stands_still_is_not_cut_off(tmp_path: Path) -> None:
    with (
        DiscordThread() as discord,
        ModelServer(lambda request: "Noted.") as model,
        postgres() as server,
        Shared(tmp_path, discord, model, server).home.started("run", "--role", "platform") as lyra,
    ):
        connected(lyra)
        with standing_still(server):
            done = lyra.stop()
        assert done.code == 0 and "cut_off" not in done.err


def test_the_page_of_a_database_that_is_away_ends_at_once(shared: Shared) -> None:
    with shared.home.started("web", "--no-open") as lyra:
        lyra.note("Lyra serves this page")
        shared.shut()
        done = stopped(lyra)
        assert done.code == 0, done


_FULL = (
    "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'no space left on device'; END $$",
    "CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON lyra.inbox FOR EACH ROW EXECUTE FUNCTION full_disk()",
)


def test_what_is_said_while_the_disk_is_full_is_answered_once_there_is_room(shared: Shared) -> None:
    discord = shared.discord
    with shared.home.started("run", "--role", "platform") as lyra:
        connected(lyra)
        assert discord.answered(discord.ask("ada", discord.dm("ada"), "hello"))
        for statement in _FULL:
            shared.tell(statement)
        asked = [discord.ask(name, discord.dm(name), "hello, I am new") for name in ("bob", "eva")]
        assert "no room is left on its disk" in lyra.note("platform.waits")
        shared.tell("DROP TRIGGER full_disk ON lyra.inbox")
        for one in asked:
            assert "Noted." in discord.answered(one)
        done = lyra.stop()
        assert done.code == 0 and "platform.waits" not in done.err


def test_who_waits_for_room_on_the_disk_ends_at_once(shared: Shared) -> None:
    discord = shared.discord
    with shared.home.started("run", "--role", "platform") as lyra:
        connected(lyra)
        for statement in _FULL:
            shared.tell(statement)
        discord.ask("bob", discord.dm("bob"), "hello, I am new")
        lyra.note("platform.waits")
        assert stopped(lyra).code == 0


def test_what_is_said_while_only_a_copy_is_there_is_answered_once_it_takes_writes(shared: Shared) -> None:
    discord = shared.discord
    with shared.home.started("run", "--role", "platform") as lyra:
        connected(lyra)
        assert discord.answered(discord.ask("ada", discord.dm("ada"), "hello"))
        shared.demote()
        asked = [discord.ask(name, discord.dm(name), "hello, I am new") for name in ("bob", "eva")]
        assert "takes no writes" in lyra.note("platform.waits")
        shared.promote()
        for one in asked:
            assert "Noted." in discord.answered(one)
        assert lyra.stop().code == 0


def test_who_waits_for_a_database_that_takes_no_writes_ends_at_once(shared: Shared) -> None:
    discord = shared.discord
    with shared.home.started("run", "--role", "platform") as lyra:
        connected(lyra)
        shared.demote()
        discord.ask("bob", discord.dm("bob"), "hello, I am new")
        lyra.note("platform.waits")
        assert stopped(lyra).code == 0
