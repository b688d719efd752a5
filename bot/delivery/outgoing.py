"""The exit: every outgoing text passes here, once, and is sent under the key it was stored with.

The content of a text is checked when its parts are composed (`composer`), its destination when it is sent: a part whose place
has other readers now than when it was stored is not sent.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from hashlib import blake2b

from adapters.base import Adapter, Sending
from adapters.command_table import Action
from adapters.errors import PlaceGone, PlaceHidden, SendFailed
from adapters.events import Person, Place, split_key
from bot.conversation.domain_access import DomainAccess
from bot.delivery import pending_sends
from bot.delivery.composer import OFFER, Composer
from bot.delivery.links import NO_LINKS
from bot.delivery.pending_sends import BlockedPlaces, PartQueue, PendingTexts, PlaceKey, Retries
from bot.keyed_locks import KeyedLocks
from bot.models.offline.spoken_languages import detect_language
from bot.service.log import log
from localization.current_language import language_code, reading
from localization.sentences import lazy, ngettext
from memory.errors import MemoryFailure
from memory.journal.journal import OFF_RECORD, Journal, Part
from memory.journal.journal import OutboxRow as Row
from memory.store.cancellation import end_if_asked
from memory.view.view import View

READERS_CHANGED = lazy(
    "Who can read this place changed while I was at your question, so I answer nothing here: ask again if you still want to know."
)
PARTED = lazy(
    "What I may use here changed while I was at your question, so I leave my answer out: ask again if you still want to know."
)
"""Where one person reads a place, only what they may be told can have changed: they parted accounts, for example."""

GONE, REFUSED, WAITING = "gone", "refused", "waiting"
"""The outcomes of deleting a message."""


class Outgoing:
    """Sends waiting outbox parts through the adapters."""

    def __init__(
        self, journal: Journal, domains: DomainAccess, adapters: Mapping[str, Adapter], composer: Composer, blocked: BlockedPlaces,
        *, on_sent_off_record: Callable[[str, str], None] = lambda platform, id: None,
        on_held_elsewhere: Callable[[str, str], None] = lambda platform, place: None,
    ) -> None:  # fmt: skip
        """Prepare; `on_sent_off_record` is told the platform and the id of everything that goes out off the record, `on_held_elsewhere`
        of a place where something waits that another process holds.
        """
        self._on_held_elsewhere = on_held_elsewhere
        self._on_sent_off_record = on_sent_off_record
        self._blocked = blocked
        self._journal = journal
        self._domains = domains
        self._adapters = adapters
        self.composer = composer
        self._locks = KeyedLocks[PlaceKey]()
        self._retries = Retries()
        self.pending_texts = PendingTexts()

    async def flush(self, platform: str, place: str, parts: Sequence[Part] | None = None) -> str:
        """Send these parts to a place, or everything waiting for it, in order; return the platform id of the last that is no notice.

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

        Returns whether any of the answer arrived.
        """
        return bool(await self._send_each(platform, first.place, [first], [part.key for part in later]))

    async def _send_each(self, platform: str, place: str, attempted: Sequence[Row], later: Sequence[str] = ()) -> str:
        """Send the parts being attempted, then those with these keys, each once the one before it arrived.

        Older parts that did not arrive go first. Returns the platform id of the last that is no notice.
        """
        adapter, arrived, failed = self._adapters[platform], "", False
        queue = PartQueue(self._journal, (platform, place), attempted, later, adapter.goes_apart)
        if (platform, place) in self._retries:
            await queue.put_older_first()
        while row := await queue.next():
            try:
                remote = await self._send_next(adapter, row, queue)
            except SendFailed as error:
                log.warning("send.failed", platform=platform, part=row.part.key, why=str(error), final=error.final)
                if error.final or (error.barred and self._blocked.is_over(row)):
                    await self._give_up(row, queue, pending_sends.explanation(row, error))
                    continue
                if error.barred:
                    self._blocked.begin((platform, place))
                await queue.give_back(row)
                self._retries.failed((platform, place), error.retry_after)
                failed = True
                continue
            arrived = arrived if row.notice else remote or arrived
        if not failed:
            self._retries.arrived((platform, place))
            self._blocked.end((platform, place))
        return arrived

    async def _send_next(self, adapter: Adapter, row: Row, queue: PartQueue) -> str:
        """Send a part, or cancel one that may not arrive any more; return its platform id, else ''. Raises SendFailed."""
        if row.part.operation != "delete":
            place = await _located(adapter, row.place)
            if not (place and await self._domains.has_same_readers(place, row.domain, row.also, adapter)):
                await self._withhold(row, place, queue)
                return ""
        current = self._blocked.as_told((adapter.platform, row.place), row)
        whole = self.pending_texts.restored(current) if current else None
        if whole is None:
            await self._cancel([row])
            return ""
        going_out, files = whole
        with reading(pending_sends.language_of(going_out)):
            remote = await adapter.send(pending_sends.sending(going_out, files))
        self.pending_texts.drop([row])
        # Its id belongs to the text, not to the buttons.
        remote = "" if row.part.form == OFFER else remote
        if row.part.form == OFF_RECORD:
            self._on_sent_off_record(adapter.platform, remote)
        await queue.record_sent(row, remote)
        return remote

    async def _give_up(self, row: Row, queue: PartQueue, reason: Row | None) -> None:
        """Cancel a part that can never arrive, and the rest of its answer; send the reason in its place, if there is one."""
        # A failed deletion does not hold up other parts.
        rest = await queue.take_rest_of_answer(row) if row.part.operation != "delete" else []
        if reason:
            queue.put_first(reason)
        self.pending_texts.drop([row])
        await self._cancel(rest if reason else [row, *rest])

    async def _withhold(self, row: Row, place: Place | None, queue: PartQueue) -> None:
        """Cancel a part whose place has other readers now, or none, and the rest of its answer; those who read it now are told once."""
        whole = self.pending_texts.restored(row)
        if place and whole and not whole[0].notice and row.answers and row.part.operation != "preview":
            rest = await queue.take_rest_of_answer(row)
            person = Person(place.platform, place.alone or await self._domains.person_of(row.domain), "")
            with reading(language_code(detect_language(whole[0].part.text))):
                why = str(READERS_CHANGED if place.circle else PARTED)
                # Under a key, so that a kill before the part is cancelled does not send it twice.
                if not await self._journal.states([key := _told_instead_of(row)]):
                    await queue.add(await self._queue_notice(place, person, why, row.answers, key))
            await self._cancel(rest)
        if row.part.operation != "edit" or row.part.form == OFFER:
            await self._cancel([row])
            return
        # The preview was written for other readers.
        await self._journal.remove(row.row)
        queue.put_first(replace(row, part=replace(row.part, operation="delete", text="", actions="")))

    async def _cancel(self, rows: Sequence[Row]) -> None:
        self.pending_texts.drop(rows)
        await self._journal.cancel([one.row for one in rows])

    async def say(
        self, place: Place, text: str, queue: Callable[[Sequence[Part]], Awaitable[bool | None]], actions: Sequence[Action] = ()
    ) -> None:
        """Compose a notice without links, and send it to a place once `queue` has queued its parts, unless that returns False."""
        parts = await self.composer.parts(place.platform, text, links=NO_LINKS, actions=actions)
        if await queue(parts) is not False:
            await self.flush(place.platform, place.key, parts)

    async def tell(self, place: Place, person: Person, text: str, question: str = "") -> None:
        """Tell somebody at a place something that is no part of the conversation, in answer to a `question` if there is one."""
        await self.flush(place.platform, place.key, await self._queue_notice(place, person, text, question))

    async def _queue_notice(self, place: Place, person: Person, text: str, question: str, key: str = "") -> Sequence[Part]:
        """Queue a notice, its first part under a `key` if there is one; return its parts."""
        view, session = await self._domains.view_and_session(place, person)
        first, *rest = await self.composer.parts(place.platform, text, links=NO_LINKS)
        parts = [replace(first, key=key or first.key), *rest]
        await view.notices.queue(session, parts, (), question)
        return parts

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
        remaining = await self._journal.named_still([part for _, _, part in waiting])
        not_permitted = sum(place in self._blocked for place in remaining)
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
                        end_if_asked()

    async def edit_preview(self, place: Place, remote: str, text: str, actions: Sequence[Action] = ()) -> None:
        """Edit a preview. Raises SendFailed."""
        edit = Sending("", place.key, text, "edit", "", unsure=False, target=remote, actions=tuple(actions))
        await self._adapters[place.platform].send(edit)

    async def may_show(self, place: Place, view: View) -> bool:
        """Return whether a place still has the readers of a view. Raises SendFailed if that is unknown."""
        return await self._has_intended_readers(self._adapters[place.platform], place.key, view.home.key, view.others_of_place)

    async def remove_preview(self, platform: str, place: str, preview: str) -> None:
        """Remove a preview, or another part, now or at a retry."""
        for removal in self.composer.removal(preview):
            await self._journal.take_back(preview, removal.key)
            await self.flush(platform, place, [removal])

    async def remove_stale_previews(self, platform: str) -> None:
        """Remove leftover previews at places that have other readers now."""
        for row in await self._journal.previews(platform):
            with suppress(SendFailed):
                if self._adapters[platform].holds(row.place) and not await self._has_intended_readers(
                    self._adapters[platform], row.place, row.domain, row.also
                ):
                    await self.remove_preview(platform, row.place, row.part.key)

    async def _has_intended_readers(self, adapter: Adapter, key: str, domain: int, also: Collection[int]) -> bool:
        place = await _located(adapter, key)
        return place is not None and await self._domains.has_same_readers(place, domain, also, adapter)

    def place_lock(self, platform: str, place: str) -> AbstractAsyncContextManager[None]:
        """Lock sending to a place, so that parts stay in order."""
        return self._locks.alone((platform, place))


def _told_instead_of(row: Row) -> str:
    """Return the key of the notice in place of an answer whose part is withheld."""
    return blake2b(row.part.key.encode(), digest_size=16, person=b"withheld").hexdigest()


async def _located(adapter: Adapter, key: str) -> Place | None:
    """Return a place as it is now, None if it is gone. Raises SendFailed if that is unknown."""
    try:
        place = await adapter.locate_key(key)
    except PlaceHidden as error:
        # Waits until she is back at the place.
        raise SendFailed(error.sentence, barred=True) from None
    except PlaceGone:
        return None
    if place is None:
        raise SendFailed("Who can read the place is not known just now.")
    return place
