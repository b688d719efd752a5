"""A DM becomes a room while a question waits in it: what was said to either has one conversation for good."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.events import Person as Someone
from adapters.events import Place
from bot.conversation.domain_access import DomainAccess
from memory.types import DomainKind, Session
from memory.view.view import View
from tests.fakes.matrix import People, Proxy
from tests.kits.matrix_knowing import FACT, Town, town_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]


@pytest.fixture
async def town(people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    async with town_of(people, proxy, tmp_path, monkeypatch) as town:
        yield town


class _Flipping(DomainAccess):
    """Lets what was said to readers whom the place has no longer begin a conversation of its own there."""

    async def named_session(self, view: View, place: Place, person: Someone | None = None, *, left: bool = False) -> Session:
        return await super().named_session(view, place, person)


@pytest.mark.parametrize("domains", [DomainAccess, _Flipping], ids=["guarded", "without the guard"])
async def test_what_waited_in_a_dm_is_kept_once_and_ends_no_conversation_of_the_room(
    town: Town, domains: type[DomainAccess]
) -> None:
    async with town.lyra(domains=domains) as lyra:
        ada, bob, room = await town.person("ada"), await town.person("bob"), await town.dm("ada")
        await town.caught_up()
        town.model.thinks = True
        await ada.says(room, "hello")
        await town.model.heard(1)
        await ada.says(room, FACT)
        await town.caught_up()
        await ada.invites(room, bob.user)
        await bob.joins(room)
        asked = await bob.says(room, "is there tea?", mentions=[town.home.user])
        await town.model.heard(2)
        town.model.go.set()
        await town.home.answer(bob, room, asked)
        await lyra.rests()
        await town.asks("ada", room, "and milk?")
        assert (await lyra.kept(DomainKind.DM, ada.user)).count(FACT) == 1
        conversations = await (await lyra.view(DomainKind.ROOM, room, 1)).sessions.all()
        assert (len(conversations) == 1) is (domains is DomainAccess)
