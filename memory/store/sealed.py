"""Which columns hold words or something derived from them; a file is encrypted as a whole, a server's columns one by one.

They are declared here once, beside the schema. A column that is looked up has a companion with the keyed hash of each
value: statements compare that, and none orders, measures or dissects sealed values.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

HASHED = "_h"
"""The suffix of the companion column with the keyed hashes."""


def _nothing(_value: str) -> int:
    return 0


def _but_names(value: str) -> int:
    """For `LookedUp.plain`: a value is plain throughout unless it is a name."""
    return 0 if value.startswith("name ") else len(value)


def _one_of(*closed: str) -> Callable[[str], int]:
    """Return a function for `LookedUp.plain`: only these values are plain, throughout."""
    return lambda value: len(value) if value in closed else 0


_ID = re.compile(r"[a-z2-7]{26}")


@dataclass(frozen=True, slots=True)
class LookedUp:
    """How the values of a column are looked up.

    `plain` returns how many leading characters of a value are no words and stay readable; if that is all, so does the
    value. A statement may ask for such a prefix if the column `begins` with one.
    """

    plain: Callable[[str], int] = _nothing
    begins: bool = False


@dataclass(frozen=True, slots=True)
class Sealed:
    """The sealed columns of a table.

    `row` are the columns that identify a row for good: a value can only be read in the row it was written for, unless its
    column is `loose`, that is, written by statements that do not identify the row. `domain` is the column of the domain
    whose key seals them, '' if the rows belong to none. `numbers` are the columns that hold a number, `binary` those that
    hold bytes.
    """

    columns: Sequence[str]
    row: Sequence[str]
    domain: str = "domain"
    looked_up: Mapping[str, LookedUp] = field(default_factory=dict)
    loose: Sequence[str] = ()
    numbers: Sequence[str] = ()
    binary: Sequence[str] = ()


DROPPED = "dropped"
"""Reason for refusing single sentences of an answer that stands; it does not count as a refusal."""
GIVEN_UP = "given up"
"""Recorded when a writer is not asked again and nobody else writes the digest, until another writer comes."""
TABLES: Mapping[str, Sealed] = {
    "activity": Sealed(["detail"], ["seq"]),
    "announced": Sealed(["whose"], ["item"], looked_up={"whose": LookedUp(_but_names)}),
    "claims": Sealed(["note"], ["name", "slot"], domain=""),
    "digests": Sealed(["text"], ["item"]),
    "dreams": Sealed(["report"], ["at"]),
    "entities": Sealed(
        ["name_key", "first_key", "name"],
        ["name_key_h"],
        looked_up={
            # Keys of the nameless begin with this.
            "name_key": LookedUp(lambda value: int(value[:1] == "~"), begins=True),
            "first_key": LookedUp(lambda value: int(value[:1] == "~"), begins=True),
        },
    ),
    "exchanges": Sealed(
        ["speaker", "text", "source_id"],
        ["item"],
        # A line imported without an id has a digest of its words as one.
        looked_up={
            "speaker": LookedUp(),
            "source_id": LookedUp(
                lambda id: len(id) if not id.startswith("h:") else 4 if id.startswith("h:2:") else 2, begins=True
            ),
        },
    ),
    "gone": Sealed(["words"], ["at"]),
    "identities": Sealed(["name"], ["platform", "native_id"], domain=""),
    "inbox": Sealed(["payload", "note"], ["event_id"], domain="", loose=["note"]),
    "install": Sealed(["value"], ["key"], domain=""),
    "link_codes": Sealed(["name", "other_name"], ["platform", "native_id"], domain=""),
    "mentions": Sealed(["alias"], ["entity", "item"], looked_up={"alias": LookedUp()}),
    "outbox": Sealed(["text", "actions"], ["key"]),
    "refusals": Sealed(["reason", "answer"], ["slot"], looked_up={"reason": LookedUp(_one_of(DROPPED, GIVEN_UP))}),
    "selves": Sealed(["state"], ["at"]),
    # An unnamed conversation has its id as its name.
    "sessions": Sealed(
        ["name"], ["public_id"], looked_up={"name": LookedUp(lambda value: len(value) if _ID.fullmatch(value) else 0)}
    ),
    "settings": Sealed(["value"], ["scope", "key"], domain=""),
    "statements": Sealed(["text", "period"], ["item"], looked_up={"period": LookedUp(_but_names, begins=True)}),
    "terms": Sealed(["speaker", "hashes", "fingerprint"], ["item", "passage"], numbers=["fingerprint"], binary=["hashes"]),
    "vectors": Sealed(["text_hash", "vector"], ["space", "item", "passage"], binary=["text_hash", "vector"]),
}
