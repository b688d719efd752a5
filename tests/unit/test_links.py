"""The operator's list of links that may pass: what an entry means, and what looks like it and is not meant."""

import pytest

from bot.delivery.links import AllowList

LISTED = AllowList(["example.org", "*.docs.example", "https://git.example:8443/lyra/", "http://one.example/page"])


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org",
        "http://EXAMPLE.org/",
        "example.org/a_b?c=d&e=%20#f",
        "https://example.org/wiki/A_(b)",
        "https://example.org/index.html",
        "https://example.org/maps/@48.2,16.37z",
        "https://a.b.docs.example/x",
        "https://git.example:8443/lyra/",
        "https://git.example:8443/lyra/issues/1?x=y",
        "http://one.example/page",
        "http://one.example/page/2",
    ],
)
def test_what_is_listed_passes(address: str) -> None:
    assert address in LISTED


@pytest.mark.parametrize(
    "address",
    [
        "https://www.example.org",
        "https://example.org.evil.test",
        "https://evilexample.org",
        "https://example.org@evil.test/",
        "https://example.org:8443/",
        "https://example.org:x@evil.test",
        "https://example.org\\@evil.test",
        "https://example.org`@evil.test",
        "https://example.org/a**evil.test",
        "https://example.org/a~~b",
        "https://example.org/(evil.test)",
        "https://example.org/a'evil.test",
        "https://example.org/?to=https://evil.test",
        "https://example.org/a_www.evil.test",
        "https://example.org//evil.test/a",
        "https://exаmple.org/",
        "https://docs.example/",
        "https://git.example/lyra/",
        "https://git.example:8443/lyra",
        "https://git.example:8443/lyrae/",
        "https://git.example:8443/lyra/../other",
        "https://git.example:8443/lyra/%2E%2e/other",
        "https://git.example:8443/lyra/..%2fother",
        "http://git.example:8443/lyra/",
        "git.example:8443/lyra/",
        "http://one.example/pages",
        "ftp://example.org/",
        "mailto:ada@example.org",
        "ada@example.org",
        "javascript:example.org",
        "",
    ],
)
def test_what_only_looks_like_it_does_not(address: str) -> None:
    assert address not in LISTED


@pytest.mark.parametrize("entry", ["", "*", "*.", "*.*", "example", "*example.org", "a.*.example", "https://", "https://a b/", "//example.org",
                                   "javascript://example.org", "https://ada@example.org/", "https://example.org/?x", "exаmple.org"])  # fmt: skip
def test_an_entry_that_cannot_be_meant_is_refused_by_name(entry: str) -> None:
    with pytest.raises(ValueError, match="write it like|name domains like") as refused:
        AllowList([entry])
    assert f'"{entry}"' in str(refused.value)


def test_without_entries_nothing_is_listed() -> None:
    assert "https://example.org" not in AllowList([])
