"""What was said before a question: as it stands now, of that place alone, and only what whoever asks could read."""

import asyncio

import pytest

from adapters.events import Person as Someone
from adapters.matrix.incoming.history import before
from adapters.message_parts import Quote
from tests.fakes.matrix import Lost, People, Person, Status
from tests.fakes.matrix.contents import edit, related, text
from tests.fakes.matrix.faults import MESSAGES
from tests.kits.matrix_speech import Desk, Town, key_of, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]


async def quotes(
    it: Desk, room: str, message: str = "", n: int = 50, *, thread: str = "", reader: Person | None = None
) -> list[Quote]:
    """Return what was said before a message."""
    person = Someone("matrix", reader.user, "somebody") if reader else None
    return list(await before(it.client, it.rooms, key_of(room, thread), message, n, person))


async def texts(
    it: Desk, room: str, message: str = "", n: int = 50, *, thread: str = "", reader: Person | None = None
) -> list[str]:
    """Return the words of what was said before a message."""
    return [one.text for one in await quotes(it, room, message, n, thread=thread, reader=reader)]


async def comes(it: Desk, host: Person, room: str, guest: Person) -> None:
    """Let somebody come into a room, and Lyra notice."""
    await host.invites(room, guest.user)
    await guest.accepts(room)
    await it.knows(room, lambda: membership(it, room, guest) == "join")


def membership(it: Desk, room: str, person: Person) -> str:
    """Return what Lyra knows of somebody in a room."""
    found = it.rooms.room(room)
    return found.state.membership(person.user) if found else ""


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [False, True])
async def test_what_was_said_before_a_message_is_read_in_order(town: Town, ada: Person, bob: Person, encrypted: bool) -> None:
    async with town.beside(ada, bob, encrypted=encrypted) as (it, room):
        for number in range(4):
            await (ada, bob)[number % 2].says(room, f"number {number}")
        await it.sender.send(part(room, "I see."))
        question = await bob.says(room, "what now?")
        await ada.says(room, "later")
        found = await quotes(it, room, question, 3)
        assert [(one.speaker, one.text, one.own) for one in found] == [
            ("Ada", "number 2", False),
            ("Bob", "number 3", False),
            ("Lyra", "I see.", True),
        ]
        assert [one.said_at for one in found] == sorted(one.said_at for one in found)
        assert await texts(it, room, "", 2) == ["what now?", "later"]


@pytest.mark.parametrize("encrypted", [False, True])
async def test_edits_count_and_what_was_taken_back_does_not(town: Town, ada: Person, bob: Person, encrypted: bool) -> None:
    async with town.beside(ada, bob, encrypted=encrypted) as (it, room):
        changed, gone = await ada.says(room, "at noon"), await ada.says(room, "the code is 1")
        await ada.edits(room, changed, "at nine")
        await ada.edits(room, gone, "the code is 12")
        undone = await ada.says(room, "at the door")
        mistake = await ada.edits(room, undone, "at the window")
        question = await ada.says(room, "when and where?")
        await ada.edits(room, changed, "at **ten**")
        await bob.sends(room, "m.room.message", edit(changed, text("at midnight")))
        await ada.redacts(room, gone)
        await ada.redacts(room, mistake)
        assert await texts(it, room, question) == ["at **ten**", "at the door"]


async def test_a_thread_is_read_with_its_root_and_the_timeline_without_threads(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        root, other = await ada.says(room, "plans"), await ada.says(room, "other plans")
        inside = await ada.says(room, "tea?", thread=root)
        await ada.says(room, "not here", thread=other)
        await ada.edits(room, inside, "cake?")
        question = await ada.says(room, "what now?", thread=root)
        assert await texts(it, room, question, thread=root) == ["plans", "cake?"]
        assert await texts(it, room) == ["plans", "other plans"]


@pytest.mark.torture
@pytest.mark.parametrize("taken_back", [False, True])
async def test_nothing_older_than_a_thread_is_read_for_it(town: Town, ada: Person, taken_back: bool) -> None:
    async with town.beside(ada) as (it, room):
        await asyncio.gather(*(ada.sends(room, "m.room.message", text("more"), plain=True) for _ in range(110)))
        root = await ada.says(room, "plans")
        await ada.says(room, "which ones?", thread=root)
        if taken_back:
            await ada.redacts(room, root)
        assert await texts(it, room, thread=root) == ([] if taken_back else ["plans"]) + ["which ones?"]
        assert len(it.proxy.calls(MESSAGES)) == 1


@pytest.mark.torture
async def test_files_and_emotes_are_told_and_reactions_are_not(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        await ada.attaches(room, "cat.png", b"PNG", "image/png", caption="my cat")
        await ada.attaches(room, "all.zip", b"PK", "application/zip")
        said = await ada.says(room, "waves", kind="m.emote")
        await ada.reacts(room, said, "👋")
        await ada.sends(room, "m.room.message", {"msgtype": "org.example.game", "body": "moves"})
        await ada.sends(room, "m.room.message", {"msgtype": 7, "body": {}})
        assert await texts(it, room) == ["[cat.png] my cat", "[all.zip]", "* Ada waves"]


@pytest.mark.torture
async def test_a_message_that_is_not_there_has_nothing_before_it(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        await ada.says(room, "hello")
        assert await texts(it, room, "$nothing") == []


@pytest.mark.torture
async def test_more_than_one_page_is_read(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        first = await ada.says(room, "the first")
        await asyncio.gather(*(ada.sends(room, "m.room.message", text("more"), plain=True) for _ in range(120)))
        await ada.edits(room, first, "the very first")
        assert (await texts(it, room, n=200))[0] == "the very first"


async def test_pages_grow_where_words_are_far_apart(town: Town, ada: Person) -> None:
    """What is between the words, here in a thread, is read as well, and the homeserver takes its time for each page."""
    async with town.beside(ada) as (it, room):
        first = await ada.says(room, "the first")
        aside = related(text("more"), thread=first)
        await asyncio.gather(*(ada.sends(room, "m.room.message", aside, plain=True) for _ in range(210)))
        read = len(it.proxy.calls(MESSAGES))
        assert await texts(it, room) == ["the first"]
        assert len(it.proxy.calls(MESSAGES)) - read == 3


@pytest.mark.parametrize("history", ["invited", "joined"])
async def test_nobody_is_told_what_was_said_before_they_came(
    people: People, town: Town, ada: Person, bob: Person, history: str
) -> None:
    async with town.beside(ada, history=history) as (it, room):
        await ada.says(room, "between us")
        await comes(it, ada, room, bob)
        await ada.says(room, "welcome")
        assert await texts(it, room, reader=bob) == ["welcome"]
        assert await texts(it, room, reader=ada) == ["between us", "welcome"]
        # What is answered in the room is read by both.
        assert await texts(it, room) == ["welcome"]
        it.rooms.waived = lambda _: True
        assert await texts(it, room) == ["between us", "welcome"]
        assert await texts(it, room, reader=bob) == ["welcome"]
        eve = await people.person("eve")
        assert await texts(it, room, reader=eve) == []


@pytest.mark.torture
async def test_where_newcomers_can_read_history_they_are_told(town: Town, ada: Person, bob: Person) -> None:
    async with town.beside(ada, history="shared") as (it, room):
        await ada.says(room, "for everyone")
        await comes(it, ada, room, bob)
        assert await texts(it, room, reader=bob) == await texts(it, room) == ["for everyone"]


@pytest.mark.torture
async def test_without_keys_newcomers_are_told_nothing_of_before(town: Town, ada: Person, bob: Person) -> None:
    async with town.beside(ada, history="shared", encrypted=True) as (it, room):
        said = await ada.says(room, "between us")
        await comes(it, ada, room, bob)
        assert (await bob.looks_at(room, said)).trouble == "no key"
        await ada.says(room, "welcome")
        assert ada.keys
        sender, session = ada.keys._olm.account.identity_keys["curve25519"], ada.keys._olm.outbound_group_sessions[room].id
        await it.ears.pulse.until(lambda: it.client.olm.inbound_group_store.get(room, sender, session), "the key of what is new")
        assert await texts(it, room, reader=bob) == await texts(it, room) == ["welcome"]
        assert await texts(it, room, reader=ada) == ["between us", "welcome"]


async def test_what_was_hidden_then_stays_hidden_when_history_is_opened(town: Town, ada: Person, bob: Person) -> None:
    async with town.beside(ada, history="joined") as (it, room):
        await ada.says(room, "hidden")
        await ada.sets(room, "m.room.history_visibility", {"history_visibility": "shared"})
        await ada.says(room, "open")
        await comes(it, ada, room, bob)
        assert await texts(it, room, reader=bob) == await texts(it, room) == ["open"]


@pytest.mark.torture
async def test_who_was_away_is_told_what_was_said_while_they_were_there(town: Town, ada: Person, bob: Person) -> None:
    async with town.beside(ada, bob, history="joined") as (it, room):
        await ada.says(room, "together")
        await bob.leaves(room)
        await ada.says(room, "alone")
        await comes(it, ada, room, bob)
        await ada.says(room, "again")
        assert await texts(it, room, reader=bob) == ["together", "again"]


@pytest.mark.torture
async def test_who_left_is_told_nothing(town: Town, ada: Person, bob: Person) -> None:
    async with town.beside(ada, bob, history="shared") as (it, room):
        await ada.says(room, "hello")
        await bob.leaves(room)
        await it.knows(room, lambda: membership(it, room, bob) == "leave")
        assert await texts(it, room, reader=bob) == [] and await texts(it, room, reader=ada) == ["hello"]


@pytest.mark.torture
async def test_who_came_a_moment_ago_counts(town: Town, ada: Person, bob: Person) -> None:
    async with town.beside(ada, history="joined") as (it, room):
        await ada.says(room, "between us")
        it.proxy.faults.always("GET /sync", Status(502))
        it.proxy.cut("GET /sync")
        await ada.invites(room, bob.user)
        await bob.accepts(room)
        assert membership(it, room, bob) != "join" and await texts(it, room) == []


@pytest.mark.torture
async def test_what_she_cannot_read_now_is_nothing(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        await ada.says(room, "hello")
        it.rooms.unsettle([room])
        assert await texts(it, room) == [] and await texts(it, "!elsewhere") == []


@pytest.mark.torture
@pytest.mark.parametrize("fault", [Status(502), Lost(accepted=False)])
async def test_a_history_out_of_reach_is_nothing(town: Town, ada: Person, fault: Status | Lost) -> None:
    async with town.beside(ada) as (it, room):
        await ada.says(room, "hello")
        it.proxy.faults.always(MESSAGES, fault)
        assert await texts(it, room) == []
