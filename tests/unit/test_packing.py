"""What comes up fills the room that is left: the best of every kind first, each told once, read from the oldest on."""

import pytest

from bot.context.layers import InView, ShownLayer
from bot.context.packing import Packer
from memory.index.hits import DigestHit, Hit, Recalled
from memory.text.budget import tokens
from memory.types import Digest, Exchange, Kind, Statement
from tests.kits.memory_kit import DAY, START

LINE = 20
"""What each of the short messages below costs in tokens, roughly."""


def said(key: int, text: str = "") -> Exchange:
    """Return a message of Ada's, one a day."""
    at = START + key * DAY
    return Exchange(key, f"id{key}", 1, 1, Kind.SAID, "user", "Ada", text or f"message {key:03} of boats", f"m{key}", at, at)


def hit(key: int, text: str = "", before: int = 0, after: int = 0) -> Hit:
    """Return a message that was found, with its neighbours."""
    return Hit(said(key, text), "main", 1.0, (), said(before) if before else None, said(after) if after else None)


def gist(key: int, words: int) -> DigestHit:
    """Return a gist of so many words."""
    text = f"gist {key} tells of " + "boats " * words
    return DigestHit(Digest(key, f"id{key}", 1, "gist", 0, key, text, "model:m", START, START, START), "main", 1.0)


def era(key: int) -> Statement:
    """Return a paragraph of a month."""
    return Statement(key, f"id{key}", "era", "2026-01", "", f"month {key} was about boats", "model:m", START, START, START)


def filled(room: int, *ranked: Hit | DigestHit | Statement) -> dict[str, ShownLayer]:
    """Fill a room with what was recalled, the best first; return what each layer shows."""
    return {layer.fitted.name: layer for layer in Packer(InView(), (), room, "UTC").fill(Recalled(ranked))}


def cost(layers: dict[str, ShownLayer]) -> int:
    """Return what all layers take, as they are read."""
    return sum(tokens(layer.block) + 1 for layer in layers.values() if layer.pieces)


def test_everything_that_came_up_is_shown_where_there_is_room() -> None:
    shown = filled(5000, *(hit(n) for n in range(1, 61)), gist(70, 9), era(80))
    assert shown["recalled"].keys == set(range(1, 61))
    assert shown["gists"].keys == {70} and shown["eras"].keys == {80}


def test_of_what_does_not_all_fit_the_best_is_shown_and_the_rest_is_counted() -> None:
    shown = filled(500, *(hit(n) for n in range(60, 0, -1)))["recalled"]
    n = len(shown.keys)
    assert shown.keys == set(range(61 - n, 61)) and shown.fitted.cut == 60 - n
    assert 10 < n < 60


def test_what_is_shown_reads_from_the_oldest_on() -> None:
    keys = [one for piece in filled(5000, hit(9), hit(3), hit(6, before=5, after=7))["recalled"].pieces for one in piece.keys]
    assert keys == [3, 5, 6, 7, 9]


@pytest.mark.parametrize(("text", "when"), [("we sail next Friday", "Wednesday, 04 March"), ("we sail", "04 March")])
def test_a_message_shows_its_weekday_where_a_day_is_reckoned_from_it(text: str, when: str) -> None:
    assert filled(500, hit(1, text))["recalled"].block.splitlines()[1] == f"> {when} 2026 12:00, Ada: {text}"


def test_no_neighbour_takes_the_place_of_a_message_that_was_found() -> None:
    hits = [hit(n, before=n - 1, after=n + 1) for n in range(10, 100, 10)]
    tight, wide = filled(7 * LINE, *hits), filled(5000, *hits)
    assert tight["recalled"].keys <= {one.exchange.key for one in hits} and len(tight["recalled"].keys) > 4
    assert wide["recalled"].keys == {n + step for n in range(10, 100, 10) for step in (-1, 0, 1)}


def test_a_message_that_was_found_and_stands_beside_others_is_told_once() -> None:
    block = filled(5000, hit(5, before=4, after=6), hit(6, before=5, after=7), hit(4, before=3, after=5))["recalled"].block
    assert [block.count(f"message {n:03} ") for n in range(3, 8)] == [1] * 5


def test_what_is_short_goes_in_where_something_longer_does_not() -> None:
    shown = filled(100, hit(1), hit(2, "boats " * 80), hit(3))["recalled"]
    assert shown.keys == {1, 3} and shown.fitted.cut == 1


def test_a_long_gist_leaves_room_for_messages_and_comes_in_behind_them_where_it_can() -> None:
    tight = filled(400, gist(70, 120), *(hit(n) for n in range(1, 61)))
    assert not tight["gists"].keys and tight["gists"].fitted.cut == 1 and len(tight["recalled"].keys) > 10
    assert filled(400, gist(70, 120), hit(1))["gists"].keys == {70}


def test_the_best_gist_and_the_best_month_have_their_place_however_many_messages_rank_before_them() -> None:
    shown = filled(400, *(hit(n) for n in range(1, 61)), gist(70, 9), gist(71, 9), era(80), era(81))
    assert 70 in shown["gists"].keys and 80 in shown["eras"].keys
    assert 71 not in shown["gists"].keys and len(shown["recalled"].keys) > 10


def test_kinds_take_their_room_by_rank_and_never_more_than_there_is() -> None:
    some = [one for n in range(1, 40) for one in (hit(n, before=n + 100), gist(n + 200, n), era(n + 300))]
    for room in range(0, 3000, 150):
        shown = filled(room, *some)
        assert cost(shown) <= room
        assert room < 60 or sum(layer.fitted.tokens for layer in shown.values()) > room - 60
