"""The real `lyra chat`, ended as a power cut would end it: what was heard is kept once and answered once."""

import asyncio
import random
import signal
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from memory.store.sqlite.database import SqliteDatabase
from tests.fakes import openai_behaviours as b
from tests.kits import lyra_kit
from tests.kits.entered import entered
from tests.kits.lyra_kit import LYRA, STARTED, Home, ModelServer, Process, jsonl
from tests.kits.lyra_terminal import Terminal
from tests.kits.pages import holding
from tests.kits.size import TORTURE

KILLS = 200 if TORTURE else 3
MANY = 4_000 if TORTURE else 2_500
OLD = 3_000 if TORTURE else 1_500
"""How many lines are imported while somebody talks."""


model = entered(ModelServer)
home = lyra_kit.home_with_model


def said(home: Home) -> list[tuple[str, str]]:
    """Return who said what."""
    return [(row["role"], row["content"]) for row in home.export()]


def waiting(home: Home) -> tuple[int, int]:
    """Count what waits in the inbox and in the outbox."""

    async def count() -> tuple[int, int]:
        async with await SqliteDatabase.open(home.db, bytes.fromhex(home.key.read_text("ascii"))) as db:
            unheard = await db.one("SELECT count(*) AS n FROM inbox WHERE state <> 'done'")
            unsent = await db.one("SELECT count(*) AS n FROM outbox WHERE state IN ('pending', 'attempting')")
        assert unheard and unsent
        return unheard["n"], unsent["n"]

    return asyncio.run(count())


def test_killed_before_the_models_first_word(home: Home, model: ModelServer) -> None:
    model.script(b.Hang())
    with home.started("chat") as chat:
        chat.write("what is the capital of Peru?")
        model.wait(1)
        assert chat.kill().out == ""
    assert said(home) == [("user", "what is the capital of Peru?")]
    model.script("Lima.")
    assert home.chat().lines == ["Lima."]
    assert said(home) == [("user", "what is the capital of Peru?"), ("assistant", "Lima.")]
    assert waiting(home) == (0, 0)
    assert home.chat().lines == []


def test_killed_while_the_answer_is_on_the_screen(home: Home, model: ModelServer) -> None:
    model.script(b.Hang("The capital of Peru"))
    with Terminal(home) as terminal:
        terminal.ready()
        terminal.type("what is the capital of Peru?")
        terminal.until("The capital of Peru")
        terminal.kill()
    model.script("It is Lima.")
    with Terminal(home) as terminal:
        terminal.until("It is Lima.")
        assert terminal.leave() == 0
    assert said(home) == [("user", "what is the capital of Peru?"), ("assistant", "It is Lima.")]
    assert waiting(home) == (0, 0)


def test_what_is_off_the_record_is_lost_by_a_kill_and_that_is_said(home: Home, model: ModelServer) -> None:
    model.script(b.Hang())
    with home.started("chat") as chat:
        assert chat.say("/incognito on").startswith("Off the record from now on")
        chat.write("my doctor is called zanzibar")
        model.wait(1)
        chat.kill()
    key = bytes.fromhex(home.key.read_text("ascii"))
    assert holding(home.path, key, "zanzibar") == []
    later = home.chat("/incognito")
    assert later.lines == [
        "I was stopped before this answer was sent, and kept no word of it: ask again if you still want it.",
        "What is said here is off the record; /incognito off ends it.",
    ]
    assert (said(home), waiting(home), holding(home.path, key, "zanzibar")) == ([], (0, 0), [])


def test_lines_typed_ahead_are_answered_after_a_kill(home: Home, model: ModelServer) -> None:
    model.script(b.Hang())
    with home.started("chat") as chat:
        chat.write("what is the capital of Peru?", "and of Chile?", "/sessions", "and of Bolivia?")
        model.wait(1)
        while waiting(home)[0] < 2:
            pass
        assert chat.kill().out == ""
    model.server.default = lambda request: "Lima and Santiago."
    assert "Lima and Santiago." in home.chat().lines
    assert [text for role, text in said(home) if role == "user"] == ["what is the capital of Peru?", "and of Chile?"]
    assert waiting(home) == (0, 0)


def test_lines_typed_ahead_are_answered_one_by_one(home: Home, model: ModelServer) -> None:
    model.script("Lima.", "Santiago.")
    assert home.chat("what is the capital of Peru?", "and of Chile?").lines == ["Lima.", "Santiago."]
    assert [text for _, text in said(home)] == ["what is the capital of Peru?", "Lima.", "and of Chile?", "Santiago."]


def test_killed_right_after_the_answer(home: Home, model: ModelServer) -> None:
    model.script("Lima.")
    with home.started("chat") as chat:
        assert chat.say("what is the capital of Peru?") == "Lima."
        chat.kill()
    later = home.chat()
    assert later.lines in ([], ["Lima."])
    if later.lines:
        assert "(this may be a repeat)" in later.err
    assert len(model.chats) == 1
    assert said(home) == [("user", "what is the capital of Peru?"), ("assistant", "Lima.")]
    assert waiting(home) == (0, 0)
    assert home.chat().lines == []


def answered(chat: Process, number: int) -> str:
    """Say a line and wait for the answer to it; what a kill left unanswered is answered before. Return the line."""
    line = f"line number {number}"
    chat.write(line)
    while f"You said {line}." != chat.reply():
        pass
    return line


def test_killed_again_and_again_at_any_moment(home: Home, model: ModelServer) -> None:
    chance = random.Random(2026)
    model.server.default = lambda request: f"You said {request.last_user.splitlines()[-1]}."
    told = 0
    acknowledged: list[str] = []
    for kill in range(KILLS):
        starting = not kill % 4
        with home.started("chat", command=STARTED if starting else LYRA) as chat:
            if not starting:
                chat.note()
            if kill % 4 == 2:  # and some in the middle of things
                acknowledged.append(answered(chat, told := told + 1))
            timer = threading.Timer(chance.uniform(0.0, 1.0), chat.kill_now)
            timer.start()
            with suppress(AssertionError, BrokenPipeError):
                while True:
                    acknowledged.append(answered(chat, told := told + 1))
            timer.join()
    assert home.chat().code == 0
    assert waiting(home) == (0, 0)
    rows = home.export()
    users = Counter(row["content"] for row in rows if row["role"] == "user")
    assert set(users.values()) <= {1}
    assert acknowledged
    assert [line for line in acknowledged if users[line] != 1] == []
    replies = Counter(row["id"] for row in rows if row["role"] == "assistant")
    assert set(replies.values()) <= {1}
    assert len(replies) <= len(users)
    texts = Counter(row["content"] for row in rows if row["role"] == "assistant")
    assert [line for line in acknowledged if texts[f"You said {line}."] != 1] == []
    assert home.lyra("doctor").code == 0


def test_an_import_killed_half_way_is_finished_by_the_next(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    home.chat()
    many = jsonl(*({"session": f"s{n % 7}", "content": f"message {n}", "id": str(n)} for n in range(MANY)))
    file = home.folder / "many.jsonl"
    file.write_text(many, "utf-8")
    with home.started("import", str(file)) as importing:
        before = home.db.stat().st_size
        wal = home.db.with_name("lyra.db-wal")
        while importing.running and (not wal.exists() or wal.stat().st_size + home.db.stat().st_size < before + 400_000):
            time.sleep(0.001)
        importing.kill()
    partly = [row["content"] for row in home.export()]
    assert len(partly) == len(set(partly))
    assert home.lyra("import", str(file)).code == 0
    assert sorted(row["content"] for row in home.export()) == sorted(f"message {n}" for n in range(MANY))


def test_an_import_and_a_conversation_at_once_lose_nothing(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    home.chat()
    file = home.folder / "many.jsonl"
    file.write_text(jsonl(*({"session": "old", "content": f"old {n}", "id": str(n)} for n in range(OLD))), "utf-8")
    with home.started("import", str(file)) as importing, home.started("chat") as chat:
        spoken = 0
        while importing.running or spoken < 20:
            assert chat.say(f"new {spoken}") == "Kept."
            spoken += 1
        assert chat.finish().code == 0
        done = importing.wait()
        assert (done.out, done.code) == (f"Imported {OLD:,} messages in 1 conversation.\n", 0)
        assert all(line.startswith(("Imported lines:", "Embedded")) for line in done.err.splitlines()), done.err
    contents = Counter(row["content"] for row in home.export() if row["role"] == "user")
    assert contents == Counter([f"old {n}" for n in range(OLD)] + [f"new {n}" for n in range(spoken)])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_pipe_that_is_ended_by_a_signal_does_not_say_that_all_was_answered(home: Home, model: ModelServer, number: int) -> None:
    model.script(b.Hang(), "Lima.")
    with home.started("chat") as chat:
        chat.write("what is the capital of Peru?")
        chat.end_input()
        model.wait(1)
        done = chat.stop(number)
    assert (done.out, done.code) == ("", 128 + number) and "Traceback" not in done.err
    later = home.chat()
    assert (later.lines, later.code) == (["Lima."], 0)
