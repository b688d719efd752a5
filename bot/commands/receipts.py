"""How recalled things are shown to people: who said it, when, where, and its id."""

from collections.abc import Mapping
from datetime import timedelta

from bot.commands.reasons import in_words
from memory.store.restoring import SetAside
from memory.text.quantities import counted
from memory.text.times import local
from memory.types import Condensed, Digest, Exchange, Forgotten, Hit, Session

_LONG = 300
_SHOWN = 3

Ids = Mapping[str, str]
"""Ids as they are shown, by the whole ones."""


def moment(at: int, now: int, time_zone: str) -> str:
    """Return an instant as people say it: today at 21:04, yesterday at 09:10, on 3 March 2026 at 08:00."""
    then, today = local(at, time_zone), local(now, time_zone).date()
    if then.date() == today:
        return f"today at {then:%H:%M}"
    if then.date() == today - timedelta(days=1):
        return f"yesterday at {then:%H:%M}"
    return f"on {then.day} {then:%B %Y} at {then:%H:%M}"


def hit(found: Hit, ids: Ids, now: int, time_zone: str, link: str = "") -> str:
    """Return a recalled message with its receipt, on two lines."""
    e = found.exchange
    who = f'{short(e.speaker)}, {moment(e.said_at, now, time_zone)}, in "{short(found.session)}"'
    receipt = " · ".join(part for part in (who, link, in_words(found.why), f"id {ids[e.id]}") if part)
    return f"{short(e.text)}\n    {receipt}"


def condensed(found: Condensed, ids: Ids, now: int, time_zone: str) -> str:
    """Return a recalled gist, or paragraph of a month, with its receipt and the last messages that it rests on."""
    of = f'Gist of "{found.where}"' if found.tier == "gist" else f"From {found.where}"
    receipt = " · ".join(part for part in (of, in_words(found.why), f"id {ids[found.id]}") if part)
    said_there = [f"    {said(message, now, time_zone)} · id {ids[message.id]}" for message in found.sources[-_SHOWN:]]
    return "\n".join([found.text, f"    {receipt}", *said_there])


def named(*found: Hit | Condensed) -> list[str]:
    """Return the ids that are shown with what was found."""
    return [id for one in found for id in _ids(one)]


def _ids(found: Hit | Condensed) -> list[str]:
    if isinstance(found, Hit):
        return [found.exchange.id]
    return [found.id, *(message.id for message in found.sources[-_SHOWN:])]


def summary(digests: list[Digest], time_zone: str) -> str:
    """Return a session's summary, oldest first, each digest with the days it covers."""
    return "\n\n".join(f"{_days(digest, time_zone)}\n{digest.text}" for digest in digests)


def _days(digest: Digest, time_zone: str) -> str:
    first, last = day(digest.first_at, time_zone), day(digest.last_at, time_zone)
    return first if first == last else f"{first} – {last}"


def set_aside(memory: SetAside, time_zone: str) -> str:
    """Return where the memory from before a restore is, and until when."""
    return f"The old memory is at {memory.path} until {day(memory.until, time_zone)}; then it is dropped."


def day(at: int, time_zone: str) -> str:
    """Return the day of an instant: 3 March 2026."""
    then = local(at, time_zone)
    return f"{then.day} {then:%B %Y}"


def forget_session(session: Session) -> str:
    """Return the question before a conversation is forgotten."""
    kept = (
        f"all {session.messages:,} messages of"
        if session.messages > 1
        else "the one message of"
        if session.messages
        else "all of"
    )
    return f'Forget {kept} "{session.name}", for good?'


def forgotten(receipt: Forgotten) -> str:
    """Return what is gone, counted."""
    counts = ((receipt.messages, "message"), (receipt.replies, "reply"), (receipt.digests, "digest"))
    named = [counted(n, what) for n, what in counts if n]
    return f"Forgotten: {', '.join(named)}." if named else "Nothing was left to forget."


def short(text: str, most: int = _LONG) -> str:
    """Return a text as one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def said(e: Exchange, now: int, time_zone: str) -> str:
    """Return one message as it was said, with who and when."""
    return f"{short(e.speaker)}, {moment(e.said_at, now, time_zone)}: {short(e.text)}"
