"""The entry of a conversation: one to three bullets, written from its messages as soon as it is over.

A conversation is an episode since the bank is on. One that comes late, or is written again because something it rested on
was forgotten, re-opens the day, the week and the month that it lies in.
"""

from collections.abc import Sequence

from memory.bank import folding
from memory.bank.bullets import Form, keep
from memory.derive.derivation import Derivation, Work
from memory.derive.progress import Progress
from memory.forget import erase
from memory.forget.gone import present
from memory.places.consent import TIER, Consent, consent, resting_on
from memory.places.places import Places
from memory.ports import Entry, Source
from memory.store.database import Row, Transaction
from memory.text import periods
from memory.text.times import iso
from memory.tiers.episodes import HAS_TALK
from memory.tiers.exchanges import SELECT, exchange, recallable
from memory.tiers.lines import Line
from memory.types import Exchange, Kind

FORM = Form(least=1, most=3, words=80)


async def due(derivation: Derivation, terms: Consent) -> Work | None:
    """Return the work of the oldest conversation that is not in the bank, None where all are."""
    w = derivation.context
    row = await w.db.one(
        "SELECT p.id, p.position, p.first_at, p.closed_at, s.public_id AS session, (SELECT r.period FROM derivations r WHERE r.domain = p.domain "
        "AND r.tier = 'bank' AND r.mark = p.id) AS period FROM episodes p JOIN sessions s ON s.id = p.session "
        f"WHERE p.domain = :domain AND p.banked = 0 AND p.last_at > :since AND {HAS_TALK} ORDER BY p.first_at, p.id LIMIT 1",
        {"domain": w.domain.key, "since": terms.since},
    )
    return await _work(derivation, terms, row) if row else None


async def _work(derivation: Derivation, terms: Consent, episode: Row) -> Work:
    w = derivation.context
    messages = await _messages(derivation, terms, episode["id"])
    # Written again, it keeps its day, even if times are told in another zone by now.
    # What a server dates into the future would never be old enough to be folded.
    began = min(episode["first_at"], episode["closed_at"])
    period = episode["period"] or periods.conversation(began, w.domain.time_zone, episode["session"], episode["position"])
    lines = [_line(at, message, w.domain.time_zone) for at, message in enumerate(messages, start=1)]
    keys = [message.key for message in messages]

    async def still(tx: Transaction) -> bool:
        row = await tx.one("SELECT 1 AS yes FROM episodes WHERE id = :id AND banked = 0", {"id": episode["id"]})
        return row is not None and await consent(Places(w.db, w.seal), w.domain, tx) == terms

    async def publish(tx: Transaction, entries: Sequence[Entry] | None, writer: str, now: int) -> None:
        if entries is not None:
            before = await folding.bullets(tx, w.domain, period)
            if entries or before:
                await folding.reopen(tx, w.domain, periods.above(period), now)
                await erase.retire(tx, w.domain, before, now)
            await keep(tx, derivation, (periods.CONVERSATION, period), entries, lines, writer, now)
        await tx.run("UPDATE episodes SET banked = 1 WHERE id = :id", {"id": episode["id"]})

    rung = Progress("/".join(map(str, keys)), episode["id"], len(keys), 1, stale=False)
    texts = {message.key: message.text for message in messages}
    return Work(
        TIER, period, "conversation", "conversation", FORM.most, [line.source for line in lines], texts, rung, publish,
        check=FORM.check(lines), still=still, most_sources=2 * w.bank.most_turns,
    )  # fmt: skip


async def _messages(derivation: Derivation, terms: Consent, episode: int) -> list[Exchange]:
    """Return what of an episode may enter: said since the bank is on, by nobody who keeps out, and resting on nobody such."""
    rows = await derivation.context.db.all(
        f"{SELECT}WHERE e.episode = :episode AND e.said_at > :since AND {present('e')} ORDER BY e.said_at, e.item",
        {"episode": episode, "since": terms.since},
    )
    kept_out = await resting_on(derivation.context.db, episode, terms.without)
    return [message for message in map(exchange, rows) if recallable(message) and message.key not in kept_out]


def _line(at: int, message: Exchange, time_zone: str) -> Line:
    source = Source(f"m{at}", message.speaker, iso(message.said_at, time_zone), message.text)
    said = (message.key,) if message.kind is Kind.SAID else ()
    return Line(source, message.key, said, message.said_at, message.said_at)
