"""How long things are kept: each tier, and what is said at a place, goes by itself then, nothing else does."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memory.forget.retention import TIERS
from memory.types import DAY, DomainKind, DomainRef, Kind, NewExchange, SessionRef
from tests.kits.bank_kit import ROOMY, in_a_room
from tests.kits.dream_kit import dreamt
from tests.kits.ladder_kit import PAIRS, Teller, climbed, standing, unsound
from tests.kits.memory_kit import KEY, Corner, at_home
from tests.kits.pages import holding

STATED = {"facts": "profile", "months": "era", "narrative": "narrative", "thoughts": "self"}
SAID = ("Ada lives in Graz", "Ada likes tea", "Bob sails at noon", "Bob owns a boat")
ONLY_THERE = {"thoughts": "I heard that "}
"""Words that stand in a tier alone."""


async def heights(here: Corner) -> dict[str, Sequence[str]]:
    """Return what stands in each tier."""
    return {name: await standing(here, tier) for name, tier in STATED.items()}


def test_every_tier_is_looked_at() -> None:
    assert {"messages", "gists", *STATED, "notes"} == set(TIERS)


@pytest.mark.parametrize("tier", [pytest.param(one, marks=[pytest.mark.file] if one in ONLY_THERE else []) for one in STATED])
async def test_a_tier_goes_by_itself_once_its_time_is_over_and_is_not_made_again(tmp_path: Path, tier: str) -> None:
    async with at_home(tmp_path, habits=replace(PAIRS, retention={tier: 2})) as here:
        for text in SAID:
            await here.say(text)
        await climbed(here, Teller())
        before = await heights(here)
        assert all(before.values())
        assert tier not in ONLY_THERE or holding(tmp_path, KEY, ONLY_THERE[tier])
        here.clock.forward(DAY)
        assert await here.memory.expire() == 0 and await heights(here) == before
        here.clock.forward(DAY + 1)
        assert await here.memory.expire() == len(before[tier])
        assert await heights(here) == {**before, tier: []}
        await climbed(here, Teller(), asked=False)
        assert await heights(here) == {**before, tier: []}
        assert [one.text async for _, one in here.view.messages.all()] == [*SAID]
    if tier in ONLY_THERE:
        assert holding(tmp_path, KEY, ONLY_THERE[tier]) == []


async def test_what_was_made_of_gists_outlasts_them(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=replace(PAIRS, retention={"gists": 2})) as here:
        for text in SAID:
            await here.say(text)
        await climbed(here, Teller())
        before = await heights(here)
        here.clock.forward(2 * DAY + 1)
        assert await here.memory.expire() == 2
        await dreamt(here, Teller())
        assert await heights(here) == before and await unsound(here) == []


@pytest.mark.parametrize("days", [0, 2])
async def test_notes_of_a_shared_place_go_by_themselves(tmp_path: Path, days: int) -> None:
    async with in_a_room(tmp_path, replace(ROOMY, retention={"notes": days})) as here:
        await here.talk("the pear tree bears fruit", "the clover is cut")
        await here.kept()
        noted = await here.lines()
        here.clock.forward(2 * DAY + 1)
        assert noted and await here.memory.expire() == (len(noted) if days else 0)
        await here.kept()
        assert await here.lines() == ([] if days else noted)
        assert await here.count("exchanges") == 2


async def test_a_place_with_a_time_of_its_own_lets_go_sooner_and_no_other_does(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        memory, clock = home.memory, home.clock
        domain = await memory.places.domain(DomainRef(DomainKind.SERVER, "discord", "1"), "UTC", clock.now())
        view = memory.view(domain)
        places = [json.dumps(key) for key in (["1", "2", ""], ["1", "2", "9"], ["1", "23", ""])]
        for at, place in enumerate(places):
            session = await view.sessions.get(SessionRef("discord", place), f"place {at}")
            await view.say(session, [NewExchange(Kind.SAID, f"said at {at}", f"m{at}", clock.now(), "Ada")])

        async def kept() -> list[str]:
            return [message.text async for _, message in view.messages.all()]

        await memory.settings.set(f"place:discord:{places[0]}", "retention", "2")
        assert await memory.expire() == 0
        clock.forward(3 * DAY)
        assert await memory.expire() == 2
        assert await kept() == ["said at 2"]
