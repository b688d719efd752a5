"""What people change and take back on Matrix, and what becomes of it in Lyra."""

import asyncio

import pytest

from adapters.matrix.adapter import Matrix
from memory.types import DomainKind
from tests.fakes.matrix import Person
from tests.fakes.matrix.faults import SYNC
from tests.fakes.pulse import PATIENCE
from tests.kits.awake import Awake
from tests.kits.discord_knowing import Thoughtful
from tests.kits.matrix_home import Home
from tests.kits.size import few

GREEN, BLUE = "is the door green?", "is the door blue?"
SEALED = pytest.mark.parametrize("sealed", few([True, False]), ids=few(["encrypted", "plain"]))
DOWN = pytest.mark.parametrize("down", [False, True], ids=["while she listens", "while she is down"])


class Narrow(Matrix):
    """Is told five events of a room at once, so that what was missed has to be read back."""

    at_once = 5


async def followed(at_home: Home, who: Person, room: str, event: str) -> None:
    """Wait until she has gone through everything up to an event."""
    await who.hears(room, lambda one: one.id == event)
    there = _position(who.ears.since)
    await at_home.proxy.until(
        lambda: any(_position(call.query.get("since", "s0")) >= there for call in at_home.proxy.calls(SYNC)),
        "Lyra, asking what happened since then",
    )


async def settled(lyra: Awake) -> None:
    """Let minutes pass until nothing waits to be answered or sent any more."""
    journal = lyra.app.memory.journal
    async with asyncio.timeout(PATIENCE):
        while await journal.waiting("matrix") or await journal.unfinished("matrix"):
            await lyra.talk.tick()
            await asyncio.sleep(0.02)


def _position(token: str) -> int:
    return int(token.removeprefix("s").partition("_")[0])


async def kept(lyra: Awake, ada: Person, room: str, sealed: bool = False) -> list[str]:
    """Return what is kept of ada's DM."""
    return await (lyra.kept(DomainKind.ROOM, room) if sealed else lyra.kept(DomainKind.DM, ada.user))


async def answers_to(at_home: Home, who: Person, room: str, said: str) -> list[str]:
    """Return what stands as Lyra's answers to a message, as it was sent first."""
    return [one.body for one in await at_home.said(who, room) if one.answers == said and not one.replaces]


async def pondered(at_home: Home, model: Thoughtful, ada: Person, room: str) -> str:
    """Ask, and return the question while the model thinks about it."""
    asked = len(model.requests)
    model.thinks = True
    said = await ada.says(room, GREEN)
    await model.heard(asked + 1)
    return said


async def asked(at_home: Home, ada: Person, room: str) -> str:
    """Ask, and return the question when it is answered."""
    said = await ada.says(room, GREEN)
    await at_home.answer(ada, room, said)
    return said
