"""The exit: every outgoing text passes here, once, and is sent under the key it was stored with.

The content of a text is checked when its parts are composed (`composer`), its destination when it is sent: a part whose place
has other readers now than when it was stored is not sent.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace

from adapters.base import Adapter, Sending
from adapters.command_table import Action, File
from adapters.errors import PlaceGone, PlaceHidden, SendFailed
from adapters.events import Place, split_key
from bot.conversation.domain_access import DomainAccess
from bot.delivery.blocked_places import BlockedPlaces
from bot.delivery.cards import CARDS, thawed
from bot.delivery.composer import OFFER, REFLECTION, Composer
from bot.delivery.links import AllowList
from bot.delivery.pending_sends import PendingTexts, Retries
from bot.keyed_locks import KeyedLocks
from bot.models.offline.spoken_languages import detect_language
from bot.service.log import log
from localization.current_language import known, reading
from localization.sentences import lazy, ngettext, told
from memory.errors import MemoryFailure
from memory.journal.journal import OFF_RECORD, TITLE, Journal, Part
from memory.journal.journal import OutboxRow as Row
from memory.ports import Ids
from memory.view.view import View

UNNAME = "unname"
"""The operation that removes a thread name made of forgotten words."""

GONE, REFUSED, WAITING = "gone", "refused", "waiting"
"""The outcomes of deleting a message."""


class Outgoing:
    """Sends waiting outbox parts through the adapters. `listed` are the links that may always pass."""

    def __init__(
        self, journal: Journal, domains: DomainAccess, adapters: Mapping[str, Adapter], ids: Ids, listed: AllowList,
        barred: BlockedPlaces, note: Callable[[str, str], None] = lambda platform, id: None,
        elsewhere: Callable[[str, str], None] = lambda platform, place: None,
    ) -> None:  # fmt: skip
        """Prepare; `note` is told the platform and the id of everything that goes out off the record, `elsewhere` of a place where
        something waits that another process holds.
        """
        self._on_held_elsewhere = elsewhere
        self._blocked = barred
        self._note_off_record = note
        self._journal = journal
        self._domains = domains
        self._adapters = adapters
        self._ids = ids
        self.composer = Composer(adapters, ids, listed)
        self._locks = KeyedLocks[tuple[str, str]]()
        self._retries = Retries()
        self._pending_texts = PendingTexts()

    def hold_texts(self, parts: Sequence[Part], *, notice: bool = False, files: Sequence[File] = ()) -> Sequence[Part]:
        """Hold the text of parts in memory until they are sent; return the parts for the outbox, without text.

        A kill loses the text, which is then reported in its place. `notice` marks parts outside the conversation; `files` are attached
        to the last.
        """
        return self._pending_texts.hold(parts, notice=notice, files=files)

    async def flush(self, platform: str, place: str, parts: Sequence[Part] | None = None) -> str:
        """Send these parts to a place, or everything waiting for it, in order; return the platform id of the last.

        Parts that certainly did not arrive wait for a retry; parts that can never arrive are given up, with a log entry and, for
        an answer, one line at its place that says why, if that can be sent.
        """
        if not self._adapters[platform].holds(place):
            self._on_held_elsewhere(platform, place)
            return ""
        keys = None if parts is None else [part.key for part in parts]
        async with self.place_lock(platform, place):
            return await self._send_each(platform, place, await self._journal.take(platform, place, keys))

    async def has_waiting_answer(self, platform: str, rooms: Collection[str]) -> bool:
        """Return whether an answer waits to be sent to one of these rooms."""
        return any(split_key(place)[1] in rooms for place in await self._journal.waiting(platform, answers=True))

    async def send(self, platform: str, first: Row, later: Sequence[Part]) -> bool:
        """Send a part being attempted, and those waiting behind it, to a place whose lock the caller holds.

        Returns whether any of it arrived.
        """
        return bool(await self._send_each(platform, first.place, [first], [part.key for part in later]))

    async def _send_each(self, platform: str, place: str, attempted: Sequence[Row], later: Sequence[str] = ()) -> str:
        """Send the parts being attempted, then those with these keys, each once the one before it arrived.

        Older parts that did not arrive go first. Returns the platform id of the last.
        """
        adapter, arrived, waiting = self._adapters[platform], "", list(attempted)
        if (platform, place) in self._retries:
            waiting = [*await self._journal.take(platform, place, before=waiting[0].row if waiting else None), *waiting]
        while waiting:
            row = waiting.pop(0)
            try:
                going = await self._judged(adapter, row)
                remote = await self._send(adapter, going) if going else None
            except SendFailed as error:
                log.warning("send.failed", platform=platform, part=row.part.key, why=str(error), final=error.final)
                is_given_up = error.final or (error.barred and self._blocked.is_over(row))
                if not is_given_up:
                    if error.barred:
                        self._blocked.begin((platform, place))
                    await self._journal.again([one.row for one in waiting if not one.unsure])
                    self._retries.failed((platform, place), error.retry_after)
                    return arrived
                waiting, later = [*waiting, *await self._journal.take(platform, place, later)], ()
                # Without one part of an answer the rest is not sent; a failed deletion does not hold up other parts.
                answered = row.answers if row.part.operation != "delete" else ""
                lost = [row, *(other for other in waiting if answered and other.answers == answered)]
                explanation = _explanation(row, error)
                await self._journal.cancel([one.row for one in lost if one is not row or not explanation])
                self._pending_texts.drop(lost)
                waiting = [other for other in waiting if other not in lost]
                if explanation:
                    waiting.insert(0, explanation)
                continue
            self._pending_texts.drop([row])
            if going and remote is not None:
                if row.part.form == OFF_RECORD:
                    self._note_off_record(platform, remote)
                arrived = remote or arrived
                then = later[0] if later else ""
                follows = await self._journal.sent(row.row, remote, then, going.part.operation)
                waiting, later = [*waiting, *follows], later[1:]
            if not waiting:
                waiting, later = await self._journal.take(platform, place, later), ()
        self._retries.arrived((platform, place))
        self._blocked.end((platform, place))
        return arrived

    async def _judged(self, adapter: Adapter, row: Row) -> Row | None:
        """Return a part as its place's readers may have it; None if they may not, and it is cancelled. Raises SendFailed."""
        if row.part.operation == "delete" or await self._has_intended_readers(adapter, row.place, row.domain, row.also):
            return row
        if row.part.operation != "edit" or row.part.form == OFFER:
            await self._journal.cancel([row.row])
            return None
        # The preview was written for other readers.
        await self._journal.remove(row.row)
        return replace(row, part=replace(row.part, operation="delete", text="", actions=""))

    async def _send(self, adapter: Adapter, row: Row) -> str | None:
        """Send one part and return its id; None if it must not be sent and is cancelled. Raises SendFailed."""
        told_late = self._blocked.as_told((adapter.platform, row.place), row)
        if told_late is None:
            await self._journal.cancel([row.row])
            return None
        row = told_late
        files: Sequence[File] = ()
        if row.part.form == OFF_RECORD and row.part.operation != "delete":
            with_text = self._pending_texts.whole(row)
            if with_text is None:
                await self._journal.cancel([row.row])
                return None
            row, files = with_text
        with reading(_language_of(row)):
            remote = await adapter.send(_sending(row, files))
        # Its id belongs to the text, not to the buttons.
        return "" if row.part.form == OFFER else remote

    async def delete(self, parts: Mapping[tuple[str, str], Sequence[Part]]) -> Counter[str]:
        """Send deletions, by platform and place; return the counts of GONE, REFUSED and WAITING."""
        for (platform, place), some in parts.items():
            await self.flush(platform, place, some)
        states = await self._journal.states([part.key for some in parts.values() for part in some])
        return Counter({"sent": GONE, "cancelled": REFUSED}.get(state, WAITING) for state in states)

    async def remove_thread_names(self) -> str:
        """Remove thread names that may not be shown any more; return a notice if she lacks the permission, else ''."""
        waiting = [one for one in await self._journal.unnaming() if one[0] in self._adapters]
        for platform, place, part in waiting:
            await self.flush(platform, place, [part])
        left = await self._journal.named_still([part for _, _, part in waiting])
        not_permitted = sum(place in self._blocked for place in left)
        if not not_permitted:
            return ""
        return ngettext(
            "The name of a thread still shows words of it, and I may not rename that one; whoever manages threads there can.",
            "The names of {n} threads still show words of it, and I may not rename those; whoever manages threads there can.",
            not_permitted,
        )

    async def retry(self) -> None:
        """Send waiting parts everywhere."""
        for platform, adapter in self._adapters.items():
            for place in filter(adapter.at_hand, await self._journal.waiting(platform)):
                await self.flush(platform, place)

    async def run(self) -> None:
        """Retry undelivered parts when due, until cancelled."""
        while True:
            for platform, place in await self._retries.due():
                if self._adapters[platform].at_hand(place):
                    try:
                        await self.flush(platform, place)
                    except MemoryFailure as error:
                        log.warning("send.failed", platform=platform, error=type(error).__name__)
                        self._retries.failed((platform, place), None)

    async def edit_preview(self, place: Place, remote: str, text: str, actions: Sequence[Action] = ()) -> None:
        """Edit a preview. Raises SendFailed."""
        sending = Sending("", place.key, text, "edit", "", unsure=False, target=remote, actions=tuple(actions))
        await self._adapters[place.platform].send(sending)

    async def may_show(self, place: Place, view: View) -> bool:
        """Return whether a place still has the readers of a view. Raises SendFailed if that is unknown."""
        return await self._has_intended_readers(self._adapters[place.platform], place.key, view.home.key, view.also)

    async def remove_preview(self, platform: str, place: str, preview: str) -> None:
        """Remove a preview, or another part, now or at a retry."""
        key = self._ids.new()
        await self._journal.take_back(preview, key)
        await self.flush(platform, place, [Part(key, "", "delete", preview)])

    async def remove_stale_previews(self, platform: str) -> None:
        """Remove leftover previews at places that have other readers now."""
        for row in await self._journal.previews(platform):
            with suppress(SendFailed):
                if self._adapters[platform].holds(row.place) and not await self._has_intended_readers(
                    self._adapters[platform], row.place, row.domain, row.also
                ):
                    await self.remove_preview(platform, row.place, row.part.key)

    async def _has_intended_readers(self, adapter: Adapter, key: str, domain: int, also: Collection[int]) -> bool:
        """Return whether a place still has the intended readers. Raises SendFailed if that is unknown."""
        try:
            place = await adapter.locate_key(key)
        except PlaceHidden as error:
            # Waits until she is back at the place.
            raise SendFailed(error.sentence, barred=True) from None
        except PlaceGone:
            return False
        if place is None:
            raise SendFailed(lazy("Who can read the place is not known just now."))
        return await self._domains.has_same_readers(place, domain, also, adapter)

    def place_lock(self, platform: str, place: str) -> AbstractAsyncContextManager[None]:
        """Lock sending to a place, so that parts stay in order."""
        return self._locks.alone((platform, place))


def _language_of(row: Row) -> str:
    """Return the language of a part that an earlier attempt, of another process maybe, was made for; '' for the current one."""
    # Whose language it was may not be known any more: it is detected from the text.
    return known(detect_language(row.part.text)) if row.unsure else ""


def _explanation(row: Row, error: SendFailed) -> Row | None:
    """Return one line that says why an answer was refused; None for anything else, and for such a line itself."""
    if not error.final or row.notice or not row.answers or row.part.operation != "send":
        return None
    with reading(_language_of(row)):
        why = told(error)
    return replace(row, part=replace(row.part, text=why, actions="", form=""), notice=True)


def _sending(row: Row, files: Sequence[File]) -> Sending:
    part = row.part
    actions = tuple(Action(**one) for one in json.loads(part.actions)) if part.actions else ()
    cards = thawed(part.text) if part.form == CARDS else ()
    return Sending(
        part.key,
        row.place,
        "" if cards else part.text,
        OFFER if part.form == OFFER else UNNAME if part.form == TITLE else part.operation,
        row.answers,
        row.unsure,
        row.target_remote,
        actions,
        row.first,
        row.since,
        row.notice,
        part.form == REFLECTION,
        tuple(files),
        cards,
    )
