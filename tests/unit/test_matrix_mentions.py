"""Whom a message on Matrix mentions where its client does not say so: a link to somebody, outside of what it quotes."""

import time

import pytest

from adapters.matrix.incoming.heard_messages import mentions_her

ME = "@lyra:example.org"
LINK = f'<a href="https://matrix.to/#/{ME}">Lyra</a>'


@pytest.mark.parametrize(
    ("html", "mentioned"),
    [
        (f"{LINK}: hello", True),
        (f"<mx-reply><blockquote>{LINK} said this</blockquote></mx-reply>I agree", False),
        (f"<mx-reply><blockquote>somebody</blockquote></mx-reply>{LINK}, is that so?", True),
        (f"<MX-REPLY>{LINK}</MX-REPLY> a < b <mx-reply>{LINK}</mx-reply>", False),
        (f"<mx-reply>{LINK}", True),
        (f"https://matrix.to/#/{ME}.", True),
        (f'<a href="https://matrix.to/#/{ME}?via=example.org">Lyra</a>', True),
        (f'<a href="https://matrix.to/#/{ME}.evil">another Lyra</a>', False),
        (f'<a href="https://matrix.to/#/{ME}:8448">another Lyra</a>', False),
    ],
)
def test_a_link_to_her_is_a_mention_unless_it_is_quoted(html: str, mentioned: bool) -> None:
    assert mentions_her({"formatted_body": html}, ME) is mentioned


@pytest.mark.parametrize("piece", ["<mx-reply>", "<mx-reply></", "<mx-reply><", "</mx-reply>"])
def test_many_marks_of_a_quotation_are_read_once_each(piece: str) -> None:
    # More than an event has: read again from each of them, this would take minutes.
    begun = time.thread_time()
    assert not mentions_her({"formatted_body": piece * 60_000}, ME)
    assert time.thread_time() - begun < 5
