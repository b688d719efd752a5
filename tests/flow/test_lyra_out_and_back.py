"""She is put out of a place and comes back, on Discord and on Matrix: what was asked meanwhile is answered once she is back.

Of a platform she is put out of, whoever runs her is told on another; what she heard before her process ends is answered after it.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.errors import PlatformRefused
from adapters.events import Person
from bot.app import App
from bot.conversation.answering.unanswered import LATE
from bot.service.refused_accounts import RefusedAccounts, refused_platforms
from memory.journal.journal import Event, InboxEvent, Journal, OpenEvents
from memory.view.shown_messages import ShownMessages
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Right
from tests.fakes.matrix import People, Proxy
from tests.fakes.pulse import PATIENCE
from tests.kits import discord_town
from tests.kits.awake import model_server, prompt
from tests.kits.discord_town import Town
from tests.kits.matrix_changes import followed
from tests.kits.matrix_home import Home, dm, home, room_of, sees_inside

pytest_plugins = ["tests.fakes.matrix.fixtures"]

town = discord_town.town


@pytest.fixture
async def at_home(people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    return await home(people, proxy, tmp_path, monkeypatch)


def out(town: Town, how: str) -> None:
    if how == "the server":
        return town.server.acts.remove_bot(town.guild)
    return town.server.acts.overwrite(town.general, town.server.world.bot, deny=Right.VIEW_CHANNEL)


def come_back(town: Town, how: str) -> None:
    if how == "the server":
        return town.server.acts.add_bot(town.guild)
    return town.server.acts.overwrite(town.general, town.server.world.bot)


@pytest.mark.parametrize("how", ["the channel", "the server"])
async def test_on_discord_what_was_asked_while_she_was_out_is_answered_once_she_is_back(town: Town, how: str) -> None:
    async with model_server() as model, town.lyra(model):
        await town.says(town.ada, town.general, "hello")
        out(town, how)
        asked = await town.ada.says(town.general, f"{town.server.mention} what is new?")
        await town.caught_up()
        come_back(town, how)
        assert (await town.answer(asked)).content == "You said: ada: what is new?"


@pytest.mark.parametrize("whose", ["theirs", "hers"])
async def test_a_reply_to_what_was_said_before_she_was_put_out_is_answered_without_it(town: Town, whose: str) -> None:
    """It is withheld until somebody decides whether it stays: nothing may rest on it, and nobody may wait for that."""
    async with model_server() as model, town.lyra(model) as lyra:
        before = await town.ada.says(town.general, f"{town.server.mention} the locker code is 4711")
        answer = await town.answer(before)
        out(town, "the server")
        await town.caught_up()
        come_back(town, "the server")
        quoted = before if whose == "theirs" else answer
        asked = await town.ada.says(town.general, f"{town.server.mention} what is new?", reply_to=quoted)
        assert (await town.answer(asked)).content == "You said: ada: what is new?"
        assert "4711" not in prompt(lyra.chats[-1])


async def test_a_question_whose_answer_can_never_be_kept_ends_with_a_sentence(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would come to that were what is withheld shown to the model: nobody waits for ever, and no model is asked for ever."""

    async def nothing(shown_messages: ShownMessages, platform: str, shown: object) -> set[str]:
        return set()

    monkeypatch.setattr(ShownMessages, "withheld", nothing)
    async with model_server() as model, town.lyra(model) as lyra:
        before = await town.says(town.ada, town.general, "the locker code is 4711")
        out(town, "the server")
        await town.caught_up()
        come_back(town, "the server")
        asked = await town.ada.says(town.general, f"{town.server.mention} what is new?", reply_to=before)
        journal = lyra.app.memory.journal
        async with asyncio.timeout(PATIENCE):
            while not await journal.parked():
                await lyra.talk.tick()
                await asyncio.sleep(0.01)
        told = (await town.answer(asked)).content
        assert told == "What I know changed again and again while I answered, so I gave up: ask again if you still want to know."
        requests = len(model.requests)
        await lyra.talk.tick()
        assert len(model.requests) == requests and not await journal.unfinished("discord")


@pytest.mark.parametrize("down", [False, True])
async def test_on_matrix_what_was_asked_while_she_was_out_is_answered_once_she_is_back(
    at_home: Home, people: People, down: bool
) -> None:
    ada, bob = await people.person("ada"), await people.person("bob", listens=False)
    async with model_server() as model:
        async with at_home.lyra(model):
            room = await room_of(at_home, ada, bob)
            await at_home.asks(ada, room, "hello", mentions=[at_home.user])
            if not down:
                await ada.kicks(room, at_home.user)
                asked = await ada.says(room, "what is new?", mentions=[at_home.user])
                await ada.invites(room, at_home.user)
                assert (await at_home.answer(ada, room, asked)).body == "You said: Ada: what is new?"
        if down:
            await ada.kicks(room, at_home.user)
            asked = await ada.says(room, "what is new?", mentions=[at_home.user])
            await ada.invites(room, at_home.user)
            async with at_home.lyra(model):
                assert (await at_home.answer(ada, room, asked)).body == "You said: Ada: what is new?"


@pytest.mark.each
@pytest.mark.parametrize("back", ["before the model answers", "after it"])
@pytest.mark.parametrize("how", ["the channel", "the server"])
async def test_what_she_is_asked_just_before_she_is_put_out_is_answered_or_told_to_be_lost(
    town: Town, how: str, back: str
) -> None:
    async with model_server() as model, town.lyra(model) as lyra:
        await town.says(town.ada, town.general, "hello")
        model.script(b.Held("It is noon."))
        asked = await town.ada.says(town.general, f"{town.server.mention} what time is it?")
        await model.heard(2)
        out(town, how)
        await town.caught_up()
        if back == "after it":
            model.go.set()
            await lyra.rests()
        come_back(town, how)
        await town.caught_up()
        model.go.set()
        await lyra.talk.tick()
        # What was said in a server that she is put out of comes up no more, so that no answer can rest on it.
        told = ("It is noon.", "You said: ada: what time is it?") if how == "the channel" else (str(LATE),)
        assert (await town.answer(asked)).content in told


@pytest.mark.torture
@pytest.mark.parametrize("back", ["after the model answers", "before it", "at once"])
async def test_what_she_is_asked_on_matrix_just_before_she_is_put_out_is_answered_or_told_to_be_lost(
    at_home: Home, people: People, back: str
) -> None:
    ada, bob = await people.person("ada"), await people.person("bob", listens=False)
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        await at_home.asks(ada, room, "hello", mentions=[at_home.user])
        model.script(b.Held("It is noon."))
        asked = await ada.says(room, "what time is it?", mentions=[at_home.user])
        await model.heard(2)
        other = await dm(at_home, ada)
        await ada.kicks(room, at_home.user)
        if back != "at once":
            await followed(at_home, ada, other, await ada.says(other, "!settings"))
        if back == "after the model answers":
            model.go.set()
            await lyra.heard()
        await ada.invites(room, at_home.user)
        await sees_inside(ada, room, at_home.user)
        model.go.set()
        await lyra.talk.tick()
        # What was said in a room that she is put out of comes up no more, so that no answer can rest on it.
        assert (await at_home.answer(ada, room, asked)).body == str(LATE)


class Hasty(RefusedAccounts):
    """The twin that waits for no connection."""

    async def _tell(self, lost: str, error: PlatformRefused, owner: Person) -> None:
        self._connected[owner.platform].set()
        await super()._tell(lost, error, owner)


@pytest.mark.parametrize("kind", [RefusedAccounts, pytest.param(Hasty, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_a_platform_that_lets_her_in_no_more_is_told_to_who_runs_her_on_another_once_that_is_connected(
    town: Town, kind: type[RefusedAccounts]
) -> None:
    both = '[matrix]\nhomeserver = "http://127.0.0.1:1"\nuser_id = "@lyra:lyra.test"\npassword_env = "MATRIX_PASSWORD"\n'
    owner = f'[people.ada]\nconsole = "ada"\ndiscord = "{town.ada.id}"\nmatrix = "@ada:lyra.test"\n'
    async with town.lyra(config=f"{both}{owner}") as lyra:
        dm, connected = await town.ada.opens_dm(), asyncio.Event()
        services, refused = lyra.talk.services, PlatformRefused("It ended her session.")
        refused_accounts = kind(services, {"discord": lyra.adapter}, {"discord": connected})
        telling = asyncio.create_task(refused_accounts.refused("matrix", refused))
        await town.caught_up()
        told = [one.content for one in town.server.world.by_bot(dm) if "not on Matrix" in one.content]
        assert (told == []) is (kind is RefusedAccounts)
        connected.set()
        await telling
        told = [one.content for one in town.server.world.by_bot(dm) if "not on Matrix" in one.content]
        assert told == ["I am not on Matrix any more. It ended her session."]
        kept = services.memory.settings
        assert await refused_platforms(kept, services.settings) == {"matrix": "It ended her session."}
        await refused_accounts.accepted("matrix")
        assert await refused_platforms(kept, services.settings) == {}


class Unwritten(Journal):
    """The twin that has what was heard in its head, and moves the cursor all the same."""

    heard: dict[int, str]

    async def accept(self, platform: str, events: Sequence[Event], cursors: Mapping[str, str] = {}) -> list[InboxEvent]:
        await self.move(platform, cursors)
        rows = [InboxEvent(-1 - at, one, self._clock.now(), 0) for at, one in enumerate(events, len(self.heard))]
        self.heard |= {row.key: row.event.payload for row in rows}
        return rows

    async def open_events(self, keys: Sequence[int], platform: str = "", place: str = "") -> OpenEvents:
        known = {key: self.heard[key] for key in keys if key in self.heard}
        return replace(await super().open_events(keys, platform, place), payloads=known)


def unwritten(app: App) -> App:
    app.memory.journal = journal = Unwritten(app.memory.db, app.base.clock)
    journal.heard = {}
    return app


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_what_is_committed_before_anything_is_made_of_it_is_answered_after_the_end_of_her_process(
    town: Town, guarded: bool
) -> None:
    async with model_server() as model:
        async with town.lyra(model, changed=(lambda app: app) if guarded else unwritten) as lyra:
            dm = await town.ada.opens_dm()
            model.script(b.Held("never said"))
            asked = await town.ada.says(dm, "what time is it?")
            await model.heard(1)
            await lyra.talk.mailboxes.drain(0)
        async with town.lyra(model) as lyra:
            await town.caught_up()
            await lyra.heard()
            answers = [one.content for one in town.server.world.said if one.reply_to == asked.id]
            assert (answers == ["You said: what time is it?"]) is guarded
