"""The word index: an item's terms passage by passage, with its speaker and date.

A term is the hash of a stem in the text's language, so the index holds no words. A message's date is prepended to its text and
searchable like it; the speaker is stored separately, so that a name in a text means the person talked about. Texts with the
same words share a fingerprint.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial

import numpy as np

from memory.index import vectors
from memory.index.when.told_times import times_told
from memory.index.when.values import Window
from memory.places import confidences
from memory.store.database import Transaction
from memory.store.domains import log_change
from memory.store.lineage import bound, pages, placeholders
from memory.text import lexical
from memory.text.passages import only_asks, passages
from memory.text.time.times import local
from memory.types import Domain, Exchange

MESSAGES, GISTS, ERAS, BANK = range(4)
"""The kinds of items; each kind is ranked separately."""
ENGLISH = "english"
"""The language of dates, and of texts whose language is not detected when no earlier text had one."""
OWN, ASKS = 1, 2
"""Bit flags of a message: said by Lyra, asks and tells nothing."""

_HALF = 2**63
_INSERT = (
    "INSERT INTO terms (domain, item, passage, kind, session, said_at, speaker, traits, language, length, hashes, counts, "
    "fingerprint, tells) VALUES (:domain, :item, :passage, :kind, :session, :said_at, :speaker, :traits, :language, :length, "
    ":hashes, :counts, :fingerprint, :tells)"
)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """An item with its searchable text. `head` is indexed along with `text` without being part of it. `tells` returns the times
    the text mentions besides its own; it is called where the rows are built, off the event loop.
    """

    item: int
    kind: int
    text: str
    said_at: int
    session: int = 0
    speaker: str = ""
    traits: int = 0
    head: str = ""
    tells: Callable[[], Sequence[Window]] = tuple


def message(exchange: Exchange, time_zone: str) -> IndexEntry:
    """Return the index entry of a message: its date, text and speaker."""
    asks = only_asks(exchange.text)
    return IndexEntry(
        exchange.key, MESSAGES, exchange.text, exchange.said_at, exchange.session, exchange.speaker,
        OWN * (exchange.role == "assistant") + ASKS * asks,
        written_day(exchange.said_at, time_zone),
        tuple if exchange.role == "assistant" else lambda: times_told(exchange.text, exchange.said_at, time_zone).times,
    )  # fmt: skip


async def index_entries(tx: Transaction, domain: Domain, found: Sequence[IndexEntry]) -> None:
    """Index items in this transaction; items told in confidence are indexed in the confidence's domain only."""
    if not found:
        return
    confided, language = await tx.gather(confidences.by_item(tx, [one.item for one in found]), last_language(tx, domain))
    await index_new(tx, domain, [one for one in found if one.item not in confided], language)
    for inner in {one.domain.key: one.domain for one in confided.values()}.values():
        told = [one for one in found if one.item in confided and confided[one.item].domain == inner]
        await index_new(tx, inner, told, await last_language(tx, inner))


async def index_new(tx: Transaction, domain: Domain, found: Sequence[IndexEntry], language: str) -> None:
    """Index items that belong to a domain, behind texts of a language."""
    if not found:
        return
    await tx.many(_INSERT, partial(_rows, domain, found, language))
    await log_change(tx, domain, [one.item for one in found], "add")


async def last_language(tx: Transaction, domain: Domain) -> str:
    """Return the language of the last text of a domain that had one."""
    last = await tx.one(
        "SELECT language FROM terms WHERE domain = :domain AND language <> '' ORDER BY item DESC LIMIT 1", {"domain": domain.key}
    )
    return str(last["language"]) if last else ENGLISH


async def unindex(tx: Transaction, domain: Domain, items: Sequence[int]) -> None:
    """Remove items from the index in this transaction."""
    confided = await confidences.by_item(tx, items)
    for inner in {one.domain.key: one.domain for one in confided.values()}.values():
        await _unindex(tx, inner, [item for item in items if item in confided and confided[item].domain == inner])
    await _unindex(tx, domain, items)


async def _unindex(tx: Transaction, domain: Domain, items: Sequence[int]) -> None:
    for some in pages(items):
        await tx.run(
            f"DELETE FROM terms WHERE domain = :domain AND item IN ({placeholders('i', some)})",
            {"domain": domain.key, **bound("i", some)},
        )
        await vectors.remove(tx, domain, some)
    await log_change(tx, domain, items, "drop")


def _rows(domain: Domain, found: Sequence[IndexEntry], language: str) -> Iterator[dict[str, object]]:
    for one in found:
        head = _head(one.head)
        for number, passage in enumerate(passages(one.text)):
            words = lexical.tokens(passage)
            terms = lexical.indexed(words, language)
            language = terms.language
            yield {
                "domain": domain.key, "item": one.item, "passage": number, "kind": one.kind, "session": one.session,
                "said_at": one.said_at, "speaker": one.speaker, "traits": one.traits, "language": language,
                "fingerprint": _fingerprint(one.speaker, words), "tells": None if number else _packed_windows(one.tells()), **_columns(terms.counts, head),
            }  # fmt: skip


def _packed_windows(times: Sequence[Window]) -> bytes | None:
    """Return the starts and ends of the windows as packed int64, None if there are none."""
    return np.fromiter((edge for one in times for edge in (one.start, one.end)), np.int64).tobytes() or None


def _columns(words: Mapping[int, int], head: Mapping[int, int]) -> dict[str, object]:
    counted = {**words}
    for term, count in head.items():
        counted[term] = counted.get(term, 0) + count
    return {
        "length": sum(counted.values()),
        "hashes": np.fromiter(counted, np.uint64, len(counted)).tobytes(),
        "counts": bytes(min(count, 255) for count in counted.values()),
    }


def _fingerprint(speaker: str, words: Sequence[str]) -> int:
    """Return a fingerprint shared by texts of one speaker with the same set of stems, in any order; 0 for no words.

    Stop words are included: "not" is one of them.
    """
    if not words:
        return 0
    whole = lexical.term(speaker) + sum(lexical.term(lexical.stem(word)) for word in set(words))
    return (whole + _HALF) % (2 * _HALF) - _HALF


@lru_cache(maxsize=10_000)
def _head(head: str) -> Mapping[int, int]:
    return lexical.indexed(lexical.tokens(head)).counts


def written_day(said_at: int, time_zone: str) -> str:
    """Return the day of an instant as it stands before the text of a message in the index."""
    return _written(local(said_at, time_zone).date())


@lru_cache(maxsize=10_000)
def _written(day: date) -> str:
    return f"{day:%A %d %B %Y}"
