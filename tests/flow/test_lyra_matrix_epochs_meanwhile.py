"""A DM becomes a room, or a room is upgraded, while a question waits there: one conversation has it, and no answer goes astray."""

import pytest

from adapters.events import Person as Someone
from adapters.events import Place
from bot.conversation.domain_access import DomainAccess
from memory.types import DomainKind, Session
from memory.view.view import View
from tests.kits import matrix_knowing
from tests.kits.matrix_knowing import FACT, Town, sees_inside

pytest_plugins = ["tests.fakes.matrix.fixtures"]

town = matrix_knowing.town


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


UNANSWERED = "I could not answer any more what I was asked there last"


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
