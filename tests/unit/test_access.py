"""Who may use her: everybody, unless the configuration lets only some in, or keeps some out."""

from collections.abc import Collection, Sequence
from typing import Any

import pytest

from adapters.events import Circle, Person, Place, Reach
from bot.admission.access import Access
from bot.config.settings import Settings
from memory.types import MINUTE
from tests.kits.adapter_kit import Silent
from tests.kits.memory_kit import Clock

ADA, BEN, OWNER = (Person("discord", str(at), name) for at, name in enumerate(("ada", "ben", "owner"), 1))
EVE = Person("matrix", "@eve:example.org", "eve")
DM = Place("discord", "dm", "dm", Reach.DIRECT)
HOME = Place("discord", "30", "general", Reach.PUBLIC, server="90", circle=Circle(Reach.PUBLIC, "90"))
AWAY = Place("discord", "31", "general", Reach.PUBLIC, server="91", circle=Circle(Reach.PUBLIC, "91"))
ROOM = Place("matrix", "!room:example.org", "room", Reach.ROOM, circle=Circle(Reach.ROOM, "!room:example.org"))


class Platform(Silent):
    """A platform that knows who is where, and counts how often it is asked."""

    def __init__(self, platform: str) -> None:
        self.platform = platform
        self.inside: set[tuple[str, str]] = set()
        self.away = False
        self.shared: set[str] = set()
        self.asked = 0

    async def belongs(self, person: Person, circles: Collection[Circle]) -> bool | None:
        self.asked += 1
        return None if self.away else any((person.id, circle.id) in self.inside for circle in circles)

    async def has_place_in_common(self, person: Person) -> bool:
        self.asked += 1
        return person.id in self.shared


@pytest.fixture
def discord() -> Platform:
    return Platform("discord")


def access(discord: Platform, clock: Clock | None = None, **section: object) -> Access:
    given = {"access": section, "people": {"owner": {"discord": OWNER.id}}}
    platforms = {"discord": discord, "matrix": Platform("matrix")}
    return Access(Settings.model_validate(given), platforms, clock or Clock())


async def admitted(access: Access, people: Sequence[Person], place: Place) -> list[Person]:
    return [person for person in people if await access.admits(person, place)]


async def test_everybody_may_where_nothing_is_configured(discord: Platform) -> None:
    for place in (DM, HOME):
        assert await admitted(access(discord), (ADA, BEN, OWNER), place) == [ADA, BEN, OWNER]
    assert discord.asked == 0


@pytest.mark.parametrize("place", [DM, HOME])
async def test_a_list_lets_in_who_is_on_it_and_who_runs_her(discord: Platform, place: Place) -> None:
    some = access(discord, allow=["discord:1"])
    assert await admitted(some, (ADA, BEN, OWNER), place) == [ADA, OWNER]
    assert not await some.admits(EVE, ROOM)


async def test_a_blocked_account_is_kept_out_everywhere_even_where_its_server_is_let_in(discord: Platform) -> None:
    some = access(discord, allow=["server:90"], block=["discord:2"])
    discord.inside = {(ADA.id, "90"), (BEN.id, "90")}
    assert await admitted(some, (ADA, BEN, OWNER), HOME) == [ADA, OWNER]
    assert await admitted(some, (ADA, BEN), DM) == [ADA]


async def test_a_server_that_is_let_in_lets_its_members_in_also_in_a_dm_and_no_other_server(discord: Platform) -> None:
    some = access(discord, allow=["server:90"])
    discord.inside = {(ADA.id, "90")}
    assert await some.admits(ADA, HOME) and await some.admits(ADA, DM)
    assert not await some.admits(BEN, AWAY) and not await some.admits(BEN, DM)


async def test_a_blocked_server_and_room_are_silent(discord: Platform) -> None:
    some = access(discord, block=["server:91", "room:!room:example.org"])
    assert some.shuts_out(AWAY) and some.shuts_out(ROOM) and not some.shuts_out(HOME)
    assert not await some.admits(ADA, AWAY) and not await some.admits(EVE, ROOM)
    assert await some.admits(ADA, HOME)


async def test_members_of_a_blocked_server_are_kept_out_of_dms_also_while_nobody_can_tell_who_they_are(discord: Platform) -> None:
    some = access(discord, block=["server:91"])
    discord.inside, discord.away = {(BEN.id, "91")}, True
    assert await admitted(some, (ADA, BEN, OWNER), DM) == [OWNER]
    discord.away = False
    assert await admitted(some, (ADA, BEN, OWNER), DM) == [ADA, OWNER], "what was uncertain is asked again at once"


async def test_nobody_is_let_in_by_a_server_that_cannot_be_asked(discord: Platform) -> None:
    discord.inside, discord.away = {(ADA.id, "90")}, True
    assert await admitted(access(discord, allow=["server:90"]), (ADA, BEN, OWNER), DM) == [OWNER]


async def test_a_role_lets_in_who_has_it(discord: Platform) -> None:
    some = access(discord, allow=["role:90/5"])
    discord.inside = {(ADA.id, "90/5")}
    assert await admitted(some, (ADA, BEN), HOME) == [ADA]


async def test_a_platform_is_asked_again_after_some_minutes_only(discord: Platform) -> None:
    clock = Clock()
    some = access(discord, clock, allow=["role:90/5"])
    for _ in range(9):
        assert not await some.admits(ADA, HOME)
    assert discord.asked == 1
    discord.inside = {(ADA.id, "90/5")}
    clock.forward(6 * MINUTE)
    assert await some.admits(ADA, HOME)
    discord.inside = set()
    clock.forward(6 * MINUTE)
    assert not await some.admits(ADA, HOME), "a role that was taken away counts no more"


@pytest.mark.parametrize(("strangers", "let_in"), [("on", [ADA, BEN]), ("mutual", [ADA]), ("off", [])])
async def test_dms_of_strangers_can_be_left_unanswered(discord: Platform, strangers: str, let_in: list[Person]) -> None:
    discord.shared = {ADA.id}
    some = access(discord, strangers=strangers)
    assert await admitted(some, (ADA, BEN), DM) == let_in
    assert await admitted(some, (ADA, BEN), HOME) == [ADA, BEN]
    assert await some.admits(OWNER, DM)


@pytest.mark.parametrize("entry", ["ada", "discord:ada", "matrix:ada", "role:five", "server:", "room:abc", "user:1", "discord:"])
def test_an_entry_that_names_nobody_is_refused_with_how_to_write_it(entry: str) -> None:
    given: dict[str, Any] = {"access": {"allow": [entry]}}
    with pytest.raises(ValueError, match="does not name anybody; write an account like"):
        Settings.model_validate(given)


async def test_what_a_platform_said_while_the_clock_was_ahead_is_asked_again_once_it_is_right(discord: Platform) -> None:
    clock = Clock()
    only_known = access(discord, clock, strangers="mutual")
    discord.shared.add(ADA.id)
    clock.forward(1000 * MINUTE)
    assert await only_known.admits(ADA, DM)
    clock.forward(-1000 * MINUTE)
    discord.shared.clear()
    assert not await only_known.admits(ADA, DM)
