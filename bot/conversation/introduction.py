"""Lyra's introduction, once at a place, or in a room that replaces another; confirmations of confidences, and /privacy."""

from functools import partial
from urllib.parse import urlsplit

from adapters.events import Place, Reach
from bot.conversation.services import Services
from localization.formatting import listed
from localization.sentences import _
from memory.types import Session
from memory.view.view import View

_LEFT_BEHIND = "left-behind"
_LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})


def introduction(where: str, prefix: str = "", *, shared: bool) -> str:
    """Return the introduction: what she is, what she keeps, and how to stop it.

    `where` are the endpoints that messages go to, `prefix` what typed commands begin with.
    """
    sign = prefix or "/"
    goes = _("To answer I send it to {hosts}.", hosts=hosts(where)) if where else _("No model elsewhere gets any of it.")
    if shared:
        return _(
            "Hello, I am Lyra, a program that remembers. Here I keep what is said to me and what I answer, encrypted, "
            "for everyone who can read this. {goes} {sign}forget removes what you said; {sign}privacy says more, and "
            "how to stop.",
            goes=goes,
            sign=sign,
        )
    return _(
        "Hello, I am Lyra, a program that remembers. I keep what you tell me here, encrypted, until you "
        "{sign}forget it, and tell it to nobody else. {goes} {sign}privacy says more, and how to stop.",
        sign=sign,
        goes=goes,
    )


def continuation_notice(prefix: str = "", *, waits: bool = False) -> str:
    """Return the notice for a room that replaces another one: what was heard there is known here, and for how long; and, if an
    answer still `waits` there, that nobody will see it."""
    told = _(
        "This room replaces one that I was in. I go on with what I heard there as long as everyone who can read "
        "this could read that; should somebody come who could not, I leave it out. {sign}privacy says more.",
        sign=prefix or "/",
    )
    return f"{told} {left_behind()}" if waits else told


def left_behind() -> str:
    """Return the notice that an answer waits in the room that this one replaces, where nobody will see it."""
    return _("I could not answer any more what I was asked there last: ask again here if you still want to know.")


def thoughts_offer(prefix: str = "") -> str:
    """Return the offer to hear a waiting thought."""
    sign = prefix or "/"
    return _(
        "While we were not talking, I had a thought about what you told me. {sign}settings reflections on "
        "lets me share such thoughts with you now and then; I will not mention it again.",
        sign=sign,
    )


def kept_anyway_notice(sign: str) -> str:
    """Return the notice that a message is kept of which somebody said that it is off the record."""
    return _(
        "I keep what you tell me here, this too. {sign}forget that takes it back; {sign}incognito once TEXT keeps nothing of one "
        "message, {sign}incognito on nothing from then on.",
        sign=sign,
    )


def privacy(place: Place, where: str, prefix: str = "", *, listening: bool, paused: bool, reach: bool, in_database: bool) -> str:
    """Return the text of /privacy: what is kept at a place and where, who can read it, where it goes, and how to stop it."""
    sign = prefix or "/"
    goes = (
        _("To answer and to summarize, words go to {hosts}.", hosts=hosts(where))
        if where
        else _("No model elsewhere gets any of it.")
    )
    stops = (
        _("You told me to stop: I keep nothing of yours and do not answer. {sign}privacy resume undoes it.", sign=sign)
        if paused
        else _(
            "{sign}privacy stop: from then on I keep nothing that you say anywhere on this platform, and do not answer you.",
            sign=sign,
        )
    )
    about_it = [_kept(place, listening=listening), _read_by(place, reach=reach), _stored(in_database=in_database), goes]
    return "\n".join([*about_it, *_ways_out(sign), stops])


def _stored(*, in_database: bool) -> str:
    if in_database:
        return _(
            "It is kept in a database until it is forgotten, encrypted with a key on the machine I run "
            "on, where I also summarize it. Whoever runs that machine holds the key."
        )
    return _(
        "It is kept in one encrypted file on the machine I run on until it is forgotten, and I "
        "summarize it there. Whoever runs that machine holds the key."
    )


def _ways_out(sign: str) -> list[str]:
    return [
        _(
            "{sign}recall shows what I have, with the day and the place. {sign}forget removes a message, "
            "a conversation or everything of yours, along with all that was made from it and the answers "
            "that hold something of it; deleting or editing a message on this platform does the same. "
            "What I wrote here stays readable until you have me delete it: {sign}forget posts.",
            sign=sign,
        ),
        _(
            "When a channel, a server or a room disappears, or I am no longer in it, what was said there "
            "stops coming up at once and is forgotten after a week, unless somebody who ran it tells me "
            "in a DM to keep it: {sign}privacy keep NAME.",
            sign=sign,
        ),
        _(
            "With a model I also make lasting facts, a digest of each month and a narrative: {sign}memory "
            "profile, eras and narrative show what each of them rests on; {sign}memory correct and "
            "{sign}memory forget correct a fact or drop it.",
            sign=sign,
        ),
        _(
            "{sign}incognito on: from then on I answer here but keep none of it; {sign}incognito on me "
            "does that for you everywhere, {sign}incognito once TEXT for a single message.",
            sign=sign,
        ),
    ]


def hosts(where: str) -> str:
    """Return the hosts of these addresses, for people to read."""
    hosts = [urlsplit(address.strip()).hostname or address for address in where.split(",")]
    named = [_("a model on this same machine") if host in _LOCAL else _("a model at {host}", host=host) for host in hosts]
    return listed(list(dict.fromkeys(named)), alternatives=True)


def _kept(place: Place, *, listening: bool) -> str:
    if place.is_private:
        return _("Here I keep what you say to me and what I answer.")
    if listening:
        return _("An admin turned listening on: here I keep everything that is said.")
    return _(
        "Here I keep what is said to me (by mention, in answer to me, or in my threads) and what I answer. Of the "
        "rest I keep no word."
    )


def _read_by(place: Place, *, reach: bool) -> str:
    if place.is_private:
        alone = _("I tell it only to you, here or elsewhere.")
        return f"{alone} {_('You let me use here what I heard in servers and rooms that you can read.')}" if reach else alone
    if place.reach is Reach.PUBLIC:
        return _("What I keep here can come up anywhere in this server, and in a DM with whoever can read this and asked for it.")
    if place.reach is Reach.ROOM:
        return _(
            "What I keep here can come up in this room, in a room that replaces it while everyone there could read this one, and in "
            "a DM with whoever can read it and asked for it; nowhere else."
        )
    return _("What I keep here can come up in this channel, and in a DM with whoever can read it and asked for it; nowhere else.")


async def introduce(services: Services, place: Place, view: View, session: Session, prefix: str) -> None:
    """Say at a place who she is, or that she goes on there and whether an answer waits in a room that it replaces; once.

    Everything is said in the current language; `prefix` is what typed commands begin with.
    """
    if continues_room(place, view):
        if not await view.notices.has_gone_on(place.channel, session):
            waits = await services.outgoing.has_waiting_answer(place.platform, {circle.id for circle in place.earlier})
            await _go_on(services, place, view, session, prefix, waits=waits)
        return
    if await view.notices.has_greeted():
        return
    text = introduction(services.models.goes_to, prefix, shared=not place.is_private)
    await services.outgoing.say(place, text, partial(view.notices.greet, session))


async def say_left_behind(services: Services, place: Place, view: View, session: Session, prefix: str) -> None:
    """Say once, in a room that replaces another, that nobody will see an answer that waits there."""
    if not await view.notices.has_gone_on(place.channel, session):
        await _go_on(services, place, view, session, prefix, waits=True)
        return
    once = partial(view.notices.once, f"session:{session.id}", _LEFT_BEHIND, session)
    await services.outgoing.say(place, left_behind(), once)


async def _go_on(services: Services, place: Place, view: View, session: Session, prefix: str, *, waits: bool) -> None:
    text = continuation_notice(prefix, waits=waits)
    await services.outgoing.say(place, text, partial(view.notices.queue_room_notice, place.channel, session))


def continues_room(place: Place, view: View) -> bool:
    """Return whether a place replaces a room whose memory it goes on with."""
    return bool(place.earlier and view.others_of_place)
