"""What is stored is compared with its place's history after a gap: recent talk first, a bounded part of it, while nobody talks."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adapters.base import Presence
from adapters.events import Vanished
from bot.admission.access import Access
from bot.config.settings import Settings
from bot.conversation.domain_access import DomainAccess
from bot.conversation.intake import Intake
from bot.conversation.preferences import Preferences
from bot.reconciliation import history_comparison
from bot.reconciliation.history_comparison import HistoryComparison
from bot.reconciliation.message_verification import MessageVerification, RequestBudget
from bot.reconciliation.used_messages import UsedMessage
from bot.rights.off_record import OffRecord
from bot.service.priority import Priority
from memory.core import Memory
from memory.forget.comparison_state import ComparisonState, Support
from memory.tiers.messages.asides import Aside
from memory.types import MINUTE, Domain, DomainKind, DomainRef, Exchange, Identity, Kind, NewExchange, SessionRef
from memory.view.view import Answer
from tests.fakes.pulse import PATIENCE
from tests.kits.adapter_kit import Silent
from tests.kits.memory_kit import Clock, opened

PLATFORM = "chat"
HALL, KITCHEN = (json.dumps(["home", name, ""]) for name in ("hall", "kitchen"))


class Platform(Silent):
    """A platform with the histories of places: their messages by id. It shows a hundred of them at a look."""

    platform = PLATFORM
    takes_back_edits = True

    def __init__(self) -> None:
        self.said: dict[str, dict[str, Presence]] = {HALL: {}, KITCHEN: {}}
        self.hidden = False
        self.looks: list[tuple[str, int]] = []
        """Where was looked, and from which message back."""

    async def message_presences(self, place: str, ids: Sequence[str], *, patient: bool = False) -> Mapping[str, Presence]:
        self.looks.append((place, int(ids[0])))
        shown = {one for one in self.said[place] if int(one) <= int(ids[0])}
        page = sorted(shown, key=int)[-100:]
        oldest = int(page[0]) if len(page) == 100 else 0
        if self.hidden:
            return {}
        here = self.said[place]
        return {one: here.get(one, Presence(there=False)) for one in ids if oldest <= int(one) <= int(ids[0])}


@dataclass
class House:
    """A memory in which things are said, and the platform where they stand."""

    memory: Memory
    clock: Clock
    domain: Domain
    platform: Platform = field(default_factory=Platform)
    priority: Priority = field(default_factory=Priority)
    number: int = 0

    async def say(self, place: str, *texts: str) -> list[Exchange]:
        """Have things be said at a place, and kept."""
        view = self.memory.view(self.domain)
        session = await view.sessions.get(SessionRef(PLATFORM, place), place)
        new = []
        for text in texts:
            self.number += 1
            self.clock.forward(MINUTE)
            self.platform.said[place][str(self.number)] = Presence(there=True, text=text, person="ada")
            who = Identity(PLATFORM, "ada")
            new.append(NewExchange(Kind.SAID, text, str(self.number), self.clock.now(), "Ada", identity=who))
        return (await view.say(session, new)).stored

    @asynccontextmanager
    async def awake(self, *, missed: bool = True) -> AsyncIterator[tuple[MessageVerification, HistoryComparison]]:
        """Have what is in doubt compared for the block, as in one process; with `missed` all that is stored is in doubt."""
        self.clock.forward(MINUTE)
        adapters = {PLATFORM: self.platform}
        preferences = Preferences(self.memory.settings, {}, self.memory.places.account_scope)
        domains = DomainAccess(self.memory, Settings(), preferences, self.clock, "UTC")
        access = Access(Settings(), adapters, self.clock)
        verification = MessageVerification(
            self.memory, Intake(self.memory, domains, preferences, access, self.clock, 60, OffRecord()), adapters
        )
        await verification.unverified.open()
        comparing = HistoryComparison(self.memory, verification, nothing, adapters, self.priority, self.clock)
        if missed:
            await verification.unverified.missed(PLATFORM, ())
        running = asyncio.create_task(comparing.run())
        await comparing.begin(PLATFORM)
        try:
            yield verification, comparing
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def answer(self, place: str, text: str, shown: str) -> Exchange:
        """Have something be said at a place that is not kept, as `shown`, and an answer be kept that had it in view."""
        (asked,) = await self.say(place, "what do you think?")
        self.number += 1
        self.clock.forward(MINUTE)
        here = self.platform.said[place][str(self.number)] = Presence(there=True, text=shown, edited_at=1, person="bob")
        aside = Aside(str(self.number), self.clock.now(), here.edited_at, self.clock.now())
        view = self.memory.view(self.domain)
        session = await view.sessions.get(SessionRef(PLATFORM, place), place)
        new = NewExchange(Kind.REPLY, text, f"reply:{asked.source_id}", self.clock.now() + 1, "Lyra", "assistant")
        kept = await view.answer(session, Answer(new, (), (), (), [asked], asides=[aside], begun=self.clock.now()))
        assert kept
        return kept.exchange

    async def kept(self) -> list[str]:
        """Return what is kept."""
        return [message.text async for _, message in self.memory.view(self.domain).messages.all()]


async def nothing(event: Vanished) -> None:
    """Nothing vanishes here."""


async def through(comparing: HistoryComparison) -> None:
    async with asyncio.timeout(PATIENCE):
        await comparing.through(PLATFORM)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", None, clock=clock) as memory:
        domain = await memory.places.domain(DomainRef(DomainKind.SERVER, PLATFORM, "home"), "UTC", clock.now())
        yield House(memory, clock, domain)


async def test_what_was_said_last_is_compared_first_wherever_it_was_said_a_hundred_a_look(house: House) -> None:
    await house.say(HALL, *(f"hall {number}" for number in range(150)))
    await house.say(KITCHEN, *(f"kitchen {number}" for number in range(150)))
    async with house.awake() as (_, comparing):
        await through(comparing)
    assert house.platform.looks == [(KITCHEN, 300), (KITCHEN, 200), (HALL, 150), (HALL, 50)]


async def test_what_was_said_last_at_a_place_is_compared_and_what_is_older_when_it_is_used_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_comparison, "MOST", 3)
    said = await house.say(HALL, *(f"remark {n}" for n in range(400)))
    for gone in (1, 2, 300):
        del house.platform.said[HALL][str(gone)]
    async with house.awake() as (verification, comparing):
        await through(comparing)
        assert [start for _, start in house.platform.looks] == [400, 300, 200]
        assert said[0].text in (kept := await house.kept()) and said[299].text not in kept
        house.platform.looks.clear()
        older = [UsedMessage(one, PLATFORM, HALL) for one in said[:5]]
        found = await verification.usable(older, RequestBudget())
        assert found.changed and said[0].text not in await house.kept()
        assert await verification.usable(older[2:], RequestBudget(0)) == await verification.usable(older[2:], RequestBudget())
        assert {one.exchange.key for one in older[2:]} <= (await verification.usable(older, RequestBudget(0))).keys


async def test_a_place_where_little_is_said_does_not_wait_until_all_of_a_busy_one_is_compared(house: House) -> None:
    (quiet,) = await house.say(KITCHEN, "the kettle is on")
    await house.say(HALL, *(f"remark {n}" for n in range(450)))
    del house.platform.said[KITCHEN][quiet.source_id]
    async with house.awake() as (_, comparing):
        await through(comparing)
        assert [place for place, _ in house.platform.looks[:4]] == [HALL, HALL, HALL, KITCHEN]
        assert quiet.text not in await house.kept()


async def test_of_a_dm_of_years_all_is_compared(house: House) -> None:
    said = [one for part in range(5) for one in await house.say(HALL, *(f"remark {part} {n}" for n in range(250)))]
    del house.platform.said[HALL]["1"]
    async with house.awake() as (_, comparing):
        await through(comparing)
        assert len(house.platform.looks) == 13 and said[0].text not in await house.kept()


async def test_what_was_compared_is_not_again_after_a_restart_in_which_nothing_was_missed(house: House) -> None:
    await house.say(HALL, *(f"remark {number}" for number in range(150)))
    async with house.awake() as (_, comparing):
        await through(comparing)
    house.platform.looks.clear()
    async with house.awake(missed=False) as (_, comparing):
        await through(comparing)
    assert house.platform.looks == []
    async with house.awake() as (_, comparing):
        await through(comparing)
    assert house.platform.looks == [(HALL, 150), (HALL, 50)], "what was missed is in doubt anew"


async def test_after_a_kill_it_goes_on_where_it_was(house: House) -> None:
    await house.say(HALL, *(f"remark {number}" for number in range(250)))
    house.platform.hidden = False
    async with house.awake() as (verification, comparing):
        async with asyncio.timeout(PATIENCE):
            while verification.unverified.comparison(PLATFORM, HALL) is None:
                await asyncio.sleep(0)
        house.platform.hidden = True
    first = [start for _, start in house.platform.looks]
    house.platform.hidden = False
    house.platform.looks.clear()
    async with house.awake(missed=False) as (_, comparing):
        await through(comparing)
    assert first[0] == 250 and (HALL, 250) not in house.platform.looks and house.platform.looks[-1] == (HALL, 50)


async def test_while_somebody_talks_nothing_is_compared(house: House) -> None:
    await house.say(HALL, "hello")
    with house.priority.running_turn():
        async with house.awake() as (_, comparing):
            for _ in range(50):
                await asyncio.sleep(0)
            assert house.platform.looks == []
    async with house.awake() as (_, comparing):
        await through(comparing)
    assert house.platform.looks == [(HALL, 1)]


async def test_a_history_that_cannot_be_read_deletes_nothing_and_is_tried_a_few_times_more(house: House) -> None:
    (said,) = await house.say(HALL, "hello")
    house.platform.hidden = True
    async with house.awake() as (verification, comparing):
        for _ in range(9):
            await through(comparing)
            comparing.tick()
            await asyncio.sleep(0)
        assert len(house.platform.looks) == 5
        assert (await verification.usable([UsedMessage(said, PLATFORM, HALL)], RequestBudget())).keys == frozenset()
        assert await house.kept() == ["hello"]


@pytest.mark.parametrize("takes_back", [True, False])
async def test_an_edit_is_followed_and_one_that_was_taken_back_where_that_can_be(house: House, takes_back: bool) -> None:
    """Elsewhere a history that is behind would bring old words back."""
    house.platform.takes_back_edits = takes_back
    await house.say(HALL, "the door is green")
    here = house.platform.said[HALL]
    for text, at in (("the door is blue", house.clock.now() + 1), ("the door is green", 0)):
        here["1"] = Presence(there=True, text=text, edited_at=at, person="ada")
        async with house.awake() as (_, comparing):
            await through(comparing)
        assert await house.kept() == [text if at or takes_back else "the door is blue"]


class Unrecorded(ComparisonState):
    """Knows nothing of what was only shown."""

    async def supports(self, replies: Sequence[int]) -> dict[int, list[Support]]:
        return {}


@pytest.mark.parametrize("way", ["compared", "used", "used unguarded"])
@pytest.mark.parametrize("now", [Presence(there=False), Presence(there=True, text="never mind", edited_at=2), None])
async def test_what_was_only_shown_takes_its_answer_along_where_it_was_taken_back_unheard(
    house: House, way: str, now: Presence | None
) -> None:
    reply = await house.answer(HALL, "It is 4711.", "my locker code is 4711")
    if way == "used unguarded":
        house.memory.verified = Unrecorded(house.memory.db, house.clock)
    if now:
        house.platform.said[HALL]["2"] = now
    with house.priority.running_turn() if way != "compared" else nullcontext():
        async with house.awake() as (verification, comparing):
            if way == "compared":
                await through(comparing)
            sure = await verification.usable([UsedMessage(reply, PLATFORM, HALL)], RequestBudget())
            stays = now is None or way == "used unguarded"
            assert (reply.text in await house.kept()) is stays
            if way != "compared":
                assert sure.keys == ({reply.key} if stays else set())
            again = await verification.usable([UsedMessage(reply, PLATFORM, HALL)], RequestBudget(0))
            assert not stays or again.keys == {reply.key}, "what was looked up once is not again"


@pytest.mark.parametrize("recorded", [True, False])
async def test_an_answer_is_left_out_where_what_it_was_shown_cannot_be_looked_up(house: House, recorded: bool) -> None:
    """Of what was shown before there were records nobody knows where it stands."""
    reply = await house.answer(HALL, "It is 4711.", "my locker code is 4711")
    if recorded:
        house.platform.hidden = True
    else:
        async with house.memory.db.transaction() as tx:
            await tx.run("DELETE FROM asides")
            await tx.run("UPDATE seen SET asides = NULL")
    with house.priority.running_turn():
        async with house.awake() as (verification, _):
            assert (await verification.usable([UsedMessage(reply, PLATFORM, HALL)], RequestBudget())).keys == set()
            assert reply.text in await house.kept()


async def test_words_that_differ_without_an_edit_or_cannot_be_read_stay(house: House) -> None:
    await house.say(HALL, "the door is green", "the window is open")
    here = house.platform.said[HALL]
    here["1"] = Presence(there=True, text="The Door", person="ada")
    here["2"] = Presence(there=True, text=None, edited_at=house.clock.now() - MINUTE, person="ada")
    async with house.awake() as (_, comparing):
        await through(comparing)
    assert await house.kept() == ["the door is green", "the window is open"]
