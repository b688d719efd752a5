"""The exit: every text that leaves passes here, once, and goes out under the key it was stored with.

What a text may hold is judged when its parts are made (`composer`). Where it goes is judged when it goes: a part whose place is
read by others now than when it was stored is not sent.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace

from adapters.base import Adapter, Sending
from adapters.command_table import Action, File
from adapters.errors import PlaceGone, PlaceHidden, SendFailed
from adapters.events import Place
from bot.conversation.domains import Domains
from bot.delivery.barred import Barred
from bot.delivery.cards import CARDS, thawed
from bot.delivery.composer import OFFER, REFLECTION, Composer
from bot.delivery.held import Held
from bot.delivery.lateness import Lateness
from bot.delivery.links import AllowList
from bot.locks import Locks
from bot.models.offline.spoken_languages import told
from bot.service.log import log
from localization.languages import known, reading
from localization.sentences import lazy, ngettext
from memory.errors import MemoryFailure
from memory.journal.journal import OFF_RECORD, TITLE, Journal, Part
from memory.journal.journal import OutboxRow as Row
from memory.ports import Ids
from memory.view.view import View

UNNAME = "unname"
"""What takes away the name that a thread has of what was forgotten."""

GONE, REFUSED, WAITING = "gone", "refused", "waiting"
"""What becomes of a message that is to be taken away."""


class Outgoing:
    """Sends what waits in the outbox through the adapters of its platforms. `listed` are the links that may always pass."""

    def __init__(
        self, journal: Journal, domains: Domains, adapters: Mapping[str, Adapter], ids: Ids, listed: AllowList,
        barred: Barred, note: Callable[[str, str], None] = lambda platform, id: None,
        elsewhere: Callable[[str, str], None] = lambda platform, place: None,
    ) -> None:  # fmt: skip
        """Prepare; `note` is told the platform and the id of everything that goes out off the record, `elsewhere` of a place where
        something waits that another process holds.
        """
        self._elsewhere = elsewhere
        self._barred = barred
        self._note = note
        self._journal = journal
        self._domains = domains
        self._adapters = adapters
        self._ids = ids
        self.composer = Composer(adapters, ids, listed)
        self._locks = Locks[tuple[str, str]]()
        self._late = Lateness()
        self._held = Held()

    def held(self, parts: Sequence[Part], *, notice: bool = False, files: Sequence[File] = ()) -> Sequence[Part]:
        """Hold the words of parts in memory alone until these are sent; return the parts as the outbox gets them, without.

        A kill loses them, which is then said in their place. `notice` says that they are no conversation; `files` go with the last.
        """
        return self._held.hold(parts, notice=notice, files=files)

    async def flush(self, platform: str, place: str, parts: Sequence[Part] | None = None) -> str:
        """Send these parts to a place, or everything that waits for it, in order; return the platform's id of the last.

        What did not arrive for sure waits for the next time; what can never arrive is given up, and the log says why.
        """
        if not self._adapters[platform].holds(place):
            self._elsewhere(platform, place)
            return ""
        keys = None if parts is None else [part.key for part in parts]
        async with self.alone(platform, place):
            return await self._send_each(platform, place, await self._journal.take(platform, place, keys))

    async def send(self, platform: str, first: Row, later: Sequence[Part]) -> None:
        """Send a part that is being attempted, and those that wait behind it, to a place where the caller is `alone`."""
        await self._send_each(platform, first.place, [first], [part.key for part in later])

    async def _send_each(self, platform: str, place: str, attempted: Sequence[Row], later: Sequence[str] = ()) -> str:
        """Send what is being attempted, then the parts of these keys, each attempted once the one before it arrived.

        What is older and did not arrive goes first. Returns the platform's id of the last.
        """
        adapter, arrived, waiting = self._adapters[platform], "", list(attempted)
        if (platform, place) in self._late:
            waiting = [*await self._journal.take(platform, place, before=waiting[0].row if waiting else None), *waiting]
        while waiting:
            row = waiting.pop(0)
            try:
                remote = await self._send(adapter, row)
            except SendFailed as error:
                log.warning("send.failed", platform=platform, part=row.part.key, why=str(error), final=error.final)
                if not error.final and not (error.barred and self._barred.is_over(row)):
                    if error.barred:
                        self._barred.begin((platform, place))
                    await self._journal.again([one.row for one in waiting if not one.unsure])
                    self._late.failed((platform, place), error.retry_after)
                    return arrived
                waiting, later = [*waiting, *await self._journal.take(platform, place, later)], ()
                # What is not taken away keeps nothing from being said.
                rest = row.answers if row.part.operation != "delete" else ""
                lost = [row, *(one for one in waiting if rest and one.answers == rest)]
                await self._journal.cancel([one.row for one in lost])
                self._held.drop(lost)
                waiting = [one for one in waiting if one not in lost]
                continue
            self._held.drop([row])
            if remote is not None:
                if row.part.form == OFF_RECORD:
                    self._note(platform, remote)
                arrived = remote or arrived
                follows = await self._journal.sent(row.row, remote, *later[:1])
                waiting, later = [*waiting, *([follows] if follows else [])], later[1:]
            if not waiting:
                waiting, later = await self._journal.take(platform, place, later), ()
        self._late.arrived((platform, place))
        self._barred.end((platform, place))
        return arrived

    async def _send(self, adapter: Adapter, row: Row) -> str | None:
        """Send one part and return its id; None where it must not go and is cancelled. Raises SendFailed."""
        if row.part.operation != "delete" and not await self._may_go(adapter, row.place, row.domain, row.also):
            if row.part.operation != "edit" or row.part.form == OFFER:
                await self._journal.cancel([row.row])
                return None
            # What is shown of the answer was for others to read.
            await self._journal.remove(row.row)
            row = replace(row, part=replace(row.part, operation="delete", text="", actions=""))
        told_late = self._barred.as_told((adapter.platform, row.place), row)
        if told_late is None:
            await self._journal.cancel([row.row])
            return None
        row = told_late
        files: Sequence[File] = ()
        if row.part.form == OFF_RECORD:
            found = self._held.whole(row)
            if found is None:
                await self._journal.cancel([row.row])
                return None
            row, files = found
        # Whoever it was said to may be gone from this process: what it says tells their language.
        with reading(known(told(row.part.text)) if row.unsure else ""):
            remote = await adapter.send(_sending(row, files))
        # Under its id stands what it says, not what it offers.
        return "" if row.part.form == OFFER else remote

    async def delete(self, parts: Mapping[tuple[str, str], Sequence[Part]]) -> Counter[str]:
        """Send the parts, by platform and place, that take messages away; count what became of them: GONE, REFUSED, WAITING."""
        for (platform, place), some in parts.items():
            await self.flush(platform, place, some)
        states = await self._journal.states([part.key for some in parts.values() for part in some])
        return Counter({"sent": GONE, "cancelled": REFUSED}.get(state, WAITING) for state in states)

    async def unname(self) -> str:
        """Have threads lose the names that may not be shown any more; return what is to be said where she may not, '' for nothing."""
        waiting = [one for one in await self._journal.unnaming() if one[0] in self._adapters]
        for platform, place, part in waiting:
            await self.flush(platform, place, [part])
        still = await self._journal.named_still([part for _, _, part in waiting])
        kept = sum(place in self._barred for place in still)
        if not kept:
            return ""
        return ngettext(
            "The name of a thread still shows words of it, and I may not rename that one; whoever manages threads there can.",
            "The names of {n} threads still show words of it, and I may not rename those; whoever manages threads there can.",
            kept,
        )

    async def retry(self) -> None:
        """Send what waits anywhere."""
        for platform, adapter in self._adapters.items():
            for place in filter(adapter.at_hand, await self._journal.waiting(platform)):
                await self.flush(platform, place)

    async def run(self) -> None:
        """Send what did not arrive when it is due, until cancelled."""
        while True:
            for platform, place in await self._late.due():
                if self._adapters[platform].at_hand(place):
                    try:
                        await self.flush(platform, place)
                    except MemoryFailure as error:
                        log.warning("send.failed", platform=platform, error=type(error).__name__)
                        self._late.failed((platform, place), None)

    async def revise(self, place: Place, remote: str, text: str, actions: Sequence[Action] = ()) -> None:
        """Change a preview that went out. Raises SendFailed."""
        sending = Sending("", place.key, text, "edit", "", unsure=False, target=remote, actions=tuple(actions))
        await self._adapters[place.platform].send(sending)

    async def may_show(self, place: Place, view: View) -> bool:
        """Say whether a place is still read by those for whom a view was made. Raises SendFailed where that is not known."""
        return await self._may_go(self._adapters[place.platform], place.key, view.home.key, view.also)

    async def take_back(self, platform: str, place: str, preview: str) -> None:
        """Remove what is shown of an answer; where that cannot be done now, it waits."""
        key = self._ids.new()
        await self._journal.take_back(preview, key)
        await self.flush(platform, place, [Part(key, "", "delete", preview)])

    async def clear(self, platform: str) -> None:
        """Remove what is left of answers that were shown while they were made, at places that others read now."""
        for row in await self._journal.previews(platform):
            with suppress(SendFailed):
                if self._adapters[platform].holds(row.place) and not await self._may_go(
                    self._adapters[platform], row.place, row.domain, row.also
                ):
                    await self.take_back(platform, row.place, row.part.key)

    async def _may_go(self, adapter: Adapter, key: str, domain: int, also: Collection[int]) -> bool:
        """Say whether a place is still read by those for whom it was meant. Raises SendFailed where that is not known."""
        try:
            place = await adapter.locate_key(key)
        except PlaceHidden as error:
            # What was made for its readers waits for her to be back.
            raise SendFailed(error.sentence, barred=True) from None
        except PlaceGone:
            return False
        if place is None:
            raise SendFailed(lazy("Who can read the place is not known just now."))
        return await self._domains.still(place, domain, also, adapter)

    def alone(self, platform: str, place: str) -> AbstractAsyncContextManager[None]:
        """One at a time to a place, so that parts stay in order."""
        return self._locks.alone((platform, place))


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
