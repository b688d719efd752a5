"""What is told in confidence in a Matrix room: whom it is kept from while they are there, and until when."""

from collections.abc import Collection

import pytest

from adapters.events import Place
from adapters.matrix.adapter import Matrix
from memory.types import DomainKind
from tests.kits import matrix_knowing
from tests.kits.matrix_knowing import FACT, Town

pytest_plugins = ["tests.fakes.matrix.fixtures"]

town = matrix_knowing.town


class Blind(Matrix):
    """The guard of who reads a room switched off: whoever is asked about does not."""

    async def non_readers(self, place: Place, accounts: Collection[str]) -> set[str]:
        return set(accounts)


@pytest.mark.torture
@pytest.mark.parametrize(("kind", "known"), [(Matrix, False), (Blind, True)], ids=["her", "the twin"])
async def test_it_comes_up_once_who_may_not_know_has_left(town: Town, kind: type[Matrix], known: bool) -> None:
    async with town.lyra(kind=kind):
        garden = await town.room("garden", "ada", "bob", "cy")
        await town.asks("bob", garden, "good morning")
        notice = await town.asks("ada", garden, f"{FACT}, but don't tell Bob")
        assert notice.body == "Understood: I keep this from Bob. !confide takes it back."
        await town.asks("ada", garden, "thank you")  # the answer to that is there
        assert await town.leaks("cy", garden) is known
        await (await town.person("bob")).leaves(garden)
        await town.caught_up()
        assert await town.leaks("cy", garden)


@pytest.mark.torture
async def test_a_dm_is_as_it_was(town: Town) -> None:
    async with town.lyra() as lyra:
        for encrypted in (False, True):
            room = await town.dm("ada", encrypted=encrypted)
            answer = await town.asks("ada", room, f"{FACT}, but don't tell Bob")
            assert "Understood" not in answer.body
            assert await town.leaks("ada", room)
        row = await lyra.app.memory.db.one("SELECT count(*) AS n FROM confided")
        assert row is not None and row["n"] == 0


async def test_it_is_not_read_in_a_thread_either_that_who_may_not_know_opened_on_it(town: Town) -> None:
    async with town.lyra() as lyra:
        garden = await town.room("garden", "ada", "bob")
        ada = await town.person("ada")
        said = await ada.says(garden, FACT, mentions=[town.home.user])
        await town.home.answer(ada, garden, said)
        kept = await (await lyra.view(DomainKind.ROOM, garden)).messages.find("matrix", None, said)
        assert kept is not None
        assert "this stays between the two of us" in await town.tells("ada", garden, f"!confide {kept.id}")
        assert not await town.leaks("bob", garden, thread=said)
