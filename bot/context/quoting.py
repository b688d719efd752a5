"""What a place shows around a message: quotes, what was said just before, and forwards; never anything forgotten.

Of Lyra's own posts only those are shown that the current view may read, whichever way they come.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from adapters.base import Adapter
from adapters.events import Message, Person, Place, Reach
from adapters.message_parts import Forward, Quote
from bot.conversation.preferences import Preferences
from memory.core import Memory
from memory.text.told.announced_secrets import LATELY, announced_by, in_one_breath, tells_what_was_named
from memory.text.told.correction_wordings import correction
from memory.text.told.discretion import discreet, without_request
from memory.text.told.named_values import correctable
from memory.text.told.retellings import denies, follows_up, may_change, retells
from memory.text.told.topics import count_held, goes_on
from memory.view.shown_messages import ShownMessage
from memory.view.view import View

_FORWARDED = "[forwarded]"
_FURTHER = 40
"""How many messages are read before those that are asked for, where one of these corrects something said before them."""
_NEXT = 2
"""In how many next messages a figure alone is taken for what was told in confidence before."""
Bearing = TypeVar("Bearing", Message, Quote)


async def unforgotten_quotes(memory: Memory, view: View, place: Place, quotes: Sequence[Quote]) -> list[Quote]:
    """Return the quotes that are not forgotten; of Lyra's own, those that the view may read now."""
    withheld = await memory.shown.withheld(place.platform, _shown(place, quotes)) if quotes else set()
    own = await view.posts.may_be_shown(place.platform, [quote.id for quote in quotes if quote.own])
    usable = [quote for quote in quotes if quote.id not in withheld and (not quote.own or own.get(quote.id, False))]
    return await without_forgotten(memory, view, place.platform, usable)


async def unstored_quotes(memory: Memory, view: View, place: Place, quotes: Sequence[Quote]) -> list[Quote]:
    """Return the quotes of others that are neither stored nor forgotten."""
    above = replace(place, thread="").key
    allowed = await memory.shown.unstored_ids(place.platform, place.key, above, _shown(place, quotes))
    return await without_forgotten(memory, view, place.platform, [quote for quote in quotes if quote.id in allowed])


async def messages_before(adapter: Adapter, place: Place, message: str, n: int, reader: Person | None = None) -> list[Quote]:
    """Return the n messages before one, oldest first, without those that correct or repeat an earlier confidence."""
    found = await adapter.messages_before(place.key, message, n, reader)
    told = _told([one for one in found if not one.own])
    # To read further back is a request to the platform, and nearly every message tells what is so.
    telling = (at for at, (_, text) in enumerate(told) if may_change(text) or denies(text))
    if all(_corrected(told[at][1], _theirs(told, at)) for at in telling):
        return list(found)
    further = await adapter.messages_before(place.key, found[0].id, _FURTHER, reader)
    alone, usable = [
        {one.id for one in await asyncio.to_thread(without_confidences, some)} for some in (found, [*further, *found])
    ]
    # What is in confidence by these alone stays beside its request, for whoever reads them.
    return [one for one in found if one.id in usable or one.id not in alone]


def without_confidences(quotes: Sequence[Quote]) -> list[Quote]:
    """Return the quotes, oldest first, that were not said in confidence, even by what their speaker said next.

    What corrects something that was said in confidence, or is corrected by it, was said in confidence as well.
    """
    asked = {quote.id: ask for quote in quotes if (ask := discreet(quote.text))}
    if not asked:
        return list(quotes)
    held: set[str] = set()
    together: dict[str, list[str]] = {}
    told = _told(quotes)
    for at, (quote, text) in enumerate(told):
        before = _theirs(told, at)
        corrected = _corrected(text, before)
        together[quote.id] = together[corrected.id] if corrected else []
        together[quote.id].append(quote.id)
        if ask := asked.get(quote.id):
            theirs = [one for one, _ in before if one.id not in held]
            named = [one for one in theirs if ask.every or ask.talk or count_held(ask.topic, one.text, alike=True)]
            named += [after for one, after in pairwise(theirs) if one in named and goes_on(after.text)]
            last = (
                in_one_breath(theirs[: -1 - LATELY : -1], ask) if not named and (ask.back or (ask.topic and not ask.told)) else []
            )
            held.update(together[quote.id], *(together[one.id] for one in (*named, *last)))
        elif not held.isdisjoint(together[quote.id]) or _is_announced(quote, [one for one, _ in before]):
            held.add(quote.id)
    return [one for one in quotes if one.id not in held]


async def without_told_again(view: View, platform: str, quotes: Sequence[Quote]) -> list[Quote]:
    """Return the quotes that do not tell again what their speakers told in confidence where the view may not read it."""
    said = [one for one in quotes if one.person and not one.own]
    again = await view.confidences.told_again(platform, [(one.person, one.text, one.said_at) for one in said])
    hidden = {said[at].id for at in again}
    return [one for one in quotes if one.id not in hidden]


def _told(quotes: Sequence[Quote]) -> list[tuple[Quote, str]]:
    """Return quotes with what each tells beside a request for discretion, which takes a while to look for."""
    return [(one, without_request(one.text)) for one in quotes]


def _is_announced(quote: Quote, theirs: Sequence[Quote]) -> bool:
    """Return whether a request that its speaker made before, oldest first, is about what a quote tells."""
    named = any(tells_what_was_named(quote.text, one.text) for one in theirs)
    return named or announced_by(quote.said_at, theirs[: -1 - LATELY : -1]) is not None


def _theirs(told: Sequence[tuple[Quote, str]], at: int) -> list[tuple[Quote, str]]:
    """Return what the speaker of a quote said before it."""
    person = told[at][0].person
    return [before for before in told[:at] if person and before[0].person == person]


def _corrected(text: str, before: Sequence[tuple[Quote, str]]) -> Quote | None:
    """Return which of its speaker's quotes before it, oldest first, a text corrects or repeats."""
    found, told = correction(text), before[::-1]
    of = ((one, correctable(said)) for one, said in told)
    corrected = (one for back, (one, said) in enumerate(of) if found and found.reaches(said, back) and found.is_of(said))
    anew = (one for back, (one, said) in enumerate(told) if retells(text, said) or (back < _NEXT and follows_up(text, said)))
    return next(corrected, None) or next(anew, None)


def _shown(place: Place, quotes: Sequence[Quote]) -> list[ShownMessage]:
    return [ShownMessage(quote.id, _kept_at(place, quote.id), quote.own, quote.said_at) for quote in quotes]


async def _forwarded(memory: Memory, platform: str, forwards: Sequence[Forward]) -> list[ShownMessage]:
    """Return what is forwarded with the places where it may be kept, each channel asked for once."""
    channels = {(one.server, one.channel) for one in forwards}
    places = {(server, channel): await memory.kept.places_of(platform, server, channel) for server, channel in channels}
    return [ShownMessage(one.id, places[one.server, one.channel], False, 0) for one in forwards]


async def quoting_nothing_forgotten(memory: Memory, message: Message) -> Message:
    """Return a message without forgotten content in its quotes and forwards."""
    platform = message.place.platform
    forwards = [*message.forwards, *(message.quoted.forwards if message.quoted else ())]
    shown = _shown(message.place, [message.quoted] if message.quoted else [])
    shown += await _forwarded(memory, platform, forwards)
    withheld = await memory.shown.withheld(platform, shown)
    quoted = without_forwards(message.quoted, withheld) if message.quoted and message.quoted.id not in withheld else None
    return replace(without_forwards(message, withheld), quoted=quoted)


async def without_forgotten(memory: Memory, view: View, platform: str, bearing: Sequence[Bearing]) -> list[Bearing]:
    """Return these without forwarded content that is forgotten, or a post of hers that may not be read here.

    A confidence is shown only if its own teller forwards it, unless the view reads it anyway.
    """
    forwards = {forward.id: forward for one in bearing for forward in one.forwards}
    if not forwards:
        return list(bearing)
    shown = await _forwarded(memory, platform, list(forwards.values()))
    posts = await view.posts.may_be_shown(platform, list(forwards))
    hidden = await memory.shown.withheld(platform, shown) | {id for id, may_be_read in posts.items() if not may_be_read}
    tellers = await view.messages.in_confidence(platform, list(forwards))
    usable: list[Bearing] = []
    for one in bearing:
        own = {one.person if isinstance(one, Quote) else one.person.id}
        usable.append(without_forwards(one, hidden | {id for id, told_by in tellers.items() if told_by != own}))
    return usable


async def opted_out_forwards(
    memory: Memory, preferences: Preferences, adapter: Adapter, bearing: Sequence[Message | Quote]
) -> set[str]:
    """Return the ids of what is forwarded here and was said by people who told her to stop.

    A forward names nobody: who said it is known where that is kept, or where the platform shows it to her.
    """
    forwards = {forward.id: forward for one in bearing for forward in one.forwards}
    if not forwards:
        return set()
    kept = await memory.kept.speakers(adapter.platform, list(forwards))
    speakers = dict(kept)
    for id, one in forwards.items():
        if one.server and id not in kept:
            where = Place(adapter.platform, one.channel, "", Reach.PUBLIC, server=one.server)
            found = await adapter.message_presences(where.key, [id])
            speakers |= {id: seen.person for id, seen in found.items() if seen.person}
    told = [Quote(id, "", "", forwards[id].said_at, person=person) for id, person in speakers.items()]
    heeded = {one.id for one in await preferences.without_opted_out_people(adapter.platform, told, kept)}
    return speakers.keys() - heeded


def says_nothing(message: Message) -> bool:
    """Return whether nothing is left of a message except that something was forwarded."""
    return not (message.text.replace(_FORWARDED, "").strip() or message.attachments or message.forwards)


def without_forwards(bearing: Bearing, hidden: Collection[str]) -> Bearing:
    """Return something without those of its forwards that have these ids."""
    hidden_forwards = [forward for forward in bearing.forwards if forward.id in hidden]
    if not hidden_forwards:
        return bearing
    files = {file for forward in hidden_forwards for file in forward.attachments}
    return replace(
        bearing,
        text=_blanked(bearing.text, hidden_forwards),
        attachments=tuple(file for file in bearing.attachments if file.id not in files),
        forwards=tuple(forward for forward in bearing.forwards if forward not in hidden_forwards),
    )


def _blanked(text: str, gone: Sequence[Forward]) -> str:
    for forward in gone:
        text = text.replace(forward.text, _FORWARDED)
    return text


def _kept_at(place: Place, id: str) -> list[str]:
    """Return the keys of the places where a message may be stored: a thread begins with a message of its channel or room."""
    threads = (place.thread, "", id) if place.reach is Reach.ROOM else (place.thread, "")
    return [replace(place, thread=thread).key for thread in dict.fromkeys(threads)]
