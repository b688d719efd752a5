"""Her connection to the homeserver: it ends and comes back, is refused, and never asks in a hurry."""

import asyncio
from pathlib import Path

import pytest

from adapters.errors import PlatformRefused
from adapters.events import Message
from adapters.matrix.adapter import Credentials, Matrix
from adapters.matrix.homeserver import Pace
from adapters.matrix.sync import STREAM
from tests.fakes.matrix import UNKNOWN_TOKEN, People, Proxy
from tests.fakes.matrix.faults import SYNC, Held, Lost, Refuse, Status
from tests.kits.adapter_kit import running
from tests.kits.matrix_kit import Clock, Ear, Notebook, adapter_for, dm, home, in_dm, listening, room_of, sees_inside

pytest_plugins = ["tests.fakes.matrix.fixtures"]


@pytest.mark.torture
async def test_a_failing_homeserver_is_asked_ever_less_often(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        proxy.faults.always(SYNC, Status(502))
        proxy.cut(SYNC)
        await lyra.clock.pulse.until(lambda: len(lyra.clock.waits) >= 8, "eight waits")
        assert lyra.clock.waits[:8] == [1, 2, 4, 8, 16, 32, 60, 60]
        proxy.faults.lift()
        await ada.says(room, "Back?")
        await ear.heard(Message)
        proxy.faults.script(SYNC, Status(502))
        proxy.cut(SYNC)
        before = len(lyra.clock.waits)
        await lyra.clock.pulse.until(lambda: len(lyra.clock.waits) > before, "another wait")
    assert lyra.clock.waits[before] == 1


async def test_a_homeserver_that_does_not_know_how_far_she_heard_is_listened_to_from_now_on(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    """As where another one took over the name of the last."""
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear(cursors={STREAM: "12345"})
    room = await ada.opens_dm(lyra.user)
    async with listening(lyra, ear):
        await sees_inside(ada, room, lyra.user)
        await ada.says(room, "Hello")
        await ear.heard(Message)
    assert ear.texts == ["Hello"] and () in ear.missing
    assert lyra.clock.waits[:5] == [1, 2, 4, 8, 16], "it is believed only after a while"


@pytest.mark.parametrize(
    "fault", [Status(502), Status(200, text="<html>"), Lost(accepted=False), Refuse(500, "M_UNKNOWN")], ids=str
)
async def test_there_is_no_hurry_whatever_fails(
    people: People, proxy: Proxy, tmp_path: Path, fault: Status | Lost | Refuse
) -> None:
    lyra, ear = await home(people, proxy, tmp_path), Ear()
    waiting = asyncio.Event()

    async def wait(seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async with listening(lyra, ear, pace=Pace(pause=wait)):
        await proxy.waiting(SYNC)
        proxy.faults.always(SYNC, fault)
        asked = len(proxy.calls(SYNC))
        proxy.cut(SYNC)
        await waiting.wait()
    # Below nio the connection is tried again at once, a few times.
    assert len(proxy.calls(SYNC)) - asked <= 6


@pytest.mark.torture
async def test_without_the_waits_there_would_be(people: People, proxy: Proxy, tmp_path: Path) -> None:
    """The twin."""
    lyra, ear = await home(people, proxy, tmp_path), Ear()

    async def hurry(seconds: float) -> None:
        pass

    async with listening(lyra, ear, pace=Pace(pause=hurry)):
        await proxy.waiting(SYNC)
        asked = len(proxy.calls(SYNC))
        proxy.faults.always(SYNC, Status(502))
        proxy.cut(SYNC)
        await proxy.heard(SYNC, asked + 50)


@pytest.mark.torture
async def test_what_she_heard_is_shown_as_read(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    ear, ada.ears.signs = Ear(), True
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, bo)
        await ada.says(room, "Bo?")
        said = await ada.says(room, "Lyra?", mentions=[lyra.user])
        await ada.sees_read(room, lyra.user, said)


@pytest.mark.torture
async def test_waits_are_spread_by_chance(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ear = await home(people, proxy, tmp_path), Ear()
    async with listening(lyra, ear, pace=lyra.clock.pace(chance=lambda: 0.0)):
        proxy.faults.always(SYNC, Status(502))
        proxy.cut(SYNC)
        await lyra.clock.pulse.until(lambda: len(lyra.clock.waits) >= 2, "two waits")
    assert lyra.clock.waits[:2] == [0.75, 1.5]


async def test_a_token_that_was_revoked_ends_it_with_a_sentence_where_the_password_is_wrong_as_well(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    lyra, ear = await home(people, proxy, tmp_path), Ear()
    with pytest.raises(PlatformRefused, match="does not accept Lyra's user id and password"):
        async with running(adapter_for(lyra), ear) as task:
            await ear.pulse.until(lambda: ear.times_ready, "a connection")
            proxy.faults.always("*", UNKNOWN_TOKEN)
            proxy.cut(SYNC)
            await asyncio.wait({task})
    assert lyra.clock.waits == [1.0], "one new connection"


async def test_places_are_unknown_when_the_homeserver_told_nothing_for_too_long(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    async with listening(lyra, ear) as adapter:
        await ada.says(await dm(lyra, ada), "Hello")
        place = (await ear.heard(Message)).place
        held = Held(before=True)
        proxy.faults.always(SYNC, held)
        proxy.cut(SYNC)
        await held.reached.wait()
        lyra.clock.ahead = 60
        assert await adapter.locate(place) == place
        lyra.clock.ahead = 100
        assert await adapter.locate(place) is None and await adapter.locate_key(place.key) is None
        proxy.faults.lift()
        held.go.set()
        await ada.says(place.channel, "Still there?")
        await ear.heard(Message, 2)
        assert await adapter.locate(place) == place


@pytest.mark.torture
async def test_before_it_is_told_of_the_connection_everything_is_known(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        await ada.says(room, "Before")
        message = await ear.heard(Message)
    await ada.says(room, "Meanwhile")
    seen: list[object] = []

    class _Curious(Ear):
        async def ready(self) -> None:
            seen.append((await adapter.locate(message.place), list(self.texts)))
            await super().ready()

    again, adapter = _Curious(cursors=ear.kept), adapter_for(lyra)
    async with running(adapter, again):
        await again.heard(Message)
    assert seen == [(message.place, [])]
    assert await adapter.locate(message.place) is None


async def test_a_wrong_password_is_said_and_not_tried_again(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra = await home(people, proxy, tmp_path)
    lyra.owner.password = "wrong"
    with pytest.raises(PlatformRefused, match="password"):
        await adapter_for(lyra).run(Ear())


@pytest.mark.torture
async def test_a_homeserver_that_is_away_at_the_start_is_waited_for(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ear = await home(people, proxy, tmp_path), Ear()
    proxy.faults.script("POST /login", Status(502), Lost(accepted=False))
    async with listening(lyra, ear):
        assert ear.times_ready == 1
    assert lyra.clock.waits[0] == 1


@pytest.mark.torture
def test_messages_have_an_address(tmp_path: Path) -> None:
    access = Credentials("http://127.0.0.1:1", "@lyra:lyra.test")
    adapter = Matrix(access, tmp_path, Notebook(), Clock().now, invites="off")
    assert adapter.link('["", "!garden:lyra.test", ""]', "$event/1") == "https://matrix.to/#/!garden:lyra.test/$event%2F1"
    assert adapter.describe().endswith(".") and adapter.prefix == "!"
