"""The gate at the exit against a model under an attacker's spell: whatever it says, no client shows a link that nobody gave."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.markup import units
from adapters.splitting import split
from bot.delivery.exit_gate import ExitGate
from tests.kits.hostile import ALLOWED, EVIL, LIVE, long_output, output, unapproved, unapproved_on_matrix
from tests.kits.size import TORTURE

OUTPUTS = 1_000_000 if TORTURE else 2000
EACH = 100
DISCORD, MATRIX = 1_960, 19_960
"""The longest part on each platform, in UTF-16 units."""
seeds = st.integers(0, 2**64)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("names", "live"), [(False, unapproved), (True, unapproved_on_matrix)], ids=["the wire", "Matrix's HTML"]
)
@settings(max_examples=OUTPUTS // EACH)
@given(seed=seeds)
def test_no_unapproved_address_is_live(seed: int, names: bool, live: Callable[[str], object]) -> None:
    chance = random.Random(seed)
    for _ in range(EACH // (1 + names)):
        said = output(chance)
        sent = ExitGate(ALLOWED, names=names).gated(said)
        assert not live(sent), f"{said!r} leaves as {sent!r}"
        assert ExitGate(ALLOWED, names=names).gated(sent) == sent, f"{said!r} is gated twice as {sent!r}"


def test_with_the_gate_left_out_they_reach_it() -> None:
    chance = random.Random(26)
    outputs = [output(chance) for _ in range(1000)]
    assert sum(bool(unapproved(said)) for said in outputs) > 500
    assert sum(bool(unapproved_on_matrix(said)) for said in outputs) > 500


def test_showing_them_as_code_and_no_more_would_let_some_through() -> None:
    chance = random.Random(27)
    said = [output(chance) for _ in range(1000)]
    assert any(unapproved(LIVE.sub(lambda live: f"`{live[0]}`", text)) for text in said)


def test_where_names_are_links_more_must_be_looked_for() -> None:
    chance = random.Random(29)
    said = [output(chance) for _ in range(1000)]
    assert any(unapproved_on_matrix(ExitGate(ALLOWED, names=False).gated(text)) for text in said)


@settings(max_examples=OUTPUTS // 400)
@given(seeds, st.integers(40, 120))
def test_a_cut_brings_nothing_to_life(seed: int, most: int) -> None:
    chance = random.Random(seed)
    for _ in range(10):
        said = long_output(chance)
        parts = ExitGate(ALLOWED, names=False).parts(said, most)
        assert all(units(part) <= most for part in parts)
        assert not [live for part in parts for live in unapproved(part)], f"{said!r} leaves as {parts!r}"


@pytest.mark.parametrize(("most", "names"), [(DISCORD, False), (MATRIX, True)])
@settings(max_examples=OUTPUTS // 400)
@given(seeds)
def test_nothing_is_live_in_a_part_of_full_size(most: int, names: bool, seed: int) -> None:
    chance = random.Random(seed)
    size = chance.randint(most // 2, 2 * most)
    said = ""
    while units(said) < size:
        said += chance.choice((output, long_output, _much))(chance)
    parts = ExitGate(ALLOWED, names=names).parts(said, most)
    live = unapproved_on_matrix if names else unapproved
    assert all(units(part) <= most for part in parts)
    assert not [one for part in parts for one in live(part)], f"{said!r} leaves as {parts!r}"


def _much(chance: random.Random) -> str:
    """Return something long that is one word, or one line."""
    return chance.choice([*EVIL, "word "]) + chance.choice(["a", "a_", "word ", "海", "`", "a.b/", "%2e"]) * chance.randint(
        1, 3000
    )


@pytest.mark.parametrize(("most", "longer"), [(DISCORD, 2_400), (MATRIX, 25_000)])
def test_an_address_longer_than_a_part_is_dead_and_shown_in_short(most: int, longer: int) -> None:
    said = f"See https://evil.test/{'a' * longer} now, or [this](https://evil.test/{'b' * longer})."
    assert ExitGate((), names=True).parts(said, most) == [
        f"See `https://evil.test/{'a' * 282}…` (link removed) now, or this (`https://evil.test/{'b' * 282}…`, link removed)."
    ]


def test_cut_and_not_gated_again_some_would_live() -> None:
    chance = random.Random(28)
    whole = [ExitGate(ALLOWED, names=False, longest=10_000).gated(long_output(chance)) for _ in range(200)]
    assert any(unapproved(part) for text in whole for part in split(text, 80))
    for most in (DISCORD, MATRIX):
        text = ExitGate((), names=False, longest=most + 500).gated("https://evil.test/" + "a" * (most + 440))
        assert unapproved(split(text, most)[0])


def test_code_that_must_be_cut_keeps_its_addresses() -> None:
    code = "```sh\n" + "curl https://evil.test/a\n" * 200 + "```"
    parts = ExitGate((), names=False).parts(f"**Run** this:\n\n{code}", 2000)
    assert sum(part.count("curl https://evil.test/a\n") for part in parts) == 200
