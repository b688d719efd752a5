"""Names of conversations hold what holds for messages: none off the record, none of what was forgotten."""

import pytest

from bot.conversation.domain_access import DomainAccess
from bot.conversation.preferences import Chosen
from memory.places import titles
from tests.fakes.openai_behaviours import Status
from tests.fakes.openai_server import OpenAIServer
from tests.kits import discord_town
from tests.kits.awake import model_server
from tests.kits.discord_town import Town
from tests.kits.entered import entered_in_loop
from tests.kits.fresh import with_words
from tests.kits.memory_kit import KEY
from tests.kits.pages import holding

town = discord_town.town
CODE = "zanzibar7741"
FACT = f"the vault word is {CODE}"
UNNAMED = "unnamed conversation"

model = entered_in_loop(lambda: model_server(lambda _request: "fine"))


@pytest.mark.parametrize("of", ["me", "here", "server"])
async def test_a_thread_opened_off_the_record_has_its_title_in_no_file_until_something_is_kept_there(
    town: Town, model: OpenAIServer, of: str
) -> None:
    who = town.ada if of == "me" else town.eve
    async with town.lyra(model):
        await town.asks(who, town.general, "incognito", what="on", of=of)
        thread = await town.ada.starts_thread(town.general, f"thread {CODE}", text="hi")
        await town.says(town.ada, thread, "hey")
        assert holding(town.home, KEY, CODE) == []
        town.server.acts.change_thread(thread, name=f"{CODE} renamed")
        await town.says(town.ada, thread, "hey again")
        await town.asks(town.ada, thread, "recall", query="hey")
        await town.caught_up()
        assert holding(town.home, KEY, CODE) == []
        await town.asks(who, town.general, "incognito", what="off", of=of)
        await town.says(town.ada, thread, "now it is kept")
        assert f"{CODE} renamed" in await town.reads(town.bob, town.general, "sessions")


async def test_a_title_is_not_followed_off_the_record(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model):
        thread = await town.ada.starts_thread(town.general, "plans")
        await town.says(town.ada, thread, "hey")
        await town.asks(town.eve, town.general, "incognito", what="on")
        town.server.acts.change_thread(thread, name=f"{CODE} plans")
        await town.says(town.ada, thread, "hey again")
        await town.caught_up()
        assert holding(town.home, KEY, CODE) == []
        assert UNNAMED in await town.reads(town.bob, town.general, "sessions")
        await town.asks(town.eve, town.general, "incognito", what="off")
        await town.says(town.ada, thread, "now it is kept")
        assert f"{CODE} plans" in await town.reads(town.bob, town.general, "sessions")


@pytest.mark.torture
@pytest.mark.parametrize("left_out", ["named_after_forgotten", "is_forgotten"])
async def test_without_either_look_at_names_what_is_forgotten_stays_or_comes_back_as_a_name(
    town: Town, model: OpenAIServer, monkeypatch: pytest.MonkeyPatch, left_out: str
) -> None:
    async def nothing(*given: object) -> list[int]:
        return []

    monkeypatch.setattr(titles, left_out, nothing)
    async with town.lyra(model):
        said = await town.says(town.ada, town.general, FACT)
        thread = await town.ada.starts_thread(town.general, "The vault word is: Zanzibar7741", on=said)
        await town.says(town.ada, thread, "hi there friend")
        await town.uses_menu(town.ada, "Forget this", said)
        if left_out == "is_forgotten":
            await town.says(town.bob, thread, "hey")
        assert "Zanzibar7741" in await town.reads(town.bob, town.general, "sessions")


@pytest.mark.torture
async def test_without_asking_what_is_off_the_record_a_thread_has_its_title_kept(
    town: Town, model: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DomainAccess, "current_session", DomainAccess.named_session)
    monkeypatch.setattr(Chosen, "all_off_record", lambda *given: False)
    monkeypatch.setattr(Chosen, "is_off_record", lambda *given: False)
    async with town.lyra(model):
        await town.asks(town.eve, town.general, "incognito", what="on", of="here")
        thread = await town.ada.starts_thread(town.general, f"thread {CODE}", text="hi")
        await town.says(town.ada, thread, "hey")
        assert holding(town.home, KEY, CODE) != []


async def test_a_thread_called_like_a_message_that_is_forgotten_loses_its_name_for_good(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        said = await town.says(town.ada, town.general, FACT)
        thread = await town.ada.starts_thread(town.general, "The vault word is: Zanzibar7741", on=said)
        await town.says(town.ada, thread, "hi there friend")
        assert "Zanzibar7741" in await town.reads(town.bob, town.general, "sessions")
        assert (await town.uses_menu(town.ada, "Forget this", said)).startswith("Forgotten: ")
        for command, options in (("sessions", {}), ("recall", {"query": "hi there friend"})):
            read = await town.reads(town.bob, town.general, command, **options)
            assert UNNAMED in read and CODE not in read.casefold()
        await town.says(town.bob, thread, "hey")
        assert await with_words(lyra.app.memory.db, "sessions", "name", "zanzibar") == []
        town.server.acts.change_thread(thread, name="something else")
        await town.says(town.bob, thread, "hey")
        assert "something else" in await town.reads(town.bob, town.general, "sessions")


@pytest.mark.file
async def test_a_question_that_waits_in_a_thread_keeps_no_title_that_is_forgotten(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        said = await town.says(town.ada, town.general, FACT)
        thread = await town.ada.starts_thread(town.general, f"The vault word is: {CODE}", on=said)
        model.script(Status(401))
        await town.says(town.ada, thread, "hi there friend")
        assert len(await lyra.app.memory.journal.unfinished("discord")) == 1
        assert holding(town.home, KEY, CODE) != []
        await town.uses_menu(town.ada, "Forget this", said)
        assert await lyra.app.memory.db.checkpoint()
        assert holding(town.home, KEY, CODE) == []
        town.server.acts.change_thread(thread, name="something else")
    async with town.lyra(model):
        await town.caught_up()
        assert "something else" in await town.reads(town.bob, town.general, "sessions")


@pytest.mark.parametrize("how", ["forgotten", "off the record"])
async def test_a_forward_of_nothing_that_may_be_kept_is_not_kept(town: Town, model: OpenAIServer, how: str) -> None:
    async with town.lyra(model) as lyra:
        if how == "off the record":
            await town.asks(town.ada, town.general, "incognito", what="on", of="me")
        said = await town.says(town.ada, town.general, FACT)
        forward = await town.bob.forwards(said, town.general)
        await town.caught_up()
        if how == "forgotten":
            await town.uses_menu(town.ada, "Forget this", said)
        assert await town.uses_menu(town.bob, "Remember this", forward) == "That message was forgotten, and stays so."
        assert await with_words(lyra.app.memory.db, "exchanges", "text", "forwarded") == []
