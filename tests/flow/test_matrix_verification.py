"""Emoji are compared with Lyra, by an app that shares no code with her: in an encrypted DM, and device to device."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from nio import UnknownToDeviceEvent
from nio.events import ToDeviceEvent

from adapters.base import Adapter
from adapters.matrix.account.identity import CrossSigningIdentity
from adapters.matrix.account.keystore import Client, KeyStores
from adapters.matrix.verification import records
from adapters.matrix.verification.attested import attestations
from adapters.matrix.verification.records import Record, Records
from bot.app import App
from bot.service.notes import KeptNotes
from bot.web.pages import verification_page
from bot.web.serving import Parlour, parlour, serving
from tests.fakes.matrix import People, Person
from tests.fakes.matrix.sas import Comparison, emoji_in
from tests.kits.awake import Awake
from tests.kits.browsing import Answer, Site
from tests.kits.matrix_home import Home, dm, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

SHOWN = "These are my emoji: "


@pytest.fixture
async def ada(people: People) -> Person:
    """Somebody with keys, and an identity of her own."""
    person = await people.person("ada", encrypts=True)
    await person.signs_own_device()
    return person


def notes(lyra: Awake) -> KeptNotes:
    return KeptNotes(lyra.app.memory.settings, "matrix")


def one_of(kept: Sequence[Record], id: str) -> Record:
    [one] = [one for one in kept if one.id == id]
    return one


async def said(at_home: Home, who: Person, room: str, words: str) -> str:
    """Wait until Lyra says something with these words, and return the event's id."""
    return (await who.hears(room, lambda event: event.sender == at_home.user and words in event.body)).id


async def agreed_by_words(at_home: Home, who: Person, room: str, app: Comparison, emoji: str) -> None:
    """Say in a DM that the emoji are the same, once they are shown there, and wait until both sides have verified."""
    question = await who.hears(room, lambda event: event.body.startswith(SHOWN))
    assert emoji_in(question.body) == emoji
    await app.agrees()
    await who.says(room, "!verify yes")
    assert len(await app.verified()) == 2
    await said(at_home, who, room, "Verified on your word")


async def her_device(at_home: Home, who: Person) -> str:
    [device] = [one for one, keys in (await who.keys_of(at_home.user)).devices.items() if keys]
    return device


async def test_an_app_begins_in_an_encrypted_dm_and_both_say_in_it_that_the_emoji_are_the_same(
    at_home: Home, ada: Person
) -> None:
    async with at_home.lyra() as lyra:
        room = await dm(at_home, ada, encrypted=True)
        app = Comparison(ada, at_home.user, room=room)
        await app.asks()
        await app.begins()
        emoji = await app.exchanges()
        question = await ada.hears(room, lambda event: event.body.startswith(SHOWN))
        assert emoji_in(question.body) == emoji
        await ada.reacts(room, question.id, "✅")
        await app.agrees()
        assert len(await app.verified()) == 2, "her device and her identity"
        await said(at_home, ada, room, "Verified on your word")
        known = (await attestations(notes(lyra), at_home.user))[ada.user]
        assert (known.device, known.by, known.signed) == (ada.device, "chat", False)
        assert known.master == (await ada.keys_of(ada.user)).identity
    async with at_home.lyra() as lyra:
        assert (await attestations(notes(lyra), at_home.user))[ada.user] == known
        # She goes on as before.
        assert (await at_home.asks(ada, room, "hello again")).body


async def test_her_command_begins_and_words_decide(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room = await dm(at_home, ada, encrypted=True)
        app = Comparison(ada, at_home.user, room=room)
        asked = await at_home.asks(ada, room, "!verify")
        assert asked.body.startswith("Your app asks you now")
        await app.is_asked()
        emoji = await app.takes_part()
        await agreed_by_words(at_home, ada, room, app, emoji)


@pytest.mark.torture
async def test_what_is_compared_at_the_terminal_is_signed_by_her_identity(at_home: Home, ada: Person) -> None:
    async with at_home.lyra() as lyra:
        room = await dm(at_home, ada)
        app = Comparison(ada, at_home.user, device=await her_device(at_home, ada))
        await app.asks()
        await app.begins()
        emoji = await app.exchanges()
        kept = Records(notes(lyra), at_home.user)
        await said(at_home, ada, room, SHOWN)
        [waiting] = await kept.under_way()
        assert (waiting.user, waiting.device) == (ada.user, ada.device)
        assert emoji
        await app.agrees()
        await kept.say(waiting, same=True)
        assert len(await app.verified()) == 2
        await said(at_home, ada, room, "Verified: whoever runs me")
        assert (await attestations(notes(lyra), at_home.user))[ada.user].signed
        again = Comparison(ada, at_home.user, room=room)
        await again.asks()
        await again.begins()
        await again.exchanges()
        await again.agrees()
        await ada.says(room, "!verify yes")
        await again.verified()
        await said(at_home, ada, room, "Verified on your word")
        known = (await attestations(notes(lyra), at_home.user))[ada.user]
        assert (known.by, known.signed) == ("operator", True), "a word in the chat takes nothing from it"
        odd = Comparison(ada, at_home.user, room=room)
        await odd.asks()
        await odd.begins(hashes=None)
        assert await odd.cancelled() == "m.unknown_method"
        # Another client of her account sees it, and nobody else's.
        master = await at_home.owner.client.call("POST", "keys", "query", body={"device_keys": {ada.user: []}})
        noted = await notes(lyra).get(f"identity {at_home.user}")
        identity = CrossSigningIdentity.noted(at_home.user, noted)
        assert identity
        signatures = master["master_keys"][ada.user]["signatures"][at_home.user]
        assert f"ed25519:{identity.public('user_signing')}" in signatures


@pytest.mark.parametrize("encrypted", [False, True], ids=["plain DM", "encrypted DM"])
async def test_steps_that_an_app_encrypts_for_her_device_are_taken(at_home: Home, ada: Person, encrypted: bool) -> None:
    async with at_home.lyra() as lyra:
        room = await dm(at_home, ada, encrypted=encrypted)
        app = Comparison(ada, at_home.user, device=await her_device(at_home, ada), sealed_by=ada)
        await app.asks()
        await app.begins()
        emoji = await app.exchanges()
        await agreed_by_words(at_home, ada, room, app, emoji)
        assert (await attestations(notes(lyra), at_home.user))[ada.user].device == ada.device


class _Unproven(Client):
    """Takes a step that is encrypted for its device as one that came without a proof of who encrypted it."""

    def sealed_step(self, source: Mapping[str, Any], sender_key: str, signing_key: str) -> ToDeviceEvent:
        return UnknownToDeviceEvent(source, source["sender"], source["type"])


@pytest.mark.parametrize("step", ["request", "key"])
@pytest.mark.parametrize("client", [Client, _Unproven], ids=["with the guard", "the twin"])
async def test_a_step_that_another_device_encrypted_than_it_says_ends_it(
    at_home: Home, people: People, ada: Person, step: str, client: type[Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KeyStores, "kind", client)
    async with at_home.lyra() as lyra:
        await dm(at_home, ada)
        other = await people.second_device(ada)
        app = Comparison(ada, at_home.user, device=await her_device(at_home, ada), sealed_by=ada)
        app.sealed_by = other if step == "request" else ada
        await app.asks()
        if step == "key" or client is _Unproven:
            await app.begins()
            await app.hears("accept")
            app.sealed_by = other
            await app.says("key", {"key": app.public})
        if client is _Unproven:
            assert (await app.hears("key"))["key"]
            return
        assert await app.cancelled() == "m.key_mismatch"
        # What comes next begins anew, and nothing of the last one is left.
        again = Comparison(ada, at_home.user, device=app.device, sealed_by=ada)
        await again.asks()
        await again.begins()
        assert [one.id for one in await Records(notes(lyra), at_home.user).under_way()] == [again.id]


# On the page of whoever runs her


@pytest.fixture
def owner(monkeypatch: pytest.MonkeyPatch) -> str:
    """Who runs this machine."""
    for name in ("LOGNAME", "USER"):
        monkeypatch.setenv(name, "ada")
    return "ada"


@asynccontextmanager
async def awake_with_page(at_home: Home) -> AsyncIterator[tuple[Awake, Site]]:
    """Wake her with the page beside Matrix."""
    places: list[Parlour] = []

    def beside(app: App) -> Adapter:
        places.append(parlour(app))
        return places[0].browser

    async with (
        at_home.lyra(config="[web]\nport = 0\n", beside=beside) as lyra,
        serving(lyra.app, lyra.talk, places[0]) as url,
        AsyncExitStack() as stack,
    ):
        yield lyra, Site(lyra.app, lyra.talk, places[0], url, stack)


def form(page: Answer) -> dict[str, str]:
    """Return what the form of a page sends along."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.text.partition("<main")[2]))


async def test_who_runs_her_compares_on_the_page(at_home: Home, ada: Person, owner: str) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        browser = await served.visitor(owner)
        assert "No emoji wait" in (await browser.get("/verify")).words
        room, app = await compared(at_home, ada)
        page = await browser.get("/verify")
        assert ada.user in page.words and ada.device in page.words
        assert (
            "".join(one.rstrip("\ufe0f") for one in re.findall(r'<span aria-hidden="true">(.*?)</span>', page.text)) == app.emoji
        )
        assert len(re.findall(r"<li><span[^<]*</span> \w+[^<]*</li>", page.text)) == 7, "each has its name"
        await app.agrees()
        assert "I finish it now" in (await browser.follows(await browser.post("/verify", same="yes", **form(page)))).words
        assert len(await app.verified()) == 2
        await said(at_home, ada, room, "Verified: whoever runs me")
        assert (await attestations(notes(lyra), at_home.user))[ada.user].signed
        assert "No emoji wait" in (await browser.get("/verify")).words


async def test_nobody_else_compares_on_the_page_and_no_other_page_does(at_home: Home, ada: Person, owner: str) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        await compared(at_home, ada)
        hers, bobs = await served.visitor(owner), await served.visitor("bob")
        given = form(await hers.get("/verify"))
        page = await bobs.get("/verify")
        assert "for whoever runs this machine" in page.words and ada.device not in page.text and "<ol" not in page.text
        assert (await bobs.post("/verify", same="yes", **given | {"form_token": bobs.token})).status == 403
        assert (await hers.post("/verify", {"Origin": "https://evil.example"}, same="yes", **given)).status == 403
        assert (await hers.post("/verify", same="yes", **given | {"form_token": "guessed"})).status == 403
        assert (await (await served.stranger()).get("/verify")).status == 401
        for odd in ({"same": ""}, {"same": "yes", "id": "another"}):
            assert "nothing was decided" in (await hers.follows(await hers.post("/verify", **given | odd))).words
        kept = Records(notes(lyra), at_home.user)
        assert [await kept.answer(one) for one in await kept.under_way()] == [None]


@pytest.mark.parametrize("guarded", [True, False], ids=["with the guard", "the twin"])
async def test_a_verdict_is_on_the_emoji_that_were_shown(
    at_home: Home, ada: Person, owner: str, guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        browser, kept = await served.visitor(owner), Records(notes(lyra), at_home.user)
        await kept.keep(Record("t1", ada.user, ada.device, "", (1, 2, 3, 4, 5, 6, 7)))
        given = form(await browser.get("/verify"))
        if not guarded:
            monkeypatch.setattr(verification_page, "numbers", lambda one: given["emoji"])
        other = Record("t1", ada.user, ada.device, "", (8, 9, 10, 11, 12, 13, 14))
        await kept.keep(other)
        await browser.post("/verify", same="yes", **given)
        assert (await kept.answer(other)) is (None if guarded else True)


@pytest.mark.parametrize("guarded", [True, False], ids=["with the guard", "the twin"])
async def test_a_verdict_that_comes_too_late_is_none_on_a_later_one_of_that_name(
    at_home: Home, ada: Person, owner: str, guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not guarded:
        monkeypatch.setattr(records, "shown_of", lambda one: {"id": one.id})
    async with awake_with_page(at_home) as (lyra, served):
        browser, kept = await served.visitor(owner), Records(notes(lyra), at_home.user)
        first = Record("t1", ada.user, ada.device, "", (1, 2, 3, 4, 5, 6, 7))
        await kept.keep(first)
        await kept.end(first.id)
        # Whoever looked at the first says so once it is over, at the terminal or on the page.
        await kept.say(first, same=True)
        later = Record("t1", ada.user, ada.device, "", (8, 9, 10, 11, 12, 13, 14))
        await kept.keep(later)
        assert await kept.answer(later) is (None if guarded else True)
        assert ("No emoji wait" in (await browser.get("/verify")).words) is not guarded


async def test_what_a_device_is_called_is_no_markup_of_the_page(at_home: Home, ada: Person, owner: str) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        called = '"><script>alert(1)</script>'
        await Records(notes(lyra), at_home.user).keep(Record(called, ada.user, called, "", (1, 2, 3, 4, 5, 6, 7)))
        page = await (await served.visitor(owner)).get("/verify")
        assert "<script>alert" not in page.text and called in page.words.replace("< script", "<script")


async def test_no_link_to_the_page_shows_words_of_whoever_made_it(at_home: Home, ada: Person, owner: str) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        await Records(notes(lyra), at_home.user).keep(Record("t1", ada.user, ada.device, "", (0, 2, 3, 4, 5, 6, 7)))
        page = await (await served.visitor(owner)).get("/verify?told=Compared+already:+press+They+match")
        assert "Compared already" not in page.words and "They match" in page.words


async def test_the_page_is_read_in_its_readers_language(at_home: Home, ada: Person, owner: str) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        await Records(notes(lyra), at_home.user).keep(Record("t1", ada.user, ada.device, "", (0, 2, 3, 4, 5, 6, 7)))
        browser = await served.visitor(owner)
        page = await browser.get("/verify", **{"Accept-Language": "de"})
        assert "Hund" in page.words and "Sie stimmen überein" in page.words


# How it ends


async def test_both_may_begin_at_once(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room = await dm(at_home, ada, encrypted=True)
        app = Comparison(ada, at_home.user, room=room)
        await ada.says(room, "!verify")
        await app.is_asked()
        # The smaller name is the one who began: ada, before lyra.
        await app.hears("start")
        await app.starts()
        await app.exchanges()
        await app.agrees()
        await said(at_home, ada, room, SHOWN)
        await ada.says(room, "!verify yes")
        assert await app.verified()


@pytest.mark.parametrize("where", ["in the chat", "in the app", "at the terminal"])
async def test_emoji_that_differ_verify_nothing(at_home: Home, ada: Person, where: str) -> None:
    async with at_home.lyra() as lyra:
        room, app = await compared(at_home, ada)
        if where == "in the chat":
            question = await said(at_home, ada, room, SHOWN)
            await ada.reacts(room, question, "❌")
        elif where == "at the terminal":
            kept = Records(notes(lyra), at_home.user)
            await kept.say(one_of(await kept.under_way(), app.id), same=False)
        else:
            await app.says("cancel", {"code": "m.mismatched_sas", "reason": "not the same"})
        if where != "in the app":
            assert await app.cancelled() == "m.mismatched_sas"
        await said(at_home, ada, room, "Somebody may stand between us")
        assert not await attestations(notes(lyra), at_home.user)
        assert not await Records(notes(lyra), at_home.user).under_way()


async def compared(at_home: Home, ada: Person) -> tuple[str, Comparison]:
    """Come in a DM as far as to the emoji."""
    room = await dm(at_home, ada)
    app = Comparison(ada, at_home.user, room=room)
    await app.asks()
    await app.begins()
    await app.exchanges()
    await said(at_home, ada, room, SHOWN)
    return room, app


async def test_a_key_that_was_not_promised_or_not_proven_ends_it(at_home: Home, ada: Person) -> None:
    async with at_home.lyra() as lyra:
        room, app = await compared(at_home, ada)
        await app.agrees(forged=True)
        await ada.says(room, "!verify yes")
        assert await app.cancelled() == "m.key_mismatch"
        await said(at_home, ada, room, "were not those that were promised")

        app = Comparison(ada, at_home.user, room=room)
        await ada.says(room, "!verify")
        await app.is_asked()
        await app.takes_part(commitment="Zm9yZ2Vk")
        assert await app.cancelled() == "m.mismatched_commitment"
        assert not await attestations(notes(lyra), at_home.user)


async def test_after_ten_minutes_it_is_over_and_can_begin_anew(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room, app = await compared(at_home, ada)
        at_home.clock.ahead += 601
        assert await app.cancelled() == "m.timeout"
        await said(at_home, ada, room, "took more than ten minutes")
        at_home.clock.ahead = 0
        app = Comparison(ada, at_home.user, room=room)
        await app.asks()
        await app.begins()
        assert await app.exchanges()


async def test_a_restart_ends_what_was_under_way_and_says_so(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room, app = await compared(at_home, ada)
    async with at_home.lyra() as lyra:
        assert await app.cancelled() == "m.user"
        await said(at_home, ada, room, "My connection began anew while we verified each other")
        assert not await Records(notes(lyra), at_home.user).under_way()
        await ada.says(room, "!verify yes")
        await said(at_home, ada, room, "No emoji wait to be compared with you")
        app = Comparison(ada, at_home.user, room=room)
        await app.asks()
        await app.begins()
        assert await app.exchanges()


async def test_a_new_one_takes_the_place_of_the_last(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room, app = await compared(at_home, ada)
        other = Comparison(ada, at_home.user, room=room)
        await other.asks()
        assert await app.cancelled() == "m.user"
        await other.begins()
        assert await other.exchanges()


async def test_steps_of_others_or_of_nothing_change_nothing(at_home: Home, people: People, ada: Person) -> None:
    async with at_home.lyra():
        room, app = await compared(at_home, ada)
        device = await her_device(at_home, ada)
        # Somebody else uses the id; she has no DM with him, and he gets nothing.
        eve = await people.person("eve", encrypts=True)
        foreign = Comparison(eve, at_home.user, device=device)
        foreign.id = app.id
        await foreign.asks()
        await foreign.says("cancel", {"code": "m.user", "reason": ""})
        # An id that was never heard of, and one that is over.
        unknown = Comparison(ada, at_home.user, device=device)
        await unknown.starts()
        assert await unknown.cancelled() == "m.unknown_transaction"
        late = Comparison(ada, at_home.user, device=device)
        await late.asks(age=700)
        await app.agrees()
        await ada.says(room, "!verify yes")
        assert await app.verified()
        replayed = Comparison(ada, at_home.user, device=device)
        await replayed.asks(methods=["m.qr_code.scan.v1"])
        assert await replayed.cancelled() == "m.unknown_method"
        await replayed.asks()
        last = Comparison(ada, at_home.user, device=device)
        await last.asks()
        await last.hears("ready")
        ready = [one["content"]["transaction_id"] for one in ada.ears.asides if one["type"] == "m.key.verification.ready"]
        assert ready == [last.id]
        assert not [one for one in eve.ears.asides if one["type"].startswith("m.key.verification")]


async def test_among_others_nothing_is_verified(at_home: Home, people: People, ada: Person) -> None:
    bob = await people.person("bob")
    async with at_home.lyra():
        room = await room_of(at_home, ada, bob)
        app = Comparison(ada, at_home.user, room=room)
        await app.asks()
        await ada.says(room, "!verify", mentions=[at_home.user])
        await ada.is_invited(await invited(ada))
        assert not [one for one in await ada.timeline(room) if one.type.startswith("m.key.verification")]


async def invited(who: Person) -> str:
    return await who.ears.until(lambda: next(iter(who.ears.invites), None), "an invite")


async def test_keys_that_change_after_it_are_told_of(at_home: Home, ada: Person) -> None:
    async with at_home.lyra() as lyra:
        room, app = await compared(at_home, ada)
        await app.agrees()
        await ada.says(room, "!verify yes")
        await app.verified()
        await said(at_home, ada, room, "Verified on your word")
        await ada.signs_own_device()
        await said(at_home, ada, room, "Your keys are no longer the ones that we verified")
        assert not await attestations(notes(lyra), at_home.user)


async def test_another_client_of_her_own_account_is_compared_at_the_terminal_and_signed(at_home: Home, people: People) -> None:
    async with at_home.lyra() as lyra:
        other = await people.second_device(at_home.owner)
        hers = next(one for one in (await other.keys_of(at_home.user)).devices if one != other.device)
        app = Comparison(other, at_home.user, device=hers)
        await app.asks()
        await app.begins()
        await app.exchanges()
        kept = Records(notes(lyra), at_home.user)
        await app.agrees()
        while not any(one.emoji for one in await kept.under_way()):
            await asyncio.sleep(0.01)
        await kept.say(one_of(await kept.under_way(), app.id), same=True)
        assert len(await app.verified()) == 2
        assert (await other.keys_of(at_home.user)).signed(other.device)
        assert not await attestations(notes(lyra), at_home.user)
