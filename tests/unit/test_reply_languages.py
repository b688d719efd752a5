"""In which language somebody is answered, as far as settings, platforms and what is kept tell it; a start forgets nothing of that."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.events import Circle, MenuCall, Message, Person, Place, Reach
from bot.config.settings import Settings
from bot.conversation.answer_language import AnswerLanguage
from bot.conversation.domain_access import DomainAccess
from bot.conversation.preferences import Preferences
from memory.core import Memory
from memory.types import SECOND, Identity, Kind, NewExchange
from tests.kits.memory_kit import Clock, opened

ADA, BEN = Person("matrix", "@ada:example.org", "ada"), Person("matrix", "@ben:example.org", "ben")
DM = Place("matrix", "!dm:example.org", "dm", Reach.DIRECT)
ROOM = Place("matrix", "!room:example.org", "room", Reach.ROOM, circle=Circle(Reach.ROOM, "!room:example.org"))


@dataclass
class House:
    """A memory, and what is needed to speak of it."""

    memory: Memory
    preferences: Preferences
    domains: DomainAccess
    clock: Clock

    def awake(self) -> AnswerLanguage:
        """Return what a process that was just started knows."""
        return AnswerLanguage(self.preferences, self.domains)

    async def says(self, person: Person, place: Place, text: str) -> None:
        """Keep what somebody says."""
        view, session = await self.domains.view_and_session(place, person)
        who, now = Identity(person.platform, person.id), self.clock.now()
        await view.say(session, [NewExchange(Kind.SAID, text, f"{person.id}{now}", now, person.name, "user", who)])
        self.clock.at += SECOND


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """A house in which nothing was said."""
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock) as memory:
        preferences = Preferences(memory.settings, {}, memory.places.account_scope)
        yield House(memory, preferences, DomainAccess(memory, Settings(), preferences, clock, "UTC"), clock)


def message(person: Person, place: Place, text: str = "!help") -> Message:
    """Return something said that tells no language."""
    return Message("$1", place, person, text, 0)


async def test_what_somebody_wrote_before_a_start_tells_their_language(house: House) -> None:
    assert await house.awake().language(message(ADA, DM)) == ""
    await house.says(ADA, DM, "Meine Katze schläft nicht gern auf dem Sofa.")
    await house.says(ADA, DM, "Pizza!")
    languages = house.awake()
    assert await languages.language(message(ADA, DM)) == "de"
    assert await languages.language(message(ADA, DM, "Where is the cat and what does she do?")) == "en"
    assert await languages.language(message(ADA, DM)) == "en"


async def test_in_a_room_everybody_is_answered_as_they_write_and_all_are_told_something_as_most_do(house: House) -> None:
    for _ in range(2):
        await house.says(ADA, ROOM, "Wir haben heute den Garten umgegraben.")
    await house.says(BEN, ROOM, "That is what I have always wanted to do.")
    languages = house.awake()
    assert [await languages.language(message(one, ROOM)) for one in (ADA, BEN)] == ["de", "en"]
    assert await languages.language(message(ADA, DM)) == "", "what is said in a room tells nothing in private"
    view, _ = await house.domains.view_and_session(ROOM)
    assert await languages.among(ROOM, view) == "de"
    await house.preferences.put(ROOM, "language", "english")
    assert await languages.among(ROOM, view) == "en"


async def test_what_is_set_goes_before_what_a_platform_shows_and_that_before_what_is_written(house: House) -> None:
    languages = house.awake()
    asked = MenuCall("$2", DM, ADA, 0, "status", {}, "", locale="fr")
    await house.says(ADA, DM, "Meine Katze schläft nicht gern auf dem Sofa.")
    assert await languages.language(asked) == "en", "where there is nothing in the language of the platform, it is English"
    await house.preferences.put(ADA, "language", "german")
    assert await languages.language(asked) == "de"
