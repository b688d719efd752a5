"""What is forwarded in a prompt: shown, and by whom, and asked of memory once for all of it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from adapters.events import Person, Place, Reach
from adapters.message_parts import Forward, Quote
from bot.context.quoting import messages_before, without_confidences, without_forgotten
from memory.types import MINUTE, SECOND, Discretion, DomainKind, Identity, Kind, NewExchange
from tests.kits.adapter_kit import Silent
from tests.kits.memory_kit import Corner, among

PLACE = Place("console", "general", "general", Reach.PUBLIC, server="town")
TOLD = {"red": "ada", "blue": "ben", "green": "ada"}


async def confided(here: Corner) -> None:
    """Keep three messages, the first two of which their tellers want kept from Cleo."""
    for text, who in TOLD.items():
        discretion = Discretion(("Cleo",)) if text != "green" else None
        here.said += 1
        new = NewExchange(
            Kind.SAID, text, text, here.clock.now() + here.said, who, "user", Identity("console", who), discretion=discretion
        )
        await here.view.say(here.session, [new])


def forwarding(person: str, *texts: str) -> Quote:
    """Return what somebody said who forwards these messages."""
    told = " ".join(texts)
    return Quote(
        f"{person} {told}", person, told, 0, person=person, forwards=tuple(Forward(text, "", "dm", text) for text in texts)
    )


async def test_each_forward_of_a_confidence_is_judged_by_who_forwards_it(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        await confided(here)
        quotes = [forwarding("ada", *TOLD), forwarding("ben", *TOLD), forwarding("cleo", *TOLD), forwarding("", *TOLD)]
        left = await without_forgotten(here.memory, here.view, "console", quotes)
        assert [[one.id for one in quote.forwards] for quote in left] == [
            ["red", "green"],
            ["blue", "green"],
            ["green"],
            ["green"],
        ]
        assert [quote.text for quote in left][:2] == ["red [forwarded] green", "[forwarded] blue green"]


@pytest.mark.parametrize("times", [2, 9])
async def test_however_many_forward_something_memory_is_asked_as_often(tmp_path: Path, times: int) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        await confided(here)
        asked = []
        for quotes in ([forwarding("ada", "red")], [forwarding(f"person {n}", *TOLD) for n in range(times)]):
            before = here.memory.db.reads
            await without_forgotten(here.memory, here.view, "console", quotes)
            asked.append(here.memory.db.reads - before)
        assert asked[0] == asked[1]


@pytest.mark.parametrize(
    ("said", "open_ones"),
    [
        (("my locker number is 7741, but don't tell Ben", "I fed the cat", "no wait, 7742", "sorry, 7743"), ("I fed the cat",)),
        (("my locker number is 7741", "no wait, 7742", "don't tell Ben that", "I meant 7743", "I fed the cat"), ("I fed the cat",)),
        (("I'm moving on Friday", "no wait, on Saturday", "my locker is red, but don't tell Ben", "no, on Sunday"),
         ("I'm moving on Friday", "no wait, on Saturday", "no, on Sunday")),
        (("my locker is 7741, don't tell Ben", "I fed the cat", "my locker is 7742 now"), ("I fed the cat",)),
        (("the fair is in Paris", "I fed the cat", "no wait, Lyon, but don't tell Ben"), ("I fed the cat",)),
        (("my pin is 9911", "I hate Tom", "don't tell Ben what I said in #general"), ()),
        (("I'm pregnant, don't tell Ben", "no, twins", "I fed the cat"), ("I fed the cat",)),
    ],
)  # fmt: skip
def test_what_others_said_just_before_leaves_a_confidence_out_with_its_corrections(
    said: Sequence[str], open_ones: Sequence[str]
) -> None:
    quotes = [Quote(f"{n}", "ada", text, n * MINUTE, person="ada") for n, text in enumerate(said)]
    theirs = Quote("x", "cleo", "no wait, 7749", 50 * MINUTE, person="cleo")
    assert [one.text for one in without_confidences([*quotes, theirs])] == [*open_ones, theirs.text]


@pytest.mark.parametrize(
    ("said", "open_ones"),
    [
        (((0, "pls dont tell ben"), (5, "my locker is"), (9, "7741"), (90, "I fed the cat")), ("I fed the cat",)),
        (((0, "my locker is 7741"), (5, "and my pin is 7742"), (9, "don't tell Ben"), (90, "I fed the cat")), ("I fed the cat",)),
        (((0, "don't tell Ben about my locker"), (60, "I fed the cat"), (120, "the locker code is 7741")), ("I fed the cat",)),
    ],
)  # fmt: skip
def test_what_others_announced_or_said_in_one_breath_with_a_request_is_left_out(
    said: Sequence[tuple[int, str]], open_ones: Sequence[str]
) -> None:
    quotes = [Quote(text, "ada", text, at * SECOND, person="ada") for at, text in said]
    assert [one.text for one in without_confidences(quotes)] == [*open_ones]


class Scrolled(Silent):
    """A place where these messages stand, which remembers what was read of it."""

    def __init__(self, said: Sequence[Quote]) -> None:
        self.said = said
        self.read: list[str] = []

    async def messages_before(self, place: str, message: str, n: int, reader: Person | None = None) -> Sequence[Quote]:
        """Return the n messages before one."""
        end = next((at for at, one in enumerate(self.said) if one.id == message), len(self.said))
        found = self.said[max(0, end - n) : end]
        self.read += [one.id for one in found]
        return found


@pytest.mark.parametrize(
    ("told", "again"),
    [
        ("my locker number is 7741, but don't tell Ben", "I meant 7742"),
        ("I live in Graz, but don't tell Ben", "I live in Vienna"),
    ],
)
async def test_what_puts_right_a_confidence_of_further_back_is_left_out_and_nothing_is_read_twice(told: str, again: str) -> None:
    said = [told, *(f"the boat has {n} sails" for n in range(5)), again]
    who = {0: "ada", len(said) - 1: "ada"}
    place = Scrolled([Quote(f"{n}", who.get(n, "cleo"), text, n, person=who.get(n, "cleo")) for n, text in enumerate(said)])
    assert [one.text for one in await messages_before(place, PLACE, "", 3)] == said[4:6]
    assert sorted(place.read) == [one.id for one in place.said]
