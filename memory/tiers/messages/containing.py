"""Detection of imported messages that contain a forgotten one: another export format may join or split messages.

In general a longer message is a different message. It is not if it has the same speaker and instant as a forgotten one and
contains its words or those of one of its lines; nor if the file does not tell when it was said and the forgotten words are more
than a phrase.
"""

from collections.abc import Iterable, Mapping, Sequence

from memory.forget import tombstones
from memory.store.database import Transaction
from memory.store.lineage import Seal
from memory.text.display_names import TAG, likeness
from memory.text.off_loop import off_loop
from memory.tiers.messages.words import TELLING, spoken, telling, without_html
from memory.types import DomainRef, NewExchange

_BEGINNING = 3
"""The number of leading words by which a forgotten message is searched in a longer one."""
_COMPARED = 40
"""The number of leading words that must occur consecutively."""
_LINES = 20
"""The number of a message's lines that are searched separately."""
_LOOKED_AT = 2_000
"""The number of words of a message that are searched."""


def names(seal: Seal, domain: DomainRef, speaker: str, said_at: int, text: str) -> list[str]:
    """Return the tombstone names by which a longer message, or a shorter one that is a line of it, meets a forgotten one.

    Empty for messages such as "ok", which tell nothing.
    """
    moment = _moment(speaker, said_at)
    found = []
    for part in dict.fromkeys((text, *without_html(text).splitlines()[:_LINES])):
        if telling(part):
            said = spoken(part)[:_COMPARED]
            found += [_begins(seal, domain, said), _holds(seal, domain, said, moment)]
    if telling(text) >= TELLING:
        found.append(_holds(seal, domain, spoken(text)[:_COMPARED]))
    return [seal.id(domain, "moment", *moment), *dict.fromkeys(found)] if found else []


async def forgotten(tx: Transaction, seal: Seal, domain: DomainRef, offered: Mapping[str, NewExchange]) -> set[str]:
    """Return which of the imported messages offered, by public id, contain a forgotten one."""
    looked_at = await _looked_at(tx, seal, domain, offered)
    if not looked_at or await tx.one("SELECT 1 AS one FROM tombstones LIMIT 1") is None:
        return set()
    length = sum(len(offered[pid].text) for pid in looked_at)
    begins = await off_loop(length, lambda: {pid: dict(_beginnings(seal, domain, *one)) for pid, one in looked_at.items()})
    begun = await tombstones.among(tx, (name for some in begins.values() for name in some.values()))

    def in_full(pid: str, said: Sequence[str], moment: tuple[str, ...]) -> set[str]:
        there = (at for at, name in begins[pid].items() if name in begun)
        return {_holds(seal, domain, part, moment) for at in there for part in _parts(said, *at)}

    held = await off_loop(length, lambda: {pid: in_full(pid, *one) for pid, one in looked_at.items()})
    buried = await tombstones.among(tx, (name for some in held.values() for name in some))
    return {pid for pid, some in held.items() if not buried.isdisjoint(some)}


async def _looked_at(
    tx: Transaction, seal: Seal, domain: DomainRef, offered: Mapping[str, NewExchange]
) -> dict[str, tuple[list[str], tuple[str, ...]]]:
    """Return words and moment (() if unknown) of imports said when something was forgotten, or at an unknown time."""
    imported = {pid: new for pid, new in offered.items() if new.imported}
    moments = {pid: _moment(new.speaker, new.said_at) for pid, new in imported.items() if new.imported and new.imported.timed}
    named = {pid: seal.id(domain, "moment", *moment) for pid, moment in moments.items()}
    met = await tombstones.among(tx, named.values())
    wanted = {pid: new.text for pid, new in imported.items() if pid not in named or named[pid] in met}
    said = await off_loop(
        sum(map(len, wanted.values())), lambda: {pid: spoken(text)[:_LOOKED_AT] for pid, text in wanted.items()}
    )
    return {pid: (some, moments.get(pid, ())) for pid, some in said.items()}


def _moment(speaker: str, said_at: int) -> tuple[str, str]:
    return likeness(TAG.sub("", speaker)), str(said_at)


def _beginnings(
    seal: Seal, domain: DomainRef, said: Sequence[str], moment: Sequence[str]
) -> Iterable[tuple[tuple[int, int], str]]:
    """Yield the position and word count of each possible beginning of a forgotten message, with its name."""
    for at in range(len(said)):
        for n in range(1 if moment else _BEGINNING, min(_BEGINNING, len(said) - at) + 1):
            yield (at, n), _begins(seal, domain, said[at : at + n])


def _parts(said: Sequence[str], at: int, n: int) -> Iterable[Sequence[str]]:
    """Return the possible forgotten messages with this beginning; one shorter than a full beginning is all of it."""
    longest = min(at + _COMPARED, len(said)) if n == _BEGINNING else at + n
    return (said[at:end] for end in range(at + n, longest + 1))


def _begins(seal: Seal, domain: DomainRef, said: Sequence[str]) -> str:
    return seal.id(domain, "begins", " ".join(said[:_BEGINNING]))


def _holds(seal: Seal, domain: DomainRef, said: Sequence[str], moment: Sequence[str] = ()) -> str:
    return seal.id(domain, "holds", " ".join(said), *moment)
