"""What waits to be sent: a place's parts in order; text that is not in the outbox, held in memory and lost with the process; and
places, until a retry is due, or until she may write there again.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from adapters.base import Sending
from adapters.command_table import Action, File
from adapters.errors import SendFailed
from adapters.recent import Recent
from bot.delivery.composer import CARDS, OFFER, REFLECTION, deserialize
from bot.models.offline.spoken_languages import detect_language
from localization.current_language import language_code, reading
from localization.sentences import lazy, told
from memory.journal.journal import OFF_RECORD, TITLE, Journal, OutboxRow, Part
from memory.ports import Clock
from memory.types import MINUTE

UNNAME = "unname"
"""The operation that removes a thread name made of forgotten words."""
LOST = lazy("I was stopped before this answer was sent, and kept no word of it: ask again if you still want it.")
_MOST = 10_000
"""How many parts are held, which can wait where a platform is out of reach; what is older is lost."""
_FIRST_SECONDS, _LONGEST_SECONDS = 5.0, 60.0


LATE = lazy("You asked me something while I could not write here. That was a while ago: ask again if you still want to know.")
_LONGEST = 24 * 60 * MINUTE
PlaceKey = tuple[str, str]
"""A platform, and the key of a place there."""


class BlockedPlaces:
    """Barred places. An answer older than `within`, in microseconds, comes too late."""

    def __init__(self, clock: Clock, within: int) -> None:
        self._clock = clock
        self._within = within
        self._since: dict[PlaceKey, set[str]] = {}

    def __contains__(self, place: PlaceKey) -> bool:
        return place in self._since

    def begin(self, place: PlaceKey) -> None:
        """Mark a place where she may not write."""
        self._since.setdefault(place, set())

    def end(self, place: PlaceKey) -> None:
        """Unmark a place where nothing waits any more."""
        self._since.pop(place, None)

    def is_over(self, row: OutboxRow) -> bool:
        """Return whether a part waited so long that it is given up."""
        return self._clock.now() - row.since > _LONGEST

    def as_told(self, place: PlaceKey, row: OutboxRow) -> OutboxRow | None:
        """Return what to send for a waiting part: the part, one line in place of all that come too late, or None."""
        lines = self._since.get(place)
        if lines is None or row.part.operation != "send" or self._clock.now() - row.since <= self._within:
            return row
        if not row.answers or not row.first or (lines and row.part.key not in lines):
            return None
        lines.add(row.part.key)
        return replace(
            row,
            part=replace(row.part, text=str(LATE), actions="", form="" if row.part.form == CARDS else row.part.form),
            notice=True,
        )


class PendingTexts:
    """The text of waiting parts."""

    def __init__(self) -> None:
        self._held = Recent[str, tuple[Part, bool, Sequence[File]]](_MOST)

    def hold(self, parts: Sequence[Part], *, notice: bool = False, files: Sequence[File] = ()) -> Sequence[Part]:
        """Hold the text of parts, and the files attached to the last; return the parts for the outbox, without text.

        A kill loses them, which is then reported in their place. `notice` marks parts outside of the conversation.
        """
        for part in parts:
            self._held[part.key] = part, notice, files if part is parts[-1] else ()
        return [replace(part, text="", actions="", form=OFF_RECORD) for part in parts]

    def restored(self, row: OutboxRow) -> tuple[OutboxRow, Sequence[File]] | None:
        """Return a part with its text and files; if these are lost, the first part says so, and the others are None."""
        if row.part.form != OFF_RECORD or row.part.operation == "delete":
            return row, ()
        part, notice, files = self._held.get(row.part.key, (None, True, ()))
        if part is not None:
            return replace(row, part=part, notice=notice), files
        return (replace(row, part=replace(row.part, text=str(LOST)), notice=True), ()) if row.first else None

    def drop(self, rows: Sequence[OutboxRow]) -> None:
        """Drop what is sent, or will never be sent."""
        for row in rows:
            self._held.pop(row.part.key, None)


@dataclass(slots=True)
class _Late:
    failures: int
    due: float | None


class Retries:
    """Places to retry: when the platform says; else after 5 s, doubling with each further failure up to 60 s."""

    def __init__(self) -> None:
        self._late: dict[PlaceKey, _Late] = {}
        self._changed = asyncio.Event()

    def __contains__(self, place: PlaceKey) -> bool:
        return place in self._late

    def failed(self, place: PlaceKey, retry_after: float | None) -> None:
        """Record a failed delivery; `retry_after` is in seconds, None if the platform did not say."""
        failures = self._late[place].failures + 1 if place in self._late else 1
        usual = min(_LONGEST_SECONDS, _FIRST_SECONDS * 2.0 ** min(failures - 1, 10))
        self._late[place] = _Late(failures, asyncio.get_running_loop().time() + (usual if retry_after is None else retry_after))
        self._changed.set()

    def arrived(self, place: PlaceKey) -> None:
        """Record that nothing waits at a place any more."""
        self._late.pop(place, None)

    async def due(self) -> list[PlaceKey]:
        """Wait until a retry is due, and return the places. Each is due again only if it fails again."""
        now = asyncio.get_running_loop().time
        while not (due := [place for place, one in self._late.items() if one.due is not None and one.due <= now()]):
            self._changed.clear()
            instants = [one.due for one in self._late.values() if one.due is not None]
            try:
                async with asyncio.timeout_at(min(instants, default=None)):
                    await self._changed.wait()
            except TimeoutError:
                continue
        for place in due:
            self._late[place].due = None
        return due


class PartQueue:
    """Parts `attempted`, then those with the keys `later`, each of which is attempted once the one before it is sent.

    Those that go `apart`, by another way than the place's messages, do not wait for these, nor these for them.
    """

    def __init__(
        self,
        journal: Journal,
        place: PlaceKey,
        attempted: Sequence[OutboxRow],
        later: Sequence[str],
        apart: Callable[[str], bool],
    ) -> None:
        self._journal = journal
        self._place = place
        self._attempted = list(attempted)
        self._later = list(later)
        self._apart = apart
        self._is_later_apart = bool(attempted) and apart(attempted[-1].answers)

    async def put_older_first(self) -> None:
        """Attempt what waits for the place since before these parts first."""
        before = self._attempted[0].row if self._attempted else None
        self._attempted = [*await self._journal.take(*self._place, before=before), *self._attempted]

    async def next(self) -> OutboxRow | None:
        """Return the next part, None after the last."""
        if not self._attempted:
            await self._attempt_later()
        return self._attempted.pop(0) if self._attempted else None

    async def record_sent(self, row: OutboxRow, remote: str) -> None:
        """Record that a part was sent, and its platform id; the part after it is attempted, in the same transaction."""
        following = self._later.pop(0) if self._later else ""
        self._attempted += await self._journal.sent(row.row, remote, following, row.part.operation)

    def put_first(self, row: OutboxRow) -> None:
        """Have a part sent next."""
        self._attempted.insert(0, row)

    async def add(self, parts: Sequence[Part]) -> None:
        """Have parts that were queued for the place sent after those being attempted."""
        self._attempted += await self._journal.take(*self._place, [part.key for part in parts])

    async def take_rest_of_answer(self, row: OutboxRow) -> list[OutboxRow]:
        """Remove the other parts of the answer that a part belongs to, and return them."""
        await self._attempt_later()
        rest = [one for one in self._attempted if row.answers and (one.answers, one.domain) == (row.answers, row.domain)]
        self._attempted = [one for one in self._attempted if one not in rest]
        return rest

    async def give_back(self, failed: OutboxRow) -> None:
        """Give the parts that go the same way as one that failed, and were not tried, back to those that wait for a retry."""
        apart = self._apart(failed.answers)
        back = [one for one in self._attempted if self._apart(one.answers) is apart]
        self._attempted = [one for one in self._attempted if one not in back]
        self._later = [] if self._is_later_apart is apart else self._later
        await self._journal.again([one.row for one in back if not one.unsure])

    async def _attempt_later(self) -> None:
        self._attempted += await self._journal.take(*self._place, self._later)
        self._later = []


def language_of(row: OutboxRow) -> str:
    """Return the language of a part that an earlier attempt, of another process maybe, was made for; '' for the current one."""
    # Whose language it was may not be known any more: it is detected from the text.
    return language_code(detect_language(row.part.text)) if row.unsure else ""


def explanation(row: OutboxRow, refusal: SendFailed) -> OutboxRow | None:
    """Return one line that says why an answer was refused; None for anything else, and for such a line itself."""
    if not refusal.final or row.notice or not row.answers or row.part.operation not in ("send", "edit") or row.part.form == OFFER:
        return None
    with reading(language_of(row)):
        why = told(refusal)
    return replace(row, part=replace(row.part, text=why, actions="", form=""), notice=True)


def sending(row: OutboxRow, files: Sequence[File]) -> Sending:
    """Return a part as its adapter takes it."""
    part, cards = row.part, deserialize(row.part.text) if row.part.form == CARDS else ()
    return Sending(
        key=part.key,
        place=row.place,
        text="" if cards else part.text,
        operation=OFFER if part.form == OFFER else UNNAME if part.form == TITLE else part.operation,
        answers=row.answers,
        unsure=row.unsure,
        target=row.target_remote,
        actions=tuple(Action(**one) for one in json.loads(part.actions)) if part.actions else (),
        first=row.first,
        since=row.since,
        notice=row.notice,
        reflection=part.form == REFLECTION,
        files=tuple(files),
        cards=cards,
    )
