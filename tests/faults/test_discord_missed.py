"""What was said while Lyra was away: answered once, oldest first, and never read twice."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import discord
import pytest

from adapters.discord.adapter import Discord
from adapters.discord.incoming.backfill import Backfill, Hand
from bot.app import open_app
from bot.conversation.answering.unanswered import LATE
from memory.types import DomainKind, DomainRef
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, DiscordServer, Guild, Message, Person, Status
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE
from tests.kits.discord_home import Awake, model_server, server_of
from tests.kits.discord_home import question as asked
from tests.kits.discord_quick import answered, answers_to, greeted, quick
from tests.kits.entered import entered_in_loop

model = entered_in_loop(lambda: model_server(lambda request: f"You said: {asked(request)}"))


async def ask(server: DiscordServer, name: str, place: Channel, text: str, at: datetime | None = None) -> Message:
    return await server.person(name).says(place, f"{server.mention} {text}", at=at)


async def overheard(server: DiscordServer, place: Channel, lyra: Awake, number: int = 1, at: datetime | None = None) -> int:
    """Let others talk among themselves until Lyra has heard it; return the id of the last message."""
    for n in range(number):
        last = await server.person("bob").says(place, f"not for her {n}", at=at)
    listener = lyra.talk.listeners["discord"]
    async with asyncio.timeout(PATIENCE):
        while int((await listener.cursors()).get(str(place.id), 0)) < last.id:
            await asyncio.sleep(0.01)
    return last.id


async def committed(lyra: Awake, place: Channel) -> int:
    """Return how far a place would be known after a kill now."""
    return int((await lyra.app.memory.journal.cursors("discord")).get(str(place.id), 0))


def read_again(server: DiscordServer, before: int) -> int:
    """Return how often history was read that begins before a message."""
    return len([one for one in server.calls("list_messages") if int(one.asked("after") or before) < before])


async def test_what_was_said_meanwhile_is_answered_oldest_first(
    server: DiscordServer, home: Guild, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dm = await server.person("ada").opens_dm()
    async with quick(server, tmp_path, monkeypatch, model):
        await greeted(server, general)
        await greeted(server, dm)
    names = ["bob", "eve", "dan"]
    questions = [await ask(server, name, general, f"I am {name}") for name in names]
    questions.append(await ask(server, "ada", dm, "in private"))
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await answered(server, *questions)
        kept = [text for text in await lyra.kept(*server_of(home)) if text.startswith("I am")]
        assert kept == [f"I am {name}" for name in names]
    told = [one.content for one in server.world.by_bot(general)][-3:]
    assert told == [f"You said: {name}: I am {name}" for name in names]
    assert [answers_to(server, one) for one in questions[3:]] == [["You said: in private"]]


async def test_the_first_word_ever_is_answered_though_it_was_said_between_two_starts(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await ask(server, "bob", general, "said before she came")
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        async with asyncio.timeout(PATIENCE):
            while not await lyra.talk.listeners["discord"].cursors():
                await asyncio.sleep(0.01)
    question = await ask(server, "ada", general, "anybody there?")
    async with quick(server, tmp_path, monkeypatch, model):
        await answered(server, question)
    assert answers_to(server, before) == []


class Unmarked(Backfill):
    """Does not note what was said last before the first start."""

    async def _begin(self, guilds: Iterable[discord.Guild], hand: Hand) -> None:
        """Nothing is noted."""


class Careless(Discord):
    """A Discord with such gaps."""

    gaps = Unmarked


async def test_without_a_mark_at_the_first_start_it_would_be_missed(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(server, tmp_path, monkeypatch, model, kind=Careless):
        await server.connected()
    missed = await ask(server, "ada", general, "anybody there?")
    async with quick(server, tmp_path, monkeypatch, model, kind=Careless):
        await answered(server, await ask(server, "bob", general, "and now?"))
    assert answers_to(server, missed) == []


async def test_what_is_older_than_the_limit_is_kept_and_told_in_one_line_not_to_be_answered(
    server: DiscordServer, home: Guild, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await overheard(server, general, lyra, at=now - timedelta(minutes=20))
    stale = await ask(server, "bob", general, "what did I miss?", now - timedelta(minutes=10))
    again = await ask(server, "bob", general, "and yesterday?", now - timedelta(minutes=9))
    fresh = await ask(server, "eve", general, "what is new?")
    async with quick(server, tmp_path, monkeypatch, model, config="answer_within_minutes = 5") as lyra:
        await answered(server, fresh)
        assert "what did I miss?" in await lyra.kept(*server_of(home))
        assert await lyra.app.memory.journal.unfinished("discord") == []
    told = [*answers_to(server, stale), *answers_to(server, again)]
    assert told == [str(LATE)] and len(answers_to(server, fresh)) == 1


async def test_within_the_limit_it_would_be_answered(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await overheard(server, general, lyra, at=now - timedelta(minutes=20))
    question = await ask(server, "bob", general, "what did I miss?", now - timedelta(minutes=10))
    async with quick(server, tmp_path, monkeypatch, model, config="answer_within_minutes = 15"):
        await answered(server, question)


async def test_a_channel_that_is_gone_and_a_closed_dm_do_not_block_the_rest(
    server: DiscordServer, home: Guild, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, lost = server.person("ada"), server.world.channel(home, "lost")
    dm = await ada.opens_dm()
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        for place in (general, lost, dm):
            await greeted(server, place)
        model.script(b.DENIED, b.DENIED)
        held = [await ask(server, "ada", place, "are you there?") for place in (lost, dm)]
        await answered(server, *held)
    del server.world.channels[lost.id]
    await ada.closes_dm()
    question = await ask(server, "bob", general, "and now?")
    said = len(server.world.said)
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await answered(server, question)
        await lyra.talk.tick()
        await lyra.heard()
        assert await lyra.app.memory.journal.waiting("discord") == []
        assert await lyra.app.memory.journal.unfinished("discord") == []
    assert len(server.world.said) == said + 1


async def test_after_a_clean_stop_nothing_is_read_again(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await greeted(server, general)
        last = await overheard(server, general, lyra, 250)
        assert await committed(lyra, general) < last, "there was nothing to keep"
    async with quick(server, tmp_path, monkeypatch, model):
        await answered(server, await ask(server, "ada", general, "still there?"))
    assert read_again(server, last) == 0


async def test_what_a_tick_committed_is_not_read_again(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await greeted(server, general)
        last = await overheard(server, general, lyra, 250)
        assert await committed(lyra, general) < last
        await lyra.talk.tick()
        assert await committed(lyra, general) == last


async def test_without_settling_it_would_all_be_read_again(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await greeted(server, general)
        kept = await committed(lyra, general)
        last = await overheard(server, general, lyra, 250)
        await lyra.talk.listeners["discord"].settle()
        await lyra.app.memory.journal.move("discord", {str(general.id): str(kept)})
    async with quick(server, tmp_path, monkeypatch, model):
        await answered(server, await ask(server, "ada", general, "still there?"))
    assert read_again(server, last) == 3, "two hundred and fifty messages, a hundred at once"


class Forgetful(Backfill):
    """Does not look what was said in a DM before somebody's first word there."""

    async def catch_up(self, channel: discord.DMChannel, before: int, hand: Hand) -> None:
        """Nothing is looked for."""


class Uncurious(Discord):
    """A Discord with such gaps."""

    gaps = Forgetful


async def private(lyra: Awake, who: Person) -> str:
    """Return all that is kept of somebody's DM, '' where nothing is."""
    domain = await lyra.app.memory.places.find_domain(DomainRef(DomainKind.DM, "discord", str(who.id)))
    return "\n".join(await lyra.kept(DomainKind.DM, who.id)) if domain else ""


async def first_dm(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Person, Channel]:
    """Let somebody who never wrote to her do so while she is down: once long ago, and once just now."""
    ada = server.person("ada")
    now = datetime.now(UTC)
    dm = await ada.opens_dm()
    await ada.says(dm, "before she was ever awake", at=now - timedelta(days=2))
    async with quick(server, tmp_path, monkeypatch, model):
        await greeted(server, general, "bob")
    # As if she had begun to listen a day ago.
    async with open_app() as app:
        await app.memory.settings.set("adapter:discord", "began", discord.utils.time_snowflake(now - timedelta(days=1)))
    await ada.says(dm, "the parrot is called Xerxes", at=now - timedelta(hours=5))
    await ada.says(dm, "what is the capital of Peru?")
    return ada, dm


@pytest.mark.parametrize("how", ["a word", "a command"])
async def test_the_first_dm_ever_that_was_sent_while_she_was_down_is_found_at_the_next_word(
    server: DiscordServer, general: Channel, model: OpenAIServer, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, dm = await first_dm(server, general, model, tmp_path, monkeypatch)
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        if how == "a word":
            await answered(server, await ada.says(dm, "hello?"))
        else:
            await (await ada.runs(dm, "status")).answer()
            await server.pulse.until(
                lambda: any("Peru" in one.content for one in server.world.by_bot(dm)), "an answer to what was asked"
            )
        await lyra.heard()
        said = await private(lyra, ada)
        assert "Xerxes" in said and "Peru" in said and "before she was ever awake" not in said
        questions = "\n".join(map(asked, lyra.chats))
        assert "Peru" in questions, "it is answered"
        assert "Xerxes" not in questions, "what is hours old is kept without an answer"
        reads = len(server.calls("list_messages"))
        await answered(server, await ada.says(dm, "and now?"))
        assert len(server.calls("list_messages")) == reads, "once is enough"


async def test_without_a_look_back_the_first_dm_would_stay_unknown(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, dm = await first_dm(server, general, model, tmp_path, monkeypatch)
    async with quick(server, tmp_path, monkeypatch, model, kind=Uncurious) as lyra:
        await answered(server, await ada.says(dm, "hello?"))
        assert "Peru" not in await private(lyra, ada)


async def test_a_dm_whose_history_is_broken_is_heard_all_the_same_and_read_at_the_word_after(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, dm = await first_dm(server, general, model, tmp_path, monkeypatch)
    reads = len(server.calls("list_messages"))
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await server.pulse.until(lambda: len(server.calls("list_messages")) > reads, "the look back into the channel")
        server.faults.script("list_messages", Status(503))
        await answered(server, await ada.says(dm, "hello?"))
        assert "Peru" not in await private(lyra, ada)
        await answered(server, await ada.says(dm, "and now?"))
        await lyra.heard()
        assert "Peru" in await private(lyra, ada)
