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
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from memory.store.postgresql.address import Address
from memory.store.postgresql.database import PostgresDatabase
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Message
from tests.fakes.pulse import PATIENCE
from tests.kits import fresh
from tests.kits.discord_quick import answers_to
from tests.kits.discord_thread import DiscordThread
from tests.kits.lyra_kit import Home, ModelServer, Process
from tests.kits.postgres import postgres
from tests.kits.size import TORTURE

KILLS = 60 if TORTURE else 3
AT_ONCE = 3


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


class World:
    """A Discord with servers on both shards, and what was asked there."""

    def __init__(self, discord: DiscordThread, seed: int) -> None:
        self.discord = discord
        self.chance = random.Random(seed)
        guilds = [discord.world.guild(f"Home {n}") for n in range(4)]
        self.places = [discord.world.channel(guild, "general") for guild in guilds]
        self.dms = {name: discord.dm(name) for name in ("ada", "bob")}
        self.asked: list[tuple[Message, str]] = []

    def greet(self) -> None:
        """Let everybody who has a DM say a first word there: Discord tells a bot of no DM before that."""
        for name, dm in self.dms.items():
            self.discord.answered(self.discord.ask(name, dm, "hello"))

    def ask(self) -> None:
        """Let somebody new ask something in a channel, or somebody known in a DM."""
        number = len(self.asked)
        text = f"question {number}"
        place = self.chance.choice([*self.places, *self.dms.values()])
        name = next((name for name, dm in self.dms.items() if dm is place), f"person{number}")
        self.asked.append((self.discord.ask(name, place, text), text))

    def settle(self) -> None:
        """Wait until everything that was asked is answered."""
        self.discord.until(lambda: not self._unanswered(), "an answer to every question")

    def _unanswered(self) -> list[str]:
        """Return what has no answer yet; what waits in a DM when she comes back is answered together, below the last of it."""
        found, latest = [], set[int]()
        for question, text in reversed(self.asked):
            if answers_to(self.discord.server, question):
                latest.add(question.channel.id)
            elif question.channel not in self.dms.values() or question.channel.id not in latest:
                found.append(text)
        return found

    def prove(self) -> None:
        """Assert that each question has one answer at most, to what it asks, and that those of a place came in the order of the questions."""
        found = {text: self.discord.answers(question) for question, text in self.asked}
        assert {text: answers for text, answers in found.items() if answers not in ([], [f"You said {text}."])} == {}
        posts = self.discord.call(self.discord.world.by_bot)
        for place in (*self.places, *self.dms.values()):
            answered = [post.reply_to for post in posts if post.channel is place and post.reply_to]
            assert answered == sorted(answered), f"answers out of order in {place.id}"


def answer(request: b.Request) -> str:
    """Answer the last line."""
    return f"You said {request.last_user.splitlines()[-1].rpartition(': ')[2]}."


def left(address: Address) -> list[str]:
    """Return what waits in the inbox and outbox."""
    with psycopg.connect(address.url) as connection:
        found = connection.execute(
            "SELECT 'heard ' || state FROM lyra.inbox WHERE state <> 'done' UNION ALL "
            "SELECT operation || ' ' || state FROM lyra.outbox WHERE state IN ('pending', 'attempting') AND operation <> 'preview'"
        ).fetchall()
    return [what for (what,) in found]


async def texts(address: Address, home: Home) -> Counter[str]:
    """Return every text that the memory of a home holds with how often it is there."""
    async with await PostgresDatabase.open(address, bytes.fromhex(home.key.read_text("ascii"))) as db:
        return Counter(row["text"] for row in await db.all("SELECT text FROM exchanges"))


def crash(address: Address) -> None:
    """Have a server break down as it does where one of its processes is killed, and recover from its log."""
    with psycopg.connect(address.url) as connection:
        (other,) = connection.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'lyra' LIMIT 1").fetchone() or (
            0,
        )
    os.kill(other, signal.SIGKILL)


def lived(folder: Path, address: Address, *, kills: int, crashes: int) -> None:
    """Ask, kill, and ask again; in the end everything must have been answered once."""
    with DiscordThread() as discord, ModelServer(answer) as model, ExitStack() as stack:
        it = World(discord, 19)
        store = f'[store]\nurl = "{address.url}"\n'
        config = model.config('summary = "offline"\nsummarize_after = 8')
        place = discord.config("streaming = false\nshards = 2")
        home = Home(folder, f"{config}{place}{store}", **discord.variables)
        crew = Crew(home, stack)
        for role in ("platform", "platform", "worker", "worker"):
            crew.start(role)
        for _, process in crew.running[:2]:
            process.note("connected. I")
        it.greet()
        for n in range(kills + crashes):
            for _ in range(AT_ONCE):
                it.ask()
            time.sleep(it.chance.uniform(0.0, 0.5))
            if crashes and n % (kills // crashes + 1) == 1:
                crash(address)
            else:
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
    lived(tmp_path, fresh.server().make(f"several{os.getpid()}"), kills=KILLS, crashes=0)


@pytest.mark.torture
def test_also_where_the_database_breaks_down_in_the_middle_of_turns(tmp_path: Path) -> None:
    with postgres() as server:
        lived(tmp_path, server.make("several"), kills=20, crashes=10)
