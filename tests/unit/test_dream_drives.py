"""What drives her: urges from what is counted, moods in bounded steps, and facts that do not fit together."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory.dream import dreamer
from memory.dream.dreamer import MOST_STEP, evolve
from memory.dream.sensing import contradictions
from memory.tiers.drives import BASELINE, BUILD, HALF_LIFE, Drives, build_level, calm_level, combine, saturate
from memory.tiers.selfstate import StateOfMind
from memory.types import MINUTE, Statement
from tests.kits.memory_kit import DAY, HOUR
from tests.kits.size import examples
from tests.kits.tabled import tabled

few = settings(max_examples=examples(100))
shares = st.floats(0, 1)
below_one = st.floats(0, 0.9999)
whiles = st.integers(0, 60 * DAY)
minds = st.builds(
    StateOfMind, st.integers(-10_000, 10_000).map(lambda n: n / 10_000), st.integers(0, 10_000).map(lambda n: n / 10_000)
)
TINY = 1e-9
ROUNDED = 1e-4
"""A mind is kept to four digits."""


@few
@given(shares, shares, whiles)
def test_a_drive_is_never_below_nothing_nor_above_all(level: float, signal: float, elapsed: int) -> None:
    assert -TINY <= build_level(level, signal, elapsed) <= 1 + TINY


@few
@given(shares, below_one, whiles, whiles)
def test_two_waits_with_the_same_signal_are_one_of_their_length(level: float, signal: float, one: int, other: int) -> None:
    halves = build_level(build_level(level, signal, one), signal, other)
    assert halves == pytest.approx(build_level(level, signal, one + other), abs=TINY)


@given(shares, whiles)
def test_a_signal_of_one_lifts_a_drive_to_the_top_at_once(level: float, elapsed: int) -> None:
    assert build_level(level, 1.0, elapsed) == 1


@given(shares, below_one)
def test_no_time_changes_nothing(level: float, signal: float) -> None:
    assert build_level(level, signal, 0) == pytest.approx(level, abs=TINY)
    assert build_level(level, signal, -HOUR) == pytest.approx(level, abs=TINY), "nor does a clock that was set back"


@given(shares, st.integers(0, 20))
def test_without_a_signal_half_of_what_is_above_the_baseline_is_left_each_day(level: float, halves: int) -> None:
    left = build_level(level, 0.0, halves * HALF_LIFE)
    assert left - BASELINE == pytest.approx((level - BASELINE) / 2**halves, abs=TINY)


@few
@given(shares, below_one)
def test_in_four_hours_a_signal_lifts_a_drive_by_its_share_of_what_lacks_less_what_fades(level: float, signal: float) -> None:
    at_most = level + signal * (1 - level)
    fades = 1 - 2 ** (-BUILD / HALF_LIFE)
    assert at_most - fades * max(0.0, at_most - BASELINE) - TINY <= build_level(level, signal, BUILD)
    assert build_level(level, signal, BUILD) <= at_most + fades * max(0.0, BASELINE - level) + TINY


@few
@given(shares, shares, shares, shares, whiles)
def test_who_hears_more_or_began_higher_is_never_lower(one: float, other: float, quiet: float, loud: float, elapsed: int) -> None:
    (low, high), (quiet, loud) = sorted((one, other)), sorted((quiet, loud))
    assert build_level(low, quiet, elapsed) <= build_level(low, loud, elapsed) + TINY
    assert build_level(low, loud, elapsed) <= build_level(high, loud, elapsed) + TINY


@few
@given(shares, below_one, st.lists(st.integers(0, BUILD // 20), min_size=1, max_size=20))
def test_many_passes_raise_no_more_than_one_over_the_same_time(level: float, signal: float, waits: list[int]) -> None:
    often = level
    for wait in waits:
        often = build_level(often, signal, wait)
    assert often == pytest.approx(build_level(level, signal, sum(waits)), abs=TINY)


def test_a_rule_that_lifts_by_a_share_at_each_pass_would_count_a_signal_twice() -> None:
    def naive(level: float) -> float:
        return level + 0.5 * (1 - level)

    once, twice = build_level(BASELINE, 0.5, BUILD), build_level(build_level(BASELINE, 0.5, BUILD), 0.5, MINUTE)
    assert twice - once < 0.01 < naive(naive(BASELINE)) - naive(BASELINE)


@given(shares, shares, shares)
def test_what_was_acted_on_falls_with_its_signal_and_not_below_its_baseline(level: float, before: float, left: float) -> None:
    calm = calm_level(level, before, left)
    assert min(level, BASELINE) <= calm <= level
    assert calm_level(level, before, 0.0) == min(level, BASELINE), "nothing is left to do"
    assert calm_level(level, before, before) in (level, min(level, BASELINE)), "nothing was done, or nothing was there"
    assert calm_level(level, before, min(left, before)) <= calm_level(level, before, before or 1.0)


def test_half_of_the_work_done_halves_the_urge() -> None:
    assert calm_level(0.8, 0.6, 0.3) == pytest.approx(0.4)
    assert calm_level(0.8, 0.6, 0.9) == 0.8, "what has grown meanwhile does not push it"
    assert calm_level(0.8, 0.6, 0.0) == BASELINE


@given(st.lists(st.floats(-2, 3), max_size=6), st.floats(-2, 3))
def test_things_that_call_together_call_louder_than_each_and_never_louder_than_all(calls: list[float], another: float) -> None:
    loud = combine(calls)
    assert max([0.0, *(min(1.0, call) for call in calls)]) - TINY <= loud <= 1
    assert loud - TINY <= combine([*calls, another])
    assert combine(reversed(calls)) == pytest.approx(loud, abs=TINY), "in whatever order"


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(1e-3, 1e6))
def test_more_of_it_calls_louder_and_twice_the_half_calls_three_quarters(one: float, other: float, half: float) -> None:
    assert 0 <= saturate(min(one, other), half) <= saturate(max(one, other), half) <= 1
    assert saturate(half, half) == pytest.approx(0.5)
    assert saturate(2 * half, half) == pytest.approx(0.75)
    assert saturate(0, half) == 0


def test_nothing_calls_where_nothing_is() -> None:
    assert combine([]) == combine([0.0, 0.0]) == 0
    assert Drives(curiosity=0.7)["curiosity"] == 0.7
    assert Drives(curiosity=0.7)["continuity"] == BASELINE


@few
@given(minds, whiles, st.integers(0, 10_000), shares, st.floats(-3, 3))
def test_mood_and_energy_stay_in_their_bounds(
    mind: StateOfMind, elapsed: int, said: int, stability: float, feeling: float
) -> None:
    now = evolve(mind, elapsed, said, stability, feeling)
    assert -1 <= now.mood <= 1
    assert 0 <= now.energy <= 1


@few
@given(minds, whiles, st.integers(0, 10_000), shares, st.floats(-3, 3))
def test_what_she_heard_moves_her_by_a_bounded_step(
    mind: StateOfMind, elapsed: int, said: int, stability: float, feeling: float
) -> None:
    now, rested = evolve(mind, elapsed, said, stability, feeling), evolve(mind, elapsed, 0, stability, feeling)
    assert abs(now.mood - rested.mood) <= MOST_STEP + ROUNDED
    assert abs(now.energy - rested.energy) <= MOST_STEP + ROUNDED


def test_the_step_is_what_bounds_a_day_that_felt_as_good_as_can_be() -> None:
    assert evolve(StateOfMind(), 0, 500, 1.0, 1.0).mood == MOST_STEP
    assert evolve(StateOfMind(), 0, 500, 0.0, -1.0).mood == -MOST_STEP
    low, high = evolve(StateOfMind(-1.0, 0.0), 0, 1, 0.0, -1.0), evolve(StateOfMind(1.0, 1.0), 0, 500, 1.0, 1.0)
    assert (low.mood, low.energy, high.mood, high.energy) == (-1, 0, 1, 1), "and who is there already stays"


@given(minds, shares, st.floats(-3, 3))
def test_where_nothing_was_said_nothing_moves_her_but_time(mind: StateOfMind, stability: float, feeling: float) -> None:
    assert evolve(mind, 0, 0, stability, feeling) == mind
    assert evolve(mind, DAY, 0, stability, feeling) == evolve(mind, DAY, 0, 0.5)


@few
@given(minds, st.integers(0, 40))
def test_time_alone_brings_her_back_by_halves_and_never_past_her_baseline(mind: StateOfMind, halves: int) -> None:
    now = evolve(mind, halves * dreamer.HALF_LIFE, 0, 0.5)
    assert now.mood == pytest.approx(mind.mood / 2**halves, abs=ROUNDED)
    assert now.energy - 0.5 == pytest.approx((mind.energy - 0.5) / 2**halves, abs=ROUNDED)
    assert replace(now, mood=mind.mood, energy=mind.energy) == mind, "and nothing else of her changes"


@few
@given(minds, whiles, st.integers(1, 500), shares, shares, st.floats(-1, 1), st.floats(-1, 1))
def test_more_talk_never_tires_and_what_felt_better_never_saddens(
    mind: StateOfMind, elapsed: int, said: int, one: float, other: float, worse: float, better: float
) -> None:
    (behind, caught_up), (worse, better) = sorted((one, other)), sorted((worse, better))
    low, high = evolve(mind, elapsed, said, behind, worse), evolve(mind, elapsed, 2 * said, caught_up, better)
    assert low.mood <= high.mood
    assert low.energy <= high.energy


def facts(*texts: str) -> list[Statement]:
    """Return facts with these texts, in the order they were written."""
    return [Statement(n, f"s{n}", "profile", "", "said", text, "w", 0, 0, n) for n, text in enumerate(texts)]


def found(*texts: str, most: int = 100) -> list[tuple[str, str]]:
    """Return the pairs that do not fit together."""
    return [(one.text, other.text) for one, other in contradictions(facts(*texts), most)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada lives in Vienna.", "Ada lives in Graz."),
        ("Ada has 2 cats.", "Ada has 3 cats."),
        ("Ada moved to Graz in 2020.", "Ada moved to Graz in 2021."),
        ("The boat was built by Bob.", "The boat was built by Kiki."),
        ("Ada's sister lives in New York.", "Ada's sister lives in Rome."),
        ("ada lives in Vienna", "Ada lived in Graz"),
    ],
)
def test_facts_that_differ_in_a_name_or_a_number_are_found_in_either_order(one: str, other: str) -> None:
    assert found(one, other) == [(one, other)]
    assert found(other, one) == [(other, one)]


@pytest.mark.parametrize(("one", "other"), tabled("drives", "both"))
def test_facts_that_may_both_be_meant_are_left_alone(one: str, other: str) -> None:
    assert found(one, other) == []


cities = st.lists(st.sampled_from("Vienna Graz Linz Berlin Paris Rome Oslo".split()), min_size=2, max_size=7, unique=True)


@given(cities, st.integers(1, 30))
def test_of_many_facts_the_oldest_pairs_come_first_and_no_more_than_asked_for(names: Sequence[str], most: int) -> None:
    told = [f"Ada lives in {name}" for name in names]
    pairs = [(older, newer) for at, newer in enumerate(told) for older in told[:at]]
    assert found(*told, most=most) == pairs[:most]


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_any_two_numbers_for_the_same_quarrel(one: int, other: int) -> None:
    assume(one != other)
    assert len(found(f"Ada rows {one} miles a week", f"Ada rows {other} miles a week")) == 1
    assert found(f"Ada rows {one} miles a week", f"Ada rows {one} miles a week") == []
