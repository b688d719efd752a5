"""A gateway session as it is kept, and whom it fits."""

import json
import zlib
from dataclasses import replace
from typing import Any

import pytest

from adapters.discord.resuming.resumption import MOST_SECONDS, GatewaySession, Packing, SavedSession, SessionTerms

TERMS = SessionTerms("a.secret.token", 513, 1, 3)
SESSION = GatewaySession("abc", "wss://gateway.example", 42, 1_000_000_000_000, "mark", True, [7], [8])
HOME = {"id": "7", "name": "Höme\n"}


def kept(session: GatewaySession = SESSION) -> bytes:
    """Return a session as it is kept."""
    packing = Packing()
    packing.add(HOME)
    return packing.packed(session, TERMS)


def test_it_is_read_as_it_was_kept_without_the_token() -> None:
    left = SavedSession.opened(kept(), TERMS)
    assert left.session == SESSION and [json.loads(one) for one in left.servers] == [HOME]
    assert TERMS.token.encode() not in zlib.decompress(kept())


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"token": "another.secret.token"}, "other token"),
        ({"intents": 1}, "other intents"),
        ({"shard": 0}, "other shard"),
        ({"shards": 4}, "other shards"),
        ({"token": "another", "shards": 4}, "other token and other shards"),
    ],
)
def test_it_fits_no_other_terms(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=f"^it is for {why}$"):
        SavedSession.opened(kept(), replace(TERMS, **changed))


def altered(**changes: object) -> bytes:
    """Return what was kept, changed."""
    *servers, last = zlib.decompress(kept()).decode().split("\n")
    return zlib.compress("\n".join([*servers, json.dumps(json.loads(last) | changes)]).encode())


@pytest.mark.parametrize(
    ("what", "why"),
    [
        (altered(format=2), "another version kept it"),
        (altered(session={"id": "abc"}), "it is damaged"),
        (altered(terms=None), "it is damaged"),
        (kept(replace(SESSION, known=[7, 9])), "it is damaged"),
        (zlib.compress(b"[]"), "it is damaged"),
        (zlib.compress(b"\xff"), "it is damaged"),
        (b"nothing of the kind", "it is damaged"),
        (b"", "it is damaged"),
    ],
)
def test_what_is_not_one_says_why(what: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{why}$"):
        SavedSession.opened(what, TERMS)


def test_it_is_fresh_for_some_minutes_and_not_before_it_was_left() -> None:
    most = round(MOST_SECONDS * 1_000_000)
    ages = (-1, 0, most, most + 1)
    assert [SESSION.is_fresh(SESSION.left_at + age) for age in ages] == [False, True, True, False]
