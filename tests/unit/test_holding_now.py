"""Which hits are put before others because they hold now, and what it costs to find them."""

from itertools import combinations
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.index.hits import Certainty, Hit, apart_from_sure
from memory.index.recall import query
from memory.index.recall.current_first import newest_claims_first
from memory.index.when.told_times import asked_ahead
from memory.text.lexical import query_stems
from memory.text.told.claims import claims, superseded
from memory.text.told.replacements import replaces
from memory.types import Exchange, Kind
from memory.view import retrieval
from tests.kits.memory_kit import START, at_home, found
from tests.kits.memory_kit import said as says
from tests.kits.size import examples
from tests.kits.steps import steps

QUESTION = "what is my job?"
CLAIMS = (
    "I live in Graz",
    "I've moved to Linz",
    "My job is baker, and the gate code is 7781",
    "My job is pilot now",
    "They changed the gate code to 3345",
    "My job is pilot, and I live in Bonn now",
    "it rains",
)
told = st.lists(st.tuples(st.sampled_from(CLAIMS), st.sampled_from(["ada", "bob"]), st.integers(0, 3)), max_size=12)


def hits(said: list[tuple[str, str, int]]) -> dict[int, Hit]:
    """Return hits by key, each a text, who said it and when."""
    messages = [
        Exchange(n, str(n), 1, 1, Kind.SAID, "user", speaker, text, str(n), START + at, START)
        for n, (text, speaker, at) in enumerate(said)
    ]
    return {one.key: Hit(one, "main", 1.0, ()) for one in messages}


def things(n: int) -> list[tuple[str, str, int]]:
    """Return so many messages that claim something, each about something else."""
    return [(f"My {chr(97 + at // 26)}{chr(97 + at % 26)}th drawer is green", "ada", at) for at in range(n)]


@settings(max_examples=examples(100))
@given(told)
def test_each_hit_comes_after_the_newest_that_superseded_it(said: list[tuple[str, str, int]]) -> None:
    these = hits(said)
    asked = frozenset(query_stems(QUESTION))
    instead = {}
    for older, newer in combinations(sorted(these.values(), key=lambda hit: (hit.exchange.said_at, hit.exchange.key)), 2):
        same = older.exchange.speaker == newer.exchange.speaker and older.exchange.said_at < newer.exchange.said_at
        told, later = older.exchange.text, newer.exchange.text
        if same and (superseded(claims(told), claims(later), asked) or replaces(told, later)):
            instead[older.exchange.key] = newer.exchange.key
    placed: dict[int, None] = {}
    for key in these:
        chain = [key]
        while chain[-1] in instead:
            chain.append(instead[chain[-1]])
        placed.update(dict.fromkeys(reversed(chain)))
    assert list(newest_claims_first(QUESTION, these)) == list(placed)


def test_messages_about_different_things_are_not_compared_with_one_another() -> None:
    few, many = (hits(things(n)) for n in (20, 40))
    assert steps(lambda: newest_claims_first(QUESTION, many)) < 2.5 * steps(lambda: newest_claims_first(QUESTION, few))


def test_hits_that_superseded_none_of_the_others_stay_the_very_same() -> None:
    these = hits(things(5))
    assert newest_claims_first(QUESTION, these) is these
    changed = hits([*things(5), ("My aath drawer is red now", "ada", 9)])
    assert list(newest_claims_first(QUESTION, changed)) == [5, 0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("last", "read"), [("I have a job", 1), ("My job is pilot now", 2)], ids=["none superseded", "one superseded"]
)
async def test_a_question_is_read_for_its_time_again_only_if_that_matters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, read: int
) -> None:
    reading = Mock(side_effect=asked_ahead)
    for module in (query, retrieval):
        monkeypatch.setattr(module, "asked_ahead", reading)
    async with at_home(tmp_path) as here:
        await here.view.say(here.session, [says("My job is baker", "1"), says(last, "2", START + 1)])
        assert (await found(here, QUESTION))[0] == f"Ada: {last}"
    assert reading.call_count == read


PAST = [
    ("I drive a Fiat", "ada", 0),
    ("I used to drive a Saab", "ada", 1),
    ("I used to drive", "ada", 2),
    ("I drive a tram", "bob", 3),
]


@pytest.mark.parametrize(
    ("question", "order"), [("what do I drive?", [0, 1, 2, 3]), ("what did I drive before?", [1, 0, 2, 3])], ids=["now", "before"]
)
def test_what_is_over_comes_after_what_the_same_person_says_is_so(question: str, order: list[int]) -> None:
    assert list(newest_claims_first(question, hits(PAST))) == order
    assert next(iter(newest_claims_first(question, dict(reversed(hits(PAST[:2]).items()))))) == order[0]


def test_what_scores_far_below_a_sure_hit_is_weak_if_it_is_only_likely() -> None:
    sure, near, far = (
        hit._replace(score=score, certainty=certainty)
        for hit, score, certainty in zip(
            hits(things(3)).values(), (2.0, 1.3, 1.1), (Certainty.SURE, Certainty.LIKELY, Certainty.LIKELY), strict=True
        )
    )
    marked = apart_from_sure({0: sure, 1: near, 2: far})
    assert [hit.certainty for hit in marked.values()] == [Certainty.SURE, Certainty.LIKELY, Certainty.WEAK]
    unsure = {1: near, 2: far}
    assert apart_from_sure(unsure) is unsure
