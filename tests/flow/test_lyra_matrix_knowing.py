"""Who may know, on Matrix: words reach a prompt only where every reader could read them, and where their person said so."""

import re
from dataclasses import replace

import pytest

from adapters.events import Circle, Place
from adapters.matrix.adapter import Matrix
from adapters.matrix.rooms.rooms import Rooms
from bot.conversation.domain_access import DomainAccess
from memory.types import DomainKind, DomainRef, Identity, Kind, NewExchange
from memory.view.view import View
from tests.kits import matrix_knowing
from tests.kits.awake import Awake, prompt
from tests.kits.matrix_knowing import ASKED, CANARY, FACT, Believing, Everything, Town, everything
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures"]

town = matrix_knowing.town


async def place(town: Town, name: str) -> tuple[str, str, str]:
    """Return who speaks at a place, its room, and its thread; it is made at the first time."""
    if name not in town.rooms:
        match name:
            case "dm" | "second dm" | "bob's dm":
                town.rooms[name] = await town.dm("bob" if name == "bob's dm" else "ada")
            case "sealed":
                town.rooms[name] = await town.dm("ada", encrypted=True)
            case "garden" | "crypt":
                await town.room(name, "ada", "bob", encrypted=name == "crypt")
            case "club":
                await town.room(name, "ada", "cy")
            case "thread" | "other thread":
                _, garden, _ = await place(town, "garden")
                town.rooms[name] = await (await town.person("ada")).says(garden, f"the root of the {name}")
    in_a_thread = "thread" in name
    room, thread = (town.rooms["garden"], town.rooms[name]) if in_a_thread else (town.rooms[name], "")
    return "bob" if name == "bob's dm" else "ada", room, thread


async def speaks(town: Town, name: str, text: str) -> None:
    who, room, thread = await place(town, name)
    await town.asks(who, room, text, thread)


async def leaks(town: Town, name: str) -> bool:
    who, room, thread = await place(town, name)
    return await town.leaks(who, room, thread)


async def sets(town: Town, name: str, setting: str) -> None:
    who, room, _ = await place(town, name)
    told = await town.sets(who, room, setting)
    assert told.startswith(setting.replace(" o", ": o")), told


# What is said in one place and asked in others

APART = {
    "dm": ["bob's dm", "garden", "crypt"],
    "sealed": ["dm", "crypt"],
    "garden": ["dm", "club"],
    "thread": ["dm"],
    "crypt": ["sealed", "garden"],
}
TOGETHER = {"dm": ["second dm", "sealed"], "garden": ["thread"], "thread": ["garden", "other thread"]}


@pytest.mark.torture
@pytest.mark.parametrize("heard", few(APART, 2))
async def test_words_do_not_reach_those_who_could_not_read_them(town: Town, heard: str) -> None:
    async with town.lyra() as lyra:
        await speaks(town, heard, FACT)
        assert FACT in await everything(lyra)
        assert [asked for asked in APART[heard] if await leaks(town, asked)] == []


@pytest.mark.torture
@pytest.mark.parametrize("heard", few(TOGETHER))
async def test_words_reach_those_who_can_all_read_them(town: Town, heard: str) -> None:
    async with town.lyra():
        await speaks(town, heard, FACT)
        assert [asked for asked in TOGETHER[heard] if await leaks(town, asked)] == TOGETHER[heard]


@pytest.mark.torture
@pytest.mark.parametrize("heard", few(["sealed", "dm"]))
async def test_without_the_guard_every_one_of_these_would_leak(town: Town, heard: str) -> None:
    async with town.lyra(domains=Everything):
        await speaks(town, heard, FACT)
        assert [asked for asked in APART[heard] if await leaks(town, asked)] == APART[heard]


class _Uncounted(Rooms):
    def place(self, room_id: str, thread: str = "") -> Place | None:
        found = super().place(room_id, thread)
        return replace(found, crowded=False) if found else None


class _Uncrowded(Matrix):
    """The guard of rooms that were more than DMs switched off."""

    rooms = _Uncounted


GUARDED = pytest.mark.parametrize("matrix", [Matrix, _Uncrowded], ids=["guarded", "unguarded"])


@pytest.mark.torture
@GUARDED
@pytest.mark.parametrize("heard", few(["sealed", "crypt"]))
async def test_an_encrypted_room_that_others_were_in_reads_nothing_of_the_dm_of_who_is_left(
    town: Town, heard: str, matrix: type[Matrix]
) -> None:
    async with town.lyra(kind=matrix):
        await speaks(town, "dm", FACT)
        await speaks(town, heard, "hello")
        bob, room = await town.person("bob"), town.rooms[heard]
        if heard == "sealed":
            assert await leaks(town, heard), "so far it is a DM"
            await (await town.person("ada")).invites(room, bob.user)
            await bob.is_invited(room)
        await bob.leaves(room)
        await town.caught_up()
        assert await leaks(town, heard) is (matrix is _Uncrowded)


@pytest.mark.torture
@GUARDED
async def test_what_is_for_one_alone_goes_to_no_dm_that_others_were_in(town: Town, matrix: type[Matrix]) -> None:
    ada, bob = await town.person("ada"), await town.person("bob")
    async with town.lyra(kind=matrix):
        garden = await town.room("garden", "ada", "bob")
        made = (await town.home.reads_aside(ada, garden, "!recall locker")).room
        await ada.invites(made, bob.user)
        await bob.is_invited(made)
        await bob.leaves(made)
        await town.caught_up()
        told = (await town.home.reads_aside(ada, garden, "!recall locker")).room
        assert told != garden and (told == made) is (matrix is _Uncrowded)


@pytest.mark.torture
@pytest.mark.parametrize("domains", [DomainAccess, Everything], ids=["guarded", "unguarded"])
async def test_neither_prompts_nor_answers_show_the_id_of_a_room_or_a_message(town: Town, domains: type[DomainAccess]) -> None:
    async with town.lyra(domains=domains, config="summarize_after = 2") as lyra:
        for name in ("garden", "thread", "dm", "sealed"):
            await speaks(town, name, FACT)
            await lyra.app.maintenance.tick()
            await speaks(town, name, ASKED)
        who, room, _ = await place(town, "dm")
        recalled = (await town.asks(who, room, "!recall locker")).body
    assert any(CANARY in prompt(request) for request in town.model.requests)
    assert not [name for name, id in town.rooms.items() for request in town.model.requests if id in prompt(request)]
    shown = {name for name, id in town.rooms.items() if id in recalled}
    assert (shown == {"dm"}) is (domains is DomainAccess), shown
    ids = re.findall(r"\bid (\S+)", recalled)
    assert ids and all(re.fullmatch("[a-z2-7]{6,}", id) for id in ids)


# What a DM may use when its person says so


@pytest.mark.torture
@pytest.mark.parametrize("heard", few(["thread", "garden"]))
async def test_a_dm_reaches_what_its_person_can_read_once_they_say_so(town: Town, heard: str) -> None:
    async with town.lyra():
        await speaks(town, heard, FACT)
        await speaks(town, "crypt", "my other number is 5512")
        assert not await leaks(town, "dm")
        await sets(town, "dm", "reach on")
        assert await leaks(town, "dm")
        assert "5512" not in prompt(town.model.requests[-1])
        assert not await leaks(town, "bob's dm"), "bob did not ask for it"
        await sets(town, "dm", "reach off")
        assert not await leaks(town, "second dm")


@pytest.mark.torture
async def test_nobody_reaches_a_room_that_they_are_not_in(town: Town) -> None:
    async with town.lyra():
        await speaks(town, "club", FACT)
        await sets(town, "bob's dm", "reach on")
        assert not await leaks(town, "bob's dm")


@pytest.mark.parametrize("matrix", [Matrix, Believing], ids=["guarded", "unguarded"])
async def test_a_dm_reaches_nothing_of_a_room_that_its_person_left(town: Town, matrix: type[Matrix]) -> None:
    async with town.lyra(kind=matrix):
        await speaks(town, "garden", FACT)
        await sets(town, "dm", "reach on")
        await (await town.person("ada")).leaves(town.rooms["garden"])
        await town.caught_up()
        assert await leaks(town, "dm") is (matrix is Believing)


@pytest.mark.torture
@pytest.mark.parametrize("matrix", [Matrix, Believing], ids=["guarded", "unguarded"])
async def test_a_dm_reaches_nothing_from_before_its_person_came_where_they_cannot_read_it(
    town: Town, matrix: type[Matrix]
) -> None:
    async with town.lyra(kind=matrix):
        garden = await town.room("garden", "ada", "bob", history="joined")
        crypt = await town.room("crypt", "ada", "bob", encrypted=True)
        for room in (garden, crypt):
            await town.asks("ada", room, FACT)
            await town.comes("cy", room)
        dm = await town.dm("cy")
        await town.sets("cy", dm, "reach on")
        await town.sets("cy", dm, "encrypted on")
        assert await town.leaks("cy", dm) is (matrix is Believing)


@pytest.mark.parametrize("heard", few(["sealed", "crypt"]))
async def test_words_of_an_encrypted_place_are_used_in_a_plain_dm_only_after_their_person_said_so(town: Town, heard: str) -> None:
    async with town.lyra():
        await speaks(town, heard, FACT)
        await speaks(town, "garden", "my other number is 5512")
        await sets(town, "dm", "reach on")
        assert not await leaks(town, "dm")
        assert "5512" in prompt(town.model.requests[-1])
        await sets(town, "dm", "reach off")
        await sets(town, "dm", "encrypted on")
        assert await leaks(town, "dm")
        assert not await leaks(town, "bob's dm"), "it is ada who said so"


class _Unsealed(Matrix):
    """The guard of encrypted words switched off: they count as any others."""

    async def encrypted_circles(self, circles: object) -> set[Circle]:
        return set()


@pytest.mark.torture
async def test_if_encrypted_rooms_did_not_count_as_such_they_would_be_used(town: Town) -> None:
    async with town.lyra(kind=_Unsealed):
        await speaks(town, "crypt", FACT)
        await sets(town, "dm", "reach on")
        assert await leaks(town, "dm")


@pytest.mark.torture
async def test_both_are_off_until_somebody_turns_them_on(town: Town) -> None:
    async with town.lyra():
        for name in ("dm", "sealed"):
            who, room, _ = await place(town, name)
            lines = (await town.asks(who, room, "!settings")).body.splitlines()
            assert {"reach: off", "encrypted: off"} <= {line.partition(" – ")[0] for line in lines}
            assert (await town.sets(who, room, "encrypted")).startswith("encrypted: off – may I use, with you alone")


# One person, several accounts


async def accounts(town: Town) -> str:
    ada, bob = await town.person("ada"), await town.person("bob")
    return (
        f'[people.ada]\nconsole = "ada"\ndiscord = "4711"\nmatrix = "{ada.user}"\n'
        f'[people.bob]\nconsole = "bob"\nmatrix = "{bob.user}"\n'
    )


async def said_at(lyra: Awake, platform: str, account: str, text: str) -> View:
    """Keep what somebody says in private on another platform, and return that account's memory."""
    view = await lyra.app.domains.view_of_account(platform, account)
    session = await view.sessions.get(await view.sessions.active(platform, "main"), "main")
    now = lyra.app.base.clock.now()
    await view.say(session, [NewExchange(Kind.SAID, text, "1", now, account, "user", Identity(platform, account))])
    return view


@pytest.mark.torture
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "not declared"])
@pytest.mark.parametrize("account", [("console", "ada"), ("discord", "4711")], ids=str)
async def test_dms_read_what_their_person_said_elsewhere_where_the_operator_says_so(
    town: Town, account: tuple[str, str], declared: bool
) -> None:
    async with town.lyra(config=await accounts(town) if declared else "") as lyra:
        await said_at(lyra, *account, FACT)
        assert await leaks(town, "dm") is declared
        assert await leaks(town, "sealed") is declared
        assert not await leaks(town, "bob's dm")


@pytest.mark.torture
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "not declared"])
async def test_the_terminal_reads_its_persons_plain_dm_and_nobody_elses(town: Town, declared: bool) -> None:
    async def recalls(name: str) -> bool:
        hits = await (await lyra.app.view(name)).recall.messages(ASKED, 5)
        return any(CANARY in hit.exchange.text for hit in hits)

    async with town.lyra(config=await accounts(town) if declared else "") as lyra:
        await speaks(town, "sealed", FACT)
        assert not await recalls("ada"), "what is encrypted stays there"
        await speaks(town, "dm", FACT)
        assert await recalls("ada") is declared
        assert not await recalls("bob")
        ada = await town.person("ada")
        assert await lyra.app.memory.places.find_domain(DomainRef(DomainKind.DM, "matrix", ada.user))
