"""Who wants nothing of theirs kept: known by a hash alone, after everything of theirs is forgotten, and not learnt of from others."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from memory.bank import folding
from memory.types import DomainKind, DomainRef, Identity, Kind, NewExchange, SessionRef
from tests.kits.bank_kit import in_a_room
from tests.kits.dream_kit import Muse, forced, reflections, thinking
from tests.kits.ladder_kit import PAIRS, Teller, climbed, standing
from tests.kits.memory_kit import Corner, at_home

BOB, ADA = Identity("matrix", "@bob:example.org"), Identity("matrix", "@ada:example.org")
PAUSED, INCOGNITO, INCOGNITO_SERVER = "paused", "incognito", "incognito-server"


async def tells(room: Corner, who: Identity, name: str, text: str) -> None:
    """Say something in the room."""
    room.said += 1
    new = NewExchange(Kind.SAID, text, f"r{room.said}", room.clock.now() + room.said, name, identity=who)
    await room.view.say(room.session, [new])


@pytest.mark.parametrize("out", [True, False])
async def test_nothing_is_learnt_of_them_through_others_once_their_own_words_are_forgotten(tmp_path: Path, out: bool) -> None:
    async with at_home(tmp_path, habits=PAIRS) as home:
        domain = await home.memory.places.domain(DomainRef(DomainKind.ROOM, "matrix", "!garden"), "UTC", home.clock.now())
        view = home.memory.view(domain)
        room = Corner(home.memory, home.clock, domain, view, await view.sessions.get(SessionRef("matrix", "garden"), "garden"))
        await tells(room, BOB, "Bob Miller", "hello")
        account = home.memory.places.account_scope(BOB)
        if out:
            await home.memory.settings.set(account, PAUSED, "on")
            await home.memory.opt_out(BOB, "Bob Miller", domain, out=True)
        await view.forget_all(BOB)
        for text in ("the neighbour Bob owns a red boat", "the pear tree bears fruit", "Bobsleigh races are on fridays", "I see"):
            await tells(room, ADA, "Ada", text)
        await climbed(room, Teller())
        await home.memory.read_names(domain)
        facts = await standing(room, "profile")
        assert {"the pear tree bears fruit", "Bobsleigh races are on fridays"} <= set(facts)
        assert ("the neighbour Bob owns a red boat" in facts) is not out
        assert bool(await view.pages.about("Bob")) is not out
        assert await home.memory.settings.everywhere(PAUSED) == ([(account, "on")] if out else [])
        assert "bob" not in account.casefold()


async def test_a_restored_backup_does_not_know_less_of_who_opted_out_or_is_off_the_record(tmp_path: Path) -> None:
    async with at_home(tmp_path / "now") as now:
        await now.memory.settings.set(now.memory.places.account_scope(BOB), PAUSED, "on")
        await now.memory.settings.set("person:discord:1", INCOGNITO, "on")
        await now.memory.settings.set("server:discord:2", INCOGNITO_SERVER, "on")
        known = await now.memory.chosen()
    async with at_home(tmp_path / "then") as then:
        await then.memory.settings.set("account:somebody who is back", PAUSED, "on")
        await then.memory.settings.set("place:discord:3", INCOGNITO, "on")
        await then.memory.take_over(known)
        assert await then.memory.chosen() == known != []
        assert await then.memory.settings.everywhere(INCOGNITO) == [("person:discord:1", "on")]
        assert await then.memory.settings.everywhere(INCOGNITO_SERVER) == [("server:discord:2", "on")]


@pytest.mark.parametrize(("out", "guarded"), [(True, True), (False, True), (True, False)], ids=["out", "in", "unguarded"])
async def test_no_note_of_a_shared_place_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: bool, guarded: bool
) -> None:
    """Cleo talks in the room no more, or never did: what the others say of her is theirs, and is not noted."""
    if not guarded:
        monkeypatch.setattr(folding, "opted_out", SimpleNamespace(is_named=nobody))
    async with in_a_room(tmp_path) as here:
        if out:
            await here.memory.opt_out(Identity("matrix", "@cleo:example.org"), "Cleo Marsh", here.domain, out=True)
        said = ("Cleo owns a red boat", "the pear tree bears fruit", "we met Cleo Marsh's uncle", "the clover is cut")
        await here.talk(*said)
        await here.kept()
        text = (await here.view.bank.render(2000)).text
        assert ("Cleo" not in text) is (out and guarded)
        assert "the pear tree bears fruit" in text, "what names nobody is noted all the same"


async def nobody(*_of: object) -> bool:
    return False


async def test_they_are_known_by_every_form_of_their_name_and_by_no_word_that_begins_many(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        for account, name in (("@cleo:example.org", "Cleo Marsh"), ("@gardener:example.org", "The Gardener")):
            await here.memory.opt_out(Identity("matrix", account), name, here.domain, out=True)
        await here.talk("Cleo'd love a red boat", "the pear tree bears fruit", "the clover is cut")
        await here.talk("Cleos Boot ist rot", "Cleo-Ann has a red boat", "we saw The Gardener's boat")
        await here.kept()
        text = (await here.view.bank.render(2000)).text
        assert "boat" not in text and "Boot" not in text
        assert "the pear tree bears fruit" in text and "the clover is cut" in text


@pytest.mark.parametrize("out", [True, False])
async def test_no_thought_names_them(tmp_path: Path, out: bool) -> None:
    thought = thinking("Does the boat of Cleo lie under the pear tree?", "m1", "m2")
    async with in_a_room(tmp_path) as here:
        cleo = Identity("matrix", "@cleo:example.org")
        if out:
            await here.memory.opt_out(cleo, "Cleo Marsh", here.domain, out=True)
        await here.talk("Cleo owns a red boat", "the pear tree bears fruit")
        report = await forced(here, Teller(), Muse([thought]))
        assert len(await reflections(here)) == (0 if out else 1), report.reflection
        if not out:
            (waiting,) = await here.view.thoughts.waiting()
            assert not await here.view.thoughts.is_outdated(waiting)
            await here.memory.opt_out(cleo, "Cleo Marsh", here.domain, out=True)
            assert await here.view.thoughts.is_outdated(waiting), "she opts out before it is said"
