"""She may not write for a while, on Discord and on Matrix: what was asked is answered once she may again, or told to be too old."""

from dataclasses import replace
from pathlib import Path

import pytest

from adapters.discord import failures
from bot.app import App
from bot.delivery import pending_sends
from tests.fakes.discord import Lost, Right
from tests.fakes.matrix import People, Proxy
from tests.fakes.matrix.faults import SEND, SYNC, Refuse
from tests.kits import discord_town
from tests.kits.awake import model_server
from tests.kits.discord_town import Town
from tests.kits.matrix_home import Home, dm, home, room_of, sees_inside
from tests.kits.matrix_knowing import Ahead
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures"]

town = discord_town.town
HOUR = 3_600_000_000
JOIN = "POST /join/*"
SHUT_OFF = ("M_USER_SUSPENDED", "M_CONSENT_NOT_GIVEN", "ORG_MATRIX_EXPIRED_ACCOUNT")
LATE = str(pending_sends.LATE)


class Hours:
    """A clock that can be put on, and what has Lyra go by it."""

    def __init__(self) -> None:
        self.clock = Ahead()

    def pass_(self) -> None:
        """Let two hours go by."""
        self.clock.microseconds += 2 * HOUR

    def changed(self, app: App) -> App:
        """Return Lyra with this clock."""
        return replace(app, base=replace(app.base, clock=self.clock))


@pytest.fixture
async def at_home(people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    return await home(people, proxy, tmp_path, monkeypatch)


def mute(town: Town, on: bool) -> None:
    town.server.acts.overwrite(town.general, town.server.world.bot, deny=Right.SEND_MESSAGES if on else Right(0))


def refusals(town: Town) -> int:
    """Count how often she was refused to write there."""
    tried = [one for one in town.server.requests if (one.method, one.path) == ("POST", f"/channels/{town.general.id}/messages")]
    return sum(one.status == 403 for one in tried)


@pytest.mark.parametrize("late", [False, True])
async def test_on_discord_what_was_asked_while_she_was_muted_is_answered_once_she_may_write(town: Town, late: bool) -> None:
    hours = Hours()
    async with model_server() as model, town.lyra(model, changed=hours.changed) as lyra:
        await town.says(town.ada, town.general, "hello")
        mute(town, True)
        one = await town.ada.says(town.general, f"{town.server.mention} what is new?")
        two = await town.bob.says(town.general, f"{town.server.mention} and for me?")
        await town.server.pulse.until(lambda: refusals(town) >= 2 and len(lyra.chats) == 3, "two answers that are refused")
        if late:
            hours.pass_()
        mute(town, False)
        await lyra.talk.tick()
        told = [message.content for message in town.server.world.said if message.reply_to in (one.id, two.id)]
        assert told == ([LATE] if late else ["You said: ada: what is new?", "You said: bob: and for me?"])
        await lyra.talk.tick()
        assert len(town.server.world.said) == (3 if late else 4)


@pytest.mark.torture
@pytest.mark.parametrize("late", [False, True])
async def test_without_knowing_that_she_is_barred_she_gives_up_or_answers_whatever_was_asked_long_ago(
    town: Town, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    hours = Hours()
    if late:
        monkeypatch.setattr(pending_sends.BlockedPlaces, "begin", lambda *given: None)
    else:
        monkeypatch.setattr(failures, "_BARRED", frozenset())
    async with model_server() as model, town.lyra(model, changed=hours.changed) as lyra:
        await town.says(town.ada, town.general, "hello")
        mute(town, True)
        one = await town.ada.says(town.general, f"{town.server.mention} what is new?")
        # Given up at once, the line that says why is refused as well.
        most = 1 if late else 2
        await town.server.pulse.until(lambda: refusals(town) >= most and len(lyra.chats) == 2, "an answer that is refused")
        if late:
            hours.pass_()
        mute(town, False)
        await lyra.talk.tick()
        told = [message.content for message in town.server.world.said if message.reply_to == one.id]
        assert told == (["You said: ada: what is new?"] if late else [])


@pytest.mark.parametrize("aloud", [False, True])
async def test_on_discord_a_command_is_answered_where_she_may_not_write(town: Town, aloud: bool) -> None:
    async with model_server() as model, town.lyra(model):
        await town.says(town.ada, town.general, "the boat leaves at seven")
        mute(town, True)
        asked = await town.ada.says(town.general, f"{town.server.mention} what is new?")
        await town.server.pulse.until(lambda: refusals(town) == 1, "an answer that is refused")
        told = await town.asks(town.bob, town.general, "summarize", public=aloud)
        assert "the boat leaves at seven" in told.content and told.ephemeral is not aloud
        mute(town, False)
        await town.asks(town.bob, town.general, "status")
        assert (await town.answer(asked)).content == "You said: ada: what is new?"


async def test_on_discord_an_answer_does_not_wait_for_one_to_a_command_that_does_not_arrive(town: Town) -> None:
    async with model_server() as model, town.lyra(model):
        await town.says(town.ada, town.general, "hello")
        town.server.faults.script("update_original_webhook_message", *[Lost(accepted=False)] * 50)
        call = await town.bob.runs(town.general, "status")
        await town.server.heard("update_original_webhook_message")
        await town.says(town.ada, town.general, "what is new?")
        assert call.original and call.original.loading


async def test_after_a_day_nothing_is_tried_any_more(town: Town) -> None:
    hours = Hours()
    async with model_server() as model, town.lyra(model, changed=hours.changed) as lyra:
        await town.says(town.ada, town.general, "hello")
        mute(town, True)
        await town.ada.says(town.general, f"{town.server.mention} what is new?")
        await town.server.pulse.until(lambda: refusals(town) == 1, "a refusal")
        hours.clock.microseconds += 25 * HOUR
        await lyra.talk.tick()
        mute(town, False)
        await lyra.talk.tick()
        assert len(town.server.world.said) == 2 and await lyra.app.memory.journal.unsent() == 0


@pytest.mark.torture
@pytest.mark.parametrize("late", [False, True])
async def test_on_matrix_what_was_asked_while_she_was_muted_is_answered_once_she_may_write(
    at_home: Home, people: People, late: bool
) -> None:
    hours = Hours()
    ada, bob = await people.person("ada"), await people.person("bob", listens=False)
    async with model_server() as model, at_home.lyra(model, changed=hours.changed) as lyra:
        room = await room_of(at_home, ada, bob)
        await at_home.asks(ada, room, "hello", mentions=[at_home.user])
        await ada.sets_power(room, at_home.user, -1)
        heard = len(at_home.proxy.calls(SEND))
        one = await ada.says(room, "what is new?", mentions=[at_home.user])
        [*_, refused] = await at_home.proxy.heard(SEND, heard + 1)
        assert refused.status == 403
        if late:
            hours.pass_()
        await ada.sets_power(room, at_home.user, 0)
        await lyra.talk.tick()
        assert (await at_home.answer(ada, room, one)).body == (LATE if late else "You said: Ada: what is new?")


@pytest.mark.parametrize("code", few(["M_UNKNOWN_TOKEN", "M_USER_LOCKED"]))
async def test_on_matrix_a_session_that_ends_softly_or_is_locked_as_she_answers_holds_the_answer_up_and_no_more(
    at_home: Home, people: People, code: str
) -> None:
    """nio drops its token at such a refusal, and then asks the homeserver nothing more."""
    ada = await people.person("ada")
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        await at_home.asks(ada, room, "hello")
        over = Refuse(401, code, soft=True)
        at_home.proxy.faults.always(SEND, over)
        refused = len(at_home.proxy.calls(SEND)) + 1
        one = await ada.says(room, "what is new?")
        await at_home.proxy.heard(SEND, refused)
        at_home.proxy.faults.always(SYNC, over)
        await ada.says(room, "and this?")
        await at_home.proxy.until(lambda: any(call.status == 401 for call in at_home.proxy.calls(SYNC)), "a sync that is refused")
        at_home.proxy.faults.lift()
        connected = len(at_home.proxy.calls(SYNC))
        await at_home.proxy.heard(SYNC, connected + 1)
        await lyra.talk.tick()
        assert (await at_home.answer(ada, room, one)).body == "You said: what is new?"


async def test_on_matrix_an_account_that_is_shut_off_for_a_while_loses_neither_an_answer_nor_an_invitation(
    at_home: Home, people: People
) -> None:
    ada = await people.person("ada")
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        await at_home.asks(ada, room, "hello")
        for operation in (SEND, JOIN):
            at_home.proxy.faults.script(operation, *[Refuse(403, code) for code in SHUT_OFF])
        one = await ada.says(room, "what is new?")
        other = await ada.opens_dm(at_home.user)
        await sees_inside(ada, other, at_home.user)
        await at_home.proxy.until(lambda: at_home.proxy.faults.left(SEND) < len(SHUT_OFF), "an answer that is refused")
        for _ in SHUT_OFF:
            await lyra.talk.tick()
        assert (await at_home.answer(ada, room, one)).body == "You said: what is new?"
