"""What a message of somebody's put right of what they said before: "no wait, at 6" after "dinner with Tom is at 7".

Read by rule as a message is stored, and kept as a tie between two messages of one conversation. A later correction of the same
thing is tied to the first statement and to every correction between, so that whichever of them is forgotten, the last that is left
holds; without any, the first statement does. Nobody corrects what another person said. What Lyra answered may be corrected by whose
words she answered with: the tie is to these, and to her answer.
"""

import re
from collections.abc import Sequence

from memory.forget.gone import shown
from memory.store.database import Row, Transaction
from memory.store.lineage import bound, pages, placeholders
from memory.text.told.correction_wordings import Correction, correction
from memory.text.told.named_values import Correctable
from memory.tiers import exchanges
from memory.tiers.manners import speaker_key
from memory.types import DAY, Domain, Exchange, Kind

_QUESTION = re.compile(r"[^.!?\n]+\?")
_LOOKED_THROUGH = 80
"""How many messages of a conversation are read to find what one of them corrects; hers and others' are among them."""
_LATEST = 2 * DAY
"""After how long, in microseconds, nothing is corrected any more without being named."""


async def note(tx: Transaction, domain: Domain, said: Sequence[Exchange]) -> None:
    """Tie these newly stored messages to what they correct."""
    for one in sorted(said, key=lambda one: (one.said_at, one.key)):
        if one.kind is Kind.SAID and one.role == "user" and (found := correction(one.text)):
            await _tie(tx, domain, one, found)


async def reword(tx: Transaction, domain: Domain, before: str, after: Exchange) -> None:
    """Read a message anew that was edited: it says what holds now, unless the edit left the values in it as they were."""
    await tx.run("DELETE FROM corrections WHERE item = :item", {"item": after.key})
    if Correctable(before).figures != Correctable(after.text).figures:
        await tx.run("DELETE FROM corrections WHERE corrects = :item", {"item": after.key})
    await note(tx, domain, [after])


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Delete the ties of these items, as corrections and as what was corrected."""
    for some in pages(items):
        within = f"IN ({placeholders('i', some)})"
        await tx.run(f"DELETE FROM corrections WHERE item {within} OR corrects {within}", bound("i", some))


async def _tie(tx: Transaction, domain: Domain, said: Exchange, found: Correction) -> None:
    rows = await tx.all(
        exchanges.SELECT
        + "WHERE e.session = :session AND e.domain = :domain AND e.kind IN ('said', 'reply') AND e.said_at <= :at "
        f"AND e.said_at > :since AND e.item <> :item AND {shown('e')} ORDER BY e.said_at DESC, e.item DESC LIMIT {_LOOKED_THROUGH}",
        {"session": said.session, "domain": domain.key, "at": said.said_at, "since": said.said_at - _LATEST, "item": said.key},
    )
    before = [exchanges.exchange(row) for row in rows]
    own = [one for one in before if _is_own(one, said)][: found.reach]
    last = before[0] if before else said
    if last.kind is Kind.REPLY and last.role == "assistant":
        # Her answer may tell of what was said long before, or elsewhere.
        own = [*await _answered(tx, domain, last, said), *own]
    heard = next((one for one in before if not one.echo), said)
    if found.answer and not _is_own(heard, said) and (asked := _QUESTION.findall(heard.text)):
        # "Dinner is at 7, right?" may be answered like a correction, and so may "do all of you come?"
        named = set(Correctable(asked[-1]).figures)
        own = [one for one in own if named.intersection(Correctable(one.text).figures)]
    corrected = [one.key for one in own if found.is_of(Correctable(one.text))][:1]
    if last.kind is Kind.REPLY and exchanges.recallable(last) and found.is_of(Correctable(last.text)):
        corrected.append(last.key)
    if corrected:
        every = await _chains(tx, corrected)
        await tx.many(
            "INSERT INTO corrections (item, corrects, domain) VALUES (:item, :corrects, :domain) ON CONFLICT DO NOTHING",
            ({"item": said.key, "corrects": one, "domain": domain.key} for one in sorted(every - {said.key})),
        )


async def _answered(tx: Transaction, domain: Domain, reply: Exchange, said: Exchange) -> list[Exchange]:
    """Return what an answer of hers rests on of the words of a message's speaker, the newest first."""
    rows = await tx.all(
        exchanges.SELECT + "JOIN lineage l ON l.parent = e.item WHERE l.child = :reply AND l.cited = 1 AND e.domain = :domain "
        f"AND e.kind = 'said' AND {shown('e')} ORDER BY e.said_at DESC, e.item DESC LIMIT {_LOOKED_THROUGH}",
        {"reply": reply.key, "domain": domain.key},
    )
    return [one for row in rows if _is_own(one := exchanges.exchange(row), said)]


async def _chains(tx: Transaction, corrected: Sequence[int]) -> set[int]:
    """Return these messages with all that they correct."""
    rows: list[Row] = await tx.all(
        f"SELECT corrects FROM corrections WHERE item IN ({placeholders('i', corrected)})", bound("i", corrected)
    )
    return {*corrected, *(row["corrects"] for row in rows)}


def _is_own(one: Exchange, said: Exchange) -> bool:
    return one.kind is Kind.SAID and speaker_key(one) == speaker_key(said)
