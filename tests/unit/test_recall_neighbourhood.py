"""What stands beside messages is the same, whether it is read in their order or each is looked up."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.index.indexing import MESSAGES
from memory.index.recall.documents import Documents
from memory.index.recall.domain_index import DomainIndex
from memory.store.database import Row
from memory.types import MINUTE
from tests.kits.size import examples

said = st.lists(st.tuples(st.integers(1, 3), st.integers(-400, 900)), min_size=1, max_size=30)


def kept(what: list[tuple[int, int]], *, one_by_one: bool = False) -> Documents:
    """Return messages of sessions, each so many minutes behind the last."""
    documents, at = Documents(linked=True), 0
    instants = [at := at + minutes * MINUTE for _, minutes in what]
    sessions, n = np.array([session for session, _ in what]), len(what)
    for part in np.split(np.arange(n), n if one_by_one else 1):
        zeros = np.zeros(len(part), np.int64)
        documents.add(part + 1, sessions[part], np.array(instants)[part], ["ada"] * len(part), zeros, zeros, [None] * len(part))
    return documents


@settings(max_examples=examples(60))
@given(said, st.booleans(), st.booleans(), st.lists(st.floats(-1, 1, width=32), min_size=30, max_size=30))
def test_both_ways_give_the_same(what: list[tuple[int, int]], ordered: bool, one_by_one: bool, drawn: list[float]) -> None:
    if ordered:
        what = [(session, abs(minutes)) for session, minutes in sorted(what)]
    documents = kept(what, one_by_one=one_by_one)
    around = documents.neighbourhood
    assert (around.order is not None) >= ordered
    scores = np.array(drawn[: len(what)], np.float32)
    looked_up = replace(around, order=None)
    assert np.array_equal(around.beside(scores), looked_up.beside(scores))
    assert np.array_equal(around.best_around(scores), looked_up.best_around(scores))


def test_messages_of_two_sessions_in_turn_are_looked_up() -> None:
    documents = kept([(1, 1), (2, 1), (1, 1), (2, 1)])
    assert documents.neighbourhood.order is None
    scores = np.array([1, 2, 4, 8], np.float32)
    assert documents.neighbourhood.beside(scores).tolist() == [4, 8, 1, 2]
    assert documents.neighbourhood.best_around(scores).tolist() == [4, 8, 4, 8]


def test_what_is_added_later_stands_beside_what_was_there() -> None:
    documents = kept([(1, 1), (1, 1)], one_by_one=True)
    assert documents.neighbourhood.beside(np.ones(2, np.float32)).tolist() == [1, 1]
    zeros = np.zeros(1, np.int64)
    documents.add(np.array([3]), np.array([1]), np.array([9 * MINUTE]), ["ada"], zeros, zeros, [None])
    assert documents.neighbourhood.beside(np.ones(3, np.float32)).tolist() == [1, 2, 1]


def passages(item: int, session: int, n: int) -> list[Row]:
    """Return the rows of a message of so many passages without words."""
    row = {
        "item": item,
        "session": session,
        "said_at": item * MINUTE,
        "speaker": "ada",
        "traits": 0,
        "fingerprint": 0,
        "tells": None,
    }
    return [{**row, "length": 0, "hashes": b"", "counts": b""} for _ in range(n)]


def test_the_last_passage_of_a_message_is_followed_by_the_first_of_the_next_in_its_session() -> None:
    index = DomainIndex(MESSAGES)
    index.add([*passages(1, 7, 2), *passages(2, 8, 1), *passages(3, 7, 3)])
    assert index.behind.tolist() == [-1, 3, -1, -1, -1, -1]
    index.add(passages(4, 7, 2))
    assert index.behind.tolist() == [-1, 3, -1, -1, -1, 6, -1, -1]


def test_nothing_stands_beside_nothing() -> None:
    nothing = Documents(linked=True).neighbourhood
    assert len(nothing.beside(np.zeros(0, np.float32))) == len(nothing.best_around(np.zeros(0, np.float32))) == 0
