"""Corrections: messages that correct what their author said before: "no wait, at 6" after "dinner with Tom is at 7".

Recognized by rule as a message is stored, and kept as a tie between two messages of one conversation. A later correction of the same
thing is tied to the first statement and to every correction between, so that whichever of them is forgotten, the last that is left
holds; without any, the first statement does. Nobody corrects what another person said, nor an answer of Lyra's that says it again. What
she answered may be corrected by whose words she answered with: the tie is to these, and to her answer.
"""

from collections.abc import Collection, Sequence

from memory.forget.gone import shown
from memory.store.database import Reader, Transaction
from memory.store.lineage import bound, paged, pages, placeholders
from memory.text.questions import is_question
from memory.text.sentence_splitting import sentences
from memory.text.told.correction_wordings import Correction, correction
from memory.text.told.discretion import without_request
from memory.text.told.named_values import TYPED, WORD, Correctable, kinds_of, left_of
from memory.text.told.retellings import follows_up, may_retell, retells
from memory.tiers import exchanges
from memory.tiers.manners import speaker_key
from memory.types import DAY, Domain, Exchange, Kind, NewExchange

_LOOKED_THROUGH = 80
"""How many messages of a conversation are read to find what one of them corrects; hers and others' are among them."""
_JUST_TOLD = 2
"""How many messages without a question may be what is corrected, before the one that her last answer is about."""
_LATEST = 2 * DAY
"""After how long, in microseconds, nothing is corrected any more without being named."""


def may_correct(offered: Sequence[NewExchange] | Sequence[Exchange]) -> bool:
    """Return whether one of these messages may correct something, or say it again with another value."""
    return any(one.kind is Kind.SAID and one.role == "user" and may_retell(without_request(one.text)) for one in offered)


def corrects(later: Exchange, earlier: Exchange, *, soon: bool) -> bool:
    """Return whether a message may correct an earlier one of its speaker's, or say it again, in any conversation of their domain.

    Whatever reads as a correction, and a figure alone, may do so `soon` after it.
    """
    text, told = without_request(later.text), without_request(earlier.text)
    if retells(text, told) or (soon and follows_up(text, told)):
        return True
    found = _correction(later)
    return bool(
        found and found.is_of(one := Correctable(told)) and (found.names(one) or later.said_at - earlier.said_at < _LATEST)
    )


async def note(tx: Transaction, domain: Domain, said: Sequence[Exchange], *, late: bool) -> set[int]:
    """Tie these messages of a conversation, newly stored, to what they correct, and later ones to what of these they correct.

    Unless they come `late`, there are no later ones. Return those messages whose corrections are others now.
    """
    if not said:
        return set()
    corrected: set[int] = set()
    new, again = {one.key for one in said}, set[int]()
    for one in sorted([*said, *(await _after(tx, domain, said) if late else ())], key=lambda one: (one.said_at, one.key)):
        if (found := _correction(one)) and (of := await _corrected_by(tx, one, found)):
            if one.key not in new and not (new | again).intersection(of):
                continue
            again.add(one.key)
            corrected |= await _tie_anew(tx, domain, one, found, of)
    return corrected


async def reword(tx: Transaction, domain: Domain, before: str, after: Exchange) -> set[int]:
    """Read an edited message again: it says what holds now, unless the edit left the values in it as they were.

    Return what it corrects, or did.
    """
    corrected = set(await _untie(tx, after))
    if Correctable(before).figures != Correctable(after.text).figures:
        await tx.run("DELETE FROM corrections WHERE corrects = :item", {"item": after.key})
    if found := _correction(after):
        corrected |= set(await _tie(tx, domain, after, found, await _corrected_by(tx, after, found)))
    return corrected


async def with_tied(reader: Reader, items: Collection[int]) -> list[int]:
    """Return these messages with those they correct and those that correct them, oldest first."""
    found, new = set(items), sorted(items)
    while new:
        rows = await paged(reader, "SELECT item, corrects FROM corrections WHERE item IN ({within})", new)
        rows += await paged(reader, "SELECT item, corrects FROM corrections WHERE corrects IN ({within})", new)
        new = sorted({key for row in rows for key in (row["item"], row["corrects"])} - found)
        found.update(new)
    return sorted(found)


async def corrected_by(reader: Reader, items: Collection[int]) -> dict[int, list[int]]:
    """Map each of these messages that corrects something to what it corrects."""
    found: dict[int, list[int]] = {}
    for row in await paged(reader, "SELECT item, corrects FROM corrections WHERE item IN ({within})", sorted(items)):
        found.setdefault(row["item"], []).append(row["corrects"])
    return found


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Delete the ties of these items, as corrections and as what was corrected."""
    for some in pages(items):
        within = f"IN ({placeholders('i', some)})"
        await tx.run(f"DELETE FROM corrections WHERE item {within} OR corrects {within}", bound("i", some))


def _correction(said: Exchange) -> Correction | None:
    return correction(without_request(said.text)) if said.kind is Kind.SAID and said.role == "user" else None


async def _tie_anew(tx: Transaction, domain: Domain, said: Exchange, found: Correction, of: Sequence[int]) -> set[int]:
    """Tie a correction to these messages instead of what it was tied to; return those of both that were not tied so before."""
    before = await _untie(tx, said)
    after = await _tie(tx, domain, said, found, of)
    return {one for one in before.keys() | after.keys() if before.get(one) != after.get(one)}


async def _untie(tx: Transaction, said: Exchange) -> dict[int, bool]:
    """Take back what a message corrects; return it, and of each whether in part."""
    rows = await tx.all("DELETE FROM corrections WHERE item = :item RETURNING corrects, in_part", {"item": said.key})
    return {row["corrects"]: bool(row["in_part"]) for row in rows}


async def _after(tx: Transaction, domain: Domain, said: Sequence[Exchange]) -> list[Exchange]:
    """Return what was said in a conversation after these messages, as far as it may correct them, and is none of them."""
    since, new = min(one.said_at for one in said), {one.key for one in said}
    rows = await tx.all(
        exchanges.SELECT
        + "WHERE e.session = :session AND e.domain = :domain AND e.kind = 'said' AND e.said_at > :since AND e.said_at < :until "
        f"AND {shown('e')} ORDER BY e.said_at, e.item LIMIT :most",
        {
            "session": said[0].session,
            "domain": domain.key,
            "since": since,
            "until": since + _LATEST,
            "most": _LOOKED_THROUGH + len(said),
        },
    )
    return [exchanges.exchange(row) for row in rows if row["item"] not in new]


async def would_correct(reader: Reader, said: Exchange) -> list[int]:
    """Return the messages that a message corrects, or would if it were stored."""
    return await _corrected_by(reader, said, found) if (found := _correction(said)) else []


async def _corrected_by(reader: Reader, said: Exchange, found: Correction) -> list[int]:
    """Return the message that a correction is about, and the answer of hers that it follows, if that says the same."""
    rows = await reader.all(
        exchanges.SELECT
        + "WHERE e.session = :session AND e.domain = :domain AND e.kind IN ('said', 'reply') AND e.said_at <= :at "
        f"AND e.said_at > :since AND e.item <> :item AND {shown('e')} ORDER BY e.said_at DESC, e.item DESC LIMIT {_LOOKED_THROUGH}",
        {"session": said.session, "domain": said.domain, "at": said.said_at, "since": said.said_at - _LATEST, "item": said.key},
    )
    before = [exchanges.exchange(row) for row in rows]
    own = [one for one in before if _is_own(one, said)]
    own = [one for back, one in enumerate(own) if found.reaches(Correctable(one.text), back)]
    last, answered = before[0] if before else said, list[Exchange]()
    if last.kind is Kind.REPLY and last.role == "assistant":
        # Her answer may be about something said long before, or elsewhere; if nothing was asked, the latest messages come first.
        told = 0 if own and is_question(own[0].text) else _JUST_TOLD
        answered = await _answered(reader, last)
        own = [*own[:told], *(one for one in answered if _is_own(one, said)), *own[told:]]
    if found.is_name:
        # "No, Priya" may speak to her.
        speakers = {word for one in before for word in WORD.findall(one.speaker.lower())}
        own = [] if found.values & speakers else [one for one in own if Correctable(one.text).names and not _is_name(one)][:1]
    heard = next((one for one in before if not one.echo), said)
    if found.answer and not _is_own(heard, said) and (asked := [one for one in sentences(heard.text) if is_question(one)]):
        # "Dinner is at 7, right?" may be answered like a correction, and so may "do all of you come?"
        named = Correctable(asked[-1]).named
        own = [one for one in own if named & Correctable(one.text).named]
    last_of_it = next((at for at, one in enumerate(own) if found.is_of(Correctable(one.text))), len(own))
    corrected = [one.key for one in own[last_of_it : last_of_it + 1]]
    if corrected and _stands_alone(own[last_of_it], before):
        # "Dinner is on Friday", "Saturday", "I mean Sunday".
        corrected += [one.key for one in own[last_of_it + 1 :][:1] if found.is_of(Correctable(one.text))]
    # Nor are another's words put right where she only says them again.
    others = [] if corrected else [one for one in answered if not _is_own(one, said)]
    tells_it = (not corrected or corrected[0] in {one.key for one in answered}) and not any(
        found.is_of(Correctable(one.text)) for one in others
    )
    if tells_it and last.kind is Kind.REPLY and exchanges.recallable(last) and found.is_of(Correctable(last.text)):
        corrected.append(last.key)
    return corrected


async def _tie(tx: Transaction, domain: Domain, said: Exchange, found: Correction, of: Sequence[int]) -> dict[int, bool]:
    """Tie a correction to these messages, to what they correct, and to what else corrects that in the same.

    Return all of it, and of each whether in part.
    """
    within = placeholders("i", of)
    first = f"(SELECT corrects FROM corrections WHERE item IN ({within}))"
    rows = await tx.all(
        exchanges.SELECT + f"WHERE e.item IN ({within}) OR e.item IN {first} "
        f"OR e.item IN (SELECT item FROM corrections WHERE corrects IN ({within}) OR corrects IN {first})",
        bound("i", of),
    )
    ties: dict[int, bool] = {}
    for one in map(exchanges.exchange, rows):
        other = correction(without_request(one.text))
        is_before = (one.said_at, one.key) < (said.said_at, said.key)
        if is_before and (one.key in of or other is None or found.shares(other)):
            ties[one.key] = other is not None and found.leaves(other)
    await tx.many(
        "INSERT INTO corrections (item, corrects, domain, in_part) VALUES (:item, :corrects, :domain, :part) ON CONFLICT DO NOTHING",
        ({"item": said.key, "corrects": one, "domain": domain.key, "part": int(part)} for one, part in sorted(ties.items())),
    )
    return ties


async def _answered(reader: Reader, reply: Exchange) -> list[Exchange]:
    """Return the messages of its domain that an answer of hers rests on, the newest first."""
    rows = await reader.all(
        exchanges.SELECT + "JOIN lineage l ON l.parent = e.item WHERE l.child = :reply AND l.cited = 1 AND e.domain = :domain "
        f"AND e.kind = 'said' AND {shown('e')} ORDER BY e.said_at DESC, e.item DESC LIMIT {_LOOKED_THROUGH}",
        {"reply": reply.key, "domain": reply.domain},
    )
    return [exchanges.exchange(row) for row in rows]


def _stands_alone(one: Exchange, talk: Sequence[Exchange]) -> bool:
    """Return whether a message is nothing but a day, time or number, and answers no question in a talk (latest first)."""
    told = without_request(one.text)
    before = next((other for other in talk if (other.said_at, other.key) < (one.said_at, one.key)), one)
    return bool(kinds_of(told) & TYPED) and not left_of(told) and correction(told) is None and not is_question(before.text)


def _is_name(one: Exchange) -> bool:
    return (found := correction(without_request(one.text))) is not None and found.is_name


def _is_own(one: Exchange, said: Exchange) -> bool:
    return one.kind is Kind.SAID and speaker_key(one) == speaker_key(said)
