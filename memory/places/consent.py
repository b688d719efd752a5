"""Bank consent: whether a domain's bank is on, since when, and which members opted out.

Only what was said since the bank was turned on enters it: from then on people knew. Turning it off empties it. Everything
that rests on the words of a member who opts out goes at once, including Lyra's replies that rest on them, and what they
stood in is rewritten without them. After opting in again, the member's words count again.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from memory.derive import progress, refusals
from memory.errors import NotShared
from memory.forget import erase
from memory.places import scope_settings
from memory.places.places import Places
from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess, Transaction
from memory.store.lineage import descendants, paged, pages
from memory.tiers import episodes
from memory.tiers.messages import seen
from memory.types import Domain, DomainKind, Identity

TIER = "bank"
_ON = "bank"
_WITHOUT = "bank without "


class Consent(NamedTuple):
    """Since when the bank is on (None: off), and which members opted out."""

    since: int | None
    without: tuple[Identity, ...]


async def consent(kept: Places, domain: Domain, tx: Transaction | None = None) -> Consent:
    """Return the consent of a domain as committed, or as seen by a transaction."""
    if domain.ref.kind is DomainKind.DM:
        return Consent(None, ())
    found = await scope_settings.under(tx or kept.db, kept.scope(domain), _ON)
    since = found.get(_ON)
    members = [value for key, value in found.items() if key.startswith(_WITHOUT)]
    return Consent(
        since if isinstance(since, int) else None,
        tuple(Identity(*member) for member in members if isinstance(member, list)),
    )


async def is_on(kept: Places, domain: Domain) -> bool:
    """Return whether a domain's bank is on."""
    shared = domain.ref.kind is not DomainKind.DM
    return shared and await scope_settings.get(kept.db, kept.scope(domain), _ON) is not None


async def turn_on(kept: Places, domain: Domain, now: int) -> bool:
    """Turn the bank of a shared domain on from `now`; return whether it was off. Raises NotShared."""
    _require_shared(domain)
    async with kept.db.transaction(bounds=Bounds.of(domain.key)) as tx:
        if (await consent(kept, domain, tx)).since is not None:
            return False
        await scope_settings.put(tx, kept.scope(domain), _ON, now)
    return True


async def turn_off(kept: Places, domain: Domain, now: int) -> bool:
    """Turn a domain's bank off and empty it; return whether it was on. Opt-outs are remembered."""
    async with kept.db.transaction(bounds=Bounds.of(domain.key)) as tx:
        if (await consent(kept, domain, tx)).since is None:
            return False
        await scope_settings.put(tx, kept.scope(domain), _ON, None)
        rows = await tx.all("SELECT item FROM statements WHERE domain = :d AND tier = 'bank'", {"d": domain.key})
        await _retire(tx, domain, [row["item"] for row in rows], now)
        await progress.drop(tx, domain, TIER)
        await episodes.empty_bank(tx, domain)
    await kept.db.checkpoint()
    return True


async def withdraw(kept: Places, domain: Domain, member: Identity, now: int) -> int:
    """Keep a member's past and future messages out of the bank; return how many entries were dropped. Raises NotShared."""
    _require_shared(domain)
    scoped = kept.db.within([domain.key])
    said = await scoped.all(_SAID_BY, {"domain": domain.key, "platform": member.platform, "native_id": member.native_id})
    words = [row["item"] for row in said]
    words += [reply async for reply in seen.replies_that_saw(scoped, domain, words)]
    async with kept.db.transaction(bounds=Bounds.of(domain.key)) as tx:
        await scope_settings.put(tx, kept.scope(domain), _key(member), [member.platform, member.native_id])
        rows = await paged(
            tx,
            "SELECT item FROM statements WHERE domain = :domain AND tier = 'bank' AND item IN ({within})",
            await descendants(tx, words),
            {"domain": domain.key},
        )
        resting = [row["item"] for row in rows]
        await _retire(tx, domain, resting, now)
    await kept.db.checkpoint()
    return len(resting)


async def rejoin(kept: Places, domain: Domain, member: Identity) -> None:
    """Let a member's past and future messages enter the bank again. Raises NotShared."""
    _require_shared(domain)
    async with kept.db.transaction(bounds=Bounds.of(domain.key)) as tx:
        await scope_settings.put(tx, kept.scope(domain), _key(member), None)


async def resting_on(db: DatabaseAccess, episode: int, members: Collection[Identity]) -> set[int]:
    """Return the messages of an episode that these members said, or that rest on their words or had them in view."""
    if not members:
        return set()
    rows = await db.all(
        "WITH RECURSIVE below (root, item) AS (SELECT item, item FROM exchanges WHERE episode = :episode "
        "UNION SELECT below.root, l.parent FROM below JOIN lineage l ON l.child = below.item) "
        "SELECT DISTINCT below.root, n.platform, n.native_id FROM below JOIN exchanges e ON e.item = below.item "
        "JOIN identities n ON n.id = e.identity",
        {"episode": episode},
    )
    theirs = {row["root"] for row in rows if Identity(row["platform"], row["native_id"]) in members}
    replies = await db.all("SELECT item FROM exchanges WHERE episode = :episode AND kind = 'reply'", {"episode": episode})
    saw = await seen.seen_by(db, [row["item"] for row in replies])
    speakers = await _speakers(db, frozenset().union(*saw.values()))
    return theirs | {reply for reply, items in saw.items() if any(speakers.get(item) in members for item in items)}


async def _speakers(db: DatabaseAccess, items: Collection[int]) -> dict[int, Identity]:
    """Map the items that are people's messages to their speakers."""
    rows = await paged(
        db,
        "SELECT e.item, n.platform, n.native_id FROM exchanges e JOIN identities n ON n.id = e.identity WHERE e.item IN ({within})",
        sorted(items),
    )
    return {row["item"]: Identity(row["platform"], row["native_id"]) for row in rows}


_SAID_BY = (
    "SELECT e.item FROM exchanges e JOIN identities n ON n.id = e.identity "
    "WHERE e.domain = :domain AND n.platform = :platform AND n.native_id = :native_id"
)


async def _retire(tx: Transaction, domain: Domain, bullets: Sequence[int], now: int) -> None:
    for some in pages(bullets):
        await erase.retire(tx, domain, some, now)
    # Refused answers may hold their words as well.
    await refusals.drop(tx, domain, TIER)


def _key(member: Identity) -> str:
    return f"{_WITHOUT}{member.platform} {member.native_id}"


def _require_shared(domain: Domain) -> None:
    if domain.ref.kind is DomainKind.DM:
        raise NotShared("There is no bank here: it is for places that several people read.")
