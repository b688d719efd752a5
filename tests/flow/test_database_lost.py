"""The way to the database breaks while she answers: the turn is taken anew at once, in its order, and nothing is lost."""

from collections.abc import Sequence
from pathlib import Path

import psycopg
import pytest

from bot.conversation import mailboxes
from memory.store.postgresql.database import PostgresDatabase
from memory.types import DomainKind
from memory.view.messages import Messages
from tests.fakes.discord import DiscordServer
from tests.kits import fresh
from tests.kits.awake import Awake
from tests.kits.discord_home import model_server, sound
from tests.kits.discord_quick import answered, greeted, quick
from tests.kits.postgres import unguarded

STORED, ANSWERED = 1, 2
"""Which message that is written meets it: the question, or the answer."""


_on_server = fresh.kept_on_server


def breaks_at(lyra: Awake, number: int) -> None:
    """Have the server end the connection that writes this message from now on, in the middle of its transaction."""
    db = lyra.app.memory.db
    assert isinstance(db, PostgresDatabase)
    with psycopg.connect(unguarded(db.address), autocommit=True) as connection:
        connection.execute(
            f"""
            CREATE SEQUENCE public.written;
            CREATE FUNCTION public.breaks() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
                IF nextval('public.written') = {number:d} THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER breaks BEFORE INSERT ON lyra.exchanges FOR EACH ROW EXECUTE FUNCTION public.breaks()
            """
        )


async def talked(server: DiscordServer, home: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> list[str]:
    """Ask twice, first while it breaks; return all that she says to that, in its order."""
    async with model_server() as model:
        general = server.world.channel(server.world.guild("Home"), "general")
        async with quick(server, home, monkeypatch, model) as lyra:
            await greeted(server, general)
            before = len(server.world.by_bot(general))
            breaks_at(lyra, at)
            for n in range(2):
                await answered(server, await server.person("ada").says(general, f"{server.mention} question {n}"))
            await lyra.rests()
            # A minute passes: what was left is taken up.
            await lyra.talk.tick()
            await lyra.rests()
            assert await lyra.app.memory.journal.open_counts() == {"new": 0, "held": 0}
        sound(server)
        return [one.content for one in server.world.by_bot(general)[before:]]


@pytest.mark.parametrize("at", [STORED, ANSWERED], ids=["the question is stored", "the answer is stored"])
async def test_a_turn_is_taken_anew_where_the_way_to_the_database_broke(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    async with DiscordServer() as server:
        said = await talked(server, tmp_path / "home", monkeypatch, at)
        assert said == ["You said: ada: question 0", "You said: ada: question 1"]


async def test_without_the_guard_it_is_answered_after_what_was_asked_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailboxes, "_PAUSES", ())
    async with DiscordServer() as server:
        said = await talked(server, tmp_path / "home", monkeypatch, STORED)
        assert said[-2:] == ["You said: ada: question 1", "You said: ada: question 0"] and said[0].startswith("I cannot do that")


async def kept_alone(server: DiscordServer, home: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Say two things alone with her, the first of which cannot be stored at once; return what is kept in the end."""
    monkeypatch.setattr(mailboxes, "_PAUSES", ())
    ada = server.person("ada")
    alone = await ada.opens_dm()
    async with model_server() as model, quick(server, home, monkeypatch, model) as lyra:
        await greeted(server, alone)
        breaks_at(lyra, STORED)
        for n in range(2):
            said = len([one for one in server.world.said if one.channel is alone])
            await ada.says(alone, f"question {n}")
            await server.sent(said + 1, alone)
            await lyra.rests()
        await lyra.talk.tick()
        await lyra.rests()
        assert await lyra.app.memory.journal.open_counts() == {"new": 0, "held": 0}
        sound(server)
        return [text for text in await lyra.kept(DomainKind.DM, ada.id) if text.startswith("question")]


async def test_what_could_not_be_stored_is_not_taken_for_answered_with_what_was_said_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with DiscordServer() as server:
        assert sorted(await kept_alone(server, tmp_path / "home", monkeypatch)) == ["question 0", "question 1"]


async def test_without_the_guard_what_could_not_be_stored_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stored(_messages: Messages, _platform: str, ids: Sequence[str]) -> set[str]:
        return {*ids}

    monkeypatch.setattr(Messages, "stored", stored)
    async with DiscordServer() as server:
        assert await kept_alone(server, tmp_path / "home", monkeypatch) == ["question 1"]
