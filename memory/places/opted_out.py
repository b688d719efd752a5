"""Who wants nothing of theirs kept: known by a keyed hash of their account, which tells nobody who it is and outlasts forgetting.

Where they talked with others, their names are known by such hashes too, so that nothing is learnt of them from what others say.
"""

import re
from collections.abc import Collection, Sequence

from memory.places import settings
from memory.store.database import Database, Reader, Transaction
from memory.store.lineage import Seal
from memory.text.display_names import likeness, untagged
from memory.types import Domain, DomainKind, DomainRef, Identity

KEY = "paused"
_NAME = "unlearnt:"
_SHORTEST, _LONGEST = 3, 3
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
    if domain.ref.kind is DomainKind.DM:
        return False
    marks = await settings.under(reader, _scope(seal, domain), _NAME)
    if not marks:
        return False
    words = _WORD.findall(text)
    forms = {
        likeness(" ".join(words[at : at + length]).removesuffix("'s").removesuffix("’s"))
        for length in range(1, _LONGEST + 1)
        for at in range(len(words) - length + 1)
    }
    return any(_mark(seal, domain, form) in marks for form in forms)


async def everyone(db: Database) -> list[tuple[str, str, str]]:
    """Return scope, key and value of all that is set so, to be put into a file that takes the place of this one."""
    return await settings.whole(db, KEY, _NAME)


async def replace(tx: Transaction, known: Sequence[tuple[str, str, str]]) -> None:
    """Put what `everyone` returned in the place of what is set so."""
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
