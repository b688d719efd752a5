"""What a Matrix message answers is shown beside it only where everyone who reads the room could read it then."""

import pytest

from adapters.matrix.adapter import Matrix
from adapters.matrix.incoming.references import References
from adapters.matrix.rooms.room import Room
from memory.types import DomainKind
from tests.fakes.matrix.faults import CONTEXT, Refuse
from tests.kits import matrix_knowing
from tests.kits.awake import Awake, prompt
from tests.kits.matrix_knowing import ASKED, CANARY, FACT, Town
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures"]

QUOTED = "The message answers this:"

town = matrix_knowing.town


async def told(town: Town, room: str, *, aside: bool = False) -> str:
    """Let Ada say the fact, to Lyra or to others alone, and return its event's id."""
    ada = await town.person("ada")
    said = await ada.says(room, FACT, mentions=[] if aside else [town.home.user])
    if not aside:
        await town.home.answer(ada, room, said)
    await town.caught_up()
    return said


async def learns(town: Town, who: str, room: str, said: str) -> bool:
    """Let somebody ask about it in reply to an event, and say whether the fact was in what the model was given, or answered."""
    before = len(town.model.requests)
    answer = await town.home.asks(await town.person(who), room, ASKED, mentions=[town.home.user], reply_to=said)
    return any(CANARY in text for text in (*map(prompt, town.model.requests[before:]), answer.body))


async def quoted(town: Town, who: str, room: str, said: str) -> bool:
    """Let somebody ask about it in reply to an event, and say whether that was shown as what the question answers."""
    await learns(town, who, room, said)
    return f"{QUOTED}\n> Ada: {FACT}" in prompt(town.model.requests[-1])


class Unasked(References):
    """The guard switched off."""

    def may_show(self, room: Room, event: str) -> bool:
        """Show everything."""
        return True


class Showing(Matrix):
    references = Unasked


MADE = few([{"encrypted": True}, {"history": "joined"}, {"history": "invited"}], 2)


@pytest.mark.torture
@pytest.mark.parametrize("made", MADE, ids=str)
@pytest.mark.parametrize("aside", [False, True], ids=["said to her", "said to others"])
async def test_who_came_later_learns_nothing_by_replying_to_what_they_could_not_read(
    town: Town, made: dict[str, object], aside: bool
) -> None:
    """She heard it herself; after a restart the homeserver tells who was there. Nor is it told to others, who would let cy know."""
    async with town.lyra():
        room = await town.room("garden", "ada", "bob", **made)
        said = await told(town, room, aside=aside)
        await town.comes("cy", room)
        assert not await learns(town, "cy", room, said)
    async with town.lyra():
        assert not await learns(town, "cy", room, said)
        assert not await learns(town, "ada", room, said)


@pytest.mark.torture
@pytest.mark.parametrize("restarted", [False, True], ids=["at once", "after a restart"])
async def test_without_the_guard_they_would(town: Town, restarted: bool) -> None:
    async with town.lyra(kind=Showing):
        room = await town.room("garden", "ada", "bob", encrypted=True)
        said = await told(town, room, aside=True)
        await town.comes("cy", room)
        assert restarted or await learns(town, "cy", room, said)
    if restarted:
        async with town.lyra(kind=Showing):
            assert await learns(town, "cy", room, said)


@pytest.mark.torture
@pytest.mark.parametrize("made", few([{"encrypted": True}, {"history": "joined"}, {"history": "shared"}], 2), ids=str)
async def test_what_everyone_there_could_read_is_shown_after_a_restart_as_well(town: Town, made: dict[str, object]) -> None:
    async with town.lyra():
        room = await town.room("garden", "ada", "bob", **made)
        said = await told(town, room, aside=True)
        assert await quoted(town, "bob", room, said)
    async with town.lyra():
        assert await quoted(town, "bob", room, said)


@pytest.mark.torture
async def test_what_the_homeserver_does_not_tell_is_not_shown(town: Town) -> None:
    async with town.lyra():
        room = await town.room("garden", "ada", "bob", encrypted=True)
        said = await told(town, room, aside=True)
    async with town.lyra():
        town.home.proxy.faults.script(CONTEXT, Refuse(404, "M_NOT_FOUND"))
        assert not await quoted(town, "bob", room, said)
        assert await quoted(town, "bob", room, said), "and is when it tells"


@pytest.mark.torture
async def test_somebody_who_is_only_asked_in_counts_as_a_reader(town: Town) -> None:
    """What is answered from then on they can read once they come."""
    async with town.lyra():
        room = await town.room("garden", "ada", "bob", encrypted=True)
        said = await told(town, room, aside=True)
    async with town.lyra():
        await (await town.person("ada")).invites(room, (await town.person("cy")).user)
        assert not await learns(town, "bob", room, said)


@pytest.mark.torture
async def test_what_newcomers_could_not_read_stays_so_when_the_history_is_opened(town: Town) -> None:
    async with town.lyra():
        room, ada = await town.room("garden", "ada", "bob", history="joined"), await town.person("ada")
        said = await told(town, room, aside=True)
        await ada.sets(room, "m.room.history_visibility", {"history_visibility": "shared"})
    async with town.lyra():
        assert not await learns(town, "bob", room, said), "whoever comes now would read the answer"
        await town.comes("cy", room)
        assert not await learns(town, "cy", room, said)


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [True, False], ids=["encrypted", "plain"])
async def test_a_third_learns_nothing_of_a_dm_by_replying_in_it(town: Town, encrypted: bool) -> None:
    async with town.lyra():
        room = await town.dm("ada", encrypted=encrypted)
        said = await told(town, room)
        assert await learns(town, "ada", room, said)
        await town.comes("bob", room)
        assert not await learns(town, "bob", room, said)
    async with town.lyra():
        assert not await learns(town, "bob", room, said)


@pytest.mark.torture
async def test_where_an_admin_lets_newcomers_know_it_is_shown_to_them(town: Town) -> None:
    async with town.lyra():
        room = await town.room("garden", "ada", "bob", encrypted=True)
        await town.tells("ada", room, "!settings newcomers on")
        said = await told(town, room, aside=True)
        await town.comes("cy", room)
        assert await quoted(town, "cy", room, said)
        await town.tells("ada", room, "!settings newcomers off")
        assert not await learns(town, "cy", room, said)


async def remembered(town: Town, lyra: Awake, who: str) -> tuple[str, list[str]]:
    """Let somebody have kept what was said before cy came; return what they are told, and what the present conversation holds."""
    room = await town.room("garden", "ada", "bob", encrypted=True)
    said = await told(town, room, aside=True)
    await town.comes("cy", room)
    answer = await town.home.reads_aside(await town.person(who), room, "!remember", reply_to=said)
    await town.asks("cy", room, "hello")
    return answer.body, await lyra.kept(DomainKind.ROOM, room, 1)


@pytest.mark.parametrize("who", few(["cy", "ada"]))
async def test_what_newcomers_could_not_read_is_not_kept_in_the_conversation_with_them(town: Town, who: str) -> None:
    async with town.lyra() as lyra:
        answer, kept = await remembered(town, lyra, who)
        assert "not everyone who reads here could read it" in answer and FACT not in kept


@pytest.mark.torture
async def test_without_the_guard_it_would_be(town: Town) -> None:
    async with town.lyra(kind=Showing) as lyra:
        answer, kept = await remembered(town, lyra, "cy")
        assert answer.startswith("Kept.") and FACT in kept


@pytest.mark.torture
async def test_a_file_that_newcomers_have_no_key_for_is_not_opened_for_them(town: Town) -> None:
    async with town.lyra():
        room, ada = await town.room("garden", "ada", "bob", encrypted=True), await town.person("ada")
        said = await ada.attaches(room, "code.txt", FACT.encode(), "text/plain")
        await town.caught_up()
        await town.comes("cy", room)
        assert not await learns(town, "cy", room, said)
        answer = await town.home.reads_aside(await town.person("cy"), room, "!remember", reply_to=said)
        assert "not everyone who reads here could read it" in answer.body


@pytest.mark.torture
async def test_what_is_not_shown_can_still_be_forgotten_by_replying_to_it(town: Town) -> None:
    async with town.lyra() as lyra:
        room = await town.room("garden", "ada", "bob", encrypted=True)
        said = await told(town, room)
        await town.comes("cy", room)
        await town.home.reads_aside(await town.person("ada"), room, "!forget this", reply_to=said)
        assert FACT not in await lyra.kept(DomainKind.ROOM, room)
