"""Rendering of recalled items: speaker, time, conversation and id; why each was found, and how certain that is."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from adapters.command_table import Card
from localization.formatting import ago
from localization.formatting import day as named_day
from localization.numerals import number
from localization.sentences import _, ngettext
from memory.index.hits import Certainty, Condensed, Hit
from memory.store.commit_marks import LostCommits
from memory.store.restoring import SupersededMemory
from memory.text.time.times import local
from memory.types import Digest, Exchange, Forgotten, Session

_ALIKE = 0.5
"""The cosine from which people take two sentences to say the same in other words."""
_LONG = 300
_SHOWN = 3

Ids = Mapping[str, str]
"""Shortened ids by their full ones."""


def in_words(why: Sequence[str]) -> str:
    """Return the signals of a hit in words: same words: locker, code; it means much the same."""
    return "; ".join(dict.fromkeys(_in_words(one) for one in why))


def how_sure(certainty: Certainty) -> str:
    """Return how certain it is that a hit is about the question."""
    match certainty:
        case Certainty.SURE:
            return _("sure")
        case Certainty.LIKELY:
            return _("likely")
        case Certainty.WEAK:
            return _("perhaps about something else")


def nothing_sure(hits: Sequence[Hit | Condensed]) -> str:
    """Return the remark above hits that are all weak; '' for others, and for none."""
    weak = bool(hits) and all(hit.certainty is Certainty.WEAK for hit in hits)
    return _("I have nothing sure about that. The nearest is:") if weak else ""


def _in_words(signal: str) -> str:
    kind, _space, rest = signal.partition(" ")
    match kind:
        case "words:":
            return _("same words: {words}", words=rest)
        case "meaning":
            return _("it means much the same") if float(rest) >= _ALIKE else _("it means something like it")
        case "said":
            times = int(rest.split()[0])
            return ngettext("said {n} time", "said {n} times", times)
    return _("it is next to what was found") if signal == "beside a hit" else _(signal)


def moment(at: int, now: int, time_zone: str) -> str:
    """Return an instant as people write it: today at 21:04, yesterday at 09:10, on 3 March 2026 at 08:00."""
    then, today = local(at, time_zone), local(now, time_zone).date()
    if then.date() == today:
        return _("today at {time}", time=f"{then:%H:%M}")
    if then.date() == today - timedelta(days=1):
        return _("yesterday at {time}", time=f"{then:%H:%M}")
    return _("on {day} at {time}", day=named_day(then), time=f"{then:%H:%M}")


def hit(found: Hit, ids: Ids, now: int, time_zone: str, link: str = "") -> str:
    """Return a recalled message with its receipt, on two lines."""
    e = found.exchange
    who = message_place(e, found.session, now, time_zone)
    receipt = " · ".join(part for part in (who, link, _why(found, ids)) if part)
    return f"{one_line(e.text)}\n    {receipt}"


def card(found: Hit, at: int, ids: Ids, now: int, time_zone: str, link: str = "") -> Card:
    """Return a recalled message with its receipt as a card that links to it; `at` is its number in the list."""
    e = found.exchange
    return Card(one_line(e.text), f"{at}. {message_place(e, found.session, now, time_zone)}", _why(found, ids), link)


def _why(found: Hit, ids: Ids) -> str:
    parts = (how_sure(found.certainty), in_words(found.why), f"id {ids[found.exchange.id]}")
    return " · ".join(part for part in parts if part)


def condensed(found: Condensed, ids: Ids, now: int, time_zone: str) -> str:
    """Return a recalled gist or month paragraph, with its receipt and the last messages it rests on."""
    of = _('Gist of "{where}"', where=found.where) if found.tier == "gist" else _("From {where}", where=found.where)
    receipt = " · ".join(part for part in (of, how_sure(found.certainty), in_words(found.why), f"id {ids[found.id]}") if part)
    said_there = [f"    {message_line(message, now, time_zone)} · id {ids[message.id]}" for message in found.sources[-_SHOWN:]]
    return "\n".join([found.text, f"    {receipt}", *said_there])


def shown_ids(*found: Hit | Condensed) -> list[str]:
    """Return the ids shown with hits."""
    return [id for one in found for id in _ids(one)]


def _ids(found: Hit | Condensed) -> list[str]:
    if isinstance(found, Hit):
        return [found.exchange.id]
    return [found.id, *(message.id for message in found.sources[-_SHOWN:])]


def summary(digests: list[Digest], time_zone: str) -> str:
    """Return a session's summary, oldest first, each digest with the days it covers."""
    days = [dict.fromkeys((day(digest.first_at, time_zone), day(digest.last_at, time_zone))) for digest in digests]
    return "\n\n".join(f"{' – '.join(of)}\n{digest.text}" for of, digest in zip(days, digests, strict=True))


def set_aside(memory: SupersededMemory, time_zone: str) -> str:
    """Return where a memory replaced by a restore or a move is kept, and until when."""
    return _(
        "The old memory is at {path} until {until}; then it is dropped.", path=memory.path, until=day(memory.until, time_zone)
    )


def day(at: int, time_zone: str) -> str:
    """Return the day of an instant: 3 March 2026."""
    return named_day(local(at, time_zone))


def since(at: int, now: int) -> str:
    """Return how long ago an instant was: just now, 3 minutes ago, 2 days ago."""
    return ago(timedelta(microseconds=now - at))


def message_count(n: int) -> str:
    """Return a number of messages: 1 message, 1,200 messages."""
    return ngettext("{n} message", "{n} messages", n)


def given_up(messages: int) -> str:
    """Report the number of messages that were given up."""
    return ngettext(
        "{n} message was given up after three tries; the log says why.",
        "{n} messages were given up after three tries; the log says why.",
        messages,
    )


def message_place(e: Exchange, session: str, now: int, time_zone: str) -> str:
    """Return a message's speaker, time and conversation."""
    moment_of = moment(e.said_at, now, time_zone)
    return _('{who}, {moment}, in "{session}"', who=one_line(e.speaker), moment=moment_of, session=one_line(session))


def forget_session(session: Session) -> str:
    """Return the question before a conversation is forgotten."""
    if not session.messages:
        return _("Forget everything in this conversation, for good?")
    return ngettext(
        'Forget the one message of "{name}", for good?',
        'Forget all {n} messages of "{name}", for good?',
        session.messages,
        name=session.name,
    )


def forgotten_counts(receipt: Forgotten) -> str:
    """Return the counts of what is forgotten."""
    named = [message_count(receipt.messages)] if receipt.messages else []
    named += [ngettext("{n} reply", "{n} replies", receipt.replies)] if receipt.replies else []
    named += [ngettext("{n} digest", "{n} digests", receipt.digests)] if receipt.digests else []
    return _("Forgotten: {what}.", what=", ".join(named)) if named else _("Nothing was left to forget.")


def one_line(text: str, most: int = _LONG) -> str:
    """Return a text as one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def message_line(e: Exchange, now: int, time_zone: str) -> str:
    """Return a message with its speaker and time."""
    return f"{one_line(e.speaker)}, {moment(e.said_at, now, time_zone)}: {one_line(e.text)}"


def loss_notice(found: LostCommits, where: object, now: int) -> str:
    """Say that a memory was found in an older state than it was known to be in, and what to do."""
    newest = (
        _("the newest message that is there was kept {ago}", ago=since(found.newest, now))
        if found.newest
        else _("no message is there")
    )
    return _(
        "Memory: {path} is in an older state than it was ({n} writes are missing, which were there {until}): {newest}. Say again what "
        "was said to me after it. If the newer state is still somewhere, end me, put it back, and start me again.",
        path=where,
        n=number(found.commits),
        until=since(found.until, now),
        newest=newest,
    )
