"""Manners: a few wishes per person from a closed list, read from their own messages as these are stored.

A wish is a statement that rests on the message it was read from, so that it goes with the message; a newer wish of a kind
replaces the older one. A withdrawal replaces it in the same way, and is shown nowhere. A wish is personal: it is followed when
answering that person, and nowhere else.
"""

from collections.abc import Sequence

from memory.store.database import Reader, Transaction
from memory.store.lineage import Seal
from memory.text.told.manner_requests import MannerRequest, manner_requests
from memory.tiers import statements
from memory.tiers.statements import Grounds, NewStatement
from memory.types import Domain, Exchange, Kind, Statement

TIER = "manner"
_RULE, _BACK = "rule", "taken back"


def speaker_key(said: Exchange) -> str:
    """Return a key for a speaker's wishes: the account, or the name if no account is known."""
    return f"account {said.identity}" if said.identity is not None else f"name {said.speaker}"


async def note(tx: Transaction, seal: Seal, domain: Domain, said: Sequence[Exchange], now: int) -> None:
    """Store the wishes in these newly stored messages, in the order they were said."""
    for one in sorted(said, key=lambda one: (one.said_at, one.key)):
        if one.kind is not Kind.SAID or one.role != "user":
            continue
        for kind, ask in manner_requests(one.text).items():
            await _keep(tx, seal, domain, one, kind, ask, now)


async def _keep(tx: Transaction, seal: Seal, domain: Domain, said: Exchange, kind: str, ask: MannerRequest, now: int) -> None:
    standing = await statements.standing(tx, domain, TIER, speaker_key(said))
    before = next((one for one in standing if one.kind == kind), None)
    if before and before.last_at > said.said_at:
        return  # an imported message is older than the current wish
    text, by = wish_text(said, ask), _RULE
    if not ask.wish:
        wish = before.text.partition(" wants ")[2].removesuffix(".") if before else ""
        if before is None or before.writer == _BACK or not ask.is_over(wish):
            return
        text, by = f"{said.speaker} no longer wants {wish}.", _BACK
    new = NewStatement(TIER, speaker_key(said), kind, text, by, Grounds.of(said))
    key = await statements.publish(tx, seal, domain, new, now)
    if before:
        await statements.end(tx, domain, [before.key], now, key)


def wish_text(said: Exchange, ask: MannerRequest) -> str:
    """Return the statement of a wish as it is stored for its speaker."""
    return f"{said.speaker} wants {ask.wish}."


def current_wishes(standing: Sequence[Statement]) -> list[Statement]:
    """Return the wishes among these statements, without withdrawals."""
    return [one for one in standing if one.writer != _BACK]


async def taken_by(kept: Reader, domain: Domain, public_id: str, said: Exchange) -> Statement | None:
    """Return the wish that replaced another, given by public id, when a message was stored."""
    row = await kept.one(
        f"{statements.SELECT}JOIN statements old ON old.successor = s.item JOIN items o ON o.id = old.item "
        "JOIN lineage l ON l.child = s.item AND l.parent = :said WHERE o.public_id = :id AND s.domain = :domain AND s.tier = :tier",
        {"id": public_id.strip().lower(), "said": said.key, "domain": domain.key, "tier": TIER},
    )
    return statements.statement(row) if row else None


def of_speakers(standing: Sequence[Statement], asked: Sequence[Exchange]) -> list[Statement]:
    """Return the wishes of those who said these messages, ordered by person and kind."""
    kinds = ("name", "language", "length", "tone", "emoji", "address")
    who = {speaker_key(one) for one in asked}
    return sorted(
        (one for one in current_wishes(standing) if one.period in who), key=lambda one: (one.period, kinds.index(one.kind))
    )
