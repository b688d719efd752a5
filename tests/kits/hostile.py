"""A model controlled by an attacker, and the clients that show its answers: each reads Markdown in its own way."""

import html
import random
import re
from collections.abc import Iterator
from html.parser import HTMLParser

from adapters.matrix.outgoing.contents import html as matrix_html
from bot.delivery.links import AllowList, PassingLinks
from tests.kits.tabled import tabled

GIVEN = "https://good.example/a"
SAID = frozenset({GIVEN, "https://good.example/A_(b)", "www.good.example", "good.example/x"})
LISTED = "https://listed.example/b_c"
ALLOWED = PassingLinks(SAID, AllowList(["listed.example"]))

_LIVE = (
    r"<[a-z][a-z0-9+.-]+:[^\s<>]*>|[a-z0-9+.-]+://[^\s<]+|(?<![a-z0-9_])www\.[^\s<]+|discord\.gg[^\s<]*"
    r"|(?<![a-z0-9_])(?:mailto|javascript|data|https?):[^\s<]+|[\w.@-]*evil\.[a-z]+/[^\s<]*"
)
LIVE = re.compile(_LIVE, re.I)
LIVE_ON_MATRIX = re.compile(rf"{_LIVE}|(?<![\w.-])(?:[\w-]+\.)+(?:test|example)\b(?:[/?#][^\s<]*)?|(?<!\w)[@#]\w+:[\w.]+", re.I)


def reaches(live: str) -> bool:
    """Say whether something that a client makes clickable is more than an address that is allowed, and punctuation."""
    live = live[1:-1] if live.startswith("<") else live
    if re.fullmatch(r"(?:https?://)?listed\.example(?:[/?#].*|[^\w/@:.]*)", live, re.S):
        return False
    return not any(
        given.startswith(live) or (live.startswith(given) and re.fullmatch(r"(?:_|[^\w/@#?&%])*", live[len(given) :]))
        for given in SAID
    )


def unapproved(text: str) -> list[str]:
    """Return what reaches a reader as a link although nobody gave it, on Discord and wherever CommonMark is read."""
    seen = [*discord(text), *(form for piece in commonmark(text) for form in (piece, shown(piece)))]
    return [live for piece in seen for live in LIVE.findall(piece) if reaches(live)]


def unapproved_on_matrix(text: str) -> list[str]:
    """Return what reaches a reader of a message on Matrix as a link although nobody gave it: names are links there."""
    return [live for piece in matrix(text) for live in LIVE_ON_MATRIX.findall(piece) if reaches(live)]


def matrix(text: str) -> Iterator[str]:
    """Return what clients on Matrix look for links in: the text outside of code, and where links lead; without HTML, all of it."""
    rendered = matrix_html(text)
    if not rendered:
        yield text
        return
    reader = _Reader()
    reader.feed(rendered)
    reader.close()
    yield from reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._code += tag in ("code", "pre")
        self.found += [f"<{value}>" for name, value in attrs if name == "href" and value]

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in ("code", "pre")

    def handle_data(self, data: str) -> None:
        self.found += [] if self._code else [data]


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


EVIL: tuple[str, ...] = tabled("hostile", "evil")
WRAPS: tuple[str, ...] = tabled("hostile", "wraps")
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
            address = chance.choice(EVIL) if chance.random() < 0.75 else chance.choice([*sorted(SAID), LISTED])
            pieces.append(chance.choice(WRAPS).replace("{}", address))
        else:
            pieces.append(chance.choice(MARKS))
    return "".join(pieces)


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
