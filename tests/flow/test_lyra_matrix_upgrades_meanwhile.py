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


@pytest.mark.parametrize("meanwhile", [True, False], ids=["while she answers", "afterwards"])
async def test_what_could_not_be_answered_in_the_old_room_is_said_in_the_new_one(town: Town, meanwhile: bool) -> None:
    async with town.lyra() as lyra:
        ada = await town.person("ada")
        old = await town.room("garden", "ada", "bob", version="10")
        await town.asks("ada", old, "are you there?")
        if meanwhile:
            heard = len(town.model.requests)
            town.model.thinks = True
            await ada.says(old, "when do the tomatoes ripen?", mentions=[town.home.user])
            await town.model.heard(heard + 1)
        new = await ada.upgrades(old, "12")
        await ada.invites(new, town.home.user)
        await sees_inside(ada, new, town.home.user)
        await town.caught_up()
        if meanwhile:
            town.model.thinks = False
            town.model.go.set()
            await lyra.rests()
        await town.asks("ada", new, "and here?")
        [told] = [one.body for one in await town.home.said(ada, new) if one.body.startswith("This room replaces one")]
        assert (UNANSWERED in told) is meanwhile
