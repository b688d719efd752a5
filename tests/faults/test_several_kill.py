"""Two platform processes, each with a shard, and two workers on one memory, killed again and again: nothing lost, nothing twice.

Whoever is killed is started anew at once, as a supervisor does. In the end Discord shows exactly one answer to every question, in each
channel in the order of the questions, and the memory holds each once.
"""

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import psycopg
import pytest

from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, Message
from tests.fakes.pulse import PATIENCE
from tests.kits import fresh
from tests.kits.discord_thread import DiscordThread
from tests.kits.lyra_kit import Home, ModelServer, Process
from tests.kits.postgres import postgres, standby, unguarded
from tests.kits.size import TORTURE

KILLS = 60 if TORTURE else 3
AT_ONCE = 3
_NOT_NOW = "I cannot do that just now"


class Crew:
    """The processes of one home, by what they do."""

    def __init__(self, home: Home, stack: ExitStack) -> None:
        self._home = home
        self._stack = stack
        self.running: list[tuple[str, Process]] = []

    def start(self, role: str) -> None:
        """Start one more."""
        process = self._stack.enter_context(self._home.started("run", "--role", role))
        self.running.append((role, process))

    def kill_next(self) -> None:
        """End the one that was started first as a power cut would, and start another in its place."""
        role, process = self.running.pop(0)
        process.kill()
        self.start(role)

    def mend(self) -> None:
        """Start another in the place of each that ended by itself, as one does that cannot keep what it heard."""
        for role, process in [one for one in self.running if not one[1].running]:
            self.running.remove((role, process))
            self.start(role)


class World:
    """A Discord with servers on both shards, and what was asked there."""

    def __init__(self, discord: DiscordThread, crew: Crew, seed: int) -> None:
        self.discord, self.crew = discord, crew
        self.chance = random.Random(seed)
        guilds = [discord.world.guild(f"Home {n}", shard=(n % 2, 2)) for n in range(4)]
        # Some were asked in never before: what is missed there is known by no earlier word.
        self.places = [discord.world.channel(guild, f"room {n}") for guild in guilds for n in range(2)]
        self.asked: list[tuple[Message, str]] = []

    def meet(self) -> None:
        """Let somebody talk to her alone for the first time: Discord lists no DMs, so that one whose first word was missed is not known."""
        friend = self.discord.dm("friend")
        self.places.append(friend)
        self._asks("friend", friend)
        self.settle()

    def ask(self) -> None:
        """Let somebody new ask something in a channel, or a friend alone: not while she answers them, who answers what is said meanwhile together."""
        place = self.chance.choice(self.places)
        if place.recipient and not all(self.discord.answers(one) for one, _ in self.asked if one.channel is place):
            place = self.places[0]
        self._asks("friend" if place.recipient else f"person{len(self.asked)}", place)

    def _asks(self, name: str, place: Channel) -> None:
        text = f"question {len(self.asked)} of {name}"
        self.asked.append((self.discord.ask(name, place, text), text))

    def settle(self) -> None:
        """Wait until everything that was asked is answered."""
        ends = time.monotonic() + PATIENCE
        while open_ := [text for one, text in self.asked if f"You said {text}." not in self.discord.answers(one)]:
            assert time.monotonic() < ends, open_
            self.crew.mend()
            time.sleep(0.1)

    def prove(self) -> None:
        """Assert that each question has its one answer, and that those of a channel came in the order of the questions.

        Where the database was away for longer than a turn waits, she said before that she could not answer just then.
        """
        found = {
            text: [one for one in self.discord.answers(question) if not one.startswith(_NOT_NOW)] for question, text in self.asked
        }
        assert {text: answers for text, answers in found.items() if answers != [f"You said {text}."]} == {}
        posts = self.discord.call(self.discord.world.by_bot)
        for place in self.places:
            answered = [
                post.reply_to
                for post in posts
                if post.channel is place and post.reply_to and not post.content.startswith(_NOT_NOW)
            ]
            assert answered == sorted(answered), f"answers out of order in {place.id}"


def answer(request: b.Request) -> str:
    """Answer the last line."""
    return f"You said {request.last_user.splitlines()[-1].rpartition(': ')[2]}."


def left(address: DatabaseAddress) -> list[str]:
    """Return what waits in the inbox and outbox."""
    with psycopg.connect(unguarded(address)) as connection:
        found = connection.execute(
            "SELECT 'heard ' || state FROM lyra.inbox WHERE state <> 'done' UNION ALL "
            "SELECT operation || ' ' || state FROM lyra.outbox WHERE state IN ('pending', 'attempting') AND operation <> 'preview'"
        ).fetchall()
    return [what for (what,) in found]


async def texts(address: DatabaseAddress, home: Home) -> Counter[str]:
    """Return every text that the memory of a home holds with how often it is there."""
    async with await PostgresDatabase.open(address, bytes.fromhex(home.key.read_text("ascii"))) as db:
        return Counter(row["text"] for row in await db.all("SELECT text FROM exchanges"))


def crash(address: DatabaseAddress) -> None:
    """Have a server break down as it does where one of its processes is killed, and recover from its log."""
    with psycopg.connect(unguarded(address)) as connection:
        (other,) = connection.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'lyra' LIMIT 1").fetchone() or (
            0,
        )
    os.kill(other, signal.SIGKILL)


def lived(folder: Path, address: DatabaseAddress, *, kills: int, breaks: Sequence[Callable[[], None]] = ()) -> None:
    """Ask, kill, and ask again, while the database breaks as well; in the end everything must have been answered once."""
    with DiscordThread() as discord, ModelServer(answer) as model, ExitStack() as stack:
        store = f'[store]\nurl = "{address.url}"\n'
        config = model.config('summary = "offline"\nsummarize_after = 8')
        place = discord.config("streaming = false\nshards = 2")
        home = Home(folder, f"{config}{place}{store}", **discord.variables)
        crew = Crew(home, stack)
        it = World(discord, crew, 19)
        broken = {(at + 1) * kills // (len(breaks) + 1): one for at, one in enumerate(breaks)}
        for role in ("platform", "platform", "worker", "worker"):
            crew.start(role)
        for _, process in crew.running[:2]:
            process.note("connected. I")
        it.meet()
        for n in range(kills):
            for _ in range(AT_ONCE):
                it.ask()
            time.sleep(it.chance.uniform(0.0, 0.5))
            if n in broken:
                broken[n]()
                it.ask()
            crew.kill_next()
            it.ask()
            if n % 5 == 4:
                it.settle()
        it.ask()
        it.settle()
        it.prove()
        ends = time.monotonic() + PATIENCE
        while found := left(address):
            assert time.monotonic() < ends, found
            time.sleep(0.05)
        for _, process in crew.running:
            assert process.stop().code == 0
        kept = asyncio.run(texts(address, home))
        assert {text: kept[text] for _, text in it.asked if kept[text] != 1} == {}
        assert discord.server.violations == [] and discord.server.own_faults == []


def test_killed_again_and_again_they_answer_every_question_once(tmp_path: Path) -> None:
    lived(tmp_path, fresh.server().make(f"several{os.getpid()}"), kills=KILLS)


@pytest.mark.torture
def test_also_where_the_database_breaks_down_in_the_middle_of_turns(tmp_path: Path) -> None:
    with postgres() as server:
        address = server.make("several")
        lived(tmp_path, address, kills=20, breaks=[partial(crash, address)] * 10)


@pytest.mark.torture
def test_also_where_a_standby_takes_the_place_of_a_database_that_is_lost(tmp_path: Path) -> None:
    """It waited for every commit: what was answered or said to be kept is there."""
    with postgres(wal_level="replica", max_wal_senders=4) as server:
        server.make("several")
        with standby(server, wal_level="replica", max_wal_senders=4) as other:
            address = DatabaseAddress(f"postgresql://lyra@/several?host={server.folder},{other.folder}")

            def fail_over() -> None:
                server.kill()
                other.ask("SELECT pg_promote()")

            lived(tmp_path, address, kills=6, breaks=[fail_over])
