"""What was made of conversations, asked for in chat: shown with what it rests on, put right and let go, by whom it is about."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from adapters.base import Adapter
from adapters.events import Person as Someone
from adapters.events import Place
from bot.app import App
from bot.conversation.domain_access import DomainAccess
from memory.types import DomainKind, Identity, Statement
from memory.view.digests import Facts
from memory.view.view import View
from tests.fakes.discord import Channel, Person
from tests.kits import discord_town
from tests.kits.discord_home import Awake, awake, model_server, server_of
from tests.kits.discord_town import Town, buttons
from tests.kits.ladder_talk import climbed, teller

NOT_YOURS = "Only whoever said it of themselves, or an admin, can change that fact."
NO_FACT = "There is no fact with that id here. The profile shows the id of each."
TIERS = ("profile", "eras", "narrative", "self")

town = discord_town.town


@pytest.fixture
async def lyra(town: Town) -> AsyncIterator[Awake]:
    """Lyra, with a model that tells the ladder."""
    async with model_server(teller) as model, town.lyra(model) as lyra:
        yield lyra


async def told(lyra: Awake, town: Town, who: Person, place: Channel, *texts: str) -> None:
    """Have a conversation, and let everything be made of it."""
    for text in texts:
        await town.says(who, place, text)
    await climbed(lyra)


async def fact_id(town: Town, who: Person, place: Channel, words: str) -> str:
    """Return the id that the profile shows of the fact that says something."""
    shown = (await town.reads(who, place, "memory profile")).split("\n")
    at = next(at for at, line in enumerate(shown) if line[0].isdigit() and words in line)
    return shown[at + 1].rpartition(" id ")[2]


async def facts(lyra: Awake, kind: DomainKind, native_id: object) -> list[str]:
    """Return the facts that stand in a domain."""
    return [one.text for one in await (await lyra.view(kind, native_id)).digests.statements("profile")]


# What is shown


async def test_each_part_is_shown_with_what_it_rests_on(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(lyra, town, town.ada, dm, "My cat is called Turing.", "The garden seems too wet.")
    profile = await town.reads(town.ada, dm, "memory profile")
    first, second = re.split(r"\n(?=\d)", profile)
    text, receipt, quote = first.split("\n")
    assert text == "1. ada said: My cat is called Turing."
    assert re.fullmatch(r"    since \d+ \w+ \d{4} · id [a-z2-7]{6,}", receipt)
    assert re.fullmatch(r'    ada, today at \d\d:\d\d: "My cat is called Turing\."', quote)
    assert second.startswith("2. Inferred: ada said: The garden seems too wet.")
    eras = (await town.reads(town.ada, dm, "memory eras")).split("\n")
    assert re.fullmatch(r"\w+ \d{4}, from 1 conversation", eras[0]) and eras[1].startswith("1. ada said: My cat")
    assert (await town.reads(town.ada, dm, "memory narrative")).startswith("1. Going on: ada said: My cat")
    state = (await town.reads(town.ada, dm, "memory self")).split("\n")
    assert state[0].startswith("My mood here is +0.0") and state[1].startswith("What drives me") and "Turing" in state[2]
    assert "memory profile, eras, narrative, self." in await town.reads(town.ada, dm, "memory view")


async def test_each_place_shows_what_was_made_of_its_own_words_alone(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    for place, what in ((dm, "tulips"), (town.staff, "wages"), (town.general, "boats")):
        await told(lyra, town, town.ada, place, f"The book about {what} is green.")
    for place, what in ((dm, "tulips"), (town.staff, "wages"), (town.general, "boats")):
        for tier in TIERS:
            shown = await town.reads(town.ada, place, f"memory {tier}")
            assert {word for word in ("tulips", "wages", "boats") if word in shown} == {what}
    assert "tulips" not in await town.reads(town.bob, await town.bob.opens_dm(), "memory profile")


async def test_a_long_profile_comes_in_pages(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(lyra, town, town.ada, dm, *(f"Shelf {n} holds {n + 20} books." for n in range(1, 8)))
    first = await town.asks(town.ada, dm, "memory profile")
    assert buttons(first) == [*(f"Forget {n}" for n in range(1, 6)), "Show more"]
    second = await town.presses(town.ada, first, "Show more")
    assert re.findall(r"^(\d)\. ", first.content + "\n" + second.content, re.MULTILINE) == list("1234567")
    assert buttons(second) == ["Forget 6", "Forget 7"]


async def test_a_further_page_shows_nothing_that_was_forgotten_since_the_first(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(lyra, town, town.ada, dm, *(f"Shelf {n} holds {'very ' * 60}old books." for n in range(1, 9)))
    first = await town.asks(town.ada, dm, "summarize")
    assert "Shelf" in (await town.presses(town.ada, first, "Show more")).content
    again = await town.asks(town.ada, dm, "summarize")
    await town.reads(town.ada, dm, "forget", what="last")
    told_then = (await town.presses(town.ada, again, "Show more")).content
    assert told_then == "Something that this would have shown was forgotten just now; ask again."


@pytest.mark.parametrize("tier", TIERS)
async def test_without_a_model_each_part_says_that_it_takes_one(town: Town, tier: str) -> None:
    async with town.lyra():
        await town.says(town.ada, town.general, "My cat is called Turing.")
        last = (await town.reads(town.ada, town.general, f"memory {tier}")).split("\n")[-1]
        assert last == "That takes a model: without one I make gists and summaries of what is said, and nothing more."


async def test_with_a_model_and_nothing_told_yet_it_says_so(town: Town, lyra: Awake) -> None:
    shown = await town.reads(town.ada, town.general, "memory profile")
    assert shown == "I know no lasting facts here yet. It is made from gists, once there are enough."
    assert await town.reads(town.ada, town.general, "memory profile", past=True) == "Nothing of that was replaced so far."


# Put right


async def test_what_a_person_says_takes_the_place_of_a_fact(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(lyra, town, town.ada, dm, "My cat is called Turing.")
    number = await fact_id(town, town.ada, dm, "Turing")
    answer = await town.reads(town.ada, dm, "memory correct", fact=number, text="My cat is called Alan.")
    assert answer.startswith(
        '"ada said: My cat is called Turing." does not stand any more; what stands is:\nMy cat is called Alan.'
    )
    assert "ada, today at" in answer
    assert await facts(lyra, DomainKind.DM, town.ada.id) == ["My cat is called Alan."]
    assert "My cat is called Alan." in await lyra.kept(DomainKind.DM, town.ada.id)
    past = await town.reads(town.ada, dm, "memory profile", past=True)
    assert past.startswith("1. ada said: My cat is called Turing.") and ", replaced on " in past
    assert "Alan" in await town.reads(town.ada, dm, "recall", query="what is my cat called")


async def test_a_correction_among_others_is_kept_as_said_there_under_its_own_name(town: Town, lyra: Awake) -> None:
    await told(lyra, town, town.ada, town.general, "My boat is called Petrel.")
    number = await fact_id(town, town.ada, town.general, "Petrel")
    await town.reads(town.ada, town.general, "memory correct", fact=number, text="My boat is called Tern.")
    shown = await town.reads(town.bob, town.general, "memory profile")
    assert shown.startswith("1. My boat is called Tern.") and "    ada, today at" in shown
    found = await town.reads(town.bob, town.general, "recall", query="boat Tern")
    assert found.startswith("1. ada, today") and found.splitlines()[1] == "My boat is called Tern."


async def test_who_told_her_to_stop_has_nothing_kept_by_a_correction(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(lyra, town, town.ada, dm, "My cat is called Turing.")
    number = await fact_id(town, town.ada, dm, "Turing")
    await town.reads(town.ada, dm, "privacy", choice="stop")
    before = await lyra.kept(DomainKind.DM, town.ada.id)
    answer = await town.reads(town.ada, dm, "memory correct", fact=number, text="My cat is called Alan.")
    assert answer == "You told me to keep nothing of yours; /privacy resume undoes it."
    assert await lyra.kept(DomainKind.DM, town.ada.id) == before
    await town.reads(town.ada, dm, "privacy", choice="resume")
    assert "Alan" in await town.reads(town.ada, dm, "memory correct", fact=number, text="My cat is called Alan.")


async def test_no_words_and_no_fact_put_nothing_right(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(lyra, town, town.ada, dm, "My cat is called Turing.")
    number, kept = await fact_id(town, town.ada, dm, "Turing"), await lyra.kept(DomainKind.DM, town.ada.id)
    assert (await town.reads(town.ada, dm, "memory correct", fact=number, text=" ")).startswith("/memory correct needs TEXT:")
    assert await town.reads(town.ada, dm, "memory correct", fact="nosuchid", text="It is Alan.") == NO_FACT
    elsewhere = await town.reads(town.ada, town.general, "memory correct", fact=number, text="It is Alan.")
    assert elsewhere == NO_FACT
    assert await lyra.kept(DomainKind.DM, town.ada.id) == kept


# Let go


async def test_a_fact_is_let_go_and_she_says_how_its_messages_go(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(lyra, town, town.ada, dm, "My cat is called Turing.")
    number = await fact_id(town, town.ada, dm, "Turing")
    answer = (await town.reads(town.ada, dm, "memory forget", fact=number)).split("\n")
    assert answer[0] == "Forgotten, and not to be found again by itself. What it rested on stays; /forget ID forgets that too:"
    message = re.fullmatch(r'- ada, today at \d\d:\d\d: "My cat is called Turing\." · id ([a-z2-7]{6,})', answer[1])
    assert message and await facts(lyra, DomainKind.DM, town.ada.id) == []
    await told(lyra, town, town.ada, dm, "The bread needs forty minutes.", "My cat is called Turing.")
    assert await facts(lyra, DomainKind.DM, town.ada.id) == ["ada said: The bread needs forty minutes."]
    assert (await town.reads(town.ada, dm, "forget", what=message[1])).startswith("Forgotten: 1 message")


async def test_a_button_under_the_profile_lets_a_fact_go(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(lyra, town, town.ada, dm, "My cat is called Turing.", "The bread needs forty minutes.")
    shown = await town.asks(town.ada, dm, "memory profile")
    pressed = await town.presses(town.ada, shown, "Forget 2")
    assert pressed.content.startswith("Forgotten, and not to be found again") and pressed.ephemeral
    assert await facts(lyra, DomainKind.DM, town.ada.id) == ["ada said: My cat is called Turing."]


# Whose facts


class Anyones(Facts):
    """The guard switched off: everybody may change every fact."""

    async def find(self, public_id: str, by: Identity | None = None) -> Statement:
        """Return a standing fact, whoever asks."""
        return await super().find(public_id)


class Lenient(DomainAccess):
    """Gives views that do not ask whose fact it is."""

    async def view(self, place: Place, person: Someone, adapter: Adapter | None = None) -> View:
        """Return such a view."""
        view = await super().view(place, person, adapter)
        view.facts = Anyones(view.facts._binding)
        return view


def lenient(app: App) -> App:
    """Return Lyra without that guard."""
    return replace(app, domains=Lenient(app.memory, app.base.settings, app.preferences, app.base.clock, app.base.time_zone))


async def tries(town: Town, who: Person, number: str) -> Sequence[str]:
    """Try to correct a fact and to let it go, and return what is answered."""
    return [
        await town.reads(who, town.general, "memory correct", fact=number, text="The boat was sold."),
        await town.reads(who, town.general, "memory forget", fact=number),
    ]


async def test_others_change_no_fact_that_rests_on_somebodys_words(town: Town, lyra: Awake) -> None:
    await told(lyra, town, town.ada, town.general, "My boat is called Petrel.")
    number, kept = await fact_id(town, town.bob, town.general, "Petrel"), await lyra.kept(*server_of(town.guild))
    assert await tries(town, town.bob, number) == [NOT_YOURS] * 2
    shown = await town.asks(town.bob, town.general, "memory profile")
    assert (await town.presses(town.bob, shown, "Forget 1")).content == NOT_YOURS
    assert await facts(lyra, *server_of(town.guild)) == ["ada said: My boat is called Petrel."]
    assert await lyra.kept(*server_of(town.guild)) == kept


async def test_that_they_do_not_is_held_by_the_right_alone(town: Town) -> None:
    async with (
        model_server(teller) as model,
        awake(town.server, town.home, town.monkeypatch, model=model, changed=lenient) as lyra,
    ):
        await told(lyra, town, town.ada, town.general, "My boat is called Petrel.")
        number = await fact_id(town, town.bob, town.general, "Petrel")
        corrected, forgotten = await tries(town, town.bob, number)
        assert corrected.startswith('"ada said: My boat is called Petrel." does not stand any more') and forgotten == NO_FACT


@pytest.mark.parametrize("who", ["ada", "eve"])
async def test_whom_a_fact_is_about_and_admins_change_it(town: Town, lyra: Awake, who: str) -> None:
    await told(lyra, town, town.ada, town.general, "My boat is called Petrel.")
    number = await fact_id(town, town.ada, town.general, "Petrel")
    person = town.ada if who == "ada" else town.eve
    corrected = await town.reads(person, town.general, "memory correct", fact=number, text="The boat was sold.")
    assert "The boat was sold." in corrected
    new = await fact_id(town, person, town.general, "boat was sold")
    assert (await town.reads(person, town.general, "memory forget", fact=new)).startswith("Forgotten, and")
    assert await facts(lyra, *server_of(town.guild)) == []
