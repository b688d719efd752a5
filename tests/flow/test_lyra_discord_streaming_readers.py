"""Answers that are shown while they are made, at a channel whose readers change meanwhile: nothing of them stays there."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app import App
from bot.conversation.domain_access import DomainAccess
from memory.types import DomainKind
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, DiscordServer, Message, Person, Right, Status
from tests.flow.test_lyra_discord_changes import answer_to, answers_to, caught_up
from tests.flow.test_lyra_discord_streaming import ON, Halting, finished, hurry
from tests.kits import discord_home
from tests.kits.discord_home import Awake, awake
from tests.kits.discord_knowing import Unguarded

SAFE, CODE = "The safe is behind", " the painting, and its code is 7741."


@pytest.fixture
async def model() -> AsyncIterator[Halting]:
    async with Halting(lambda request: "I see.") as model:
        model.rest = CODE
        yield model


ada = discord_home.ada


@pytest.fixture
def vault(server: DiscordServer, ada: Person) -> Channel:
    """A channel that only Ada and Lyra read."""
    return server.world.channel(server.world.guild("Home"), "vault", only=(server.world.bot, ada.user))


def open_to_all(server: DiscordServer, place: Channel) -> None:
    assert place.guild
    server.acts.overwrite(place, place.guild.roles[place.guild.id])


async def shown(server: DiscordServer, model: Halting, her: Awake, ada: Person, vault: Channel) -> Message:
    """Ask where the safe is, and return the answer once its beginning is shown."""
    hurry(her)
    model.script(b.Hang(SAFE))
    return await finished(server, await ada.says(vault, f"{server.mention} where is the safe?"), SAFE)


def made_with(domains: type[DomainAccess]) -> Callable[[App], App]:
    def changed(app: App) -> App:
        base = app.base
        return replace(app, domains=domains(app.memory, base.settings, app.preferences, base.clock, base.time_zone))

    return changed


GUARDS = pytest.mark.parametrize("domains", [DomainAccess, Unguarded], ids=["guarded", "without the guard"])


@GUARDS
async def test_a_channel_that_is_opened_to_all_keeps_nothing_of_an_answer_that_was_being_shown(
    server: DiscordServer, vault: Channel, model: Halting, ada: Person, domains: type[DomainAccess], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON, changed=made_with(domains)) as her:
        beginning = await shown(server, model, her, ada, vault)
        open_to_all(server, vault)
        if domains is DomainAccess:
            await server.pulse.until(lambda: beginning.deleted, "that it is taken away while the model still talks")
        await caught_up(server)
        model.go.set()
        await caught_up(server, vault)
        said = [one.content for one in server.world.by_bot(vault)]
        assert any("safe" in text for text in said) is (domains is Unguarded)
        assert any(text.startswith("Who can read this place changed") for text in said) is (domains is DomainAccess)
        assert (await her.kept(DomainKind.CHANNEL, vault.id))[-1] == SAFE + CODE, "who could read it finds it again"


@GUARDS
async def test_an_answer_that_could_not_be_sent_until_the_channel_was_open_takes_its_beginning_away(
    server: DiscordServer, vault: Channel, model: Halting, ada: Person, domains: type[DomainAccess], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON, changed=made_with(domains)) as her:
        beginning = await shown(server, model, her, ada, vault)
        tried = len(server.calls("update_message"))
        server.faults.script("update_message", *[Status(503)] * 5)
        model.go.set()
        await server.pulse.until(lambda: len(server.calls("update_message")) > tried, "that the whole answer is tried")
        await caught_up(server)
        open_to_all(server, vault)
        await caught_up(server)
        for _ in range(5):
            await her.talk.tick()
        assert beginning.deleted is (domains is DomainAccess)
        said = [one.content for one in server.world.by_bot(vault)]
        assert any("safe" in text for text in said) is (domains is Unguarded)
        assert sum(text.startswith("Who can read this place changed") for text in said) == (domains is DomainAccess)


@GUARDS
async def test_a_beginning_that_an_end_left_behind_goes_when_she_is_back(
    server: DiscordServer, vault: Channel, model: Halting, ada: Person, domains: type[DomainAccess], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        beginning = await shown(server, model, her, ada, vault)
        # As a kill would: the turn ends, and nothing of it is tidied up.
        for task in list(her.talk.mailboxes._workers.values()):
            task.cancel()
    assert not beginning.deleted
    open_to_all(server, vault)
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON, changed=made_with(domains)):
        await caught_up(server, vault)
        assert beginning.deleted is (domains is DomainAccess)
        told = [one.content for one in answers_to(server, vault.messages[beginning.reply_to or 0])]
        assert any("safe" in text for text in told) is (domains is Unguarded)
        assert [text.startswith("Who can read this place changed") for text in told if "safe" not in text] == [True]


async def test_where_its_readers_stay_the_same_a_beginning_becomes_the_answer(
    server: DiscordServer, vault: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        beginning = await shown(server, model, her, ada, vault)
        server.acts.overwrite(vault, server.person("bob").user, allow=Right.VIEW_CHANNEL)
        await caught_up(server)
        model.go.set()
        question = vault.messages[beginning.reply_to or 0]
        await finished(server, question, SAFE + CODE)
        assert await answer_to(server, question) is beginning
