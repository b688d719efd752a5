"""Whether a message calls her or mentions somebody, where the client does not say so, and what of it is no part of what is said."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.incoming.convert import without_trailing_mentions
from adapters.matrix.incoming.heard_messages import mentions_her, names_her, without_call

OWN = re.compile(r"<@!?7>|<@&9>")
PLAIN = re.compile(rf"(?:[\s,]*(?:{OWN.pattern}))+\s*\Z")
"""The same in one expression, which looks at white space again from each of its characters on."""


@given(
    st.lists(st.sampled_from(["<@7>", "<@!7>", "<@&9>", "<@8>", " ", "\t", "\n", ",", "hello", "<"]), max_size=12).map("".join)
)
def test_mentions_of_her_at_the_end_are_left_out(said: str) -> None:
    assert without_trailing_mentions(said, OWN) == PLAIN.sub("", said)


def test_white_space_is_looked_through_once() -> None:
    said = " \t" * 1_000_000 + "x"
    assert without_trailing_mentions(said, OWN) == said
    assert without_trailing_mentions(f"{said}{' ,' * 1_000_000}<@7>", OWN) == said


ME = "@lyra:lyra.test"


@pytest.mark.parametrize(
    "said",
    [
        "Lyra: what is new?",
        "lyra, what is new?",
        "Lyra : quoi de neuf ?",
        "@Lyra what is new?",
        f"{ME} what is new?",
        f"{ME}: hi",
        "@lyra:\nhi",
    ],
)
def test_it_does_as_a_call(said: str) -> None:
    assert names_her({"m.mentions": {}}, ME, ["Lyra", "lyra"], said)


@pytest.mark.parametrize(
    "said",
    [
        "I told Lyra about it.",
        "Lyra's idea: a boat",
        "Lyra :) how nice",
        "Lyra:",
        "> Lyra: what is new?\n\nA good question.",
        "```\nLyra: what is new?\n```",
        "`Lyra: what is new?` is what I said",
        "@lyra:elsewhere.test what is new?",
        f"{ME}.org: what is new?",
        "@lyra-bot what is new?",
        "@lyra.two:lyra.test hi",
        "lyra:8080 is down",
        "[Lyra](https://stars.test) is a constellation",
    ],
)
def test_it_does_not_within_a_quote_a_smile_or_somebody_elses_name(said: str) -> None:
    assert not names_her({"m.mentions": {}}, ME, ["Lyra", "lyra"], said)


@pytest.mark.parametrize(
    "call", ["Lyra: ", "Lyra, ", "Lyra : ", "@Lyra ", "Lyra ", f"{ME} ", f"{ME}: ", "[Lyra](https://matrix.to/#/x): "]
)
def test_what_is_said_to_her_keeps_the_smile_that_it_begins_with(call: str) -> None:
    for left in ("what is new?", "!recall cats", ":)", ":( no", ":party: tonight"):
        assert without_call(call + left, ME, ["Lyra", "lyra"], named=True) == left
    assert without_call("Lyra:!help", ME, ["Lyra"], named=False) == "!help"


LYRA = "@lyra:example.org"
LINK = f'<a href="https://matrix.to/#/{LYRA}">Lyra</a>'


@pytest.mark.parametrize(
    ("html", "mentioned"),
    [
        (f"{LINK}: hello", True),
        (f"<mx-reply><blockquote>{LINK} said this</blockquote></mx-reply>I agree", False),
        (f"<mx-reply><blockquote>somebody</blockquote></mx-reply>{LINK}, is that so?", True),
        (f"<MX-REPLY>{LINK}</MX-REPLY> a < b <mx-reply>{LINK}</mx-reply>", False),
        (f"<mx-reply>{LINK}", True),
        (f"https://matrix.to/#/{LYRA}.", True),
        (f'<a href="https://matrix.to/#/{LYRA}?via=example.org">Lyra</a>', True),
        (f'<a href="https://matrix.to/#/{LYRA}.evil">another Lyra</a>', False),
        (f'<a href="https://matrix.to/#/{LYRA}:8448">another Lyra</a>', False),
    ],
)
def test_a_link_to_her_is_a_mention_unless_it_is_quoted(html: str, mentioned: bool) -> None:
    assert mentions_her({"formatted_body": html}, LYRA) is mentioned


@pytest.mark.parametrize("piece", ["<mx-reply>", "<mx-reply></", "<mx-reply><", "</mx-reply>"])
def test_many_marks_of_a_quotation_are_read_once_each(piece: str) -> None:
    # More than an event has: read again from each of them, this would take minutes.
    begun = time.thread_time()
    assert not mentions_her({"formatted_body": piece * 60_000}, LYRA)
    assert time.thread_time() - begun < 5
