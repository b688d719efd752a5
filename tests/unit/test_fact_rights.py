"""Whose facts: in a shared domain a fact is changed by whom it is about, as far as it rests on their words, or by an admin."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory.core import Memory
from memory.errors import NotFound, NotYours
from memory.tiers import statements
from memory.tiers.statements import Grounds, NewStatement
from memory.types import DomainKind, DomainRef, Exchange, Identity, Kind, NewExchange, Session, SessionRef
from memory.view.view import View
from tests.kits.memory_kit import START, opened

ADA, BOB, CY = (Identity("matrix", f"@{name}:example.org") for name in ("ada", "bob", "cy"))
NAMES = {ADA: "Ada Berg", BOB: "Bob", CY: "Cy"}


@dataclass
class Garden:
    """A room of three members."""

    memory: Memory
    view: View
    session: Session
    said: int = 0

    async def says(self, who: Identity) -> Exchange:
        """Keep a message of a member's."""
        self.said += 1
        new = NewExchange(Kind.SAID, f"words {self.said}", f"m{self.said}", START + self.said, NAMES[who], identity=who)
        (kept,) = (await self.view.say(self.session, [new])).stored
        return kept

    async def fact(self, text: str, *by: Identity) -> str:
        """Keep a fact that rests on one message of each of these, and return its id."""
        said = tuple([(await self.says(who)).key for who in by])
        async with self.memory.db.transaction() as tx:
            new = NewStatement("profile", "", "said", text, "model:main", Grounds(said, said, START, START))
            await statements.publish(tx, self.memory.places.seal, self.view.home, new, START)
        return (await self.view.digests.statements("profile"))[-1].id


@pytest.fixture
async def garden(tmp_path: Path) -> AsyncIterator[Garden]:
    async with opened(tmp_path / "lyra.db") as memory:
        domain = await memory.places.domain(DomainRef(DomainKind.ROOM, "matrix", "!garden"), "UTC", START)
        view = memory.view(domain)
        yield Garden(memory, view, await view.sessions.get(SessionRef("matrix", "garden"), "garden"))


async def may(garden: Garden, number: str) -> set[Identity]:
    """Return who may change a fact."""
    allowed = set()
    for who in NAMES:
        try:
            await garden.view.facts.find(number, who)
            allowed.add(who)
        except NotYours:
            continue
    return allowed


FACTS = {
    "of one member": ("Ada lives in Graz.", (ADA,), {ADA}),
    "of one member, told beside another": ("Ada lives in Graz.", (ADA, BOB), {ADA}),
    "of two members": ("Ada and Bob are sisters.", (ADA, BOB), {ADA, BOB}),
    "of nobody": ("The choir meets on Fridays.", (ADA, BOB), {ADA, BOB}),
    "naming who did not say it": ("Cy lives in Linz.", (BOB,), {BOB}),
}


@pytest.mark.parametrize(("text", "by", "allowed"), FACTS.values(), ids=list(FACTS))
async def test_a_fact_is_changed_by_those_it_names_and_rests_on(
    garden: Garden, text: str, by: tuple[Identity, ...], allowed: set[Identity]
) -> None:
    assert await may(garden, await garden.fact(text, *by)) == allowed


async def test_who_may_not_change_a_fact_neither_corrects_nor_forgets_it(garden: Garden) -> None:
    number, correction = await garden.fact("Ada lives in Graz.", ADA), await garden.says(CY)
    for attempt in (garden.view.facts.correct(number, correction, CY), garden.view.facts.forget(number, CY)):
        with pytest.raises(NotYours, match="Only whoever said it of themselves, or an admin"):
            await attempt
    assert [one.text for one in await garden.view.digests.statements("profile")] == ["Ada lives in Graz."]


async def test_without_asking_whose_it_is_both_would_go_through(garden: Garden) -> None:
    number, correction = await garden.fact("Ada lives in Graz.", ADA), await garden.says(CY)
    new = await garden.view.facts.correct(number, correction)
    assert new.text == correction.text
    assert [one.key for one in await garden.view.facts.forget(new.id)] == [correction.key]
    assert await garden.view.digests.statements("profile") == []


async def test_the_same_account_of_another_platform_is_somebody_else(garden: Garden) -> None:
    number = await garden.fact("Ada lives in Graz.", ADA)
    with pytest.raises(NotYours):
        await garden.view.facts.find(number, Identity("discord", ADA.native_id))


async def test_an_id_that_is_no_fact_of_the_domain_is_not_found(garden: Garden) -> None:
    message = await garden.says(ADA)
    for number in (message.id, "nosuchid", ""):
        with pytest.raises(NotFound, match="no fact with that id"):
            await garden.view.facts.find(number, ADA)
