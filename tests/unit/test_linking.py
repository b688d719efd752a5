"""Accounts that one person links: what a code is worth, who has to agree, and what is read beside a home then."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.events import Person, Place, Reach
from bot.config.settings import Settings
from bot.conversation.domains import Domains
from bot.conversation.people import People
from bot.conversation.preferences import Preferences
from memory.core import Memory
from memory.errors import LinkRefused
from memory.places.linking import LASTS, Linking, Party
from memory.types import DomainKind, DomainRef, Identity
from tests.kits.memory_kit import Clock, opened

ADA, ALSO, MORE = Identity("discord", "1"), Identity("matrix", "@ada:x"), Identity("console", "ada")
SETTINGS = Settings.model_validate({"people": {"ada": {"console": "ada", "discord": "1"}}})


@pytest.fixture
async def memory(tmp_path: Path, clock: Clock) -> AsyncIterator[Memory]:
    async with opened(tmp_path / "lyra.db") as memory:
        yield memory


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def linking(memory: Memory, clock: Clock) -> Linking:
    return Linking(memory.db, memory.places.seal, clock)


def party(who: Identity) -> Party:
    return Party(who, who.native_id, "place")


async def link(linking: Linking, one: Identity, other: Identity) -> None:
    request = await linking.enter(await linking.show(party(one)), party(other), [other])
    assert await linking.agree(request) and await linking.link(request)


async def refused(linking: Linking, code: str, by: Identity = ALSO) -> str:
    with pytest.raises(LinkRefused) as error:
        await linking.enter(code, party(by), [by])
    return str(error.value)


async def test_both_have_to_agree_in_turn_and_one_code_links_once(linking: Linking) -> None:
    code = await linking.show(party(ADA))
    request = await linking.enter(code, party(ALSO), [ALSO])
    assert not await linking.link(request), "whoever typed it did not agree"
    assert await linking.of([ADA]) == [] and await linking.request(ADA) is None
    assert await linking.agree(request) and not await linking.agree(request)
    assert await linking.of([ADA]) == [], "whom it was shown to did not agree"
    shown = await linking.request(ADA)
    assert shown and shown.typed.account == ALSO and shown.word == request.word
    assert await linking.link(shown) and not await linking.link(shown)
    assert await linking.of([ADA]) == await linking.of([ALSO]) == [ADA, ALSO]
    assert "is no code" in await refused(linking, code)


async def test_a_code_is_kept_as_a_hash_ends_and_is_replaced_by_the_next(linking: Linking, clock: Clock) -> None:
    first = await linking.show(party(ADA))
    row = await linking.db.one("SELECT * FROM link_codes")
    assert row and not any(first.replace("-", "") in str(value).upper() for value in row)
    second = await linking.show(party(ADA))
    assert "is no code" in await refused(linking, first)
    clock.forward(LASTS)
    assert "is no code" in await refused(linking, second)
    third = await linking.show(party(ADA))
    request = await linking.enter(third, party(ALSO), [ALSO])
    assert "is no code" in await refused(linking, third, MORE), "somebody typed it already"
    assert await linking.agree(request)
    clock.forward(LASTS)
    assert not await linking.link(request) and await linking.request(ADA) is None
    await linking.end()
    assert await linking.db.all("SELECT * FROM link_codes UNION ALL SELECT *, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM link_tries") == []


async def test_guessing_ends_after_five_tries_even_at_the_right_one(linking: Linking, clock: Clock) -> None:
    code = await linking.show(party(ADA))
    for _ in range(5):
        assert "is no code" in await refused(linking, "ABCD-EFGH")
    assert "Too many" in await refused(linking, code)
    clock.forward(LASTS)
    await link(linking, ADA, ALSO)


async def test_a_code_of_ones_own_is_not_taken(linking: Linking) -> None:
    code = await linking.show(party(ADA))
    assert "of this account" in await refused(linking, code, ADA)
    await linking.enter(code, party(ALSO), [ALSO])


async def test_whoever_refuses_ends_it(linking: Linking) -> None:
    request = await linking.enter(await linking.show(party(ADA)), party(ALSO), [ALSO])
    assert await linking.refuse(request)
    assert not await linking.agree(request) and not await linking.link(request)


async def test_three_accounts_are_one_person_until_one_parts(linking: Linking) -> None:
    await link(linking, ADA, ALSO)
    await link(linking, ALSO, MORE)
    assert await linking.of([MORE]) == await linking.of([ADA])
    assert await linking.unlink([ALSO]) and not await linking.unlink([ALSO])
    assert await linking.of([ALSO]) == [] and set(await linking.of([ADA])) == {ADA, MORE}
    assert await linking.unlink([MORE])
    assert await linking.of([ADA]) == [], "one alone is linked with nobody"


async def test_a_restored_backup_knows_who_is_linked_now(tmp_path: Path, clock: Clock) -> None:
    async with opened(tmp_path / "then.db") as then, opened(tmp_path / "now.db") as now:
        await link(Linking(then.db, then.places.seal, clock), ADA, ALSO)
        await then.take_over([], await now.linking.everyone())
        assert await then.linking.of([ADA]) == []


async def test_what_is_declared_goes_along_and_nothing_is_read_across_before_and_after(memory: Memory, clock: Clock) -> None:
    people = People(SETTINGS, memory.linking)
    linking = Linking(memory.db, memory.places.seal, clock)
    preferences = Preferences(memory.settings, {}, memory.places.account_scope, people.declared)
    domains = Domains(memory, SETTINGS, preferences, clock, "UTC")

    async def read(who: Identity) -> set[Identity]:
        place = Place(who.platform, who.native_id, "dm", Reach.DIRECT)
        view = await domains.view(place, Person(who.platform, who.native_id, "ada"))
        refs, _ = await memory.places.refs([view.home.key, *view.also])
        assert await domains.still(place, view.home.key, view.also)
        return {Identity(ref.platform, ref.native_id) for ref in refs.values()}

    for one in (ADA, ALSO, MORE):
        await memory.places.domain(DomainRef(DomainKind.DM, one.platform, one.native_id), "UTC", clock.now())
    assert await read(ALSO) == {ALSO} and await read(MORE) == {MORE, ADA}
    request = await linking.enter(await linking.show(party(ADA)), party(ALSO), [ALSO])
    await linking.agree(request)
    assert await read(ALSO) == {ALSO} and await read(MORE) == {MORE, ADA}
    await linking.link(request)
    for one in (ADA, ALSO, MORE):
        assert await read(one) == {ADA, ALSO, MORE}
    view = await domains.view_of(ALSO.platform, ALSO.native_id)
    await linking.unlink(people.declared(MORE))
    assert await read(ALSO) == {ALSO} and await read(MORE) == {MORE, ADA}
    place = Place(ALSO.platform, ALSO.native_id, "dm", Reach.DIRECT)
    assert not await domains.still(place, view.home.key, view.also), "what was made before they parted is not sent any more"
