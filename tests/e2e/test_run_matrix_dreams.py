"""`lyra dream` and `lyra forget` beside `lyra run` on Matrix: thoughts are said once, and what goes while she answers from it is not said."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from memory.store.sqlite.database import SqliteDatabase
from tests.e2e.test_run_matrix import awake, ended, machine
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Held, Message
from tests.fakes.matrix import Event, Synapse
from tests.fakes.matrix import Held as HeldByProxy
from tests.fakes.matrix.faults import SEND
from tests.kits import matrix_thread
from tests.kits.customized import customized
from tests.kits.discord_thread import DiscordThread
from tests.kits.dream_talk import thoughtful
from tests.kits.entered import entered
from tests.kits.lyra_kit import Home, ModelServer, Process
from tests.kits.matrix_thread import MatrixThread
from tests.kits.size import TORTURE

pytest_plugins = ["tests.fakes.matrix.fixtures"]

SAID = ("We have a new garden", "My sister moves to Graz")
NOTHING_NEW = "1999"
THOUGHT = "Is there something between garden and Graz?"
WHY = f'I thought "{THOUGHT}" because of:'
LESS, GONE = "I say fewer of my thoughts here from now on.", "I took it back, and forgot it."
WITHIN = 100.0
"""Seconds within which she looks again, on a busy machine as well: it does so every minute."""
RULES = 'every_minutes = 0\ncuriosity = 0.100001\nquiet = ""\nsettle_minutes = 0\n'
"""Curiosity begins at 0.1, and stays there where nothing is new; where something is, a second lifts it over this threshold."""
HURRIED = """
from bot.service import process_lifecycle

process_lifecycle.MINUTE = 5.0
"""
"""What has a process tick every five seconds."""


@dataclass
class Place:
    """A home, the platform of its Lyra, and her model."""

    home: Home
    platform: str
    model: ModelServer

    def night(self, at: str) -> None:
        """Configure when the night begins, '' for never."""
        model, dream = self.model.config('log_level = "info"'), f'[dream]\nnight = "{at}"\n{RULES}'
        self.home.configure(f"{model}\n{self.platform}\n{dream}[web]\nport = 0\n")

    def nights(self) -> Counter[str]:
        """Return how often the places of each platform were dreamt, and how that ended."""
        return asyncio.run(self._nights())

    async def _nights(self) -> Counter[str]:
        async with await SqliteDatabase.open(self.home.db, bytes.fromhex(self.home.key.read_text("ascii"))) as db:
            rows = await db.all("SELECT p.platform, n.kind, n.outcome FROM dreams n JOIN domains p ON p.id = n.domain")
        return Counter(f"{row['platform']}: {row['kind']} {row['outcome']}" for row in rows)


@dataclass
class OnDiscord:
    """What people do on Discord, and what they see there."""

    place: Place
    server: DiscordThread

    def talk(self) -> None:
        """Let Ada tell what is new, there and at the terminal, and Bob say nothing new; all of them want her thoughts."""
        self.dms = {name: self.server.dm(name) for name in ("ada", "bob")}
        with self.place.home.started("run") as lyra:
            lyra.note("Discord: connected.")
            self.told = [self._tell("ada", text) for text in SAID]
            self._tell("bob", NOTHING_NEW)
            for name, dm in self.dms.items():
                asking = self.server.do(self.server.person(name).runs(dm, "settings", setting="reflections", value="on"))
                self.server.do(asking.answer())
            assert lyra.stop().code == 0
        assert self.place.home.chat(*SAID, "/settings reflections on").code == 0

    def _tell(self, name: str, text: str) -> str:
        said = self.server.ask(name, self.dms[name], text)
        self.server.answered(said)
        return str(said.id)

    def thoughts(self, name: str = "ada") -> list[Message]:
        """Return what she said unasked in somebody's DM, as it stands there."""
        return self.server.call(self._thoughts, name)

    def _thoughts(self, name: str) -> list[Message]:
        return [one for one in self.server.world.by_bot(self.dms[name]) if one.embeds]

    def press(self, said: Message, label: str) -> str:
        """Let Ada press a button under a thought, and return what she reads."""
        return self.server.do(self.server.do(self.server.person("ada").clicks(said, label)).answer()).content

    def answer_the_thought(self) -> None:
        """Wait for the thought, and let Ada press its buttons."""
        self.server.until(lambda: self._thoughts("ada"), "the thought")
        [said] = self.thoughts()
        text = said.embeds[0]["description"]
        assert text.startswith(THOUGHT) and all(one in text for one in self.told), "it leads to what it rests on"
        why = self.press(said, "Why this?")
        assert why.startswith(WHY) and all(one in why for one in SAID)
        assert self.press(said, "Less of this") == LESS
        assert self.thoughts() == [said] and self.thoughts("bob") == []
        assert self.press(said, "Delete") == GONE
        assert self.thoughts() == []


@dataclass
class OnMatrix:
    """What people do on Matrix, and what they see there."""

    place: Place
    server: MatrixThread

    def talk(self) -> None:
        """Let Ada tell what is new, and want her thoughts."""
        self.ada = self.server.person("ada")
        with self.place.home.started("run") as lyra:
            lyra.note("Matrix: connected.")
            self.room = self.server.dm(self.ada)
            self.told = [self._tell(text) for text in (*SAID, "!settings reflections on")]
            assert lyra.stop().code == 0

    def _tell(self, text: str) -> str:
        said = self.server.says(self.ada, self.room, text)
        self.server.answered(self.ada, self.room, said)
        return said

    def thoughts(self) -> list[Event]:
        """Return what she said unasked, as it stands there."""
        return [one for one in self.server.do(self.ada.messages(self.room)) if self._begins(THOUGHT, one)]

    def _begins(self, text: str, event: Event) -> bool:
        return event.sender == self.server.lyra.user and event.body.startswith(text)

    def _react(self, said: Event, sign: str, answer: str) -> str:
        self.server.do(self.ada.reacts(self.room, said.id, sign))
        return self.server.do(self.ada.hears(self.room, partial(self._begins, answer), after=said.id)).body

    def answer_the_thought(self) -> None:
        """Wait for the thought and its signs, and let Ada react with them."""
        said = self.server.do(self.ada.hears(self.room, partial(self._begins, THOUGHT)))
        assert all(one in said.body for one in self.told[:2]), "it leads to what it rests on"
        why = self._react(said, "❓", WHY)
        assert all(one in why for one in SAID)
        self._react(said, "🔉", LESS)
        assert [one.id for one in self.thoughts()] == [said.id]
        self._react(said, "🗑️", GONE)
        assert self.thoughts() == []


@pytest.fixture
def here(tmp_path: Path) -> Iterator[OnDiscord]:
    """A home on Discord."""
    with DiscordThread() as server, ModelServer(thoughtful) as model:
        home = Home(tmp_path / "discord", **server.variables).begun()
        yield OnDiscord(Place(home, server.config("streaming = false"), model), server)
        assert server.server.violations == [] and server.server.own_faults == []


@pytest.fixture
def there(tmp_path: Path, synapse: Synapse) -> Iterator[OnMatrix]:
    """A home on Matrix."""
    with MatrixThread(synapse) as server, ModelServer(thoughtful) as model:
        home = Home(tmp_path / "matrix", **server.variables).begun()
        yield OnMatrix(Place(home, server.config(), model), server)


def dreamt(lyra: Process, times: int = 1) -> None:
    """Wait until so many places were dreamt, by night."""
    for _ in range(times):
        assert "kind=night" in lyra.note("dream.over", within=WITHIN)


@pytest.mark.timeout(480)
def test_a_night_is_found_and_dreamt_once_and_a_thought_of_it_is_said_once(
    here: OnDiscord, there: OnMatrix, tmp_path: Path
) -> None:
    places = [here.place, there.place]
    pace = {} if TORTURE else customized(tmp_path / "hurried", HURRIED)
    for place in places:
        place.night("")
    here.talk()
    there.talk()
    for place in places:
        place.night(f"{datetime.now(UTC) + timedelta(minutes=1):%H:%M}")
    unsent, unknown = Held(before=True), HeldByProxy()
    here.server.call(here.server.server.faults.script, "create_message", unsent)
    there.server.faults(SEND, unknown)

    asked, model = len(here.place.model.chats), here.place.model
    model.script(thoughtful, b.Hang())
    with here.place.home.started("run", env=pace) as lyra, there.place.home.started("run", env=pace) as other:
        dreamt(lyra, 2)
        model.wait(asked + 2)  # The terminal's place is thought about, and never will be to the end.
        dreamt(other)
        lyra.kill()
        other.kill()
    assert [place.nights() for place in places] == [{"discord: night done": 2}, {"matrix: night done": 1}]

    with here.place.home.started("run", env=pace) as lyra, there.place.home.started("run", env=pace) as other:
        dreamt(lyra)
        here.server.do(unsent.reached.wait())
        there.server.do(unknown.reached.wait())
        at_hand = here.place.home.chat("/reflection why", "/reflection less", "/reflection delete")
        assert "dream.over" not in lyra.kill().err + other.kill().err, "a night that was dreamt is not dreamt again"
    assert len(model.chats) == asked + 3
    thought, head, *rests, less, gone = at_hand.lines
    assert (thought, head, less, gone) == (THOUGHT, WHY, LESS, GONE)
    assert all(one in line for one, line in zip(SAID, rests, strict=True))

    with here.place.home.started("run") as lyra, there.place.home.started("run") as other:
        here.answer_the_thought()
        there.answer_the_thought()
        for one in (lyra, other):
            done = one.stop()
            assert done.code == 0 and "Traceback" not in done.err
    assert [place.nights() for place in places] == [
        {"discord: night done": 2, "console: night done": 1},
        {"matrix: night done": 1},
    ]
    [status] = here.place.home.lyra("status", "--json").rows
    assert (status["calls_today"], status["dreams_parked"]) == (3, 0)
    reports = [row["report"] for row in here.place.home.lyra("dream", "--json").rows]
    assert len(reports) == 3 and not any(report["calls"] or report["reflection"] for report in reports), "all is thought about"


TOLD, ASKED, CODE = "My locker code is 4711.", "what is the locker code?", "4711"

matrix = matrix_thread.matrix
model = entered(lambda: ModelServer(lambda request: "Nobody told me."))


@pytest.mark.torture
def test_what_the_terminal_forgets_while_she_answers_in_a_dm_is_not_said_there(
    tmp_path: Path, matrix: MatrixThread, model: ModelServer
) -> None:
    ada = matrix.person("ada", encrypts=True)
    people = f'[people.ada]\nconsole = "ada"\nmatrix = "{ada.user}"'
    home = machine(tmp_path, matrix, model, place=f"{matrix.config()}\n{people}")
    home.chat(TOLD)
    (told,) = [hit for hit in home.lyra("recall", "locker", "--json").rows[0]["hits"] if hit["content"] == TOLD]
    with awake(home) as lyra:
        room = matrix.dm(ada, encrypted=False)
        matrix.answered(ada, room, matrix.says(ada, room, "hello"))
        model.script(b.Held("711.", first="The code is 4"))
        question = matrix.says(ada, room, ASKED)
        model.wait(3)
        assert CODE in str(model.chats[-1].body)
        assert home.lyra("forget", told["id"]).code == 0
        assert matrix.answered(ada, room, question) == ["Nobody told me."]
        model.go()
        ended(lyra.stop())
    assert CODE not in str(model.chats[3].body)
    assert not any(CODE in text for text in matrix.told(ada, room))
    assert not any(CODE in row["content"] for row in home.export())
