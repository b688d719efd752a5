"""Discord fails while Lyra speaks: every answer goes out once, or says that it may be a repeat, or is given up for good."""

from dataclasses import replace
from pathlib import Path

import pytest

from adapters.base import Sending
from adapters.discord.adapter import Discord
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, DiscordServer, Guild, Lost, RateLimit, Right, Status, Then
from tests.fakes.discord.faults import Fault
from tests.fakes.openai_server import OpenAIServer
from tests.kits.discord_home import Awake, model_server
from tests.kits.discord_home import question as asked
from tests.kits.discord_kit import Clock
from tests.kits.discord_quick import answered, answers_to, greeted, quick, settled
from tests.kits.entered import entered_in_loop
from tests.kits.size import few

MARK = "-# (this may be a repeat)\n"
FAULTS: dict[str, list[Fault]] = {
    "taken, but the connection is reset": [Lost()],
    "reset before it is taken": [Lost(accepted=False)],
    "reset twice": [Lost(accepted=False), Lost()],
    "too many on this route": [RateLimit(0.05)],
    "too many everywhere": [RateLimit(0.05, everywhere=True)],
    "too many for the address": [RateLimit(0.05, via=False)],
    "an error": [Status(500)],
    "an error after it was taken": [Status(502, accepted=True)],
    "not available": [Status(503)],
    "not available after it was taken": [Status(503, accepted=True)],
}


model = entered_in_loop(lambda: model_server(lambda request: f"You said: {asked(request)}"))


def struck(server: DiscordServer, operation: str) -> list[str]:
    """Return the faults that requests of an operation met."""
    return [one.fault for one in server.calls(operation) if one.fault]


def kinds(faults: list[Fault]) -> list[str]:
    return [type(one).__name__ for one in faults]


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_an_answer_goes_out_once(
    server: DiscordServer,
    general: Channel,
    model: OpenAIServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: list[Fault],
) -> None:
    clock = Clock(jumps=True)
    async with quick(server, tmp_path, monkeypatch, model, clock=clock) as lyra:
        await greeted(server, general)
        server.faults.script("create_message", *fault)
        question = await server.person("ada").says(general, f"{server.mention} once?")
        await model.heard(2)
        await settled(lyra, server, clock)
    assert struck(server, "create_message") == kinds(fault)
    assert answers_to(server, question) == ["You said: ada: once?"]
    assert len(server.world.said) == 3 and server.faults.too_early == []


class Impatient(Discord):
    """Shows answers while they are made, ten times a second."""

    edit_seconds = 0.1


@pytest.mark.each
@pytest.mark.parametrize("operation", ["create_message", "update_message"])
@pytest.mark.parametrize("fault", few(FAULTS.values(), 5), ids=few(FAULTS, 5))
async def test_a_streamed_answer_ends_as_one_message(
    server: DiscordServer,
    general: Channel,
    model: OpenAIServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    operation: str,
    fault: list[Fault],
) -> None:
    clock = Clock(jumps=True)
    async with quick(server, tmp_path, monkeypatch, model, clock=clock, streaming=True, kind=Impatient) as lyra:
        await greeted(server, general)
        server.faults.script(operation, *fault)
        model.script(b.Drip("It comes word by word.", 0.07))
        question = await server.person("ada").says(general, f"{server.mention} how?")
        await model.heard(2)
        await settled(lyra, server, clock)
    assert struck(server, operation) == kinds(fault)
    assert answers_to(server, question) == ["It comes word by word."]
    assert len(server.world.said) == 3 and server.faults.too_early == []


@pytest.mark.parametrize("fault", few(FAULTS.values(), 5), ids=few(FAULTS, 5))
async def test_a_command_is_answered_once(
    server: DiscordServer,
    general: Channel,
    model: OpenAIServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: list[Fault],
) -> None:
    clock = Clock(jumps=True)
    async with quick(server, tmp_path, monkeypatch, model, clock=clock) as lyra:
        server.faults.script("update_original_webhook_message", *fault)
        asking = await server.person("ada").runs(general, "status")
        await asking.acknowledged()
        await settled(lyra, server, clock)
        told = await asking.answer()
    assert struck(server, "update_original_webhook_message") == kinds(fault)
    assert "kept" in told.content and asking.followups == []
    assert [one for one in server.world.said if one is not told] == []


async def test_a_command_whose_promise_is_lost_is_answered_all_the_same(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(server, tmp_path, monkeypatch, model):
        for fault in (Lost(), Lost(accepted=False)):
            server.faults.script("create_interaction_response", fault)
            asking = await server.person("ada").runs(general, "status")
            assert "kept" in (await asking.answer()).content and asking.followups == []


async def test_a_failed_sending_waits_for_the_next_minute(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await greeted(server, general)
        server.faults.script("create_message", Status(503), Status(503))
        question = await server.person("ada").says(general, f"{server.mention} well?")
        await server.heard("create_message", 3)
        await lyra.talk.tick()
        assert answers_to(server, question) == [] and len(server.calls("create_message")) == 4
        await lyra.talk.tick()
        assert answers_to(server, question) == ["You said: ada: well?"]


async def test_a_question_is_held_until_the_model_is_back_and_that_is_said_once(
    server: DiscordServer, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dm = await server.person("ada").opens_dm()
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await greeted(server, dm)
        model.script(b.DENIED, b.DENIED, b.DENIED)
        question = await server.person("ada").says(dm, "are you there?")
        await answered(server, question)
        await settled(lyra, server)
        assert len(lyra.chats) == 5, "the hello, three tries in vain, and the last"
    told = answers_to(server, question)
    assert len(told) == 2 and told[0].endswith("Your message is kept; I answer it when the model does.")
    assert told[1] == "You said: are you there?"


async def test_a_dm_that_was_closed_before_the_answer_is_given_up_and_others_are_not(
    server: DiscordServer, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, ada, bob = Clock(jumps=True), server.person("ada"), server.person("bob")
    closed, open_ = await ada.opens_dm(), await bob.opens_dm()
    async with quick(server, tmp_path, monkeypatch, model, clock=clock) as lyra:
        await greeted(server, closed)
        await greeted(server, open_, "bob")
        model.script(b.Drip("One moment please", 0.05))
        requests = len(model.requests)
        question = await ada.says(closed, "what now?")
        await model.heard(requests + 1)
        await ada.closes_dm()
        other = await bob.says(open_, "and I?")
        await answered(server, other)
        await settled(lyra, server, clock)
        ada.user.dm_open = True
        later = await ada.says(closed, "open again")
        await answered(server, later)
    assert answers_to(server, question) == [] and answers_to(server, later) == ["You said: open again"]


async def late_repeat(server: DiscordServer, place: Channel, lyra: Awake, clock: Clock, text: str = "once?") -> list[str]:
    """Lose the acknowledgement of an answer and try again after ten minutes; return what is there then."""
    await server.person("ada").says(place, f"{server.mention} {text}")
    await server.sent(3, place)
    server.hub.nonce_window = 0.0
    await clock.pause(600)
    await settled(lyra, server, clock)
    return [one.content for one in server.world.by_bot(place)][2:]


async def test_after_the_nonces_time_the_history_tells_what_arrived(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(jumps=True)
    async with quick(server, tmp_path, monkeypatch, model, clock=clock) as lyra:
        await greeted(server, general)
        server.faults.script("create_message", Lost())
        assert await late_repeat(server, general, lyra, clock) == ["You said: ada: once?"]


@pytest.mark.parametrize(
    ("text", "mark"), [("once?", MARK), ("und wie geht es dir, wenn nicht heute?", "-# (das kann eine Wiederholung sein)\n")]
)
async def test_where_the_history_is_hidden_a_late_repeat_is_labelled_in_its_language(
    server: DiscordServer, home: Guild, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    text: str, mark: str,
) -> None:  # fmt: skip
    clock = Clock(jumps=True)
    server.acts.overwrite(general, home.roles[home.id], deny=Right.READ_MESSAGE_HISTORY)
    async with quick(server, tmp_path, monkeypatch, model, clock=clock) as lyra:
        hello = await server.person("ada").says(general, f"{server.mention} hello")
        await server.sent(2, general)
        assert answers_to(server, hello) == [], "an answer refers to nothing where history is hidden"
        server.faults.script("create_message", Then(lambda: None), Lost())
        once = f"You said: ada: {text}"
        assert await late_repeat(server, general, lyra, clock, text) == [once, mark + once]


class Rash(Discord):
    """Sends again without a look at what arrived."""

    async def send(self, sending: Sending) -> str:
        return await super().send(replace(sending, unsure=False))


async def test_without_the_look_a_late_repeat_would_stand_there_twice(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(jumps=True)
    async with quick(server, tmp_path, monkeypatch, model, clock=clock, kind=Rash) as lyra:
        await greeted(server, general)
        server.faults.script("create_message", Lost())
        assert await late_repeat(server, general, lyra, clock) == ["You said: ada: once?"] * 2
