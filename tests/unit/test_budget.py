"""The budget: what is shown never costs more than there is, and what one layer leaves is handed on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.text.budget import MARK, FittedLayer, Layer, TokenBudget, clip, tokens
from tests.kits.size import examples

texts = st.text(max_size=200)
pieces = st.lists(st.text(max_size=40), max_size=8)
few = settings(max_examples=examples(30))


def fit(some: list[Layer], budget: int) -> list[FittedLayer]:
    """Fill a room with layers, in their order."""
    room = TokenBudget(budget)
    return [room.fill(layer) for layer in some]


@pytest.mark.parametrize(("text", "n"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("äöü", 2), ("猫", 1), ("🐈", 2)])
def test_a_token_is_three_bytes_rounded_up(text: str, n: int) -> None:
    assert tokens(text) == n


@few
@given(texts, texts)
def test_two_texts_together_cost_no_more_than_apart(one: str, other: str) -> None:
    assert max(tokens(one), tokens(other)) <= tokens(one + other) <= tokens(one) + tokens(other)


@few
@given(texts, st.integers(0, 80))
def test_a_clipped_text_is_never_longer_than_asked(text: str, most: int) -> None:
    assert tokens(clip(text, most)) <= most


@few
@given(texts, st.integers(4, 80))
def test_a_clipped_text_is_the_beginning_and_the_end(text: str, most: int) -> None:
    clipped = clip(text, most)
    if tokens(text) <= most:
        assert clipped == text
    else:
        head, _, tail = clipped.partition(MARK)
        assert text.startswith(head) and text.endswith(tail)
        assert tokens(clipped) >= most - 4, "the room is used"


def shares(n: int) -> st.SearchStrategy[list[float]]:
    return st.lists(st.floats(0.01, 1), min_size=n, max_size=n).map(lambda parts: [part / sum(parts) for part in parts])


@st.composite
def layers(draw: st.DrawFn) -> list[Layer]:
    held = draw(st.lists(pieces, min_size=1, max_size=6))
    return [Layer(str(at), some, share) for at, (some, share) in enumerate(zip(held, draw(shares(len(held))), strict=True))]


@few
@given(layers(), st.integers(0, 300))
def test_what_is_shown_never_costs_more_than_the_budget(some: list[Layer], budget: int) -> None:
    fitted = fit(some, budget)
    assert sum(layer.tokens for layer in fitted) <= budget
    for layer in fitted:
        assert layer.tokens == sum(tokens(piece) + 1 for piece in layer.shown)


@few
@given(layers(), st.integers(0, 300))
def test_a_layer_shows_its_first_pieces_and_says_how_many_it_left_out(some: list[Layer], budget: int) -> None:
    for layer, shown in zip(some, fit(some, budget), strict=True):
        assert shown.name == layer.name
        assert list(shown.shown) == list(layer.pieces[: len(shown.shown)])
        assert shown.cut == len(layer.pieces) - len(shown.shown)


@few
@given(layers(), st.integers(0, 300))
def test_what_a_layer_leaves_is_handed_on(some: list[Layer], budget: int) -> None:
    room = 0
    for layer, shown in zip(some, fit(some, budget), strict=True):
        room += int(layer.share * budget)
        if shown.cut:
            assert shown.tokens + tokens(layer.pieces[len(shown.shown)]) + 1 > room, "a piece was left out that fits"
        room -= shown.tokens


def test_an_empty_layer_gives_all_its_room_to_the_next() -> None:
    empty, full = fit([Layer("bank", [], 0.5), Layer("recent", ["x" * 27] * 10, 0.5)], 100)
    assert (empty.tokens, len(full.shown)) == (0, 10)
    alone = fit([Layer("recent", ["x" * 27] * 10, 0.5)], 100)[0]
    assert len(alone.shown) == 5 and alone.cut == 5


def test_a_title_is_paid_for_where_something_stands_under_it() -> None:
    room = TokenBudget(40)
    full = room.fill(Layer("bank", ["x" * 27] * 5, 1.0, "y" * 27))
    assert (len(full.shown), full.tokens) == (3, 40)
    assert room.fill(Layer("recent", [], 0.0, "y" * 27)).tokens == 0
