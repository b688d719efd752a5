"""Markdown becomes that part of HTML which Matrix lets clients show, whatever stands in it."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.matrix.outgoing.contents import edit, html, words
from tests.kits.tabled import tabled

# What Matrix's specification lets a client show; images are left out on purpose.
TAGS = set(
    "del h1 h2 h3 h4 h5 h6 blockquote p a ul ol sup sub li b i u strong em s code hr br div table thead tbody tr th td caption pre"
    " span details summary".split()
)
ATTRIBUTES = {"a": {"href", "rel"}, "ol": {"start"}, "code": {"class"}}


class Reader(HTMLParser):
    """Reads HTML as a browser does: its tags with their attributes, its text, how deep it goes."""

    def __init__(self, shown: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.others = 0
        self.feed(shown)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.others += 1

    def handle_decl(self, decl: str) -> None:
        self.others += 1

    def handle_pi(self, data: str) -> None:
        self.others += 1


def is_allowed(shown: str) -> bool:
    """Whether HTML holds nothing but what Matrix lets clients show, and links that lead into the web or to a mailbox."""
    reader = Reader(shown)
    for tag, attributes in reader.tags:
        if tag not in TAGS or set(attributes) - ATTRIBUTES.get(tag, set()):
            return False
        if not (attributes.get("class") or "language-x").removeprefix("language-").isalnum():
            return False
        href = attributes.get("href")
        if tag == "a" and (attributes.get("rel") != "noopener" or not href or not href.startswith(("http", "mailto:"))):
            return False
    return not reader.others


@pytest.mark.parametrize(("text", "shown"), tabled("markup", "markdown"))
def test_what_markdown_means_is_shown(text: str, shown: str) -> None:
    assert html(text) == shown and is_allowed(shown)


@pytest.mark.parametrize("text", tabled("markup", "left_out"))
def test_what_says_no_more_than_the_text_is_left_out(text: str) -> None:
    assert html(text) == ""


@pytest.mark.parametrize(("text", "seen"), tabled("markup", "harm"))
def test_what_could_harm_is_shown_as_text(text: str, seen: str) -> None:
    shown = html(text)
    assert is_allowed(shown) and Reader(shown).text == seen


@pytest.mark.parametrize("text", ["|a|\n|:-:|\n|1|", '[x](https://example.org "title")', "```a/b\nx\n```"])
def test_without_cleaning_more_would_pass(text: str) -> None:
    assert is_allowed(html(text)) and not is_allowed(html(text, clean=str))


@pytest.mark.parametrize("text", [">" * 150 + " deep", "- " * 80 + "deep"])
def test_what_goes_deeper_than_matrix_allows_is_shown_as_it_was_written(text: str) -> None:
    shown = html(text)
    assert shown.startswith("<pre><code>") and is_allowed(shown) and Reader(shown).text == text


def test_what_goes_as_deep_as_matrix_allows_is_whole() -> None:
    assert "deep" in html("> " * 90 + "deep")


MARKS = tabled("markup", "marks")
WORDS = tabled("markup", "words")


@given(st.lists(st.sampled_from([*MARKS, *WORDS]) | st.text(max_size=4), max_size=40).map("".join))
def test_no_text_makes_anything_else(text: str) -> None:
    assert is_allowed(html(text))


def test_a_character_that_turns_text_around_is_none_when_it_is_written_as_an_entity() -> None:
    assert html("**a** &#x202E;b&#8203;c &#x2066;d") == "<strong>a</strong> bc d"


def test_what_stands_for_an_edit_in_old_clients_is_no_code_without_its_marks() -> None:
    changed = edit("$event", words("see `https://evil.example`", notice=False, mentions=()))
    assert changed["body"] == "* I changed this message." and "<code>" in changed["m.new_content"]["formatted_body"]
    plain = edit("$event", words("**see** it", notice=False, mentions=()))
    assert plain["body"] == "* **see** it"
    long = edit("$event", words("see https://good.example/" + "a" * 500, notice=False, mentions=()))
    assert "good" not in long["body"], "half of an address may lead elsewhere"
