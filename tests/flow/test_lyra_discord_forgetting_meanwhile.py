"""What is forgotten or changed while she answers from it: what is shown of the answer goes at once, and another one is made."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.base import Adapter
from adapters.events import Person as Identity
from adapters.events import Place
from bot.conversation.domain_access import DomainAccess
from bot.conversation.preferences import Chosen
from memory.types import DomainKind, Session
from memory.view.answer_validity import AnswerValidity
from memory.view.view import View
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, DiscordServer, Message, Person
from tests.flow.test_lyra_discord_changes import answer_to, asks, caught_up
from tests.flow.test_lyra_discord_streaming import ON, Halting, finished, hurry
from tests.flow.test_lyra_discord_streaming_readers import made_with
from tests.kits import discord_home
from tests.kits.discord_home import Awake, awake, prompt
from tests.kits.fresh import fresh, stored
from tests.kits.lyra_kit import Home

TOLD, CODE, CHANGED = "My locker code is 4711.", "4711", "My locker code is nobody's business."
ASKED, BEGINNING, REST, ANEW = "what is the locker code?", "The code is", " 4711.", "I do not know."


class Unlooking(AnswerValidity):
    """The twin, which does not look while an answer is made."""

    async def commits(self) -> int:
        return 0


class Careless(DomainAccess):
    """Gives every view to the twin."""

    async def view_with_session(
        self, place: Place, person: Identity, adapter: Adapter | None, chosen: Chosen
    ) -> tuple[View, Session | None]:
        view, session = await super().view_with_session(place, person, adapter, chosen)
        view.validity = Unlooking(view.validity._binding)
        return view, session


@pytest.fixture
async def model() -> AsyncIterator[Halting]:
    async with Halting(lambda request: BEGINNING + REST if CODE in prompt(request) else ANEW) as model:
        model.rest = REST
        yield model


ada = discord_home.ada


@pytest.fixture
def general(server: DiscordServer) -> Channel:
    return server.world.channel(server.world.guild("Home"), "general")


GUARDS = pytest.mark.parametrize("domains", [DomainAccess, Careless], ids=["her", "the twin"])


async def begun(server: DiscordServer, model: Halting, her: Awake, who: Person, place: Channel) -> Message:
    """Ask for the code, and return the answer once its beginning is shown; the model is silent from there on."""
    hurry(her)
    model.script(b.Hang(BEGINNING))
    question = await who.says(place, f"{server.mention} {ASKED}" if place.guild else ASKED)
    shown = await finished(server, question, BEGINNING)
    assert CODE in prompt(her.chats[-1])
    return shown


async def gone_at_once(server: DiscordServer, model: Halting, beginning: Message, *, guarded: bool) -> None:
    """Assert that a beginning goes while the model is silent, unless the twin shows it, and that the code is never said."""
    question = beginning.channel.messages[beginning.reply_to or 0]
    if guarded:
        await server.pulse.until(lambda: beginning.deleted, "that the beginning is taken away")
    await caught_up(server)
    assert beginning.deleted is guarded
    model.go.set()
    await server.pulse.until(lambda: beginning.deleted, "that the beginning is taken away in the end")
    assert (await answer_to(server, question)).content == ANEW
    assert not any(CODE in text for one in server.world.by_bot(beginning.channel) for text in one.revisions)


@GUARDS
async def test_forgotten_in_another_process(
    server: DiscordServer,
    model: Halting,
    ada: Person,
    domains: type[DomainAccess],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In her DM, what she told at the terminal is read as well."""
    config = stored("", tmp_path / ".lyra" / "lyra.db")
    home = Home(tmp_path, config)
    if config:
        await fresh(home.db, None)
    else:
        home.begun()
    home.chat(TOLD)
    (told,) = [row for row in home.lyra("recall", "locker", "--json").rows[0]["hits"] if row["content"] == TOLD]
    people = f'[people.ada]\nconsole = "ada"\ndiscord = "{ada.id}"'
    async with awake(server, home.path, monkeypatch, model=model, discord=f"{ON}\n{people}", changed=made_with(domains)) as her:
        beginning = await begun(server, model, her, ada, await ada.opens_dm())
        receipt = await asyncio.to_thread(home.lyra, "forget", told["id"])
        assert (receipt.code, receipt.err) == (0, ""), receipt
        await gone_at_once(server, model, beginning, guarded=domains is DomainAccess)


@pytest.mark.each
@GUARDS
@pytest.mark.parametrize("how", ["forgotten by a command", "changed", "deleted", "told in confidence"])
async def test_taken_back_by_whoever_said_it_while_somebody_else_is_answered(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, how: str, domains: type[DomainAccess], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON, changed=made_with(domains)) as her:
        model.script("I keep that.")
        told = await ada.says(general, f"{server.mention} {TOLD}")
        await answer_to(server, told)
        bob = server.person("bob")
        model.script("Good morning.")
        await answer_to(server, await bob.says(general, f"{server.mention} good morning"))
        assert general.guild
        view = await her.view(DomainKind.SERVER, general.guild.id)
        (id,) = [message.id async for _, message in view.messages.all() if message.text == TOLD]
        beginning = await begun(server, model, her, bob, general)
        match how:
            case "changed":
                await ada.edits(told, f"{server.mention} {CHANGED}")
            case "deleted":
                await ada.deletes(told)
            case "told in confidence":
                assert await asks(ada, general, "confide", message=id, who="bob") == "Understood: I keep this from bob."
            case _:
                assert (await asks(ada, general, "forget", what=str(told.id))).startswith("Forgotten: 1 message")
        await gone_at_once(server, model, beginning, guarded=domains is DomainAccess)
