"""What people on Matrix may ask about their own words: that nothing is kept of them, and that they get them."""

import pytest

from bot.rights.exporting import JSONL, TEXT
from tests.fakes.matrix import Event, Person
from tests.kits.awake import model_server, prompt
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.memory_kit import KEY
from tests.kits.pages import holding
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]


async def test_off_the_record_is_in_no_file_whether_a_conversation_or_one_message(
    at_home: Home, ada: Person, bob: Person
) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        there = await dm(at_home, ada, encrypted=True)
        assert (await at_home.asks(ada, there, "!incognito on")).body.startswith("Off the record from now on")
        answered = await at_home.asks(ada, there, "My doctor is called zanzibar.")
        assert answered.body == "You said: My doctor is called zanzibar." and answered.content["msgtype"] == "m.text"
        await at_home.asks(ada, there, "What is she called?")
        assert "zanzibar" in prompt(lyra.chats[-1])
        assert (await at_home.asks(ada, there, "!incognito off")).body.startswith("From now on I keep what is said to me again")
        room = await room_of(at_home, ada, bob)
        told = await at_home.reads_aside(bob, room, "!incognito once What is a quagga?")
        assert "What is a quagga?" in told.body
        await at_home.asks(ada, room, "And now?", mentions=[at_home.user])
        assert "quagga" not in prompt(lyra.chats[-1])
    assert [holding(at_home.path, KEY, word) for word in ("zanzibar", "quagga")] == [[], []]


async def test_ones_own_words_come_as_files(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        there = await dm(at_home, ada, encrypted=True)
        await at_home.asks(ada, there, "My sister lives in Graz.")
        assert (await at_home.asks(ada, there, "!export")).body.startswith("Here is all of yours, 2 messages")

        def file(event: Event) -> bool:
            return event.sender == at_home.user and event.content.get("msgtype") == "m.file"

        for name, told in ((JSONL, '"content": "My sister lives in Graz."'), (TEXT, "My sister lives in Graz.")):
            sent = await ada.hears(there, lambda event, name=name: file(event) and event.content["filename"] == name)  # type: ignore[misc]
            assert told.encode() in await ada.opens(sent)


@pytest.mark.parametrize("sealed", few([True, False]), ids=few(["encrypted", "plain"]))
async def test_files_with_what_is_forgotten_are_deleted_with_the_message_they_came_with(
    at_home: Home, ada: Person, sealed: bool
) -> None:
    async with at_home.lyra():
        there = await dm(at_home, ada, encrypted=sealed)
        said = await ada.says(there, "My sister lives in Graz.")
        await at_home.answer(ada, there, said)
        await at_home.asks(ada, there, "!export")
        sent = await ada.hears(there, lambda event: event.content.get("filename") == TEXT)
        told = (await at_home.asks(ada, there, "!forget", reply_to=said)).body
        assert "2 messages of mine here came of what is forgotten" in told, "the answer, and the export"
        assert (await at_home.asks(ada, there, "!forget posts")).body == "Deleted: 2 messages of mine."
        assert (await ada.looks_at(there, sent.id)).body == ""
        assert not [event for event in await at_home.said(ada, there) if event.content.get("msgtype") == "m.file"]


async def test_a_topic_is_shown_and_forgotten_with_one_more_word(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        there = await dm(at_home, ada)
        await at_home.asks(ada, there, "I sail in the regatta.")
        shown = (await at_home.asks(ada, there, "!forget about:the regatta since:today")).body
        assert "1 message" in shown and shown.endswith("If it shall, say within ten minutes: !forget shown")
        await at_home.asks(ada, there, "The regatta is on Sunday.")
        assert (await at_home.asks(ada, there, "!forget shown")).body.startswith("Forgotten: 1 message")
        assert (await at_home.asks(ada, there, "!forget shown")).body.startswith("Nothing was shown to you here")
        assert "Sunday" in (await at_home.asks(ada, there, "!recall regatta")).body
