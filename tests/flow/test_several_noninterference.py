"""Two-run noninterference where several processes share one memory on PostgreSQL: what happens elsewhere changes no byte here.

Two platform processes with a shard each, a worker, and `lyra dream` beside them, all by one clock that moves only between events and
by ids of their own; the model answers with a hash of all that it is given. The channel is on one shard; DMs and another server are on
the other, so that elsewhere is in another process as well as in the same one.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.bank.block import HEAD
from memory.core import Memory, Ports
from memory.types import DomainKind, DomainRef
from tests.fakes.discord import Channel, DiscordServer, Person
from tests.fakes.openai_behaviours import Request
from tests.fakes.pulse import PATIENCE
from tests.kits import fresh
from tests.kits.discord_home import sound
from tests.kits.discord_knowing import Thoughtful, Town
from tests.kits.discord_thread import TOKEN_ENV
from tests.kits.discord_town import buttons, finished
from tests.kits.given_time import GivenClock, GivenIds, given
from tests.kits.lyra_kit import Home, Process
from tests.kits.memory_kit import KEY
from tests.kits.noninterference import IN_A_CHANNEL, MUCH, NOON, Run, Said, at_noon, built, model
from tests.kits.pokes import Pokes
from tests.kits.size import TORTURE

SEEDS = range(5)
_PAUSE = 0.01
_UNDER_WAY = (
    "SELECT (SELECT count(*) FROM inbox WHERE state <> 'done') + (SELECT count(*) FROM gone) + "
    "(SELECT count(*) FROM outbox WHERE state IN ('pending', 'attempting') AND operation <> 'preview') AS n"
)
_CHORES = "SELECT count(*) AS n FROM claims WHERE name = 'chore'"
FIRST, SECOND, WORKER = "first", "second", "worker"
"""The processes: the first platform process has the shard of DMs and of the club, the second the one of the home server."""
UNASKED = "import bot.service.serve\nasync def nothing(worker): pass\nbot.service.serve.Worker.tick = nothing\n"
"""Has a worker do what it is asked for alone: each minute of its own it would go over every place, whatever the clock says."""
UNGUARDED = "from tests.kits.discord_knowing import Everything\nbot.app.DomainAccess = Everything\n"
"""The guard switched off in one process: at every place it reads all of memory."""


@dataclass(frozen=True)
class Command:
    """A command that somebody uses somewhere; what asks back is said yes to."""

    who: str
    where: str
    name: str
    what: str = ""

    async def happens(self, town: Town) -> None:
        """Use it, and wait for what is told in the end."""
        options = {"what": self.what} if self.what else {}
        call = await town.person(self.who).runs(town.names[self.where], self.name, **options)
        if "Yes" in buttons(shown := await call.answer()):
            await town.person(self.who).clicks(shown, "Yes")
            await finished(call)
        assert (await call.answer()).shown


Event = Said | Command
DREAMS = (3, 5) if TORTURE else (2,)
"""After which of the things that are said here every domain is dreamt."""
HERE = IN_A_CHANNEL if TORTURE else [IN_A_CHANNEL[n] for n in (0, 1, 3, 4)]
WHOLE: Sequence[Sequence[Event]] = [
    [MUCH[0], MUCH[1]],
    [MUCH[2], MUCH[3]],
    [MUCH[4], MUCH[5], Command("bob", "bob's dm", "summarize")],
    [MUCH[6], MUCH[7], Command("ada", "staff", "summarize")],
    [Command("bob", "bob's dm", "forget", "all"), Said("bob", "bob's dm", "the harbour, the key and the sail are all mine now")],
    [Said("ada", "secret", "we rename the boat on Monday, when the harbour is closed")],
    [Command("ada", "club", "forget", "all")],
    [Said("ada", "staff", "what did we say about the harbour, the key and the boat?")],
]
"""What happens elsewhere: at the first shard while something is said here, and at the second before the next thing is, in turn."""
PART: Sequence[Sequence[Event]] = [
    [MUCH[0], MUCH[1]],
    [MUCH[2]],
    [MUCH[4], Command("bob", "bob's dm", "summarize")],
    [Command("bob", "bob's dm", "forget", "all"), Command("ada", "staff", "summarize")],
]
THERE = WHOLE if TORTURE else PART


def otherwise(seed: int) -> Sequence[Sequence[Event]]:
    """Return the same with what is said at each shard in another order, and at other times."""
    chance = random.Random(seed)
    found: list[list[Event]] = [[event for event in events if isinstance(event, Command)] for events in WHOLE]
    for shard in (0, 1):
        told = [event for events in WHOLE[shard::2] for event in events if isinstance(event, Said)]
        for event in chance.sample(told, len(told)):
            chance.choice(found[shard::2]).insert(0, event)
    return found


class Several:
    """The processes of one memory, and that memory as one more process sees it."""

    def __init__(self, home: Home, memory: Memory, clock: GivenClock, thoughtful: Thoughtful, pokes: Pokes) -> None:
        self._home = home
        self.memory = memory
        self.clock = clock
        self._model = thoughtful
        self._pokes = pokes

    @property
    def chats(self) -> list[Request]:
        """What the model was asked, so far."""
        return [request for request in self._model.requests if request.path.endswith("/chat/completions")]

    async def rests(self) -> None:
        """Wait until one thing more was heard, answered and told, and the worker has done what that left to it."""
        self._pokes.due += 1
        await self._until(_UNDER_WAY)
        async with asyncio.timeout(PATIENCE):
            while self._pokes.heard < self._pokes.due:
                await asyncio.sleep(_PAUSE)
        await self._until(_CHORES)

    async def goes_on(self, at: int) -> None:
        """Make it another time, at which the worker is over every place, and nothing is being forgotten any more."""
        self.clock.set(at)
        await self._until(_UNDER_WAY)
        await self.memory.chores.add([domain.key for domain in await self.memory.places.domains()])
        await self._until(_CHORES)

    async def _until(self, left: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while (row := await self.memory.db.one(left)) and row["n"]:
                await asyncio.sleep(_PAUSE)

    async def reads(self, channel: Channel, text: str, *, kept: bool) -> None:
        """Wait until a message is kept for the server of a channel, or is no more."""
        assert channel.guild
        domain = await self.memory.places.find_domain(DomainRef(DomainKind.SERVER, "discord", str(channel.guild.id)))
        assert domain
        view = self.memory.view(domain)
        async with asyncio.timeout(PATIENCE):
            while any([text in message.text async for _, message in view.messages.all()]) is not kept:
                await asyncio.sleep(_PAUSE)

    async def dreams(self, n: int) -> None:
        """Have another process dream in every domain."""
        env = given(self._home.folder, self.clock.file, f"dream{n}")
        done = await asyncio.to_thread(self._home.lyra, "dream", "--force", env=env)
        assert done.code == 0, done.err


@asynccontextmanager
async def awake(town: Town, open_to_all: str) -> AsyncIterator[Several]:
    """Have two platform processes, the second of which has the home server's shard, and a worker run for the block."""
    folder, server = town.home, town.server
    address = fresh.server().make(fresh.named(folder))
    config = (
        'chat = "main"\ntime_zone = "UTC"\nsummarize_after = 4\n'
        f'[models.main]\nbase_url = "{town.model.base_url}"\nmodel = "fake-model"\nparallel = 64\n'
        f'[discord]\ntoken_env = "{TOKEN_ENV}"\napi_url = "{server.api_url}"\ngateway_url = "{server.gateway_url}"\n'
        f'streaming = false\nshards = 2\n[dream]\nnight = ""\nevery_minutes = 0\n[store]\nurl = "{address.url}"\n'
    )
    home = Home(folder, config, **{TOKEN_ENV: server.token})
    home.key.write_text(KEY.hex())
    clock = GivenClock(folder / "now")
    clock.set(at_noon(0))
    pokes = Pokes(FIRST, SECOND)
    with ExitStack() as stack:
        opening = Memory.open(folder / "beside" / "lyra.db", KEY, Ports(clock, GivenIds("test")), address=address)
        async with await opening as memory:

            async def start(role: str, name: str, heard: str) -> Process:
                more = UNGUARDED if name == open_to_all else UNASKED if role == "worker" else ""
                env = given(folder, clock.file, name, more)
                process = stack.enter_context(home.started("run", "--role", role, env=env))
                await asyncio.to_thread(process.note, heard)
                return process

            lyra = Several(home, memory, clock, town.model, pokes)
            worker = asyncio.create_task(start("worker", WORKER, "Lyra works here"))
            platforms = [await start("platform", name, "Discord: connected.") for name in (FIRST, SECOND)]
            processes = [*platforms, await worker]
            async with pokes.counted(address):
                yield lyra
            for process in processes:
                assert (await asyncio.to_thread(process.stop)).code == 0


async def sent(
    folder: Path, monkeypatch: pytest.MonkeyPatch, there: Sequence[Sequence[Event]], open_to_all: str = ""
) -> list[Any]:
    """Let the same happen at the channel, with other things elsewhere before and meanwhile, and return all that was sent there."""
    async with DiscordServer() as server, Thoughtful(model) as thoughtful:
        town = Town(server, thoughtful, folder, monkeypatch)
        await built(town, home_shard=(1, 2), club_shard=(0, 2))
        async with awake(town, open_to_all) as lyra:
            general, run = town.names["general"], Run(town, lyra)
            await town.sets("ada", town.names["dm"], "reach", "on")
            admin = Person(server.hub, server.world.boss)
            assert "is on" in (await (await admin.runs(general, "memory bank", choice="on")).answer()).content
            await lyra.rests()

            async def elsewhere(minute: int) -> None:
                at = NOON + timedelta(minutes=2 * minute)
                for event in there[minute] if minute < len(there) else ():
                    await (event.happens(town) if isinstance(event, Command) else run.happens(event, at))

            for minute, one in enumerate(HERE):
                lyra.clock.set(at_noon(2 * minute + 1))
                if minute % 2:
                    await elsewhere(minute)
                    await run.happens(one, NOON + timedelta(minutes=2 * minute + 1))
                else:
                    await asyncio.gather(elsewhere(minute), run.happens(one, NOON + timedelta(minutes=2 * minute + 1)))
                if minute in DREAMS:
                    await lyra.dreams(minute)
            await town.person("ada").deletes(run.said[IN_A_CHANNEL[0].text])
            await lyra.reads(general, IN_A_CHANNEL[0].text, kept=False)
            await town.person("ada").edits(run.said[IN_A_CHANNEL[4].text], f"{server.mention} what is the name of our boat?")
            await lyra.reads(general, "the name of our boat", kept=True)
            await lyra.goes_on(at_noon(20))
            await run.happens(Said("bob", "general", "so what is it called?"), NOON + timedelta(minutes=20))
            assert run.shown("general", "sail") and run.looked_up and run.shown("general", HEAD)
            assert run.shown("general", "The message answers this:") and run.shown("general", "others said here:")
        sound(server)
        return run.sent("general")


def proven(alone: Sequence[Any]) -> bool:
    """Say whether every answer has a prompt of its own, and there are as many as were asked for."""
    hashes = [body["content"] for body in alone if body["content"].startswith("Answer ")]
    return len(set(hashes)) == len(hashes) == 1 + sum(one.to_her and one.where == "general" for one in HERE)


async def test_what_happens_elsewhere_changes_nothing_here_whichever_process_hears_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, among = await asyncio.gather(sent(tmp_path / "alone", monkeypatch, ()), sent(tmp_path / "among", monkeypatch, THERE))
    assert proven(alone) and among == alone


@pytest.mark.torture
async def test_nor_does_anything_in_another_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = await sent(tmp_path / "alone", monkeypatch, ())
    for seed in SEEDS:
        assert await sent(tmp_path / f"seed {seed}", monkeypatch, otherwise(seed)) == alone, f"seed {seed}"


@pytest.mark.torture
@pytest.mark.parametrize(("process", "same"), [(SECOND, False), (FIRST, True)], ids=["the twin", "another process"])
async def test_one_process_that_reads_everything_is_seen_where_it_answers_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, process: str, same: bool
) -> None:
    alone, among = [await sent(tmp_path / name, monkeypatch, there, process) for name, there in (("alone", ()), ("among", THERE))]
    assert len(among) == len(alone) and (among == alone) is same
