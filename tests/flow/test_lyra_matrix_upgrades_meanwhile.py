"""A room that is upgraded while she answers there: that answer reaches nobody any more, and the new room is told so."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.matrix import People, Proxy
from tests.kits.matrix_knowing import Town, sees_inside, town_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]

UNANSWERED = "I could not answer any more what I was asked there last"


@pytest.fixture
async def town(people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    async with town_of(people, proxy, tmp_path, monkeypatch) as town:
        yield town


BEFORE, AFTER = "before she is there", "when she is there"


@pytest.mark.parametrize("ends", ["", BEFORE, AFTER], ids=["answered", BEFORE, AFTER])
async def test_what_could_not_be_answered_in_the_old_room_is_said_in_the_new_one_unasked_and_once(town: Town, ends: str) -> None:
    """The model ends its answer before or after she came into the new room."""
    async with town.lyra() as lyra:
        ada = await town.person("ada")
        old = await town.room("garden", "ada", "bob", version="10")
        await town.asks("ada", old, "are you there?")
        if ends:
            heard = len(town.model.requests)
            town.model.thinks = True
            await ada.says(old, "when do the tomatoes ripen?", mentions=[town.home.user])
            await town.model.heard(heard + 1)
        new = await ada.upgrades(old, "12")
        if ends == BEFORE:
            town.model.go.set()
            await lyra.rests()
        await ada.invites(new, town.home.user)
        await sees_inside(ada, new, town.home.user)
        if ends == AFTER:
            await ada.hears(new, lambda event: event.body.startswith("This room replaces one"))
            town.model.go.set()
        await ada.hears(new, lambda event: (UNANSWERED if ends else "This room replaces one") in event.body)
        town.model.thinks = False
        await town.asks("ada", new, "and here?")
        told = [one.body for one in await town.home.said(ada, new)]
        assert len([text for text in told if text.startswith("This room replaces one")]) == 1
        assert len([text for text in told if UNANSWERED in text]) == bool(ends)
