"""Who reads a Matrix room changes: a new conversation begins, and nothing of the old one is read any more."""

from collections.abc import Awaitable, Callable

import pytest

from adapters.matrix.adapter import Matrix
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms
from bot.conversation.domain_access import DomainAccess
from memory.types import DomainKind
from tests.fakes.matrix import Status
from tests.fakes.matrix.faults import SEND
from tests.kits import matrix_knowing
from tests.kits.awake import Awake, prompt
from tests.kits.matrix_changes import followed
from tests.kits.matrix_knowing import ASKED, CANARY, FACT, Everything, Town, Unguarded
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures"]

MOVED = "Who can read this place changed while I was at your question"
Change = Callable[[], Awaitable[None]]
Begun = Callable[[Town], Awaitable[tuple[str, Change]]]

town = matrix_knowing.town


def roles(town: Town) -> list[str]:
    return [message["role"] for message in town.model.requests[-1].messages]


# A third in a DM


@pytest.mark.torture
async def test_a_third_who_is_only_invited_makes_a_dm_a_room_that_knows_nothing_of_it(town: Town) -> None:
    ada, bob = await town.person("ada"), await town.person("bob")
    async with town.lyra() as lyra:
        room = await town.dm("ada")
        await town.asks("ada", room, FACT)
        await ada.invites(room, bob.user)
        asked = await town.asks("ada", room, ASKED)
        assert CANARY not in prompt(town.model.requests[-1]) and roles(town) == ["system", "user"]
        assert await lyra.kept(DomainKind.ROOM, room, 1) == [ASKED, asked.body]
        assert CANARY not in await town.tells("ada", room, "!recall locker")
        assert CANARY not in await town.tells("ada", room, "!summarize")
        assert FACT in await lyra.kept(DomainKind.DM, ada.user)


@pytest.mark.torture
async def test_a_dm_that_was_a_room_never_is_a_dm_again(town: Town) -> None:
    ada, bob = await town.person("ada"), await town.person("bob")
    async with town.lyra():
        room = await town.dm("ada")
        await town.asks("ada", room, FACT)
        await ada.invites(room, bob.user)
        await bob.is_invited(room)
        await bob.leaves(room)
        await town.caught_up()
        assert not await town.leaks("ada", room)
    async with town.lyra() as lyra:
        assert not await town.leaks("ada", room)
        assert len(await lyra.kept(DomainKind.ROOM, room, 1)) == 4
        assert await town.leaks("ada", await town.dm("ada")), "what is hers she finds in any DM"


class _Forgiving(Room):
    @property
    def is_direct(self) -> bool:
        return bool(self.alone) and not self.record.encrypted


class _Forgetful(Rooms):
    async def meet(self, room_id: str, since: str) -> Room:
        found = await super().meet(room_id, since)
        return found if isinstance(found, _Forgiving) else _Forgiving(found.id, found.me, None, self.waived, lambda room: False)


class _Lenient(Matrix):
    rooms = _Forgetful


@pytest.mark.torture
async def test_if_rooms_did_not_remember_a_third_it_would_be(town: Town) -> None:
    ada, bob = await town.person("ada"), await town.person("bob")
    async with town.lyra(kind=_Lenient):
        room = await town.dm("ada")
        await town.asks("ada", room, FACT)
        await ada.invites(room, bob.user)
        await bob.is_invited(room)
        await bob.leaves(room)
        await town.caught_up()
        assert await town.leaks("ada", room)


@pytest.mark.torture
async def test_without_the_guard_the_room_would_know_what_was_said_in_private(town: Town) -> None:
    ada, bob = await town.person("ada"), await town.person("bob")
    async with town.lyra(domains=Everything):
        room = await town.dm("ada")
        await town.asks("ada", room, FACT)
        await ada.invites(room, bob.user)
        assert await town.leaks("ada", room)


# A newcomer in a room


async def is_told_to_cy(town: Town, room: str) -> list[str]:
    """Return in which ways somebody who just came learns what was said before."""
    found = ["an answer"] if await town.leaks("cy", room) else []
    commands = ("!recall locker number", "!summarize", "!summarize last:50")
    return found + [command for command in commands if CANARY in await town.tells("cy", room, command)]


@pytest.mark.parametrize(
    "made", few([{"history": "joined"}, {"history": "shared", "encrypted": True}, {"history": "invited"}], 2), ids=str
)
async def test_who_joins_and_cannot_read_what_was_said_is_not_told(town: Town, made: dict[str, object]) -> None:
    async with town.lyra() as lyra:
        room = await town.room("garden", "ada", "bob", **made)
        await town.asks("ada", room, FACT)
        await (await town.person("bob")).says(room, f"by the way, {FACT}, too")
        await town.comes("cy", room)
        assert await is_told_to_cy(town, room) == []
        assert FACT in await lyra.kept(DomainKind.ROOM, room)
        assert (await lyra.kept(DomainKind.ROOM, room, 1))[0] == ASKED
        assert not await town.leaks("ada", room), "nor is it told to others there, who would let cy know"


@pytest.mark.torture
async def test_newcomers_who_come_one_after_another_make_one_greeting(town: Town) -> None:
    async with town.lyra() as lyra:
        room = await town.room("garden", "ada", "bob", history="joined")
        await town.asks("ada", room, "hello")
        for name in ("cy", "dan"):
            await town.comes(name, room)
            await town.asks("ada", room, f"{name} is new here")
        assert await lyra.kept(DomainKind.ROOM, room, 2)
        said = [one.body for one in await town.home.said(await town.person("ada"), room)]
        assert sum(text.startswith("Hello, I am Lyra") for text in said) == 1


@pytest.mark.torture
@pytest.mark.parametrize("history", few(["shared", "world_readable"]))
async def test_who_joins_and_can_read_everything_is_told(town: Town, history: str) -> None:
    async with town.lyra() as lyra:
        room = await town.room("garden", "ada", "bob", history=history)
        await town.asks("ada", room, FACT)
        await town.comes("cy", room)
        assert {"an answer", "!recall locker number", "!summarize last:50"} <= set(await is_told_to_cy(town, room))
        assert (await lyra.kept(DomainKind.ROOM, room))[-2] == ASKED


@pytest.mark.torture
@pytest.mark.parametrize(("made", "in_a_thread"), few([({"history": "joined"}, True), ({"encrypted": True}, False)]), ids=str)
async def test_an_admin_can_let_newcomers_know_and_nobody_else_can(
    town: Town, made: dict[str, object], in_a_thread: bool
) -> None:
    async with town.lyra() as lyra:
        room = await town.room("garden", "ada", "bob", **made)
        thread = await (await town.person("ada")).says(room, "in a thread") if in_a_thread else ""
        assert "Only those who run this place" in await town.tells("bob", room, "!settings newcomers on", thread)
        assert (await town.tells("ada", room, "!settings newcomers on", thread)).startswith("newcomers: on")
        await town.asks("ada", room, FACT)
        await town.comes("cy", room)
        assert await town.leaks("cy", room)
        await town.tells("ada", room, "!settings newcomers off", thread)
        await town.comes("dan", room)
        assert not await town.leaks("dan", room)
        assert len(await lyra.kept(DomainKind.ROOM, room, 1)) == 2


@pytest.mark.torture
async def test_without_the_guard_newcomers_would_know(town: Town) -> None:
    async with town.lyra(domains=Everything):
        room = await town.room("garden", "ada", "bob", history="joined")
        await town.asks("ada", room, FACT)
        await town.comes("cy", room)
        assert await town.leaks("cy", room)


# Within one turn


async def a_third_is_invited(town: Town) -> tuple[str, Change]:
    room, bob = await town.dm("ada"), await town.person("bob")

    async def change() -> None:
        await (await town.person("ada")).invites(room, bob.user)

    return room, change


async def somebody_joins(town: Town) -> tuple[str, Change]:
    room = await town.room("garden", "ada", "bob", history="joined")

    async def change() -> None:
        await town.comes("cy", room)

    return room, change


CHANGES = [a_third_is_invited, somebody_joins]


async def outbox(lyra: Awake, question: str) -> list[tuple[str, str]]:
    """Return what became of the parts that were to answer a question, and the words left of them."""
    rows = await lyra.app.memory.db.all("SELECT state, text FROM outbox WHERE answers = :id", {"id": question})
    return [(row["state"], row["text"]) for row in rows]


async def answers(town: Town, room: str, question: str) -> list[str]:
    """Return what answers a question now."""
    said = await town.home.said(await town.person("ada"), room)
    return [one.body for one in said if one.content.get("m.relates_to", {}).get("m.in_reply_to") == {"event_id": question}]


async def changes_while_she_thinks(town: Town, room: str, change: Change) -> str:
    """Let Ada ask, change who reads the room before the model answers, and return the question once that is over."""
    await town.caught_up()
    await town.asks("ada", room, FACT)
    heard = len(town.model.requests)
    town.model.thinks = True
    question = await (await town.person("ada")).says(room, ASKED, mentions=[town.home.user])
    await town.model.heard(heard + 1)
    await change()
    await town.caught_up()
    town.model.go.set()
    return question


@pytest.mark.torture
@pytest.mark.parametrize("begun", few(CHANGES))
async def test_an_answer_made_for_other_readers_does_not_go_out_and_is_not_lost(town: Town, begun: Begun) -> None:
    async with town.lyra() as lyra:
        room, change = await begun(town)
        question = await changes_while_she_thinks(town, room, change)
        told = await town.asks("ada", room, "and the weather?")
        assert CANARY not in prompt(town.model.requests[-1]) and roles(town) == ["system", "user"]
        await lyra.talk.tick()
        assert [MOVED in body for body in await answers(town, room, question)] == [True]
        assert [state for state, _ in await outbox(lyra, question)] == ["cancelled", "sent"]
        ada = await town.person("ada")
        was = (DomainKind.DM, ada.user) if begun is a_third_is_invited else (DomainKind.ROOM, room)
        assert (await lyra.kept(*was))[-2] == ASKED
        assert await lyra.kept(DomainKind.ROOM, room, 1) == ["and the weather?", told.body]


@pytest.mark.torture
@pytest.mark.parametrize("begun", few(CHANGES))
async def test_without_the_guard_at_the_exit_it_would_go_out(town: Town, begun: Begun) -> None:
    async with town.lyra(domains=Unguarded):
        room, change = await begun(town)
        question = await changes_while_she_thinks(town, room, change)
        await town.asks("ada", room, "and the weather?")
        assert len(await answers(town, room, question)) == 1


@pytest.mark.parametrize("domains", [DomainAccess, Unguarded], ids=["guarded", "unguarded"])
async def test_an_answer_that_waited_for_the_homeserver_does_not_reach_new_readers_who_are_told(
    town: Town, domains: type[DomainAccess]
) -> None:
    faults = town.home.proxy.faults
    async with town.lyra(domains=domains) as lyra:
        room, change = await a_third_is_invited(town)
        await town.asks("ada", room, FACT)
        faults.always(SEND, Status(502))
        question = await (await town.person("ada")).says(room, ASKED)
        await town.model.heard(2)
        await lyra.heard()
        await change()
        # A third who is only asked in: she has heard of it once she went through what is said after it.
        ada = await town.person("ada")
        await followed(town.home, ada, room, await ada.says(room, "by the way"))
        await lyra.talk.tick()  # Whatever was on its way before that has failed by now.
        faults.lift()
        await town.caught_up()
        await lyra.talk.tick()
        assert [text.startswith(MOVED) for text in await answers(town, room, question)] == [domains is DomainAccess]


@pytest.mark.torture
@pytest.mark.parametrize("begun", few(CHANGES))
async def test_a_question_that_waited_stays_with_those_who_could_read_it(town: Town, begun: Begun) -> None:
    async with town.lyra() as lyra:
        room, change = await begun(town)
        await town.caught_up()
        town.model.thinks = True
        ada = await town.person("ada")
        await ada.says(room, "hello", mentions=[town.home.user])
        await town.model.heard(1)
        waits = await ada.says(room, FACT, mentions=[town.home.user])
        await town.caught_up()
        await change()
        await town.caught_up()
        town.model.go.set()
        told = await town.asks("ada", room, "is there tea?")
        assert [MOVED in body for body in await answers(town, room, waits)] == [True]
        was = (DomainKind.DM, ada.user) if begun is a_third_is_invited else (DomainKind.ROOM, room)
        assert FACT in await lyra.kept(*was)
        assert await lyra.kept(DomainKind.ROOM, room, 1) == ["is there tea?", told.body]
