"""What people take back and edit on Matrix while Lyra is away, and rooms that she is put out of meanwhile.

A sync brings redactions and edits from where she stopped, but only so many of them are read back: the rest is looked up.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence

import pytest
from nio import AsyncClient

from adapters.base import Presence
from adapters.matrix.incoming.backfill import Backfill
from memory.types import DomainKind
from tests.fakes.matrix import People, Person
from tests.fakes.matrix.faults import CONTEXT, Refuse
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE
from tests.flow.test_lyra_matrix_forgotten_words import CODE, IGNORANT, REPEATED, TOLD, asked_again, holds
from tests.kits.awake import Awake, prompt
from tests.kits.comparing import busy, compared
from tests.kits.discord_knowing import Thoughtful, everything
from tests.kits.matrix_changes import SEALED, Narrow, kept
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_changes_fixtures"]

DOWN = pytest.mark.parametrize("down", [False, True], ids=["while she listens", "while she is down"])
SECRET = "the safe is behind the picture"


class Short(Backfill):
    """Reads no more than ten events back."""

    def __init__(self, client: AsyncClient) -> None:
        super().__init__(client, 10)


class Hasty(Narrow):
    """Is told five events at once, and reads ten back."""

    gaps = Short


class Blind(Hasty):
    """The same, and never looks into a history."""

    async def message_presences(self, place: str, ids: Sequence[str], *, patient: bool = False) -> Mapping[str, Presence]:
        return {}


async def changed_unheard(at_home: Home, ada: Person, room: str, model: Thoughtful) -> None:
    """Let things be said to her; then, while she is down, be taken back and edited, and so much more be said that she cannot
    read back so far."""
    async with at_home.lyra(model):
        said = []
        for words in (SECRET, "the door is green", "the cat is called Turing", "the key is under the rug"):
            said.append(await ada.says(room, words))
            await at_home.answer(ada, room, said[-1])
        undone = await ada.edits(room, said[3], "the key is under the stone")
        await at_home.asks(ada, room, "so far so good?")
    await ada.redacts(room, said[0])
    await ada.edits(room, said[1], "the door is blue")
    await ada.redacts(room, undone)
    for number in range(20):
        await ada.says(room, f"remark {number}")


@pytest.mark.torture
@SEALED
async def test_what_lies_behind_more_than_she_reads_back_is_looked_up(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool
) -> None:
    room = await dm_of(at_home, ada, model, sealed)
    await changed_unheard(at_home, ada, room, model)
    async with at_home.lyra(model, kind=Hasty) as lyra:
        await compared(lyra, "matrix")
        left = "\n".join(await kept(lyra, ada, room, sealed))
        assert "picture" not in left and "green" not in left and "stone" not in left
        assert "the door is blue" in left and "Turing" in left and "under the rug" in left


@pytest.mark.torture
async def test_without_a_look_it_would_stay(at_home: Home, ada: Person, model: Thoughtful) -> None:
    room = await dm_of(at_home, ada, model, sealed=False)
    await changed_unheard(at_home, ada, room, model)
    async with at_home.lyra(model, kind=Blind) as lyra:
        await compared(lyra, "matrix")
        assert SECRET in (left := await kept(lyra, ada, room)) and "the door is green" in left


@pytest.mark.torture
@pytest.mark.parametrize("kind", [Hasty, Blind], ids=["looked up", "without a look"])
@pytest.mark.parametrize("how", few(["redacted", "edited"], 2))
async def test_an_answer_that_repeats_what_was_only_shown_goes_where_that_was_taken_back_unheard(
    at_home: Home, ada: Person, people: People, how: str, kind: type[Hasty]
) -> None:
    bob = await people.person("bob")
    async with OpenAIServer(lambda request: REPEATED if CODE in prompt(request) else IGNORANT) as model:
        async with at_home.lyra(model) as lyra:
            room = await room_of(at_home, ada, bob)
            aside = await bob.says(room, TOLD)
            assert await asked_again(at_home, lyra, ada, room)
        await (bob.redacts(room, aside) if how == "redacted" else bob.edits(room, aside, "never mind"))
        for number in range(20):
            await ada.says(room, f"remark {number}")
        async with at_home.lyra(model, kind=kind) as lyra:
            await compared(lyra, "matrix")
            assert (await holds(lyra, DomainKind.ROOM, room) == []) is (kind is Hasty)
            assert not await asked_again(at_home, lyra, ada, room), "what cannot be looked up does not come up"


@pytest.mark.torture
async def test_what_cannot_be_looked_up_stays_kept_and_is_left_out_until_it_can(
    at_home: Home, ada: Person, model: Thoughtful
) -> None:
    room = await dm_of(at_home, ada, model, sealed=False)
    await changed_unheard(at_home, ada, room, model)
    async with at_home.lyra(model, kind=Blind, changed=busy) as lyra:
        assert "nothing" in (await at_home.asks(ada, room, "!recall Turing")).body
        assert "the cat is called Turing" in await kept(lyra, ada, room)
    async with at_home.lyra(model, kind=Hasty, changed=busy):
        assert "Turing" in (await at_home.asks(ada, room, "!recall Turing")).body


@pytest.mark.torture
async def test_an_event_that_the_homeserver_does_not_have_any_more_does_not_count_as_taken_back(
    at_home: Home, ada: Person, model: Thoughtful
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        said = await ada.says(room, SECRET)
        await at_home.answer(ada, room, said)
        place = json.dumps(["", room, ""])
        assert (await lyra.adapter.message_presences(place, [said]))[said].text == SECRET
        at_home.proxy.faults.script(CONTEXT, Refuse(404, "M_NOT_FOUND"))
        assert await lyra.adapter.message_presences(place, [said]) == {}
        await ada.redacts(room, said)
        assert (await lyra.adapter.message_presences(place, [said]))[said] == Presence(there=False)


@pytest.mark.torture
async def test_where_everything_was_heard_nothing_is_looked_up(at_home: Home, ada: Person, model: Thoughtful) -> None:
    room = await dm_of(at_home, ada, model, sealed=False)
    async with at_home.lyra(model):
        said = await ada.says(room, SECRET)
        await at_home.answer(ada, room, said)
    await ada.redacts(room, said)
    async with at_home.lyra(model) as lyra:
        await at_home.asks(ada, room, "hello again")
        await compared(lyra, "matrix")
        assert SECRET not in await kept(lyra, ada, room)
    assert at_home.proxy.calls(CONTEXT) == []


async def dm_of(at_home: Home, ada: Person, model: Thoughtful, sealed: bool) -> str:
    async with at_home.lyra(model):
        room = await dm(at_home, ada, encrypted=sealed)
        await at_home.asks(ada, room, "hello")
    return room


# Rooms that are left


async def withheld(lyra: Awake, room: str) -> None:
    """Wait until what was said in a room is withheld."""
    rows = "SELECT 1 AS yes FROM vanished WHERE prefix = :prefix AND withheld = 1"
    async with asyncio.timeout(PATIENCE):
        while not await lyra.app.memory.db.one(rows, {"prefix": json.dumps(["", room])}):
            await asyncio.sleep(0.01)


@pytest.mark.torture
@DOWN
@pytest.mark.parametrize("how", ["put out", "left and forgotten"])
async def test_what_was_said_in_a_room_that_she_is_in_no_more_is_withheld_and_its_admin_may_keep_it(
    at_home: Home, people: People, ada: Person, model: Thoughtful, how: str, down: bool
) -> None:
    bob = await people.person("bob")

    async def put_out() -> None:
        if how == "put out":
            await ada.kicks(room, at_home.user)
        else:
            await at_home.owner.leaves(room)
            await at_home.owner.forgets(room)

    async with at_home.lyra(model) as lyra:
        own, his = await dm(at_home, ada), await dm(at_home, bob)
        room = await room_of(at_home, ada, bob, name="Garden")
        for who, place in ((ada, own), (bob, his)):
            await at_home.asks(who, place, "hello")
        await at_home.asks(ada, room, SECRET, mentions=[at_home.user])
        if not down:
            await put_out()
            await withheld(lyra, room)
    if down:
        await put_out()
    async with at_home.lyra(model) as lyra:
        await withheld(lyra, room)
        assert SECRET not in await everything(lyra)
        notice = await ada.hears(own, lambda event: "!privacy keep" in event.body)
        assert notice.body.startswith("Garden is gone, or I am not in it any more.")
        assert "Nothing that you ruled" in (await at_home.asks(bob, his, "!privacy keep Garden")).body
        assert (await at_home.asks(ada, own, "!privacy keep garden")).body == "Kept: 2 messages from Garden."
        assert SECRET in await everything(lyra)
        assert not [one for one in await at_home.said(bob, his) if "Garden is gone" in one.body]
    async with at_home.lyra(model) as lyra:
        await at_home.asks(ada, own, "hello again")
        assert SECRET in await everything(lyra) and await lyra.app.memory.disappearance.vanished("matrix") == []


@pytest.mark.torture
@DOWN
async def test_a_room_that_went_on_elsewhere_is_not_withheld(
    at_home: Home, people: People, ada: Person, model: Thoughtful, down: bool
) -> None:
    bob = await people.person("bob")
    async with at_home.lyra(model) as lyra:
        own = await dm(at_home, ada)
        room = await room_of(at_home, ada, bob, name="Garden", version="10")
        await at_home.asks(ada, room, SECRET, mentions=[at_home.user])
        await ada.upgrades(room, "12")
        if not down:
            await ada.kicks(room, at_home.user)
        await at_home.asks(ada, own, "hello")
        assert SECRET in await everything(lyra)
    if down:
        await ada.kicks(room, at_home.user)
    async with at_home.lyra(model) as lyra:
        await at_home.asks(ada, own, "hello again")
        assert SECRET in await everything(lyra) and await lyra.app.memory.disappearance.vanished("matrix") == []


async def test_what_somebody_takes_back_while_her_account_ignores_them_is_gone_once_it_does_not(
    at_home: Home, people: People, ada: Person, model: Thoughtful
) -> None:
    bob = await people.person("bob")

    async def ignores(*users: str) -> None:
        content: dict[str, object] = {"ignored_users": {user: {} for user in users}}
        await at_home.owner.client.call("PUT", "user", at_home.user, "account_data", "m.ignored_user_list", body=content)

    async with at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        said = await bob.says(room, SECRET, mentions=[at_home.user])
        await at_home.answer(bob, room, said)
        await ignores(bob.user)
        await bob.redacts(room, said)
        await at_home.asks(ada, room, "what is behind the picture?", mentions=[at_home.user])
        assert SECRET in prompt(lyra.chats[-1]), "the homeserver told her nothing of it"
    async with at_home.lyra(model) as lyra:
        await ignores()
        await at_home.asks(ada, room, "and what is behind the picture now?", mentions=[at_home.user])
        assert SECRET not in prompt(lyra.chats[-1])
