"""Accounts that one person links: what a code is worth, who has to agree, and what is read beside a home then."""

from pathlib import Path

import pytest

from adapters.events import Person, Place, Reach
from bot.config.settings import Settings
from bot.conversation.domain_access import DomainAccess
from bot.conversation.people import People
from bot.conversation.preferences import Preferences
from memory.core import Memory
from memory.errors import LinkRefused
from memory.places.linking import LASTS, Linking, LinkParty
from memory.types import DomainKind, DomainRef, Identity
from tests.kits.memory_kit import Clock, opened

ADA, ALSO, MORE = Identity("discord", "1"), Identity("matrix", "@ada:x"), Identity("console", "ada")
SETTINGS = Settings.model_validate({"people": {"ada": {"console": "ada", "discord": "1"}}})


@pytest.fixture
def linking(memory: Memory, clock: Clock) -> Linking:
    return Linking(memory.db, memory.places.seal, clock)


def party(who: Identity) -> LinkParty:
    return LinkParty(who, who.native_id, "place")


async def link(linking: Linking, one: Identity, other: Identity) -> None:
    """Link two accounts; everybody who is linked with one of them says yes."""
    request = await linking.claim_code(await linking.new_code(party(one)), party(other), [other])
    assert await linking.agree(request)
    missing = await linking.link(request)
    while missing:
        missing = await linking.link(request, next(iter(missing[0])))
    assert missing == []


async def refused(linking: Linking, code: str, by: Identity = ALSO) -> str:
    with pytest.raises(LinkRefused) as error:
        await linking.claim_code(code, party(by), [by])
    return str(error.value)


async def test_both_have_to_agree_in_turn_and_one_code_links_once(linking: Linking) -> None:
    code = await linking.new_code(party(ADA))
    request = await linking.claim_code(code, party(ALSO), [ALSO])
    assert await linking.link(request) is None, "whoever typed it did not agree"
    assert await linking.circle(ADA) == [ADA] and await linking.requests(ADA) == []
    assert await linking.agree(request) and not await linking.agree(request)
    assert await linking.circle(ADA) == [ADA], "whom it was shown to did not agree"
    (shown,) = await linking.requests(ADA)
    assert shown.typed.account == ALSO and shown.word == request.word
    assert await linking.link(shown) == [] and await linking.link(shown) is None
    assert await linking.circle(ADA) == [ADA, ALSO] and await linking.circle(ALSO) == [ALSO, ADA]
    assert "That code is wrong" in await refused(linking, code)


async def test_a_code_is_kept_as_a_hash_ends_and_is_replaced_by_the_next(linking: Linking, clock: Clock) -> None:
    first = await linking.new_code(party(ADA))
    row = await linking.db.one("SELECT * FROM link_codes")
    assert row and not any(first.replace("-", "") in str(value).upper() for value in row)
    second = await linking.new_code(party(ADA))
    assert "That code is wrong" in await refused(linking, first)
    clock.forward(LASTS)
    assert "That code is wrong" in await refused(linking, second)
    third = await linking.new_code(party(ADA))
    request = await linking.claim_code(third, party(ALSO), [ALSO])
    assert "That code is wrong" in await refused(linking, third, MORE), "somebody typed it already"
    assert await linking.agree(request)
    clock.forward(LASTS)
    assert await linking.link(request) is None and await linking.requests(ADA) == []
    await linking.drop_expired()
    for table in ("link_codes", "link_tries"):
        assert await linking.db.all(f"SELECT * FROM {table}") == []


async def test_guessing_ends_after_five_tries_even_at_the_right_one(linking: Linking, clock: Clock) -> None:
    code = await linking.new_code(party(ADA))
    for _ in range(5):
        assert "That code is wrong" in await refused(linking, "ABCD-EFGH")
    assert "Too many" in await refused(linking, code)
    clock.forward(LASTS)
    await link(linking, ADA, ALSO)


async def test_a_code_of_ones_own_is_not_taken(linking: Linking) -> None:
    code = await linking.new_code(party(ADA))
    assert "of this account" in await refused(linking, code, ADA)
    await linking.claim_code(code, party(ALSO), [ALSO])


async def test_whoever_refuses_ends_it(linking: Linking) -> None:
    request = await linking.claim_code(await linking.new_code(party(ADA)), party(ALSO), [ALSO])
    assert await linking.refuse(request)
    assert not await linking.agree(request) and await linking.link(request) is None


async def test_three_accounts_are_one_person_until_one_parts(linking: Linking) -> None:
    await link(linking, ADA, ALSO)
    await link(linking, ALSO, MORE)
    assert set(await linking.circle(MORE)) == set(await linking.circle(ADA)) == {ADA, ALSO, MORE}
    assert await linking.unlink([MORE]) and not await linking.unlink([MORE])
    assert await linking.circle(MORE) == [MORE] and set(await linking.circle(ADA)) == {ADA, ALSO}
    assert await linking.unlink([ALSO])
    assert await linking.circle(ADA) == [ADA], "one alone is linked with nobody"


async def test_a_circle_grows_only_once_each_of_it_agreed(linking: Linking) -> None:
    await link(linking, ADA, ALSO)
    request = await linking.claim_code(await linking.new_code(party(ALSO)), party(MORE), [MORE])
    assert await linking.link(request, ADA) is None, "it is not asked yet"
    assert await linking.agree(request) and await linking.requests(ADA) == []
    assert await linking.link(request, ADA) is None
    assert await linking.link(request) == [{ADA}] and await linking.link(request) is None
    assert await linking.circle(MORE) == [MORE], "one of the circle said nothing yet"
    assert [one.word for one in await linking.requests(ADA)] == [request.word] and await linking.requests(ALSO) == []
    assert await linking.link(request, MORE) is None and await linking.link(request, Identity("discord", "9")) is None
    assert await linking.link(request, ADA) == []
    assert set(await linking.circle(MORE)) == {ADA, ALSO, MORE}


async def test_no_and_no_answer_keep_a_circle_as_it_is(linking: Linking, clock: Clock) -> None:
    await link(linking, ADA, ALSO)
    for refuses in (True, False):
        request = await linking.claim_code(await linking.new_code(party(MORE)), party(ALSO), [ALSO])
        assert await linking.agree(request) and await linking.link(request) == [{ADA}]
        if refuses:
            assert await linking.refuse(request)
        else:
            clock.forward(LASTS)
        assert await linking.link(request, ADA) is None and await linking.requests(ADA) == []
        assert await linking.circle(MORE) == [MORE]


async def test_a_yes_is_to_those_who_were_linked_then_and_to_nobody_who_comes_after(linking: Linking) -> None:
    request = await linking.claim_code(await linking.new_code(party(ADA)), party(ALSO), [ALSO])
    assert await linking.agree(request)
    await link(linking, MORE, ADA)
    assert await linking.link(request) is None and await linking.requests(ADA) == [], "ALSO was not asked about MORE"
    assert await linking.circle(ALSO) == [ALSO]


async def test_one_of_those_that_are_declared_to_be_one_person_answers_for_them(memory: Memory, linking: Linking) -> None:
    declared = People(SETTINGS, memory.linking).declared
    bob, eve = Identity("discord", "2"), Identity("discord", "3")
    await link(linking, ADA, bob)
    request = await linking.claim_code(await linking.new_code(party(bob)), party(eve), [eve])
    assert await linking.agree(request) and await linking.link(request, bob, declared) == [{ADA, MORE}]
    assert await linking.link(request, MORE, declared) == []
    assert set(await linking.circle(MORE, declared)) == {ADA, MORE, bob, eve}


async def test_whoever_parts_takes_along_what_came_in_through_them_alone(linking: Linking) -> None:
    fourth = Identity("discord", "4")
    await link(linking, ADA, ALSO)
    await link(linking, ALSO, MORE)
    await link(linking, MORE, fourth)
    assert len(await linking.circle(ADA)) == 4
    assert await linking.unlink([ALSO])
    assert await linking.circle(ADA) == [ADA] and await linking.circle(ALSO) == [ALSO]
    assert set(await linking.circle(MORE)) == {MORE, fourth}


async def test_a_restored_backup_knows_who_is_linked_now(tmp_path: Path, clock: Clock) -> None:
    async with opened(tmp_path / "then.db") as then, opened(tmp_path / "now.db") as now:
        await link(Linking(then.db, then.places.seal, clock), ADA, ALSO)
        await then.take_over(await now.chosen())
        assert await then.linking.circle(ADA) == [ADA]


async def test_what_is_declared_goes_along_and_nothing_is_read_across_before_and_after(memory: Memory, clock: Clock) -> None:
    people = People(SETTINGS, memory.linking)
    linking = Linking(memory.db, memory.places.seal, clock)
    preferences = Preferences(memory.settings, {}, memory.places.account_scope, people.declared)
    domains = DomainAccess(memory, SETTINGS, preferences, clock, "UTC")

    async def read(who: Identity) -> set[Identity]:
        place = Place(who.platform, who.native_id, "dm", Reach.DIRECT)
        view = await domains.view(place, Person(who.platform, who.native_id, "ada"))
        refs, _ = await memory.places.refs([view.home.key, *view.others_of_place])
        assert await domains.has_same_readers(place, view.home.key, view.others_of_place)
        return {Identity(ref.platform, ref.native_id) for ref in refs.values()}

    for one in (ADA, ALSO, MORE):
        await memory.places.domain(DomainRef(DomainKind.DM, one.platform, one.native_id), "UTC", clock.now())
    assert await read(ALSO) == {ALSO} and await read(MORE) == {MORE, ADA}
    request = await linking.claim_code(await linking.new_code(party(ADA)), party(ALSO), [ALSO])
    await linking.agree(request)
    assert await read(ALSO) == {ALSO} and await read(MORE) == {MORE, ADA}
    await linking.link(request)
    for one in (ADA, ALSO, MORE):
        assert await read(one) == {ADA, ALSO, MORE}
    view = await domains.view_of_account(ALSO.platform, ALSO.native_id)
    await linking.unlink(people.declared(MORE))
    assert await read(ALSO) == {ALSO} and await read(MORE) == {MORE, ADA}
    place = Place(ALSO.platform, ALSO.native_id, "dm", Reach.DIRECT)
    assert not await domains.has_same_readers(place, view.home.key, view.others_of_place), (
        "what was made before they parted is not sent any more"
    )


async def test_a_clock_that_was_ahead_neither_locks_anybody_out_nor_makes_a_code_last(linking: Linking, clock: Clock) -> None:
    clock.forward(100 * LASTS)
    code = await linking.new_code(party(ADA))
    for _ in range(6):
        said = await refused(linking, "WRONG")
    assert "Too many codes" in said
    clock.forward(-100 * LASTS)
    assert "That code is wrong, has expired" in await refused(linking, code)
    await link(linking, ADA, ALSO)
