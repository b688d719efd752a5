"""What Lyra says of herself at the first contact, of what is told in confidence, and what /privacy says."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from adapters.events import Place, Reach
from memory.text.quantities import counted
from memory.types import Covered
from memory.view.confidences import Confided

_LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})


def introduction(where: str, prefix: str = "", *, shared: bool) -> str:
    """Say in a few sentences what she is, what she keeps, and how to stop it.

    `where` is where messages go to be answered, `prefix` what commands begin with where they are typed.
    """
    sign = prefix or "/"
    goes = f"To answer I send it to {_hosts(where)}." if where else "Nothing of it leaves the machine I run on."
    if shared:
        return (
            "Hello, I am Lyra, a program that remembers. Here I keep what is said to me and what I answer, encrypted, for "
            f"everyone who can read this. {goes} {sign}forget removes what you said; {sign}privacy says more, and how to stop."
        )
    return (
        "Hello, I am Lyra, a program that remembers. I keep what you tell me here, encrypted, until you "
        f"{sign}forget it; nobody else gets to read it. {goes} {sign}privacy says more, and how to stop."
    )


def onward(prefix: str = "") -> str:
    """Say in a room that replaces another one that what was heard there is known here, and how long."""
    return (
        "This room replaces one that I was in. I go on with what I heard there as long as everyone who can read this could read "
        f"that; should somebody come who could not, I leave it out. {prefix or '/'}privacy says more."
    )


def offer(prefix: str = "") -> str:
    """Say that a thought waits to be said, and how to hear it."""
    sign = prefix or "/"
    return (
        "While we did not talk I had a thought about what you told me. "
        f"{sign}settings reflections on lets me say such thoughts to you now and then; I do not mention it again."
    )


def understood(told: Sequence[Confided], covered: Mapping[int, Covered], prefix: str = "") -> str:
    """Say in a line from whom messages are kept and how many earlier ones with them, and how to take that back.

    Nothing of what is kept is said, as everybody reads this. What is `covered` is known until a kill; /confide shows it.
    """
    whom, sign = kept_from(told), prefix or "/"
    known = [covered[one.exchange.key] for one in told if one.exchange.key in covered]
    earlier = sum(one.earlier for one in known)
    if not all(one.sure for one in known):
        last = ", with your last message before it" if earlier else ""
        return (
            f"I cannot tell which message you mean. To be safe {whom}{last}. {sign}confide shows what I keep so, "
            f"{sign}confide ID NAME keeps another."
        )
    if len(known) < len(told):
        return f"Understood: {whom}. {sign}confide shows what that is, and takes it back."
    more = f", with {counted(earlier, 'earlier message')} of yours" if earlier else ""
    return f"Understood: {whom}{more}. {sign}confide {'shows them, and takes it' if earlier else 'takes it'} back."


def kept_from(told: Sequence[Confided]) -> str:
    """Say from whom messages are kept: by their names, or from everybody else."""
    names = list(dict.fromkeys(name for one in told for name in one.names))
    return f"I keep this from {' and '.join(names)}" if all(one.names for one in told) else "this stays between the two of us"


def ended(messages: int) -> str:
    """Say how many messages may be told again."""
    return f"Understood: what you told me here in confidence may be known now ({counted(messages, 'message')})."


def privacy(place: Place, where: str, prefix: str = "", *, listening: bool, paused: bool, reach: bool) -> str:
    """Say what is kept at a place, who can read it, where it goes, and how to stop it."""
    sign = prefix or "/"
    lines = [_kept(place, listening=listening), _read_by(place, reach=reach)]
    lines.append("It lies in one encrypted file on the machine I run on, until it is forgotten; I make summaries of it there.")
    goes = f"To answer and to summarize, words go to {_hosts(where)}." if where else "No word of it leaves that machine."
    lines.append(goes)
    lines.append(
        f"{sign}recall shows what I have, with the day and the place. {sign}forget removes a message, a conversation or everything of "
        "yours, with all that was made of it and the answers that hold something of it; deleting or changing a message on this "
        f"platform does so as well. What I wrote here stays readable until you have me delete it: {sign}forget posts."
    )
    lines.append(
        "When a channel, a server or a room disappears, or I am not in it any more, what was said there comes up no more from that "
        f"moment, and is forgotten after a week unless somebody who ruled it tells me in a DM to keep it: {sign}privacy keep NAME."
    )
    lines.append(
        f"With a model I also make lasting facts, a digest a month and a narrative of it: {sign}memory profile, eras and narrative "
        f"show each with what it rests on; {sign}memory correct and {sign}memory forget put a fact right or let it go."
    )
    if paused:
        lines.append(f"You told me to stop: I keep nothing of yours and do not answer. {sign}privacy resume undoes it.")
    else:
        lines.append(f"{sign}privacy stop: from then on I keep nothing you say, anywhere on this platform, and do not answer.")
    return "\n".join(lines)


def _hosts(where: str) -> str:
    """Return who gets the words: the hosts of these addresses, as people call them."""
    hosts = [urlsplit(address.strip()).hostname or address for address in where.split(",")]
    named = ["a model on this same machine" if host in _LOCAL else f"a model at {host}" for host in hosts]
    return ", or ".join(dict.fromkeys(named))


def _kept(place: Place, *, listening: bool) -> str:
    if place.is_private:
        return "Here I keep what you say to me and what I answer."
    if listening:
        return "An admin turned listening on: here I keep everything that is said."
    return "Here I keep what is said to me (by mention, in answer to me, or in my threads) and what I answer. Of the rest I keep no word."


def _read_by(place: Place, *, reach: bool) -> str:
    if place.is_private:
        more = " You let me use here what I heard in servers and rooms that you can read." if reach else ""
        return f"Nobody but you gets to read it, in this place or another.{more}"
    if place.reach is Reach.PUBLIC:
        return "What I keep here can come up anywhere in this server, and in a DM with who can read this and asked for it."
    what = "room" if place.reach is Reach.ROOM else "channel"
    next_one = ", in a room that replaces it while everyone there could read this one" if place.reach is Reach.ROOM else ""
    return (
        f"What I keep here can come up in this {what}{next_one}, and in a DM with who can read it and asked for it; nowhere else."
    )
