"""What calls her at the end of a message on Discord is no part of what is said, whatever surrounds it."""

import re

from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.incoming.convert import without_end

OWN = re.compile(r"<@!?7>|<@&9>")
PLAIN = re.compile(rf"(?:[\s,]*(?:{OWN.pattern}))+\s*\Z")
"""The same in one expression, which looks at white space again from each of its characters on."""


@given(
    st.lists(st.sampled_from(["<@7>", "<@!7>", "<@&9>", "<@8>", " ", "\t", "\n", ",", "hello", "<"]), max_size=12).map("".join)
)
def test_mentions_of_her_at_the_end_are_left_out(said: str) -> None:
    assert without_end(said, OWN) == PLAIN.sub("", said)


def test_white_space_is_looked_through_once() -> None:
    said = " \t" * 1_000_000 + "x"
    assert without_end(said, OWN) == said
    assert without_end(f"{said}{' ,' * 1_000_000}<@7>", OWN) == said
