"""Who wants nothing of theirs kept: known by a keyed hash of their account, which tells nobody who it is and outlasts forgetting.

Where they talked with others, their names are known by such hashes too, so that nothing is learnt of them from what others say.
"""

import dataclasses
import re
from collections.abc import Collection, Iterator, Sequence

from memory.places import settings
from memory.ports import Entry
from memory.store.database import Database, Reader, Transaction
from memory.store.lineage import Seal
from memory.text.display_names import likeness, untagged
from memory.types import Domain, DomainKind, DomainRef, Identity

KEY, _OFF_RECORD = "paused", "incognito"
_NAME = "unlearnt:"
_SHORTEST, _LONGEST = 3, 3
_SOMEBODY = "[…]"
_WORD = re.compile(r"\w+(?:['’.-]\w+)*")


def scope(seal: Seal, who: Identity) -> str:
    """Return the scope under which it is set that an account opted out; it names nobody."""
    return f"account:{seal.id(DomainRef(DomainKind.DM, who.platform, who.native_id), 'opted-out')}"


async def leave_out(tx: Transaction, seal: Seal, domain: Domain, names: Collection[str]) -> None:
    """Have nothing learnt in a domain of those who bear these names."""
    for name in names:
        for form in _forms(name):
            await settings.put(tx, _scope(seal, domain), _mark(seal, domain, form), True)


async def take_in(tx: Transaction, seal: Seal, domain: Domain, names: Collection[str]) -> None:
    """Let what is learnt in a domain be of those who bear these names again."""
    for name in names:
        for form in _forms(name):
            await settings.put(tx, _scope(seal, domain), _mark(seal, domain, form), None)


async def is_named(reader: Reader, seal: Seal, domain: Domain, text: str) -> bool:
    """Say whether a text names somebody of whom nothing is learnt in a domain."""
    marks = await _marks(reader, seal, domain)
    return bool(marks) and next(_named(seal, domain, marks, text), None) is not None


async def unnamed(reader: Reader, seal: Seal, domain: Domain, entries: Sequence[Entry]) -> list[Entry]:
    """Return those entries that name nobody of whom nothing is learnt in a domain; where all do, they say somebody instead."""
    marks = await _marks(reader, seal, domain)
    kept = [one for one in entries if not marks or next(_named(seal, domain, marks, one.text), None) is None]
    return kept or [dataclasses.replace(one, text=_masked(seal, domain, marks, one.text)) for one in entries]


async def _marks(reader: Reader, seal: Seal, domain: Domain) -> Collection[str]:
    return () if domain.ref.kind is DomainKind.DM else await settings.under(reader, _scope(seal, domain), _NAME)


def _named(seal: Seal, domain: Domain, marks: Collection[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield where in a text somebody is named, the longest names first."""
    words = list(_WORD.finditer(text))
    for length in range(_LONGEST, 0, -1):
        for some in (words[at : at + length] for at in range(len(words) - length + 1)):
            form = likeness(" ".join(one[0] for one in some).removesuffix("'s").removesuffix("’s"))
            if _mark(seal, domain, form) in marks:
                yield some[0].start(), some[-1].end()


def _masked(seal: Seal, domain: Domain, marks: Collection[str], text: str) -> str:
    while (found := next(_named(seal, domain, marks, text), None)) is not None:
        begin, end = found
        text = f"{text[:begin]}{_SOMEBODY}{text[end:]}"
    return text


async def everyone(db: Database) -> list[tuple[str, str, str]]:
    """Return scope, key and value of all that is set so, to be put into a file that takes the place of this one.

    Who or what is off the record is among it.
    """
    return [*await settings.whole(db, KEY, _NAME), *await settings.whole(db, _OFF_RECORD, f"{_OFF_RECORD}-")]


async def replace(tx: Transaction, known: Sequence[tuple[str, str, str]]) -> None:
    """Put what `everyone` returned in the place of what is set so."""
    await settings.replace(tx, _OFF_RECORD, f"{_OFF_RECORD}-", ())
    await settings.replace(tx, KEY, _NAME, known)


def _forms(name: str) -> set[str]:
    """Return what somebody of a name is called: by all of it, or by its first word."""
    words = _WORD.findall(untagged(name))
    forms = {likeness(" ".join(words[:_LONGEST])), likeness(words[0]) if words and len(words[0]) >= _SHORTEST else ""}
    return forms - {""}


def _scope(seal: Seal, domain: Domain) -> str:
    return f"domain:{seal.id(domain.ref, 'domain')}"


def _mark(seal: Seal, domain: Domain, form: str) -> str:
    return f"{_NAME}{seal.id(domain.ref, 'unlearnt', form)}"
