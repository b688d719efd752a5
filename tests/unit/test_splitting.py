"""A long answer arrives as several messages, each of which reads and renders by itself."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.markdown_structure import closed
from adapters.splitting import split
from tests.kits.size import examples
from tests.kits.steps import steps
from tests.kits.tabled import tabled

DISCORD = 2000
PIECES = ["a", "`a", "[a](", "<a", "``a`b", "a://", "- a\n", "```\n", "e\u0301", '[a](b "', "。", "\u0301"]

LIST = "".join(
    f"- **Point {i}** " + "says something about it " * 9 + "\n  and goes on\n  - with a detail " + "of it " * 20 + "\n"
    for i in range(20)
)
CODE = "```python title=x\n" + "".join(f"    total_{i} = sum(part[{i}])  # {'*' * (i % 9)}\n" for i in range(150)) + "```\n"
PROSE = "She said that it was late. Was it? Nobody knew! " * 12
TABLE = "| day | what |\n|---|---|\n" + "".join(f"| {i} | walked `{i}` miles with <@1234567890> |\n" for i in range(120))
URLS = "".join(
    f"See [the page about {i}](https://example.org/wiki/A_({i})?q={i}) or https://example.org/{i}/index. " for i in range(80)
)
REALISTIC = {
    "a long answer": f"# Plan\n\n{PROSE}\n\n## Steps\n\n{LIST}\n{PROSE}\n\n### Code\n\n{CODE}\n{PROSE}\n",
    "code of 5,000 characters": f"Here:\n\n{CODE}\nThat is all.",
    "an unclosed fence": f"Here:\n\n{CODE.removesuffix('```' + chr(10))}",
    "tildes around backticks": "~~~~md\n" + "```sh\nls\n```\n~~~\n" * 300 + "~~~~\n\nDone.",
    "one line of 10,000 letters": "a" * 10_000,
    "emoji families": "👨‍👩‍👧‍👦" * 600,
    "flags and accents": "🇩🇪🇫🇷e\u0301👍🏽" * 500,
    "Chinese": "我们今天去公园散步然后回家吃饭。" * 400,
    "Windows line ends": f"{PROSE}\r\n\r\n".replace("! ", "!\r\n") * 5,
    "a table": TABLE,
    "addresses": URLS,
    "a list": LIST,
    "paragraphs": f"{PROSE}\n\n" * 9,
}
every_text = pytest.mark.parametrize("text", REALISTIC.values(), ids=REALISTIC.keys())


def units(text: str) -> int:
    """Count as Discord does."""
    return len(text.encode("utf-16-le")) // 2


def fences(text: str) -> tuple[list[str], bool]:
    """Return the lines that are no fences, and whether every fence is closed."""
    opened, rest = "", []
    for line in text.split("\n"):
        mark = re.fullmatch(r" {0,3}(`{3,}|~{3,})([^\r]*)\r?", line)
        if opened and mark and mark[1][0] == opened[0] and len(mark[1]) >= len(opened) and not mark[2].strip():
            opened = ""
        elif not opened and mark and not (mark[1][0] == "`" and "`" in mark[2]):
            opened = mark[1]
        else:
            rest.append(line)
    return rest, not opened


def ink(text: str) -> str:
    """Return what a text says, without fences, marks, white space, and the escape before what only looks like a fence."""
    lines = fences(text)[0]
    said = "".join(re.sub(r"^\\(?=```|~~~)", "", line) for line in lines)
    return re.sub(r"[*_~|`\s]", "", said)


def check(text: str, most: int) -> list[str]:
    """Split, and check what holds for every text."""
    parts = split(text, most)
    assert all(part.strip() and units(part) <= most for part in parts)
    assert "".join(ink(part) for part in parts) == ink(text)
    if units(text) > most:
        assert all(fences(part)[1] for part in parts)
    assert all(split(part, most) == [part] for part in parts)
    return parts


@every_text
def test_every_part_fits_and_nothing_is_lost(text: str) -> None:
    assert len(check(text, DISCORD)) > 1


@every_text
def test_there_are_not_many_more_parts_than_needed(text: str) -> None:
    assert len(split(text, DISCORD)) <= 2 * -(-units(text) // DISCORD) + 1


@pytest.mark.parametrize("text", ["", "hi", " hi \n", "```\nopen", "x" * DISCORD, "👍" * (DISCORD // 2)])
def test_a_text_that_fits_is_left_as_it_is(text: str) -> None:
    assert split(text, DISCORD) == ([text] if text else [])


def test_a_blank_text_has_no_parts() -> None:
    assert split(" \n" * DISCORD, DISCORD) == []


def test_code_goes_on_in_the_next_part_in_its_language() -> None:
    parts = split(REALISTIC["code of 5,000 characters"], DISCORD)
    assert all("```python title=x\n" in part for part in parts)
    assert [part.endswith("\n```") for part in parts] == [True] * (len(parts) - 1) + [False]
    assert all(re.match(r"`*\w|    total_\d+ = ", line) for part in parts for line in part.split("\n") if line.strip("`"))


def test_code_that_fits_into_a_part_is_not_cut() -> None:
    code = "```js\n" + "y = 1\n" * 200 + "```"
    assert any(code in part for part in split(f"{PROSE * 2}\n\n{code}\n\n{PROSE}", DISCORD))


def test_cut_by_length_alone_it_would_break() -> None:
    text = REALISTIC["code of 5,000 characters"]
    assert not all(fences(text[at : at + DISCORD])[1] for at in range(0, len(text), DISCORD))


def test_code_in_a_list_goes_on_as_code() -> None:
    parts = split("1. Do\n   - this:\n\n     ```sh\n" + "     make all\n" * 300 + "     ```\n2. Rest", DISCORD)
    assert all(part.startswith("```sh\n     make all\n") for part in parts[1:])
    assert all(part.rstrip().endswith("```") for part in parts[:-1])
    assert parts[-1].endswith("\n```\n2. Rest")


def test_cuts_lie_between_paragraphs_where_paragraphs_fit() -> None:
    assert {part[-1] for part in split(REALISTIC["paragraphs"], DISCORD)} == {"!"}
    assert all(len(part.split("\n\n")) * len(PROSE.strip()) <= len(part) for part in split(REALISTIC["paragraphs"], DISCORD))


def test_a_list_item_stays_with_its_details() -> None:
    for part in split(LIST, DISCORD):
        assert part.startswith("- **Point")
        assert part.count("Point") == part.count("with a detail")


def test_a_heading_stays_with_what_it_heads() -> None:
    parts = split(f"{'word ' * 380}\n\n## Next\n\n{'text ' * 100}", DISCORD)
    assert [part.split()[0] for part in parts] == ["word", "##"]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    assert {part[-1] for part in split(PROSE * 10, DISCORD)} <= set(".?!")
    assert {part[-1] for part in split(REALISTIC["Chinese"], DISCORD)} == {"。"}


def test_a_long_sentence_is_cut_between_words() -> None:
    text = "never ending " * 800
    assert " ".join(split(text, DISCORD)).split() == text.split()


@pytest.mark.parametrize("mark", ["**", "*", "__", "_", "~~", "||", "`", "**_"])
def test_a_run_that_is_cut_keeps_its_marks_in_every_message(mark: str) -> None:
    closing = mark[::-1]
    text = f"Before it. {mark}{'a word and ' * 40}an end{closing} After it."
    parts = check(text, 120)
    times = {0, 2} if mark == closing else {0, 1}
    assert len(parts) > 3 and all(part.count(mark) == part.count(closing) and part.count(mark) in times for part in parts)
    assert "".join("".join(parts).split()).replace(closing + mark, "") == "".join(text.split())


@pytest.mark.parametrize(
    "inside",
    [
        "\n\n".join([PROSE] * 4),
        "\n" + LIST * 2 + "\n",
        f"It ends so. \n\n{CODE}\nShe dies. ",
        f"# The end\n\n{PROSE * 3}\n\n{TABLE}",
        CODE.rstrip(),
    ],
    ids=["paragraphs", "a list", "code among paragraphs", "a table", "code"],
)
def test_what_a_spoiler_hides_stays_hidden_in_every_message(inside: str) -> None:
    parts = split(f"The end:\n||{inside}||\n\nThat is all, `a || b` and x || y, ||but this||.", DISCORD)
    seen = "".join(re.sub(r"(?s)\|\|.*?\|\|", "", part) for part in parts[:-1]) + re.sub(
        r"(?s)\|\|.*?\|\|", "", parts[-1], count=1
    )
    assert "".join(seen.split()) == "".join("The end: That is all, `a || b` and x || y, ||but this||.".split())
    assert len(parts) > 1 and all(units(part) <= DISCORD for part in parts)
    assert "```" not in inside or all(part.count("```") == 2 for part in parts if "total_" in part)


@pytest.mark.parametrize(
    ("begun", "shown"),
    [
        ("It ends so: ||she dies", "It ends so: ||she dies||"),
        ("||```py\nx = 1", "||```py\nx = 1\n```\n||"),
        ("||\n- one\n\n- two\n", "||\n- one\n\n- two||"),
        ("It ends so: ||", "It ends so: "),
        ("||It|| ends, `a || b", "||It|| ends, `a || b"),
    ],
)
def test_what_a_spoiler_will_hide_is_hidden_while_it_is_being_written(begun: str, shown: str) -> None:
    assert closed(begun) == shown


def test_a_run_of_several_paragraphs_is_bold_in_every_message() -> None:
    paragraphs = "\n\n".join([PROSE.strip()] * 4)
    assert all(re.fullmatch(r"\*\*[^*]+\*\*", part) for part in check(f"**{paragraphs}**", DISCORD))


def test_a_run_that_is_cut_between_indented_lines_goes_on_as_one() -> None:
    for part in check("**" + ("a word and " * 9 + "\n   ") * 6 + "an end**", 120):
        assert re.fullmatch(r"\*\*\S.*\S\*\*", part, re.DOTALL), part


def test_marks_that_are_no_run_stand_once() -> None:
    for text in (
        "2 * 3 and " * 40,
        "**never closed " * 20,
        "snake_case_names " * 30,
        "*one " + "word " * 40 + "\n- two* " + "word " * 40,
    ):
        assert sum(part.count(mark) for part in check(text, 120) for mark in "*_") == text.count("*") + text.count("_")


@pytest.mark.parametrize("whole", tabled("splitting", "together"))
@pytest.mark.parametrize("before", range(12))
def test_what_belongs_together_is_not_cut(whole: str, before: int) -> None:
    parts = split("x" * before + whole * 200, 60)
    assert sum(part.count(whole) for part in parts) == 200


def test_a_cut_makes_no_fence() -> None:
    for part in check("word " * 11 + "```really no fence " + "word " * 40, 60):
        assert not part.startswith("```")


def test_a_long_chain_of_accents_is_cut_all_the_same() -> None:
    check("a" + "\u0301" * 500, 60)


def test_a_line_of_nothing_but_list_marks_is_cut_like_any_other() -> None:
    check("-   " * 60 + "1.  " * 60 + "that is all", 60)


@pytest.mark.parametrize("piece", PIECES)
def test_steps_grow_with_length_only(piece: str) -> None:
    text = piece * (800 // len(piece))
    short = steps(lambda: split(text, 200))
    assert steps(lambda: split(text * 4, 200), warm=True) < 5 * short


letters = st.text(st.sampled_from("ab.!? *_|`~[]()<>@:#\\\t\u0301\u200d👩👍é我。，"), max_size=30)
links = st.sampled_from(["[a b](https://x.y/z)", "<@123>", "<:a_b:1234>", "`c d e`", "https://x.y/z"])
words = st.lists(letters | links | st.text(max_size=12).map(lambda t: t.replace("\r", "")), max_size=12).map(" ".join)


@st.composite
def code(draw: st.DrawFn) -> str:
    """A fenced block, perhaps never closed, perhaps with other fences in it."""
    indent, mark = draw(st.sampled_from(["", " ", "   "])), draw(st.sampled_from(["```", "````", "~~~", "~~~~~"]))
    body = draw(st.lists(words | st.sampled_from(["```", "~~~", "~~~~", "    ```", ""]), max_size=12))
    return "\n".join(
        [indent + mark + draw(st.sampled_from(["", "py", " a b"])), *body, draw(st.sampled_from([indent + mark, ""]))]
    )


def no_odd_lines(text: str) -> bool:
    """Say whether a text keeps to fences that the checker above knows: not in lists, not longer than six."""
    lines = text.split("\n")
    return not any(re.match(r"\s*(?:[-*+]|\d+[.)])\s", line) or re.search(r"`{6}|~{6}", line) for line in lines)


blocks = code() | words | words.map(lambda w: f"## {w}") | st.just("") | st.text("ab我👍", min_size=50, max_size=150)
texts = st.lists(blocks, max_size=8).map("\n".join).filter(no_odd_lines)


@settings(max_examples=examples(100))
@given(texts, st.integers(80, 200))
def test_any_text_arrives_whole_and_in_order(text: str, most: int) -> None:
    check("".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cs") or c == "\n"), most)


@settings(max_examples=examples(50))
@given(st.lists(words | st.lists(words, min_size=1).map(lambda ws: "- " + "\n  ".join(ws)), max_size=12), st.integers(40, 200))
def test_links_and_mentions_arrive_whole(lines: list[str], most: int) -> None:
    text = "\n".join(line.replace("`", "").replace("~", "") for line in lines)
    for whole in ("[a b](https://x.y/z)", "<@123>", "<:a_b:1234>"):
        assert sum(part.count(whole) for part in split(text, most)) == text.count(whole)
