"""Who is heard: everybody but those who said stop, machines for a while, and what is not meant for Lyra only where that is on."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.events import Circle, Message, Person, Place, Reach
from bot.admission.access import Admission
from bot.conversation.preferences import Preferences
from tests.kits.memory_kit import opened

ADA, BOB = Person("discord", "1", "ada"), Person("discord", "2", "bob")
ROBOT = Person("discord", "3", "robot")
DM = Place("discord", "10", "ada", Reach.DIRECT)
GENERAL = Place("discord", "20", "general", Reach.PUBLIC, server="90", circle=Circle(Reach.PUBLIC, "90"))
ASIDE = Place("discord", "30", "aside", Reach.PUBLIC, server="90", circle=Circle(Reach.PUBLIC, "90"))


def says(person: Person, place: Place = GENERAL, *, addressed: bool = True) -> Message:
    """Return something that a person says; robots say it as machines."""
    return Message("9", place, person, "hello", 0, addressed=addressed, machine=person is ROBOT)


class Door:
    """Admits by what is set when something is said."""

    def __init__(self, preferences: Preferences, **how: int) -> None:
        self._preferences, self._admission = preferences, Admission(**how)

    async def admit(self, message: Message) -> Message | None:
        """Admit a message."""
        return self._admission.admit(message, await self._preferences.read(message.person, message.place))


@pytest.fixture
async def preferences(tmp_path: Path) -> AsyncIterator[Preferences]:
    async with opened(tmp_path / "lyra.db") as memory:
        yield Preferences(memory.settings, {}, memory.places.account_scope)


async def answers(admission: Door, message: Message) -> bool:
    """Say whether a message is to be answered."""
    admitted = await admission.admit(message)
    return admitted is not None and admitted.addressed


async def talk(admission: Door, most: int, place: Place = GENERAL) -> int:
    """Let a machine answer each of her answers; return how many answers it got before she fell silent, at most so many."""
    for number in range(most):
        if not await answers(admission, says(ROBOT, place)):
            return number
    return most


async def test_two_machines_stop_after_five_answers_until_a_person_speaks(preferences: Preferences) -> None:
    admission = Door(preferences)
    assert await talk(admission, 100) == 5
    assert await talk(admission, 100) == 0, "silence lasts"
    assert await admission.admit(says(ADA, addressed=False)) is None
    assert await talk(admission, 100) == 5, "a word between people is a person's word"


@pytest.mark.parametrize(("limit", "answered"), [(0, 0), (1, 1), (100, 100), (1000, 100)])
async def test_the_limit_alone_ends_it(preferences: Preferences, limit: int, answered: int) -> None:
    assert await talk(Door(preferences, most_to_machines=limit), 100) == answered


async def test_a_command_of_a_person_counts_as_a_word_of_theirs(preferences: Preferences) -> None:
    admission = Admission()
    chosen = await preferences.read(ADA, GENERAL)
    heard = [admission.admit(says(ROBOT), chosen) is not None for _ in range(6)]
    assert admission.admit(says(ADA), chosen, command=True) is not None
    assert [*heard, admission.admit(says(ROBOT), chosen) is not None] == [True] * 5 + [False, True]


async def test_each_place_has_its_own_limit(preferences: Preferences) -> None:
    admission = Door(preferences)
    assert await talk(admission, 100) == 5 and await talk(admission, 100, ASIDE) == 5
    await admission.admit(says(ADA, ASIDE))
    assert await talk(admission, 100) == 0, "a person's word elsewhere is none here"


async def test_a_machine_that_says_nothing_to_her_does_not_count(preferences: Preferences) -> None:
    admission = Door(preferences)
    await preferences.put(GENERAL, "listening", "on")
    for _ in range(20):
        heard = await admission.admit(says(ROBOT, addressed=False))
        assert heard is not None and not heard.addressed
    assert await talk(admission, 100) == 5


async def test_who_said_stop_is_not_heard_anywhere_and_others_are(preferences: Preferences) -> None:
    admission = Door(preferences)
    await preferences.put(GENERAL, "listening", "on")
    await preferences.put(ADA, "paused", "on")
    places = [DM, GENERAL]
    assert [await admission.admit(says(ADA, place, addressed=True)) for place in places] == [None, None]
    assert await admission.admit(says(ADA, addressed=False)) is None
    assert [await answers(admission, says(BOB, place)) for place in places] == [True, True]
    await preferences.put(ADA, "paused", "off")
    assert [await answers(admission, says(ADA, place)) for place in places] == [True, True]


async def test_a_renamed_person_has_still_said_stop(preferences: Preferences) -> None:
    await preferences.put(ADA, "paused", "on")
    assert await Door(preferences).admit(says(Person("discord", "1", "Ada Lovelace"))) is None
    assert await Door(preferences).admit(says(Person("discord", "4", "ada"))) is not None


@pytest.mark.parametrize(
    ("answers_to", "listening", "kept", "answered"),
    [("", "", False, False), ("mentioned", "off", False, False), ("mentioned", "on", True, False), ("always", "off", True, True)],
)
async def test_what_is_not_said_to_her_is_hers_only_where_an_admin_says_so(
    preferences: Preferences, answers_to: str, listening: str, kept: bool, answered: bool
) -> None:
    await preferences.put(GENERAL, "answers", answers_to)
    await preferences.put(GENERAL, "listening", listening)
    admitted = await Door(preferences).admit(says(ADA, addressed=False))
    assert (admitted is not None, admitted is not None and admitted.addressed) == (kept, answered)
    assert await Door(preferences).admit(says(ADA, ASIDE, addressed=False)) is None, "another place has its own settings"


async def test_a_machine_is_limited_where_everything_is_answered(preferences: Preferences) -> None:
    await preferences.put(GENERAL, "answers", "always")
    admission = Door(preferences)
    heard = [await answers(admission, says(ROBOT, addressed=False)) for _ in range(9)]
    assert heard == [True] * 5 + [False] * 4
