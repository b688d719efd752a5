"""Whom Lyra does not hear on Discord: other machines unless they are allowed, and people who told her to stop."""

from pathlib import Path

import pytest

from memory.types import DomainKind
from tests.fakes.discord import Channel, DiscordServer, Person
from tests.flow.test_lyra_discord_changes import answer_to, answers_to, asks, caught_up, kept, owner
from tests.kits import discord_home
from tests.kits.discord_home import awake
from tests.kits.discord_knowing import Thoughtful
from tests.kits.entered import entered_in_loop

model = entered_in_loop(lambda: Thoughtful(lambda request: "I see."))


ada = discord_home.ada


@pytest.fixture
def robot(server: DiscordServer) -> Person:
    return server.person("robot", bot=True)


def allowing(robot: Person) -> str:
    """Return a configuration that lets her hear a machine."""
    return f'streaming = false\nbots = ["{robot.id}"]'


async def test_machines_are_ignored(
    server: DiscordServer, general: Channel, model: Thoughtful, robot: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        await asks(owner(server), general, "settings", setting="listening", value="on")
        ignored = [
            await robot.says(general, f"{server.mention} beep"),
            await server.webhook_says(general, "News", f"{server.mention} beep"),
            await robot.says(general, "beep, says the robot to itself"),
        ]
        await caught_up(server, general)
        assert [answers_to(server, one) for one in ignored] == [[], [], []]
        assert "beep" not in await kept(her, general)


async def test_a_machine_that_is_allowed_is_kept_and_answered_and_no_other(
    server: DiscordServer, general: Channel, model: Thoughtful, robot: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model, discord=allowing(robot)) as her:
        other = await server.person("gadget", bot=True).says(general, f"{server.mention} whirr")
        assert (await answer_to(server, await robot.says(general, f"{server.mention} beep"))).content == "I see."
        assert [word in await kept(her, general) for word in ("beep", "whirr")] == [True, False]
        assert answers_to(server, other) == []


async def test_two_machines_that_answer_each_other_stop_until_a_person_speaks(
    server: DiscordServer, general: Channel, model: Thoughtful, robot: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is a number of Admission; tests/unit/test_admission.py shows that it alone ends this."""
    async with awake(server, tmp_path, monkeypatch, model=model, discord=allowing(robot)) as her:
        last = await answer_to(server, await robot.says(general, f"{server.mention} beep 0"))
        for number in range(1, 5):
            last = await answer_to(server, await robot.says(general, f"beep {number}", reply_to=last))
        unheard = [await robot.says(general, f"boop {number}", reply_to=last) for number in range(3)]
        await server.person("ada").says(general, "what are you two doing?")
        again = await robot.says(general, "beep again", reply_to=last)
        await answer_to(server, again)
        assert [answers_to(server, one) for one in unheard] == [[], [], []]
        assert [word in await kept(her, general) for word in ("boop", "beep again")] == [False, True]


async def test_who_says_stop_is_neither_kept_nor_answered_anywhere_until_they_resume(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = server.person("bob")
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        dm = await ada.opens_dm()
        await answer_to(server, await ada.says(dm, "I like anise"))
        assert "You told me to stop" in await asks(ada, general, "privacy", choice="stop")
        unheard = [await ada.says(dm, "I like basil"), await ada.says(general, f"{server.mention} I like cumin")]
        other = await bob.says(general, f"{server.mention} I like dill")
        assert (await answer_to(server, other)).content == "I see."
        assert "You told me to stop" not in await asks(ada, dm, "privacy", choice="resume")
        await answer_to(server, await ada.says(dm, "I like fennel"))
        await answer_to(server, await ada.says(general, f"{server.mention} I like ginger"))
        assert [answers_to(server, one) for one in unheard] == [[], []]
        private = "\n".join(await her.kept(DomainKind.DM, ada.id))
        assert [word in private for word in ("anise", "basil", "fennel")] == [True, False, True]
        assert [word in await kept(her, general) for word in ("cumin", "dill", "ginger")] == [False, True, True]


async def test_listening_does_not_hear_who_said_stop(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        await asks(owner(server), general, "settings", setting="listening", value="on")
        await asks(ada, general, "privacy", choice="stop")
        await ada.says(general, "the key is under the mat")
        await server.person("bob").says(general, "the cat is on the roof")
        await caught_up(server, general)
        assert [word in await kept(her, general) for word in ("mat", "roof")] == [False, True]


async def test_nobody_can_have_a_message_kept_of_who_said_stop(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = server.person("bob")
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        said = await ada.says(general, "the key is under the mat")
        await asks(ada, general, "privacy", choice="stop")
        refused = await (await bob.uses_menu("Remember this", said)).answer()
        assert refused.content == "ada told me to keep nothing of theirs." and refused.ephemeral
        await caught_up(server, general)
        assert "mat" not in await kept(her, general)
        await asks(ada, general, "privacy", choice="resume")
        assert (await (await bob.uses_menu("Remember this", said)).answer()).content == "Kept."
        assert "mat" in await kept(her, general)


@pytest.mark.parametrize("kept_before", [True, False])
async def test_a_forward_does_not_bring_in_what_somebody_said_who_said_stop(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    kept_before: bool,
) -> None:  # fmt: skip
    """A forward names nobody: who said it is known from what was kept, or from the channel it was said in."""
    bob = server.person("bob")
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        said = await ada.says(
            general, f"{server.mention} the key is under the mat" if kept_before else "the key is under the mat"
        )
        if kept_before:
            await answer_to(server, said)
        await asks(ada, general, "privacy", choice="stop")
        before = len(model.requests)
        for place in (await bob.opens_dm(), general):
            copy = await bob.forwards(said, place)
            assert (await answer_to(server, await bob.says(place, f"{server.mention} and?", reply_to=copy))).content == "I see."
            refused = await (await bob.uses_menu("Remember this", copy)).answer()
            assert ("told me to keep nothing" in refused.content) is (place is general)
        asked = [text for request in model.requests[before:] if "and?" in (text := str(request.messages))]
        assert asked and not any("[forwarded] " in text for text in asked)
        assert not any("under the mat" in text for text in await her.kept(DomainKind.DM, bob.id))
