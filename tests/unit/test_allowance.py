"""How much somebody has of her: enough for any person, less for who asks much more, and nothing for machines that talk for ever."""

import pytest

from adapters.events import Person, Place, Reach
from bot.admission.allowance import Allowance, Grant, too_much
from bot.admission.place_limits import parse_limit
from bot.config.settings import Settings
from bot.conversation.people import People
from bot.conversation.preferences import Chosen, Preferences
from bot.errors import BadInput
from memory.core import Memory
from memory.places.linking import LinkParty
from memory.types import MINUTE, Identity
from tests.kits.memory_kit import Clock

ADA, BEN, OWNER = (Person("discord", str(at), name) for at, name in enumerate(("ada", "ben", "owner"), 1))
DM, TOWN = Place("discord", "dm", "dm", Reach.DIRECT), Place("discord", "town", "town", Reach.PUBLIC)
SECOND = MINUTE // 60
UNSET = Chosen({}, {}, str)


def allowance(memory: Memory, clock: Clock, **limits: object) -> Allowance:
    given = {"limits": limits, "people": {"owner": {"discord": OWNER.id}}}
    settings = Settings.model_validate(given)
    return Allowance(settings, memory.settings, People(settings, memory.linking), clock)


async def test_nobody_who_talks_at_a_persons_pace_meets_a_limit(memory: Memory, clock: Clock) -> None:
    allowed = allowance(memory, clock)
    for _ in range(100):
        assert (await allowed.take(ADA, DM, clock.now(), UNSET))[0] is Grant.FULL
        allowed.record(ADA, DM, 1000, UNSET)
        clock.forward(6 * SECOND)


async def test_who_asks_too_much_gets_less_then_one_word_and_then_nothing_for_a_while(memory: Memory, clock: Clock) -> None:
    allowed = allowance(memory, clock, person={"turns_per_minute": 3})
    got = [(await allowed.take(ADA, DM, clock.now(), UNSET))[0] for _ in range(9)]
    assert got == [*[Grant.FULL] * 3, *[Grant.SMALLER_PROMPT] * 2, Grant.CHEAPER_MODEL, Grant.DECLINED, *[Grant.IGNORED] * 2]
    assert (await allowed.take(BEN, DM, clock.now(), UNSET))[0] is Grant.FULL, "others have their own"
    assert [(await allowed.take(OWNER, DM, clock.now(), UNSET))[0] for _ in range(9)] == [Grant.FULL] * 9
    clock.forward(MINUTE)
    assert (await allowed.take(ADA, DM, clock.now(), UNSET))[0] is Grant.FULL


async def test_how_long_it_lasts_is_said(memory: Memory, clock: Clock) -> None:
    allowed = allowance(memory, clock, person={"turns_per_minute": 1})
    await allowed.take(ADA, DM, clock.now(), UNSET)
    clock.forward(20 * SECOND)
    await allowed.take(ADA, DM, clock.now(), UNSET)
    assert await allowed.take(ADA, DM, clock.now(), UNSET) == (Grant.DECLINED, 40)


@pytest.mark.parametrize("scope", ["place", "all"])
async def test_a_place_and_all_together_have_limits_of_their_own(memory: Memory, clock: Clock, scope: str) -> None:
    allowed = allowance(memory, clock, person={}, **{scope: {"turns_per_minute": 1}})
    assert (await allowed.take(ADA, TOWN, clock.now(), UNSET))[0] is Grant.FULL
    assert (await allowed.take(BEN, TOWN, clock.now(), UNSET))[0] is Grant.SMALLER_PROMPT
    assert ((await allowed.take(BEN, DM, clock.now(), UNSET))[0] is Grant.FULL) is (scope == "place")


async def test_tokens_count_as_well(memory: Memory, clock: Clock) -> None:
    allowed = allowance(memory, clock, person={"tokens_per_minute": 1000})
    for tokens, after in ((999, Grant.FULL), (1, Grant.SMALLER_PROMPT), (1000, Grant.DECLINED)):
        allowed.record(ADA, DM, tokens, UNSET)
        assert (await allowed.take(ADA, DM, clock.now() - SECOND, UNSET))[0] is after


async def test_the_tokens_of_the_last_answer_outlive_a_restart_as_well(memory: Memory, clock: Clock) -> None:
    limits = {"person": {"tokens_per_day": 1000}}
    allowed = allowance(memory, clock, **limits)
    await allowed.take(ADA, DM, clock.now(), UNSET)
    await allowed.save()
    allowed.record(ADA, DM, 2000, UNSET)
    await allowed.save()
    again = allowance(memory, clock, **limits)
    await again.open()
    assert (await again.take(ADA, DM, clock.now(), UNSET))[0] is Grant.DECLINED


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (40, "in a minute"),
        (61, "in 2 minutes"),
        (7_140, "in 119 minutes"),
        (7_200, "in 2 hours"),
        (10_740, "in 3 hours"),
        (86_400, "in 24 hours"),
    ],
)
def test_nobody_is_told_to_come_back_too_early(seconds: int, told: str) -> None:
    assert f"will answer you again {told}." in too_much(seconds, kept=True)


async def test_what_was_had_today_outlives_a_restart_and_ends_with_the_day(memory: Memory, clock: Clock) -> None:
    limits = {"person": {"turns_per_day": 2}}
    allowed = allowance(memory, clock, **limits)
    for _ in range(4):
        await allowed.take(ADA, DM, clock.now(), UNSET)
    await allowed.save()
    again = allowance(memory, clock, **limits)
    await again.open()
    grant, seconds = await again.take(ADA, DM, clock.now(), UNSET)
    assert grant is Grant.DECLINED
    clock.forward(seconds * SECOND)
    assert (await again.take(ADA, DM, clock.now(), UNSET))[0] is Grant.FULL
    fresh = allowance(memory, clock, **limits)
    await fresh.open()
    assert (await fresh.take(ADA, DM, clock.now(), UNSET))[0] is Grant.FULL, "yesterday counts no more"


async def test_an_account_that_writes_faster_than_a_person_gets_five_answers_in_a_row(memory: Memory, clock: Clock) -> None:
    async def round_of(pause: int) -> Grant:
        allowed.record(ADA, TOWN, 10, UNSET)
        clock.forward(pause)
        return (await allowed.take(ADA, TOWN, clock.now(), UNSET))[0]

    allowed = allowance(memory, clock, person={})
    assert [await round_of(SECOND // 2) for _ in range(6)] == [*[Grant.FULL] * 4, Grant.DECLINED, Grant.IGNORED]
    assert await round_of(5 * SECOND) is Grant.FULL, "who takes a breath is a person"
    assert [await round_of(SECOND // 2) for _ in range(6)] == [*[Grant.FULL] * 4, *[Grant.IGNORED] * 2], "it was told that"
    allowed = allowance(memory, clock, person={}, in_a_row=0)
    assert [await round_of(SECOND // 2) for _ in range(9)] == [Grant.FULL] * 9


async def test_who_goes_on_without_a_pause_is_told_once_and_answered_no_more(memory: Memory, clock: Clock) -> None:
    allowed, granted = allowance(memory, clock, person={}), list[Grant]()
    for _ in range(60):
        granted.append((await allowed.take(ADA, DM, clock.now(), UNSET))[0])
        if granted[-1] is Grant.FULL:
            allowed.record(ADA, DM, 10, UNSET)
        clock.forward(SECOND // 5)
    assert granted == [*[Grant.FULL] * 5, Grant.DECLINED, *[Grant.IGNORED] * 54]
    clock.forward(2 * SECOND)
    assert (await allowed.take(ADA, DM, clock.now(), UNSET))[0] is Grant.FULL


async def test_who_is_answered_no_more_is_not_where_an_earlier_message_of_theirs_is_taken_up_later(
    memory: Memory, clock: Clock
) -> None:
    """Each in a thread of its own, several messages are taken up beside each other."""
    allowed = allowance(memory, clock, person={})
    for _ in range(5):
        assert (await allowed.take(ADA, DM, clock.now(), UNSET))[0] is Grant.FULL
        allowed.record(ADA, DM, 10, UNSET)
        clock.forward(SECOND // 5)
    earlier = clock.now()
    clock.forward(SECOND // 5)
    assert (await allowed.take(ADA, DM, clock.now(), UNSET))[0] is Grant.DECLINED
    assert await allowed.is_over(ADA, DM, earlier, UNSET)
    assert (await allowed.take(ADA, DM, earlier, UNSET))[0] is Grant.IGNORED
    assert (await allowed.take(ADA, DM, clock.now() - MINUTE, UNSET))[0] is Grant.FULL, "it was said before any answer"


async def test_what_counts_no_more_is_dropped(memory: Memory, clock: Clock) -> None:
    allowed = allowance(memory, clock)
    for number in range(1000):
        await allowed.take(Person("discord", f"10{number}", ""), DM, clock.now(), UNSET)
    clock.forward(2 * MINUTE)
    await allowed.save()
    assert len(allowed) == 0


async def test_who_runs_a_place_sets_less_for_it_and_for_each_there_within_what_is_configured(
    memory: Memory, clock: Clock
) -> None:
    """The first of each half gets all; the second is over a limit of one, and the third twice over."""
    preferences = Preferences(memory.settings, {}, memory.places.account_scope)

    async def grants(*people: Person, place: Place = TOWN) -> list[Grant]:
        allowed = allowance(memory, clock, person={})
        return [(await allowed.take(one, place, clock.now(), await preferences.read(place, one)))[0] for one in people]

    await preferences.put(TOWN, "turns a minute each", "1")
    assert await grants(ADA, BEN, ADA, ADA) == [Grant.FULL, Grant.FULL, Grant.SMALLER_PROMPT, Grant.DECLINED]
    assert await grants(ADA, ADA, place=DM) == [Grant.FULL, Grant.FULL]
    await preferences.put(TOWN, "turns a minute each", "")
    await preferences.put(TOWN, "turns a minute here", "2")
    assert await grants(ADA, BEN, ADA, BEN, ADA) == [
        Grant.FULL,
        Grant.FULL,
        Grant.SMALLER_PROMPT,
        Grant.CHEAPER_MODEL,
        Grant.DECLINED,
    ]
    limits = Settings.model_validate({"limits": {"place": {"turns_per_day": 50}}}).limits
    assert parse_limit("turns a day here", "50", limits) == "50" and parse_limit("turns a day here", "off", limits) == ""
    for value, why in (("51", "at most 50"), ("0", "whole number"), ("x", "whole number")):
        with pytest.raises(BadInput, match=why):
            parse_limit("turns a day here", value, limits)


async def test_accounts_of_one_person_count_together_and_linking_changes_no_count(memory: Memory, clock: Clock) -> None:
    allowed, also = allowance(memory, clock, person={"turns_per_minute": 2}), Person("matrix", "@ada:x", "ada")
    for one in (ADA, also):
        assert (await allowed.take(one, DM, clock.now(), UNSET))[0] is Grant.FULL
    preferences, linking = Preferences(memory.settings, {}, memory.places.account_scope), memory.linking
    parties = [LinkParty(Identity(one.platform, one.id), one.name, "") for one in (ADA, also)]
    request = await linking.claim_code(await linking.new_code(parties[0]), parties[1], [])
    assert await linking.agree(request) and await linking.link(request) == []
    assert (await allowed.take(also, DM, clock.now(), await preferences.read(also)))[0] is Grant.SMALLER_PROMPT


@pytest.mark.parametrize("back", [60 * MINUTE, 365 * 24 * 60 * MINUTE], ids=["an hour", "a year"])
async def test_who_asked_much_while_the_clock_was_ahead_is_answered_when_it_is_right_again(
    memory: Memory, clock: Clock, back: int
) -> None:
    allowed = allowance(memory, clock, person={"turns_per_minute": 1})
    for _ in range(4):
        await allowed.take(ADA, DM, clock.now(), UNSET)
    clock.forward(-back)
    assert (await allowed.take(ADA, DM, clock.now(), UNSET))[0] is Grant.FULL


async def test_who_is_declined_is_told_so_though_the_clock_was_ahead_when_they_were_last(memory: Memory, clock: Clock) -> None:
    allowed = allowance(memory, clock, person={"turns_per_minute": 1})
    for got in (Grant.FULL, Grant.SMALLER_PROMPT, Grant.DECLINED):
        assert (await allowed.take(ADA, DM, clock.now(), UNSET))[0] is got
    clock.forward(-365 * 24 * 60 * MINUTE)
    for got in (Grant.FULL, Grant.SMALLER_PROMPT, Grant.DECLINED, Grant.IGNORED):
        assert (await allowed.take(ADA, DM, clock.now(), UNSET))[0] is got
