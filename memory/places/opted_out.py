"""People who opted out: stored as a keyed hash of their account, which identifies nobody and outlasts forgetting.

In shared domains where they talked, their names are stored as such hashes too, so that nothing is learnt about them from
what others say.
"""

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from memory.places import scope_settings
from memory.places.scope_settings import domain_scope
from memory.ports import Entry
from memory.store.database import Reader, Transaction
from memory.store.lineage import Seal
from memory.text.word_forms import name_forms
from memory.types import Domain, DomainKind

_NAME = "unlearnt:"
CHOSEN = ("paused", _NAME, "incognito")
"""How the keys of settings begin that tell who opted out, and who and what place is off the record."""
_SOMEBODY = "[…]"


async def leave_out(tx: Transaction, seal: Seal, domain: Domain, names: Collection[str], *, out: bool) -> None:
    """Stop learning in a domain about those with these names or, unless `out`, resume it."""
    for name in names:
        for form in name_forms.forms(name):
            await scope_settings.put(tx, domain_scope(seal, domain), _mark(seal, domain, form), out or None)


async def is_named(reader: Reader, seal: Seal, domain: Domain, text: str) -> bool:
    """Return whether a text names somebody who opted out in a domain."""
    return bool(await named_in(reader, seal, domain, [text]))


async def named_in(reader: Reader, seal: Seal, domain: Domain, texts: Collection[str]) -> set[str]:
    """Return the texts that name somebody who opted out in a domain."""
    marks = await _marks(reader, seal, domain)
    return {text for text in texts if marks and next(_named_spans(seal, domain, marks, text), None) is not None}


async def without_opted_out(reader: Reader, seal: Seal, domain: Domain, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that name nobody who opted out; if all do, return them with these names masked."""
    marks = await _marks(reader, seal, domain)
    kept = [one for one in entries if not marks or next(_named_spans(seal, domain, marks, one.text), None) is None]
    return kept or [dataclasses.replace(one, text=_masked(seal, domain, marks, one.text)) for one in entries]


async def _marks(reader: Reader, seal: Seal, domain: Domain) -> Collection[str]:
    return () if domain.ref.kind is DomainKind.DM else await scope_settings.under(reader, domain_scope(seal, domain), _NAME)


def _named_spans(seal: Seal, domain: Domain, marks: Collection[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans in a text that name somebody who opted out, longest first."""

    @cache
    def is_name(form: str) -> bool:
        return _mark(seal, domain, form) in marks

    return name_forms.mentions(text, is_name)


def _masked(seal: Seal, domain: Domain, marks: Collection[str], text: str) -> str:
    while (found := next(_named_spans(seal, domain, marks, text), None)) is not None:
        begin, end = found
        text = f"{text[:begin]}{_SOMEBODY}{text[end:]}"
    return text


def _mark(seal: Seal, domain: Domain, form: str) -> str:
    return f"{_NAME}{seal.id(domain.ref, 'unlearnt', form)}"
