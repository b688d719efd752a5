"""The bullets of a bank, and their folding: if the block is too large, the oldest entries of a rung become one digest of the next.

Folded bullets are kept and found by recall, but leave the block; so do those past the last rung. A digest is written from its
kept children only. When a child changes, or the digest loses a bullet, the digest is removed along with those above it, and its
children return to the block until they need to be folded.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date

from localization.sentences import lazy
from memory.bank.block import BankEntry, size
from memory.derive import progress
from memory.derive.context import Context
from memory.derive.drafting import wording
from memory.derive.progress import Progress
from memory.derive.work import Work
from memory.errors import WriterRefused
from memory.forget import erase
from memory.places import opted_out
from memory.places.consent import TIER, Consent, consent
from memory.places.places import Places
from memory.ports import Entry, Source, Task
from memory.store.database import Parameters, Transaction
from memory.store.lineage import bound, placeholders
from memory.text.time import periods
from memory.text.time.times import local
from memory.tiers import episodes, statements
from memory.tiers.source_lines import SourceLine, grounds
from memory.tiers.statements import NewStatement, cited
from memory.types import Domain, Statement

_WORD_BYTES = 20


@dataclass(frozen=True, slots=True)
class Form:
    """The range of an entry's bullet count, and its limit of words."""

    least: int
    most: int
    words: int

    def cut(self, lines: Sequence[SourceLine]) -> Callable[[Sequence[Entry]], list[Entry]]:
        """Return a function that trims an answer written from these lines to this form, from its end.

        It raises WriterRefused if too little is left.
        """

        def cut(entries: Sequence[Entry]) -> list[Entry]:
            standing = [entry for entry in entries if grounds(entry, lines)]
            if not standing:
                raise WriterRefused(lazy("no bullet rests on what people said"), wording(entries))
            kept = standing[: self.most]
            while sum(length(entry.text) for entry in kept) >= self.words:
                kept.pop()
            if len(kept) < min(self.least, len(lines)):
                few = lazy("{kept} bullets instead of {least} to {most} within the words", kept=len(kept), **asdict(self))
                raise WriterRefused(few, wording(entries))
            return kept

        return cut


def length(text: str) -> int:
    """Return the word count of a text; for unspaced or endless words, an estimate from its bytes."""
    return max(len(text.split()), len(text.encode("utf-8", "replace")) // _WORD_BYTES)


async def keep(
    tx: Transaction,
    context: Context,
    where: tuple[str, str],
    entries: Sequence[Entry],
    lines: Sequence[SourceLine],
    writer: str,
    now: int,
) -> None:
    """Store the bullets of a rung and period (`where`) that rest on what people said and name nobody who opted out."""
    (kind, period), seal, domain = where, context.seal, context.domain
    for entry in entries:
        rests = grounds(entry, lines)
        if rests and not await opted_out.is_named(tx, seal, domain, entry.text):
            new = NewStatement(TIER, period, kind, " ".join(entry.text.split()), writer, rests)
            await statements.publish(tx, seal, domain, new, now)


FORM = Form(least=2, most=4, words=120)
AGES = {periods.DAY: 1, periods.WEEK: 7, periods.MONTH: 30}
"""How many days back all of a period must lie before it is folded, lowest rung first."""


def foldable(noted: Sequence[BankEntry], today: date, given_up: Mapping[str, str]) -> tuple[str, list[BankEntry]] | None:
    """Return the next period to fold with its children, or None; `given_up` maps periods to inputs tried in vain."""
    for rung, age in AGES.items():
        children: dict[str, list[BankEntry]] = {}
        for entry in noted:
            if periods.RUNGS.index(entry.rung) == periods.RUNGS.index(rung) - 1:
                children.setdefault(periods.above(entry.period), []).append(entry)
        for period in sorted(children):
            below = sorted(children[period], key=lambda entry: (entry.bullets[0].first_at, entry.period))
            if periods.older_than(period, age, today) and given_up.get(period) != _inputs(below):
                return period, below
    return None


def leaving(noted: Sequence[BankEntry], today: date, most: float) -> list[Statement]:
    """Return the bullets, oldest first, that must leave the block to bring it down to `most` tokens.

    Only bullets past the age of the last rung leave.
    """
    staying = list(noted)
    gone: list[Statement] = []
    for entry in sorted(noted, key=lambda entry: periods.days(entry.period)[1]):
        if size(staying) <= most:
            break
        if periods.older_than(periods.upward(entry.period)[-1], AGES[periods.MONTH], today):
            staying.remove(entry)
            gone += entry.bullets
    return gone


async def due(context: Context, terms: Consent, noted: Sequence[BankEntry]) -> Work | None:
    """Return the work of the next fold, None if nothing can be folded."""
    tried = await progress.read_all(context.db, context.domain, TIER)
    today = local(context.clock.now(), context.domain.time_zone).date()
    found = foldable(noted, today, {period: one.inputs for period, one in tried.items()})
    return await _work(context, terms, *found) if found else None


async def _work(context: Context, terms: Consent, period: str, below: Sequence[BankEntry]) -> Work:
    children = [bullet for entry in below for bullet in entry.bullets]
    lines = await _lines(context, below)

    async def still(tx: Transaction) -> bool:
        there = {bullet for entry in below for bullet in await bullets(tx, context.domain, entry.period, standing=True)}
        late = set(await _children(tx, context.domain, period, standing=True))
        same = there == late == {bullet.key for bullet in children}
        return same and await consent(Places(context.db, context.seal), context.domain, tx) == terms

    async def publish(tx: Transaction, entries: Sequence[Entry] | None, writer: str, now: int) -> None:
        if entries is not None:
            await keep(tx, context, (periods.rung(period), period), entries, lines, writer, now)
            await statements.remove_from_block(tx, [bullet.key for bullet in children], now)

    rung = Progress(_inputs(below), 0, len(children), 0, stale=False)
    texts = {bullet.key: bullet.text for bullet in children}
    task = Task("bank", tuple(line.source for line in lines), FORM.most)
    return Work(TIER, period, task, texts, rung, publish, cut=FORM.cut(lines), still=still)


async def _lines(context: Context, below: Sequence[BankEntry]) -> list[SourceLine]:
    """Return bullets as lines labelled by rung and period, numbered if several share a label."""
    rests = await cited(context.db, [bullet.key for entry in below for bullet in entry.bullets])
    labels = [entry.label for entry in below for _ in entry.bullets]
    lines: list[SourceLine] = []
    for at, bullet in enumerate(bullet for entry in below for bullet in entry.bullets):
        many = labels.count(labels[at]) > 1
        label = f"{labels[at]}.{labels[: at + 1].count(labels[at])}" if many else labels[at]
        first, last = (local(when, context.domain.time_zone).date() for when in (bullet.first_at, bullet.last_at))
        days = f"{first}" if first == last else f"{first} to {last}"
        said = tuple(message.key for message in rests[bullet.key])
        lines.append(SourceLine(Source(label, "", days, bullet.text), bullet.key, said, bullet.first_at, bullet.last_at))
    return lines


async def reopen(tx: Transaction, domain: Domain, period: str, now: int) -> None:
    """Remove the digests of a period and of those that contain it, and return their children to the block."""
    for digest in reversed(periods.upward(period)):
        before = await progress.read(tx, domain, TIER, digest)
        standing = await bullets(tx, domain, digest)
        if standing or (before and before.stale):
            await erase.retire(tx, domain, standing, now)
            await statements.return_to_block(tx, await _children(tx, domain, digest))
        await progress.drop(tx, domain, TIER, digest)


async def sweep(context: Context) -> None:
    """Reopen digests that lost a bullet, and drop the progress of conversations that are gone."""
    if not await progress.read_all(context.db, context.domain, TIER, stale=True):
        return
    async with context.db.transaction(bounds=context.bounds) as tx:
        lost = await progress.read_all(tx, context.domain, TIER, stale=True)
        for period in lost:
            if periods.rung(period) != periods.CONVERSATION:
                await reopen(tx, context.domain, period, context.clock.now())
        there = await episodes.existing(tx, [one.mark for one in lost.values() if one.mark])
        for period, one in lost.items():
            if one.mark and one.mark not in there:
                await progress.drop(tx, context.domain, TIER, period)


async def bullets(tx: Transaction, domain: Domain, period: str, *, standing: bool = False) -> list[int]:
    """Return the keys of a period's bullets, or only of those in the block."""
    return await _bullets(tx, domain, "period = :p", {"p": period}, standing=standing)


async def _children(tx: Transaction, domain: Domain, period: str, *, standing: bool = False) -> list[int]:
    """Return the keys of the bullets of a period's children, or only of those in the block."""
    if periods.rung(period) == periods.DAY:
        of_day = "kind = 'conversation' AND period LIKE :begins"
        return await _bullets(tx, domain, of_day, {"begins": f"{period}T%"}, standing=standing)
    inner = periods.below(period)
    return await _bullets(tx, domain, f"period IN ({placeholders('p', inner)})", bound("p", inner), standing=standing)


async def _bullets(tx: Transaction, domain: Domain, which: str, parameters: Parameters, *, standing: bool) -> list[int]:
    rows = await tx.all(
        f"SELECT item FROM statements WHERE domain = :d AND tier = 'bank' AND {which} "
        "AND (:standing = 0 OR ended_at IS NULL) ORDER BY item",
        {**parameters, "d": domain.key, "standing": int(standing)},
    )
    return [row["item"] for row in rows]


def _inputs(below: Sequence[BankEntry]) -> str:
    return "/".join(str(bullet.key) for entry in below for bullet in entry.bullets)
