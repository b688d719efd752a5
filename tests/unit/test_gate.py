"""What the gate at the exit makes of a text: what may pass stays, what may not is shown, dead, and said to be so."""

import random
from collections.abc import Container

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.delivery.exit_gate import ExitGate
from bot.delivery.urls import addresses
from tests.kits.hostile import ALLOWED, EVIL, GIVEN, SAID, unapproved
from tests.kits.steps import steps
from tests.kits.tabled import tabled

PIECES = [
    "a",
    "a.",
    "a@",
    "[a](",
    "](",
    "]:/",
    "<a",
    "`a",
    "``a`",
    "**a",
    "*a* ",
    "_a ",
    "://",
    "https:// ",
    "//a.b",
    "&#1;",
    ")",
    "```\nx\n",
]


def gated(text: str, allowed: Container[str]) -> str:
    return ExitGate(allowed, names=False).gated(text)


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ("See https://evil.test/x_y.", "See `https://evil.test/x_y` (link removed)."),
        (
            "(https://evil.test/a_(b)), **www.evil.test**!",
            "(`https://evil.test/a_(b)`, link removed), **`www.evil.test` (link removed)**!",
        ),
        ('[the docs](https://evil.test "t")', "the docs (`https://evil.test`, link removed)"),
        ("![a cat](https://evil.test/cat.png?q=secret)", "a cat (`https://evil.test/cat.png?q=secret`, link removed)"),
        ("[a][1]\n\n[1]: https://evil.test", "[a][1]\n\n[1] : `https://evil.test` (link removed)"),
        ("<https://evil.test> or <a@evil.test>", "`https://evil.test` (link removed) or `a@evil.test`"),
        ("steam://run/1 discord.gg/evil", "`steam://run/1` (link removed) `discord.gg/evil` (link removed)"),
        ("evil.test/a and main.py:3", "`evil.test/a` (link removed) and `main.py:3`"),
        ("[a](javascript:alert(1))", "a (`javascript:alert(1)`, link removed)"),
        ("[a](ms-msdt:/id)", "a (`ms-msdt:/id`, link removed)"),
        ("[a](//evil.test)", "a (`//evil.test`, link removed)"),
        ("看https://evil.test/路径。", "看`https://evil.test/路径` (link removed)。"),
        ("<@123> **Note:** `**kw`, https://evil.test", "<@123> **Note:** `**kw`, `https://evil.test` (link removed)"),
        ("https://evil.test/" + "a" * 400, f"`https://evil.test/{'a' * 282}…` (link removed)"),
        ("an open ` and https://evil.test", "an open ' and `https://evil.test` (link removed)"),
        ("snake_case, https://evil.test/a_b", "snake_case, `https://evil.test/a%5Fb` (link removed)"),
        ("~~~\nhttps&#58;//evil.test\n~~~", "~ ~ ~\n`https://evil.test` (link removed)\n~ ~ ~"),
        (
            "```\ncurl https://a.test\n```\n` https://evil.test",
            "```\ncurl https://a.test\n```\n' `https://evil.test` (link removed)",
        ),
    ],
)
def test_an_address_that_nobody_gave_is_shown_and_dead(said: str, sent: str) -> None:
    assert gated(said, ()) == sent


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        (f"See {GIVEN}, <{GIVEN}>.", f"See {GIVEN}, <{GIVEN}>."),
        (f"[your bank]({GIVEN})", f"your bank (<{GIVEN}>)"),
        (f"![a cat]({GIVEN})", f"a cat (<{GIVEN}>)"),
        (f"[a][1]\n\n[1]: {GIVEN}", f"[a][1]\n\n[1] : {GIVEN}"),
        (f"[{GIVEN}](https://evil.test)", f"{GIVEN} (`https://evil.test`, link removed)"),
    ],
)
def test_an_address_that_was_given_stays_and_shows_where_it_leads(said: str, sent: str) -> None:
    assert gated(said, ALLOWED) == sent


@pytest.mark.parametrize(
    "said", ["`curl https://evil.test`", "**Run**\n\n```sh\ncurl https://evil.test/a_b*\n```\n", "``a ` https://evil.test``"]
)
def test_code_is_left_as_it_is(said: str) -> None:
    assert gated(said, ()) == said


@pytest.mark.parametrize(
    "near", ["@evil.test", "/b", "?q=secret", ".evil.test", "#secret", "%2e", "`@evil.test`", ">@evil.test", "\u200d@evil.test"]
)
def test_a_given_address_lends_its_good_name_to_no_other(near: str) -> None:
    for said in (GIVEN + near, f"\\<{GIVEN}{near}", f"[a]({GIVEN}{near})"):
        assert not unapproved(gated(said, ALLOWED))
        assert GIVEN + near not in gated(said, ALLOWED).replace(f"`{GIVEN}{near}", "")


def test_a_script_that_was_given_is_dead_all_the_same() -> None:
    assert gated("[a](javascript:alert(1))", {"javascript:alert(1)"}) == "a (`javascript:alert(1)`, link removed)"


@pytest.mark.parametrize("said", tabled("hostile", "without_addresses"))
def test_a_text_without_addresses_is_left_as_it_is(said: str) -> None:
    assert gated(said, ()) == said


@given(st.text(st.characters(exclude_characters=":@./\\&]")))
def test_any_text_without_addresses_is_left_as_it_is(said: str) -> None:
    assert gated(said, ()) == said


def test_addresses_are_found_without_the_punctuation_around_them() -> None:
    said = "Look (https://a.test/A_(b)), <https://b.test>! **www.c.test** me@d.test. [x](https://e.test/f) `g.test/h`?"
    assert addresses(said) == {
        "https://a.test/A_(b)",
        "https://b.test",
        "www.c.test",
        "me@d.test",
        "https://e.test/f",
        "g.test/h",
    }


@given(st.integers(0, 2**64))
def test_what_someone_said_may_be_said_again(seed: int) -> None:
    said = " ".join(random.Random(seed).choices(EVIL[:9], k=3))
    assert gated(said, addresses(said)) == said


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ("Use main.py, or 10.0.0.1.", "Use `main.py`, or `10.0.0.1`."),
        ("Ask @eve:evil.test in #room:evil.test", "Ask `@eve:evil.test` in `#room:evil.test`"),
        ("evil.test or www.evil.test", "`evil.test` or `www.evil.test` (link removed)"),
        ("e.g. 3.14 and/or 10:30, a.m.", "e.g. 3.14 and/or 10:30, a.m."),
        ("www.good.example and good.example/x", "www.good.example and good.example/x"),
    ],
)
def test_where_clients_make_links_of_names_they_are_code(said: str, sent: str) -> None:
    assert ExitGate(SAID, names=True).gated(said) == sent


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See https:", "See https:"),
        ("See https:/", "See "),
        ("See https://good.exa", "See "),
        (f"See {GIVEN}", f"See {GIVEN}"),
        ("[one](", ""),
        ("one two", "one two"),
        ("看。https://good.example/路", ""),
        ("我们今天去了维也纳。", "我们今天去了维也纳。"),
        ("", ""),
    ],
)
def test_while_a_text_is_written_its_last_word_waits_if_it_may_become_an_address(text: str, shown: str) -> None:
    assert ExitGate(SAID, names=False).without_partial_url(text) == shown


@pytest.mark.parametrize("piece", PIECES)
def test_steps_grow_with_length_only(piece: str) -> None:
    text = piece * (1_000 // len(piece))
    short = steps(lambda: gated(f"{text} www.evil.test", ()))
    assert steps(lambda: gated(f"{text * 4} www.evil.test", ()), warm=True) < 5 * short
