"""Who gets the keys to what Lyra says in encrypted rooms: all devices of those who are there, late ones too, and nobody else."""

import shutil
from math import inf

import pytest

from adapters.matrix.account.client import Client
from adapters.matrix.account.keystore import KeyStores
from adapters.matrix.account.tolerant_olm import TolerantOlm
from adapters.matrix.outgoing.wire import Wire
from tests.fakes.matrix import Lost, People, Person
from tests.fakes.matrix.faults import TO_DEVICE
from tests.fakes.matrix.keys import Keys
from tests.kits.matrix_speech import Desk, Town, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]


class Eager(Wire):
    """Asks each time anew."""

    claims_again = 0.0


class Resigned(Wire):
    """Never asks again."""

    claims_again = inf


@pytest.mark.parametrize("wire", [Eager, pytest.param(Resigned, marks=pytest.mark.torture)], ids=["with the guard", "the twin"])
async def test_a_device_that_had_no_keys_left_reads_her_as_soon_as_it_has(
    people: People, town: Town, ada: Person, wire: type[Wire]
) -> None:
    phone = await people.second_device(ada, encrypts=False)
    keys = Keys(phone.client, phone.user, phone.device)
    await phone.client.call("POST", "keys", "upload", body={"device_keys": keys._olm.share_keys()["device_keys"]})
    async with town.beside(ada, encrypted=True, wire=wire) as (it, room):
        await it.sender.send(part(room, "one"))
        await keys.publish()
        sent = await it.sender.send(part(room, "two"))
        await it.sender.send(part(room, "three"))
        heard = await phone.hears(room, lambda event: event.id == sent)
        if wire is Eager:
            keys.hear(await phone.hears_aside("m.room.encrypted", it.user))
        _, content, trouble = await keys.decrypt(room, heard.raw)
    keys.close()
    assert (content.get("body"), trouble) == (("two", "") if wire is Eager else (None, "no key"))


async def goes_oddly(who: Person, room: str) -> None:
    """Leave a room by an event that some programs cannot read."""
    await who.sets(room, "m.room.member", {"membership": "leave", "reason": 5}, who.user)


class Keeping(Wire):
    """Goes on with a key whoever has it, and gives it to whom nio takes for a reader."""

    def is_theirs(self, room: str, readers: object) -> bool:
        return True

    def _readers(self, room: str) -> list[str]:
        return list(self._client.rooms[room].users)


async def said_while_out(it: Desk, who: Person, host: Person, room: str) -> str:
    """Let somebody come back, and return what keeps them from reading what was said while they were out."""
    sent = await it.sender.send(part(room, "Eve must not know."))
    await host.hears(room, lambda event: event.id == sent)
    await host.invites(room, who.user)
    await who.accepts(room)
    return next(event for event in await who.timeline(room) if event.id == sent).trouble


@pytest.mark.parametrize("wire", [Wire, pytest.param(Keeping, marks=pytest.mark.torture)], ids=["with the guard", "the twin"])
async def test_who_leaves_oddly_and_comes_back_cannot_read_what_was_said_meanwhile(
    people: People, town: Town, ada: Person, wire: type[Wire]
) -> None:
    eve = await people.person("eve", encrypts=True)
    async with town.beside(ada, eve, encrypted=True, wire=wire) as (it, room):
        await it.sender.send(part(room, "Hello, both."))
        await goes_oddly(eve, room)
        await it.knows(room, lambda: it.rooms.peek(room).state.membership(eve.user) == "leave")  # type: ignore[union-attr]
        assert await said_while_out(it, eve, ada, room) == ("no key" if wire is Wire else "")


@pytest.mark.parametrize("wire", [Wire, pytest.param(Keeping, marks=pytest.mark.torture)], ids=["with the guard", "the twin"])
async def test_who_is_put_out_while_a_key_is_shared_cannot_read_what_it_is_used_for(
    people: People, town: Town, ada: Person, wire: type[Wire]
) -> None:
    eve = await people.person("eve", encrypts=True)
    async with town.beside(ada, eve, encrypted=True, wire=wire) as (it, room):
        it.proxy.faults.always(TO_DEVICE, Lost())
        await it.delayed(part(room, "Hello, both."))
        it.proxy.faults.lift()
        await ada.kicks(room, eve.user)
        await it.knows(room, lambda: it.rooms.peek(room).state.membership(eve.user) == "leave")  # type: ignore[union-attr]
        assert await said_while_out(it, eve, ada, room) == ("no key" if wire is Wire else "")


class Lavish(Wire):
    """Gives keys to whoever is invited, too, where only members may read."""

    def _readers(self, room: str) -> list[str]:
        return list(self._client.rooms[room].users)


@pytest.mark.parametrize("wire", [Wire, pytest.param(Lavish, marks=pytest.mark.torture)], ids=["with the guard", "the twin"])
async def test_who_is_invited_where_only_members_read_gets_no_key_before_they_are_one(
    people: People, town: Town, ada: Person, wire: type[Wire]
) -> None:
    bob = await people.person("bob", encrypts=True)
    async with town.beside(ada, encrypted=True, history="joined", wire=wire) as (it, room):
        await ada.invites(room, bob.user)
        await it.knows(room, lambda: bob.user in it.rooms.peek(room).state.inside)  # type: ignore[union-attr]
        before = await it.sender.send(part(room, "Among us."))
        told = (await ada.hears(room, lambda event: event.id == before)).raw
        await bob.accepts(room)
        await it.knows(room, lambda: it.rooms.peek(room).state.membership(bob.user) == "join")  # type: ignore[union-attr]
        after = await it.sender.send(part(room, "Welcome."))
        assert (await bob.hears_text(room, "Welcome.")).id == after
        assert (await bob.ears.read(room, told)).trouble == ("no key" if wire is Wire else "")


class Deaf(TolerantOlm):
    """Takes nothing from it that a device could not read her."""

    def reshare_keys(self, user: str, sender_key: str) -> None:
        return


class _Deaf(Client):
    machine = Deaf


@pytest.mark.parametrize("kind", [Client, pytest.param(_Deaf, marks=pytest.mark.torture)], ids=["with the guard", "the twin"])
async def test_an_app_that_could_not_read_her_can_once_it_says_so(
    town: Town, ada: Person, monkeypatch: pytest.MonkeyPatch, kind: type[Client]
) -> None:
    """As after an old copy of her home was put back: what it encrypts, the app has seen encrypted before."""
    monkeypatch.setattr(KeyStores, "kind", kind)
    assert ada.keys
    async with town.beside(ada, encrypted=True) as (it, room):
        await it.sender.send(part(room, "one"))
        assert (await ada.hears_text(room, "one")).encrypted
    keys = town.folder / "keys"
    copy = shutil.copytree(keys, town.folder / "copy")
    async with town.desk() as it:
        await it.knows(room)
        await it.sender.send(part(room, "two"))
        await ada.hears_text(room, "two")
    shutil.rmtree(keys)
    shutil.copytree(copy, keys)
    async with town.desk() as it:
        await it.knows(room)
        sent = await it.sender.send(part(room, "three"))
        assert (await ada.hears(room, lambda event: event.id == sent)).trouble == "no key"
        known = it.client.olm.session_store[ada.keys.identity]
        before = len(known)
        await ada.keys.begin_anew(it.user, it.client.device_id)
        await it.ears.pulse.until(lambda: len(known) > before, "the new session")
        sent = await it.sender.send(part(room, "four"))
        heard = await ada.hears(room, lambda event: event.id == sent)
        assert (heard.body, heard.trouble) == (("four", "") if kind is Client else ("", "no key"))
