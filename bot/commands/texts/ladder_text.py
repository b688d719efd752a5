"""Rendering of statements: facts, months, arcs, her self-state, each with its sources; and the notes of a shared place."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime

from bot.commands.texts.receipts import Ids, day, moment, one_line
from localization.formatting import day as named_day
from localization.formatting import month as named_month
from localization.numerals import number, signed
from localization.sentences import _, lazy, marked, ngettext
from memory.bank.block import BankEntry, bullet, entries
from memory.text.time import periods
from memory.tiers.drives import NAMES, Drives
from memory.tiers.selfstate import DatedState, SelfState
from memory.types import Exchange, Statement
from memory.view.digests import SelfStates

TAKES_A_MODEL = lazy("That takes a model: without one I make gists and summaries of what is said, and nothing more.")
RESET = lazy("I am as at the beginning here: no mood, no drives, nothing said of myself. What you told me is as it was.")
NO_WORDS = lazy("Say what is true instead.")
_EMPTY = {
    "profile": lazy("I know no lasting facts here yet."),
    "era": lazy("No month is told here yet."),
    "narrative": lazy("Nothing is going on here yet that I could tell."),
    "self": lazy("I have nothing to say about myself here yet."),
}
_FIRST = {"inferred": lazy("Inferred"), "arc": lazy("Going on"), "trend": lazy("Trend"), "callback": lazy("Left open")}
_MEASURES = (
    marked("mood"), marked("energy"), marked("continuity"), marked("coherence"), marked("curiosity"), marked("stability"),
)  # fmt: skip
"""What `drive_name` translates."""
_BARS = "▁▂▃▄▅▆▇█"
_MOMENTS = 60
_SHOWN = 2
_SHORT = 80
_NAMED = 10

Receipts = Mapping[int, Sequence[Exchange]]


def empty_notice(tier: str, *, past: bool, model: bool) -> str:
    """Return why a tier has nothing to show."""
    if past:
        return _("Nothing of that was replaced so far.")
    return _("{empty} It is made from gists, once there are enough.", empty=_EMPTY[tier]) if model else str(TAKES_A_MODEL)


def numbered_statements(
    stated: Iterable[Statement], said: Receipts, months: Mapping[str, int], ids: Ids, now: int, time_zone: str, *, begin: int = 1
) -> Iterator[str]:
    """Yield numbered statements, each with its receipt; a month's paragraphs follow its name.

    `months` maps a month to the number of its conversations.
    """
    period = ""
    for at, one in enumerate(stated, start=begin):
        if one.period != period:
            period = one.period
            yield _month(period, months.get(period, 0))
        yield f"{at}. {statement(one, said[one.key], ids, now, time_zone)}"


def _month(period: str, sessions: int) -> str:
    named = named_month(date.fromisoformat(f"{period}-01"))
    if not sessions:
        return named
    return ngettext("{month}, from {n} conversation", "{month}, from {n} conversations", sessions, month=named)


def statement(one: Statement, said: Sequence[Exchange], ids: Ids, now: int, time_zone: str) -> str:
    """Return a statement, followed by since when it holds (or held), its id, and the last messages it rests on."""
    first = f"{_FIRST[one.kind]}: " if one.kind in _FIRST else ""
    lines = [f"{first}{one.text}", f"    {_when(one, time_zone)} · id {ids[one.id]}"]
    lines += [f"    {quoted(message, now, time_zone)}" for message in said[-_SHOWN:]]
    if len(said) > _SHOWN:
        lines.append(f"    {_before(len(said) - _SHOWN)}")
    return "\n".join(lines)


def state(now: SelfState, time_zone: str) -> str:
    """Return her self-state, in two lines."""
    mood = _(
        "My mood here is {mood} (from -1 to 1), my energy {energy} (from 0 to 1){since}.",
        mood=signed(now.mind.mood, digits=1),
        energy=number(now.mind.energy, digits=1),
        since=_(", since {day}", day=day(now.since, time_zone)) if now.since else "",
    )
    drives = _("What drives me, from 0 to 1: {drives}.", drives=drive_levels(now.mind.drives))
    return f"{mood}\n{drives}"


async def render_self(kept: SelfStates, time_zone: str, *, past: bool) -> str:
    """Return her self-state at a home, or its whole history."""
    return over_time(await kept.history(), time_zone) if past else state(await kept.now(), time_zone)


def drive_levels(drives: Drives) -> str:
    """Return the levels of her drives."""
    return ", ".join(f"{drive_name(name)} {number(drives[name], digits=2)}" for name in NAMES)


def drive_name(name: str) -> str:
    """Return the display name of a drive or another measure."""
    return _(name)


def over_time(moments: Sequence[DatedState], time_zone: str) -> str:
    """Return the history of her self-state, one line per measure; '' for fewer than two states."""
    if len(moments) < 2:
        return ""
    oldest_first = [moment.mind for moment in reversed(moments[:_MOMENTS])]
    measures: list[tuple[str, list[float], float]] = [
        ("mood", [mind.mood for mind in oldest_first], -1.0),
        ("energy", [mind.energy for mind in oldest_first], 0.0),
        *((name, [mind.drives[name] for mind in oldest_first], 0.0) for name in NAMES),
    ]
    first, last = day(moments[len(oldest_first) - 1].at, time_zone), day(moments[0].at, time_zone)
    lines = [
        f"{drive_name(name):<11} {_sparkline(values, least)} {signed(values[-1], digits=2)}" for name, values, least in measures
    ]
    return "\n".join([_("From {first} to {last}:", first=first, last=last), *lines])


def _sparkline(values: Sequence[float], least: float) -> str:
    """Return a sparkline of values between `least` and 1."""
    return "".join(_BARS[min(len(_BARS) - 1, int((value - least) / (1 - least) * len(_BARS)))] for value in values)


def correction_notice(old: Statement, new: Statement, said: Sequence[Exchange], ids: Ids, now: int, time_zone: str) -> str:
    """Report what replaced a fact."""
    return _(
        '"{text}" does not stand any more; what stands is:\n{statement}',
        text=old.text,
        statement=statement(new, said, ids, now, time_zone),
    )


def forgotten_fact_notice(said: Sequence[Exchange], ids: Ids, now: int, time_zone: str, forget: str) -> str:
    """Report that a fact was dropped, and that its messages stay; `forget` is the command that forgets one of them."""
    lines = [
        _("Forgotten, and not to be found again by itself. What it rested on stays; {forget} ID forgets that too:", forget=forget)
    ]
    lines += [f"- {quoted(message, now, time_zone)} · id {ids[message.id]}" for message in said[-_NAMED:]]
    if len(said) > _NAMED:
        lines.append(_before(len(said) - _NAMED))
    return "\n".join(lines)


def _before(n: int) -> str:
    return ngettext("and {n} message before", "and {n} messages before", n)


def quoted(message: Exchange, now: int, time_zone: str) -> str:
    """Return a message's speaker, time and beginning."""
    return f'{message.speaker}, {moment(message.said_at, now, time_zone)}: "{one_line(message.text, _SHORT)}"'


def _when(one: Statement, time_zone: str) -> str:
    first, last = day(one.first_at, time_zone), day(one.last_at, time_zone)
    if one.ended_at is not None:
        return _("from {first}, replaced on {ended_at}", first=first, ended_at=day(one.ended_at, time_zone))
    return _("since {first}, last on {last}", first=first, last=last) if last != first else _("since {first}", first=first)


def notes(shown: Sequence[Statement]) -> str:
    """Return the notes of a shared place, newest first, each under the time it covers."""
    return "\n".join("\n".join([f"{note_head(one)}:", *(f"- {bullet(note)}" for note in one.bullets)]) for one in entries(shown))


def note_head(noted: BankEntry) -> str:
    """Return what a note covers: Conversation of 3 March 2026 at 12:01, Week from 2 March 2026."""
    first = periods.days(noted.period)[0]
    match noted.rung:
        case periods.CONVERSATION:
            began = datetime.fromisoformat(periods.period_label(noted.period))
            return _("Conversation of {day} at {time}", day=named_day(began), time=f"{began:%H:%M}")
        case periods.DAY:
            return named_day(first)
        case periods.WEEK:
            return _("Week from {day}", day=named_day(first))
    return named_month(date.fromisoformat(f"{noted.period}-01"))
