"""Thoughts of hers on Matrix: a notice where somebody wants them, once, with signs to react with."""

from collections.abc import AsyncIterator
from functools import partial

import pytest

from memory.types import DomainKind
from tests.fakes.matrix import Event, People, Person
from tests.fakes.matrix.faults import SYNC
from tests.kits.awake import Awake, model_server
from tests.kits.dream_talk import CURIOUS, dreamt, thoughtful
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

THOUGHT = "Is there something between garden and Graz?"


@pytest.fixture
async def lyra(at_home: Home) -> AsyncIterator[Awake]:
    """Lyra, who has thoughts."""
    async with model_server(thoughtful) as model, at_home.lyra(model, CURIOUS) as lyra:
        yield lyra


async def told(at_home: Home, who: Person, room: str) -> None:
    """Let somebody tell her two things."""
    for text in ("We have a new garden", "My sister moves to Graz"):
        await at_home.asks(who, room, text, mentions=[at_home.user])


async def dreams(lyra: Awake, kind: DomainKind, native_id: str) -> None:
    """Let her dream of a place."""
    await dreamt(lyra, (await lyra.view(kind, native_id)).home)


async def thought(at_home: Home, who: Person, room: str) -> Event:
    """Wait for what she says unasked, and return it."""
    return await who.hears(room, lambda event: event.sender == at_home.user and event.body.startswith(THOUGHT))


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_in_a_dm_that_wants_them_it_is_a_notice_and_its_signs_are_under_it(
    at_home: Home, lyra: Awake, ada: Person, encrypted: bool
) -> None:
    room = await dm(at_home, ada, encrypted=encrypted)
    await told(at_home, ada, room)
    await at_home.asks(ada, room, "!settings reflections on")
    await dreams(lyra, *((DomainKind.ROOM, room) if encrypted else (DomainKind.DM, ada.user)))
    said = await thought(at_home, ada, room)
    assert said.content["msgtype"] == "m.notice"
    signs = [await ada.hears(room, partial(_is_sign, said.id, key)) for key in ("❓", "🔉", "🗑️")]
    assert {one.sender for one in signs} == {at_home.user}
    await lyra.talk.tick()
    assert [one.id for one in await at_home.said(ada, room) if one.body.startswith(THOUGHT)] == [said.id]


@pytest.mark.torture
async def test_it_is_said_in_a_room_where_nothing_happened_since_she_woke(at_home: Home, ada: Person) -> None:
    async with model_server(thoughtful) as model:
        async with at_home.lyra(model, CURIOUS):
            room = await dm(at_home, ada)
            await told(at_home, ada, room)
            await at_home.asks(ada, room, "!settings reflections on")
        async with at_home.lyra(model, CURIOUS):
            await at_home.proxy.waiting(SYNC)  # She has heard all there was, of herself as well.
        async with at_home.lyra(model, CURIOUS) as lyra:
            await dreams(lyra, DomainKind.DM, ada.user)
            await thought(at_home, ada, room)


@pytest.mark.torture
async def test_who_reacts_asks_why_for_less_or_takes_it_away(at_home: Home, lyra: Awake, ada: Person) -> None:
    room = await dm(at_home, ada)
    await told(at_home, ada, room)
    await at_home.asks(ada, room, "!settings reflections on")
    await dreams(lyra, DomainKind.DM, ada.user)
    said = await thought(at_home, ada, room)
    await ada.reacts(room, said.id, "👍")
    await ada.reacts(room, said.id, "❓")
    why = await ada.hears(room, lambda event: event.body.startswith(f'I thought "{THOUGHT}" because of:'))
    assert "We have a new garden" in why.body and "My sister moves to Graz" in why.body
    await ada.reacts(room, said.id, "🔉")
    await ada.hears_text(room, "I say fewer of my thoughts here from now on.")
    await ada.reacts(room, said.id, "🗑")
    await ada.hears_text(room, "I took it back, and forgot it.")
    assert said.id not in [one.id for one in await ada.messages(room)]


@pytest.mark.torture
async def test_a_sign_under_anything_else_means_nothing(at_home: Home, lyra: Awake, ada: Person) -> None:
    room = await dm(at_home, ada)
    answer = await at_home.asks(ada, room, "We have a new garden")
    await ada.reacts(room, answer.id, "🗑️")
    own = await ada.says(room, "My sister moves to Graz")
    await ada.reacts(room, own, "❓")
    await at_home.asks(ada, room, "and that is all")
    assert not [one.body for one in await at_home.said(ada, room) if "thought of mine" in one.body]


@pytest.mark.torture
async def test_in_a_room_its_admins_decide(at_home: Home, lyra: Awake, ada: Person, people: People) -> None:
    bob = await people.person("bob", encrypts=True)
    room = await room_of(at_home, ada, bob)
    await told(at_home, bob, room)
    await dreams(lyra, DomainKind.ROOM, room)
    assert not [one for one in await at_home.said(bob, room) if one.body.startswith(THOUGHT)]
    await at_home.reads_aside(ada, room, "!settings reflections on")
    await lyra.talk.tick()
    await thought(at_home, bob, room)


def _is_sign(target: str, key: str, event: Event) -> bool:
    relation = event.raw["content"].get("m.relates_to", {}) if event.type == "m.reaction" else {}
    return bool(relation) and (relation["event_id"], relation["key"]) == (target, key)
