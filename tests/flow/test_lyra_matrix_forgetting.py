"""People have things forgotten and kept on Matrix: by an id, by a link, in answer to a message, or all at once, each within their rights."""

from urllib.parse import quote

import pytest

from adapters.events import Person as Someone
from adapters.events import Place
from adapters.matrix.adapter import Matrix
from memory.types import DomainKind
from tests.fakes.matrix import People, Person
from tests.kits.awake import Awake, model_server, prompt
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

UNKNOWN = "I keep nothing of that message, and do not look at it again."
LEFT = "1 message of mine here came of what is forgotten and can still be read."
NOT_YOURS = "Only whoever said it, or an admin, can have it forgotten."
NOT_HERE = "There is no message with that id here. Recall it first: every hit shows its id."
ADAS, BOBS = "The harbour party is on Friday.", "The ferry leaves at nine."


@pytest.fixture
async def eve(people: People) -> Person:
    return await people.person("eve", encrypts=True)


class Lawless(Matrix):
    """Takes everybody for somebody who rules the room."""

    async def administers(self, person: Someone, place: Place) -> bool:
        return True


async def tells(at_home: Home, who: Person, room: str, text: str, *, thread: str = "") -> str:
    """Say something to Lyra, wait for her answer, and return what was said."""
    said = await who.says(room, text, mentions=[at_home.user], thread=thread)
    await at_home.answer(who, room, said)
    return said


async def aside(at_home: Home, who: Person, room: str, text: str, *, reply_to: str = "", thread: str = "") -> str:
    """Give a command in a room, and return what is read in the DM, without the word of what it is about."""
    return (await at_home.reads_aside(who, room, text, reply_to=reply_to, thread=thread)).body.rpartition("\n(This is about")[0]


async def public_id(at_home: Home, who: Person, room: str, words: str) -> str:
    """Return the id that !recall shows in a DM of the first hit."""
    return (await at_home.asks(who, room, f"!recall {words}")).body.split("\n")[1].rpartition(" id ")[2]


async def people_said(lyra: Awake, room: str) -> list[str]:
    """Return what the memory of a room holds of people's words."""
    view = await lyra.view(DomainKind.ROOM, room)
    return [message.text async for _, message in view.messages.all() if message.role == "user"]


# One message


@pytest.mark.parametrize(
    ("by", "encrypted"),
    [(by, False) for by in ("id", "link", "encoded link", "address", "reply this")] + [("event", True), ("reply", True)],
)
async def test_a_message_is_forgotten_by_its_id_its_link_or_in_answer_to_it(
    at_home: Home, ada: Person, by: str, encrypted: bool
) -> None:
    async with at_home.lyra() as lyra:
        room = await dm(at_home, ada, encrypted=encrypted)
        said = await tells(at_home, ada, room, "My cat is called Mia.")
        await tells(at_home, ada, room, "The bread needs forty minutes.")
        await at_home.asks(ada, room, "!summarize")
        what = {
            "id": await public_id(at_home, ada, room, "cat") if by == "id" else "",
            "event": said,
            "link": f"https://matrix.to/#/{room}/{said}",
            "encoded link": f"https://matrix.to/#/{quote(room, safe='')}/{quote(said, safe='')}?via=lyra.test",
            "address": f"matrix:roomid/{room[1:]}/e/{said[1:]}",
            "reply": "",
            "reply this": "this",
        }[by]
        answered = said if by.startswith("reply") else ""
        told = (await at_home.asks(ada, room, f"!forget {what}", reply_to=answered)).body
        assert told.startswith("Forgotten: 1 message, 1 reply, ") and "digest" in told
        kept = await lyra.kept(DomainKind.ROOM if encrypted else DomainKind.DM, room if encrypted else ada.user)
        assert kept == ["The bread needs forty minutes.", "Kept."]
        assert "Mia" not in (await at_home.asks(ada, room, "!summarize")).body
        again = (await at_home.asks(ada, room, f"!forget {what}", reply_to=answered)).body
        assert again == (UNKNOWN if answered else NOT_HERE)


@pytest.mark.torture
async def test_what_is_forgotten_has_to_be_named(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room = await dm(at_home, ada)
        told = (await at_home.asks(ada, room, "!forget")).body
        assert told.startswith("!forget needs WHAT: the id or link of a message, or: last, or: session, or: all, or: posts ")
        for said in ("!forget this", "!remember"):
            told = (await at_home.asks(ada, room, said)).body
            assert told == f"{said} is said in answer to the message that it is about."


@pytest.mark.torture
@pytest.mark.parametrize("kind", [Matrix, Lawless])
async def test_in_a_room_one_has_only_ones_own_words_forgotten(
    at_home: Home, ada: Person, bob: Person, kind: type[Matrix]
) -> None:
    async with at_home.lyra(kind=kind) as lyra:
        room = await room_of(at_home, ada, bob)
        adas, bobs = await tells(at_home, ada, room, ADAS), await tells(at_home, bob, room, BOBS)
        assert (await aside(at_home, bob, room, f"!forget {bobs}")).startswith("Forgotten: 1 message")
        assert await people_said(lyra, room) == [ADAS]
        if kind is Lawless:
            assert (await aside(at_home, bob, room, "!forget", reply_to=adas)).startswith("Forgotten: 1 message")
            return
        assert await aside(at_home, bob, room, "!forget", reply_to=adas) == NOT_YOURS
        assert await aside(at_home, bob, room, f"!forget https://matrix.to/#/{room}/{adas}") == NOT_YOURS
        assert await people_said(lyra, room) == [ADAS]


@pytest.mark.torture
async def test_who_rules_a_room_has_anybodys_words_forgotten(at_home: Home, ada: Person, bob: Person, eve: Person) -> None:
    async with at_home.lyra() as lyra:
        room = await room_of(at_home, ada, bob, eve, version="10")
        said = [await tells(at_home, bob, room, text) for text in (BOBS, "The mill is for sale.")]
        assert await aside(at_home, eve, room, "!forget this", reply_to=said[0]) == NOT_YOURS
        assert (await aside(at_home, ada, room, "!forget this", reply_to=said[0])).startswith("Forgotten: 1 message")
        await ada.sets_power(room, eve.user, 50)
        # From within a thread, too.
        root = await tells(at_home, eve, room, "I am an admin now.")
        told = await aside(at_home, eve, room, f"!forget {said[1]}", thread=root)
        assert told.startswith("Forgotten: 1 message")
        assert await people_said(lyra, room) == ["I am an admin now."]


@pytest.mark.torture
async def test_her_answer_is_forgotten_by_whom_she_answered_alone(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server(lambda request: "On Friday at eight.") as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        said = await ada.says(room, "When is the harbour party?", mentions=[at_home.user])
        hers = (await at_home.answer(ada, room, said)).id
        assert await aside(at_home, bob, room, "!forget", reply_to=hers) == NOT_YOURS
        told = await aside(at_home, ada, room, "!forget", reply_to=hers)
        assert told == f'Forgotten: 1 reply. {LEFT} To delete it, say in "Garden": !forget posts'
        assert await lyra.kept(DomainKind.ROOM, room) == ["When is the harbour party?"]


@pytest.mark.torture
async def test_nobody_forgets_from_elsewhere(at_home: Home, ada: Person, bob: Person) -> None:
    async with at_home.lyra() as lyra:
        room = await room_of(at_home, ada, bob)
        other, private = await room_of(at_home, ada, bob, name="Attic"), await dm(at_home, ada)
        said = await tells(at_home, ada, room, ADAS)
        number = (await aside(at_home, ada, room, "!recall harbour")).split("\n")[1].rpartition(" id ")[2]
        for what in (number, said, f"https://matrix.to/#/{room}/{said}"):
            assert await aside(at_home, ada, other, f"!forget {what}") == NOT_HERE
            assert (await at_home.asks(ada, private, f"!forget {what}")).body == NOT_HERE
        assert await people_said(lyra, room) == [ADAS]


# Many messages


@pytest.mark.torture
@pytest.mark.parametrize("what", few(["session", "all"]))
async def test_in_a_dm_a_conversation_or_everything_is_forgotten_after_a_yes(at_home: Home, ada: Person, what: str) -> None:
    async with at_home.lyra() as lyra:
        room = await dm(at_home, ada)
        await tells(at_home, ada, room, "My cat is called Mia.")
        await at_home.asks(ada, room, "!new garden")
        await tells(at_home, ada, room, "The tulips are red.")
        question = {
            "session": 'Forget all 2 messages of "garden", for good? Then say: !forget session yes',
            "all": "Forget everything in 2 conversations, for good? Then say: !forget all yes",
        }[what]
        assert (await at_home.asks(ada, room, f"!forget {what.upper()}")).body == question
        assert len(await lyra.kept(DomainKind.DM, ada.user)) == 4
        assert (await at_home.asks(ada, room, f"!forget {what} yes")).body.startswith("Forgotten: ")
        left = ["My cat is called Mia.", "Kept."] if what == "session" else []
        assert await lyra.kept(DomainKind.DM, ada.user) == left


@pytest.mark.torture
async def test_in_a_room_everything_is_everything_of_ones_own_and_for_an_admin_everybodys(
    at_home: Home, ada: Person, bob: Person
) -> None:
    async with at_home.lyra() as lyra:
        room, private = await room_of(at_home, ada, bob), await dm(at_home, bob)
        await tells(at_home, bob, private, "My cat is called Mia.")
        await tells(at_home, ada, room, ADAS)
        root = await tells(at_home, bob, room, BOBS)
        await tells(at_home, bob, room, "It is the last one.", thread=root)
        assert await aside(at_home, bob, room, "!forget all") == (
            'Forget all that you said here, in every conversation, for good? Then say in "Garden": !forget all yes'
        )
        assert (await aside(at_home, bob, room, "!forget all Sí")).startswith("Forgotten: 2 messages")
        assert await people_said(lyra, room) == [ADAS]
        assert await aside(at_home, ada, room, "!forget session") == (
            'Forget all 2 messages of "Garden", for good? Then say in "Garden": !forget session yes'
        )
        assert (await aside(at_home, ada, room, "!forget session yes")).startswith("Forgotten: 1 message")
        assert await people_said(lyra, room) == []
        assert "My cat is called Mia." in await lyra.kept(DomainKind.DM, bob.user)


# Remember this


@pytest.mark.torture
async def test_a_message_is_kept_on_purpose_with_its_author(at_home: Home, ada: Person, bob: Person) -> None:
    async with at_home.lyra() as lyra:
        room = await room_of(at_home, ada, bob)
        said = await bob.says(room, BOBS)
        assert await aside(at_home, ada, room, "!remember this", reply_to=said) == "Kept."
        found = await aside(at_home, ada, room, "!recall ferry")
        assert f"1. {BOBS}\n    Bob, today at " in found and f"https://matrix.to/#/{room}/{said}" in found
        assert await aside(at_home, ada, room, "!remember", reply_to=said) == "I have that already."
        assert await people_said(lyra, room) == [BOBS]
        # In a thread it is the same message.
        root = await tells(at_home, ada, room, ADAS)
        assert await aside(at_home, ada, room, "!remember", reply_to=said, thread=root) == "I have that already."
        assert await aside(at_home, bob, room, "!forget", reply_to=said) == "Forgotten: 1 message."
        assert await aside(at_home, ada, room, "!remember", reply_to=said) == "That message was forgotten, and stays so."
        assert await people_said(lyra, room) == [ADAS]


@pytest.mark.torture
async def test_a_file_is_kept_with_what_it_says_and_forgotten_in_answer_to_it(at_home: Home, ada: Person, bob: Person) -> None:
    async with at_home.lyra() as lyra:
        room = await room_of(at_home, ada, bob)
        said = await bob.attaches(room, "notes.txt", b"The key is under the mat.", "text/plain")
        assert await aside(at_home, ada, room, "!remember", reply_to=said) == "Kept."
        assert await people_said(lyra, room) == ["[file notes.txt]\nThe key is under the mat."]
        assert await aside(at_home, bob, room, "!forget", reply_to=said) == "Forgotten: 1 message."
        assert await people_said(lyra, room) == []


@pytest.mark.torture
async def test_a_file_that_is_answered_is_shown_to_the_model_once_by_its_name(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        said = await bob.attaches(room, "notes.txt", b"The key is under the mat.", "text/plain")
        await at_home.asks(ada, room, "What is this?", mentions=[at_home.user], reply_to=said)
        assert prompt(lyra.chats[-1]).count("[notes.txt]") == 1


@pytest.mark.torture
async def test_nothing_is_kept_of_who_told_her_to_stop(at_home: Home, ada: Person, bob: Person) -> None:
    async with at_home.lyra() as lyra:
        room = await room_of(at_home, ada, bob)
        said = await bob.says(room, BOBS)
        await aside(at_home, bob, room, "!privacy stop")
        assert await aside(at_home, ada, room, "!remember", reply_to=said) == "Bob told me to keep nothing of theirs."
        await aside(at_home, bob, room, "!privacy resume")
        assert await aside(at_home, ada, room, "!remember", reply_to=said) == "Kept."
        assert await people_said(lyra, room) == [BOBS]
