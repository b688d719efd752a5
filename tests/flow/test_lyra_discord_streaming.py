"""Answers that are shown on Discord while they are made: one message, at a pace, and never more in it than in the end."""

import asyncio
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from aiohttp import web

from adapters.splitting import split
from bot.delivery.exit_gate import ExitGate
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, DiscordServer, Message, Person, Right
from tests.flow.test_lyra_discord_changes import answer_to, answers_to, asks, caught_up, kept, owner
from tests.kits import discord_home
from tests.kits.discord_home import Awake, awake, prompt
from tests.kits.discord_knowing import Thoughtful
from tests.kits.discord_town import buttons
from tests.kits.entered import entered_in_loop

ON, OFF = "streaming = true", "streaming = false"
TALE = "Once there was a door that nobody had opened for a hundred years, and behind it lived a very old cat."
KEPT = "Your message is kept; I answer it when the model does."


class Halting(Thoughtful):
    """A model server that stops after the text of a Hang until it may `go` on: with the `rest`, or breaking off without one."""

    rest = ""

    async def _stream(self, request: web.Request, recorded: b.Request, step: b.Behaviour) -> web.StreamResponse:
        if not isinstance(step, b.Hang):
            return await super()._stream(request, recorded, step)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(f"data: {b.delta(step.text)}\n\n".encode())
        await self.go.wait()
        if self.rest:
            await response.write(f"data: {b.delta(self.rest, 'stop')}\n\ndata: [DONE]\n\n".encode())
        return response


model = entered_in_loop(lambda: Halting(lambda request: "I see."))


@pytest.fixture
def general(server: DiscordServer) -> Channel:
    return server.world.channel(server.world.guild("Home", bot_rights=Right.MENTION_EVERYONE), "general")


ada = discord_home.ada


def hurry(her: Awake, seconds: float = 0.02) -> None:
    """Let her change a message that often."""
    her.adapter.edit_seconds = seconds


async def finished(server: DiscordServer, question: Message, text: str) -> Message:
    """Wait until the answer to a question begins with a text, and return it."""
    shown = await answer_to(server, question)
    await server.pulse.until(lambda: shown.content.startswith(text), "the whole answer")
    return shown


async def standing(server: DiscordServer, question: Message, *texts: str) -> None:
    """Wait until exactly these texts stand as answers to a question, the last one for good: a preview has a button to stop it."""

    def stand() -> bool:
        answers = answers_to(server, question)
        return [one.content for one in answers] == [*texts] and "Stop" not in buttons(answers[-1])

    await server.pulse.until(stand, f"{len(texts)} answers as they stay")


async def told(server: DiscordServer, model: Halting, person: Person, place: Channel, delay: float = 0.03) -> Message:
    """Ask for the tale, and return the answer when it is whole."""
    model.script(b.Drip(TALE, delay))
    return await finished(server, await person.says(place, f"{server.mention} tell me a tale"), TALE)


async def test_an_answer_grows_in_one_message_and_ends_as_it_is_kept(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her)
        answer = await told(server, model, ada, general)
        *shown, final = answer.revisions
        assert len(shown) > 1 and final == TALE
        assert all(TALE.startswith(earlier) and len(earlier) < len(later) for earlier, later in pairwise(shown))
        question = general.messages[answer.reply_to or 0]
        await standing(server, question, TALE)
        assert (await kept(her, general)).splitlines()[:2] == ["tell me a tale", TALE]


async def test_whoever_asked_stops_an_answer_with_what_came_of_it(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her)
        model.script(b.Hang(TALE[:40]))
        shown = await answer_to(server, await ada.says(general, f"{server.mention} tell me a tale"))
        bob = server.person("bob")
        assert general.guild
        bob.joins(general.guild)
        refused = await (await bob.clicks(shown, "Stop")).answer()
        assert refused.ephemeral and refused.content == "I am making no answer for you here just now."
        assert (await (await ada.clicks(shown, "Stop")).answer()).content == "Ended."
        await server.pulse.until(lambda: shown.content.endswith("[…]"), "the end of the answer")
        assert TALE.startswith(shown.content.removesuffix(" […]")) and shown.controls() == []
        assert await asks(ada, general, "stop") == "I am making no answer for you here just now."
        model.go.set()


async def test_what_is_said_before_something_is_looked_up_stays_where_it_stands(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her)
        whole = f"Let me think of one that I know.\n\n{TALE}"
        model.script(b.calls("recall", "Let me think of one that I know.", query="tale"), b.Drip(TALE, 0.03))
        answer = await finished(server, await ada.says(general, f"{server.mention} tell me a tale"), whole)
        *shown, final = answer.revisions
        assert len(shown) > 1 and final == whole
        assert all(whole.startswith(earlier) and len(earlier) < len(later) for earlier, later in pairwise(shown))
        assert model.requests[-1].messages[-2]["content"] == "Let me think of one that I know."
        await caught_up(server, general)
        assert whole in await kept(her, general)


@pytest.mark.parametrize(("for_all", "value"), [(ON, "off"), (OFF, "on")], ids=["whole", "to watch"])
async def test_who_wants_an_answer_otherwise_than_all_others_gets_it_so(
    server: DiscordServer, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, for_all: str, value: str
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model, discord=for_all) as her:
        hurry(her)
        await asks(ada, await ada.opens_dm(), "settings", setting="streaming", value=value)
        given = [(await told(server, model, who, await who.opens_dm())).revisions for who in (ada, server.person("bob"))]
        watched, whole = given if value == "on" else given[::-1]
        assert len(watched) > 1 and whole == [TALE]


async def test_an_admin_turns_it_off_for_a_channel_and_the_others_stay(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert general.guild
    other = server.world.channel(general.guild, "other")
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her)
        await asks(owner(server), general, "settings", setting="streaming", value="off")
        assert (await told(server, model, ada, general)).revisions == [TALE]
        assert len((await told(server, model, ada, other)).revisions) > 1


@pytest.mark.parametrize("pace", [0.2, 0.02])
async def test_a_message_is_never_changed_faster_than_the_pace_allows(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, pace: float, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The pace alone holds it: a faster one changes the same answer sooner than the slower one may."""
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her, pace)
        answer = await told(server, model, ada, general, delay=0.04)
        posted = next(call for call in server.calls("create_message") if call.body["content"] == answer.revisions[0])
        times = [posted.at, *(call.at for call in server.calls("update_message"))]
        previews = times[:-1]  # The last one is the answer itself, which does not wait.
        waits = [later - earlier for earlier, later in pairwise(previews)]
        assert min(waits) >= pace and (min(waits) >= 0.2) is (pace == 0.2)


async def test_an_answer_that_breaks_off_says_so_in_its_place_and_comes_later_though_it_breaks_off_again(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her)
        model.script(b.Hang("Once there was"))
        question = await ada.says(general, f"{server.mention} tell me a tale")
        notice = await finished(server, question, "Once there was")
        model.go.set()
        await server.pulse.until(lambda: notice.content.endswith(KEPT), "a sentence that says so")
        assert notice.content.count("\n") == 0 and answers_to(server, question) == [notice]
        model.go.clear()
        model.script(b.Hang("Once more there was"))
        await her.talk.tick()
        await server.pulse.until(lambda: len(answers_to(server, question)) == 2, "another beginning")
        model.go.set()
        await server.pulse.until(lambda: answers_to(server, question) == [notice], "that it is taken away")
        answered = asyncio.create_task(standing(server, question, notice.content, "I see."))
        while not answered.done():
            # It is put to the model again after an eighth of the time that it was away.
            await her.talk.tick()
            await asyncio.sleep(0.02)
        await answered
        assert (await kept(her, general)).splitlines() == ["tell me a tale", "I see."]


async def test_a_question_that_is_removed_takes_the_preview_along(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.rest = " a cat."
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her)
        model.script(b.Hang("Once there was"))
        question = await ada.says(general, f"{server.mention} tell me a tale")
        shown = await finished(server, question, "Once there was")
        await ada.deletes(question)
        await caught_up(server)
        model.go.set()
        await server.pulse.until(lambda: shown.deleted, "that the preview is taken away")
        await caught_up(server, general)
        assert answers_to(server, question) == [] and "tale" not in await kept(her, general)


async def test_a_question_that_is_changed_gets_a_new_answer_and_the_beginning_of_the_old_one_is_taken_back(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.rest = " a cat."
    # She may ask again while the first answer still stands still: it depends on when she looks whether the question has changed.
    model.default = lambda request: "Knock, knock. Who is there?" if "a joke" in prompt(request) else "I see."
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her)
        model.script(b.Hang("Once there was"))
        question = await ada.says(general, f"{server.mention} tell me a tale")
        shown = await finished(server, question, "Once there was")
        await ada.edits(question, f"{server.mention} tell me a joke")
        await caught_up(server)
        model.go.set()
        await standing(server, question, "Knock, knock. Who is there?")
        assert shown.deleted
        assert (await kept(her, general)).splitlines() == ["tell me a joke", "Knock, knock. Who is there?"]


async def test_of_a_long_answer_the_preview_becomes_the_first_part(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [f"{number}:{'x' * 60}" for number in range(80)]
    model.script(b.Drip("\n".join([*words, "The end."]), 0.005))
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her)
        question = await ada.says(general, f"{server.mention} all of it")
        first = await answer_to(server, question)
        await server.pulse.until(lambda: server.world.by_bot(general)[-1].content.endswith("The end."), "the end")
        parts = [one for one in server.world.by_bot(general) if one.id >= first.id]
        assert len(first.revisions) > 1 and len(parts) == 3
        assert "\n".join(one.content for one in parts).split("\n") == [*words, "The end."]
        assert [one.reply_to for one in parts] == [question.id, None, None]
        assert [len(one.revisions) for one in parts[1:]] == [1, 1], "only the first part was shown while it was made"


@pytest.mark.parametrize("discord", [ON, OFF])
async def test_links_that_nobody_said_are_no_links_at_any_time(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, discord: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    said, listed, made_up = "https://good.example/a", "https://docs.example/x", "https://evil.example/b"
    model.script(b.Hang(f"You said {said}, see {listed}, and I say {made_up} and [this]({made_up}) and www.evil.example"))
    model.rest = " and so on."
    config = '[exit]\nlinks = ["docs.example"]\n'
    async with awake(server, tmp_path, monkeypatch, model=model, config=config, discord=discord) as her:
        hurry(her)
        question = await ada.says(general, f"{server.mention} what about {said} today?")
        if discord == ON:
            await answer_to(server, question)
        model.go.set()
        answer = await answer_to(server, question)
        await server.pulse.until(lambda: answer.content.endswith("so on."), "the whole answer")
        assert (len(answer.revisions) > 1) is (discord == ON)
        for revision in answer.revisions:
            assert "evil" not in re.sub(r"`[^`]*`", "", revision), "what looks like a link stands as code"
        assert (
            f"You said {said}, see {listed}, and I say `{made_up}` (link removed) and this (`{made_up}`, link" in answer.content
        )


async def live_in_parts(server: DiscordServer, general: Channel, model: Halting, ada: Person) -> list[str]:
    """Have her say a link that is longer than a message; return where it was shown outside of code, at any time."""
    address = "https://evil.example/" + "".join(f"a{number}" for number in range(600))
    model.script(b.Hang(f"See {address} and "))
    model.rest = f"again {address} and [this]({address}). The end."
    question = await ada.says(general, f"{server.mention} where do I find it?")
    await answer_to(server, question)
    model.go.set()
    await server.pulse.until(lambda: server.world.by_bot(general)[-1].content.endswith("The end."), "the end")
    shown = [one for message in server.world.by_bot(general) for one in message.revisions]
    return [one for one in shown if "evil" in re.sub(r"`[^`]*`", "", one)]


async def test_a_link_longer_than_a_message_is_dead_wherever_it_is_cut(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her)
        assert not await live_in_parts(server, general, model, ada)


async def test_judged_before_it_is_cut_it_would_be_live(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_last(gate: ExitGate, text: str, most: int) -> list[str]:
        return split(replace(gate, longest=len(text)).gated(text), most)

    monkeypatch.setattr(ExitGate, "parts", cut_last)
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her)
        assert await live_in_parts(server, general, model, ada)


async def test_nobody_but_the_asker_is_called_by_an_answer(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert general.guild
    bob, role = server.person("bob"), server.world.role(general.guild, "cooks")
    bob.joins(general.guild)
    words = f"@everyone and @here and {bob.mention} and <@&{role.id}> come and see."
    model.script(b.Drip(words, 0.03), words)
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        hurry(her)
        for _ in range(2):
            question = await ada.says(general, f"{server.mention} call them all")
            answer = await answer_to(server, question)
            await server.pulse.until(lambda: answer.content.endswith("see."), "the whole answer")  # noqa: B023
            assert "everyone" in answer.content and not answer.mention_everyone
            assert answer.mentions == [ada.user] and answer.mention_roles == []
    sent = [call.body["allowed_mentions"] for name in ("create_message", "update_message") for call in server.calls(name)]
    assert len(sent) > 2 and all(allowed["parse"] == [] and not allowed.get("users") for allowed in sent)
