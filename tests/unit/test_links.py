"""The operator's list of links that may pass: what an entry means, and what looks like it and is not meant."""

import pytest

from bot.delivery.links import AllowList
from tests.kits.tabled import tabled

LISTED = AllowList(["example.org", "*.docs.example", "https://git.example:8443/lyra/", "http://one.example/page"])


@pytest.mark.parametrize("address", tabled("links", "passes"))
def test_what_is_listed_passes(address: str) -> None:
    assert address in LISTED


@pytest.mark.parametrize("address", tabled("links", "looks_like_it"))
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
