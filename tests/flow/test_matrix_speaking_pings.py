"""Whom a text of hers pings, by what a homeserver counts that works out pushes; the one of all other tests does not, to be quick."""

from collections.abc import Iterator

import pytest

from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.event import MESSAGE
from adapters.matrix.outgoing.wire import Wire
from tests.fakes.matrix import Person
from tests.fakes.matrix.synapse import Synapse
from tests.kits.matrix_speech import Desk, Town, beside, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]


@pytest.fixture(scope="module")
def synapse() -> Iterator[Synapse]:
    """A homeserver of this module's own."""
    with Synapse(push={"enabled": True}) as synapse:
        yield synapse


LOUD = "# @room\nwake up, [bob](https://matrix.to/#/{bob}), {bob}, Bob!"


async def pinged(it: Desk, ada: Person, bob: Person) -> tuple[list[str], int]:
    """Let Lyra, who may call everyone, say something loud, and return whom it mentions and how often it pings bob."""
    room = await beside(it, ada, bob, levels={"notifications": {"room": 0}})
    question = await ada.says(room, "shout!")
    sent = await it.sender.send(part(room, LOUD.format(bob=bob.user), answers=question))
    said = await bob.hears(room, lambda event: event.id == sent)
    highlights = (await bob.client.call("GET", "notifications", query={"only": "highlight"}))["notifications"]
    assert "room" not in said.content.get("m.mentions", {})
    return said.mentions, len(highlights)


@pytest.mark.torture
async def test_nobody_else_is_pinged_whatever_the_text_says(town: Town, ada: Person, bob: Person) -> None:
    async with town.desk() as it:
        assert await pinged(it, ada, bob) == ([ada.user], 0)


class Silent(Wire):
    """Says nothing of mentions."""

    async def put(self, room: str, content: Json, transaction: str, kind: str = MESSAGE) -> str:
        return await super().put(room, {key: value for key, value in content.items() if key != "m.mentions"}, transaction, kind)


@pytest.mark.torture
async def test_without_saying_whom_it_mentions_the_text_would_ping(town: Town, ada: Person, bob: Person) -> None:
    async with town.desk(wire=Silent) as it:
        assert await pinged(it, ada, bob) == ([], 1)
