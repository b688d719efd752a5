"""Two-run noninterference for rooms that are upgraded and rooms that others can come into.

A room that replaces another and has somebody in it who was not in that one, and a public room of two: whatever was said in
the old room, and whatever one of the two says in private, changes nothing of what Lyra says there.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters.matrix.adapter import Matrix
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms, Succession
from tests.fakes.matrix import People, Synapse
from tests.fakes.openai_behaviours import Request, echo, sensible
from tests.flow.test_lyra_matrix_noninterference import CONFIG, HALF_PAST, MINUTE, NOON, NOTHING, Run, Said, digest
from tests.kits.given_time import pass_there
from tests.kits.matrix_home import home, sees_inside
from tests.kits.matrix_knowing import Noon, Punctual, Thoughtful, Town

pytest_plugins = ["tests.fakes.matrix.fixtures"]

BEFORE = [
    Said("ada", "garden", "our boat is called Iris"),
    Said("ada", "dm", "the boat is secretly called Kestrel"),
    Said("bob", "garden", "the key of the boat is under the harbour wall"),
    Said("ada", "dm", "!settings reach on"),
]
HERE = [
    Said("bob", "orchard", "what is our boat called?"),
    Said("ada", "square", "what is my boat called?"),
    Said("cy", "orchard", "who has the key of the boat?"),
    Said("ada", "square", "and where is the key of the boat?"),
]
PLACES = ("orchard", "square")


class _Credulous(Succession):
    """Takes whoever is there for somebody who was there before."""

    def may_know(self, room: Room, past: Room) -> bool:
        return True


class _Blind(Room):
    """A room at whose doors nobody looks."""

    @property
    def is_closed(self) -> bool:
        return True


class _WithCredulity(Rooms):
    succession = _Credulous


class _WithoutDoors(Rooms):
    async def meet(self, room_id: str, since: str) -> Room:
        found = await super().meet(room_id, since)
        if isinstance(found, _Blind):
            return found
        return _Blind(found.id, found.me, None, lambda room: self.waived(room), lambda room: False)


class Credulous(Matrix):
    """The guard of upgrades switched off."""

    rooms = _WithCredulity


class Unwatched(Matrix):
    """The guard of open rooms switched off."""

    rooms = _WithoutDoors


async def built(town: Town, ids: dict[str, str]) -> None:
    """Build the same world every time: a garden, a DM and a public square."""
    for name in ("ada", "bob", "cy"):
        ids[(await town.person(name)).user] = name
    ids[town.home.user] = "lyra"
    ada = await town.person("ada")
    await town.room("garden", "ada", "bob", version="10")
    town.rooms["dm"] = await town.dm("ada")
    town.rooms["square"] = await ada.creates("Square", public=True, invite=[town.home.user])
    await sees_inside(ada, town.rooms["square"], town.home.user)


async def upgraded(town: Town) -> None:
    """Let Ada upgrade the garden, with Cy in the new room before Lyra comes."""
    ada = await town.person("ada")
    town.rooms["orchard"] = new = await ada.upgrades(town.rooms["garden"], "10")
    for name in ("bob", "cy"):
        await town.comes(name, new)
    await ada.invites(new, town.home.user)
    await sees_inside(ada, new, town.home.user)


async def sent(
    synapse: Synapse, path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: Sequence[Said], kind: type[Matrix] = Matrix
) -> dict[str, list[Any]]:
    """Let the same be said here, after other things elsewhere; return all that was sent to each place."""
    ids: dict[str, str] = {}
    pass_there(monkeypatch)
    path.mkdir()

    def model(request: Request) -> str:
        written = sensible(request)
        return digest(request, ids) if written == echo(request) else written

    times = {said.text: NOON + minute * MINUTE for minute, said in enumerate([*BEFORE, *HERE])}
    async with People(synapse) as people, Punctual(synapse.url, NOON, times) as proxy, Thoughtful(model) as thoughtful:
        town = Town(people, await home(people, proxy, path, monkeypatch), thoughtful)
        async with town.lyra(config=CONFIG, clock=Noon(HALF_PAST), kind=kind) as lyra:
            await built(town, ids)
            run = Run(town, lyra, ids)
            for minute, said in enumerate(elsewhere):
                await run.happens(said, minute)
            await upgraded(town)
            for minute, said in enumerate(HERE):
                await run.happens(said, minute)
        return {place: run.sent(place) for place in PLACES}


@pytest.fixture(scope="module")
def known() -> list[dict[str, list[Any]]]:
    """What was sent when nothing was said elsewhere, once that was seen."""
    return []


async def alone(
    known: list[dict[str, list[Any]]], synapse: Synapse, path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, list[Any]]:
    """Return what is sent when nothing is said elsewhere."""
    if not known:
        known.append(await sent(synapse, path / "alone", monkeypatch, NOTHING))
    return known[0]


@pytest.mark.torture
async def test_what_was_said_in_the_old_room_or_in_private_changes_nothing(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: list[dict[str, list[Any]]]
) -> None:
    by_themselves = await alone(known, synapse, tmp_path, monkeypatch)
    for place in PLACES:
        hashes = [content["body"] for content in by_themselves[place] if content["body"].startswith("Answer ")]
        assert len(set(hashes)) == len(hashes) == 2, "every answer has a prompt of its own"
    assert await sent(synapse, tmp_path / "among", monkeypatch, BEFORE) == by_themselves


@pytest.mark.torture
@pytest.mark.parametrize(("kind", "place"), [(Credulous, "orchard"), (Unwatched, "square")])
async def test_this_would_see_a_single_word_that_leaks(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: list[dict[str, list[Any]]],
    kind: type[Matrix], place: str,
) -> None:  # fmt: skip
    by_themselves = await alone(known, synapse, tmp_path, monkeypatch)
    among = await sent(synapse, tmp_path / "among", monkeypatch, BEFORE, kind)
    assert answers(among[place]) != answers(by_themselves[place])


def answers(sent: Sequence[Any]) -> list[str]:
    """Return what the model answered."""
    found = [json.dumps(content) for content in sent if content["body"].startswith("Answer ")]
    assert len(found) == 2
    return found
