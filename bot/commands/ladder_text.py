"""How what was made of conversations is shown: facts, months, arcs, her own state, each with what it rests on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from bot.commands.receipts import Ids, day, moment, short
from memory.text.quantities import counted
from memory.tiers.drives import NAMES, Drives
from memory.tiers.selfstate import Moment, SelfState
from memory.types import Exchange, Statement
from memory.view.digests import SelfStates

TAKES_A_MODEL = "That takes a model: without one I make gists and summaries of what is said, and nothing above them."
RESET = "I am as at the beginning here: no mood, no drives, nothing said of myself. What you told me is as it was."
NO_WORDS = "Say what is so instead."
_EMPTY = {
    "profile": "I know no standing fact here yet.",
    "era": "No month is told here yet.",
    "narrative": "Nothing goes on here yet that I could tell.",
    "self": "I have nothing to say of myself here yet.",
}
_FIRST = {"inferred": "Inferred", "arc": "Going on", "trend": "Trend", "callback": "Left open"}
_BARS = "▁▂▃▄▅▆▇█"
_MOMENTS = 60
_SHOWN = 2
_SHORT = 80
_NAMED = 10

Receipts = Mapping[int, Sequence[Exchange]]


def empty(tier: str, *, past: bool, model: bool) -> str:
    """Say why there is nothing to show of a tier."""
    if past:
        return "Nothing of that was replaced so far."
    return f"{_EMPTY[tier]} It is made of gists, once there are enough." if model else TAKES_A_MODEL


def listed(
    stated: Iterable[Statement], said: Receipts, months: Mapping[str, int], ids: Ids, now: int, time_zone: str, *, begin: int = 1
) -> Iterator[str]:
    """Yield statements, numbered, each with its receipt; paragraphs of a month stand under its name.

    `months` says of how many conversations each month was told.
    """
    period = ""
    for at, one in enumerate(stated, start=begin):
        if one.period != period:
            period = one.period
            yield _month(period, months.get(period, 0))
        yield f"{at}. {statement(one, said[one.key], ids, now, time_zone)}"


def _month(period: str, sessions: int) -> str:
    return f"{date.fromisoformat(f'{period}-01'):%B %Y}" + (f", from {counted(sessions, 'conversation')}" if sessions else "")


def statement(one: Statement, said: Sequence[Exchange], ids: Ids, now: int, time_zone: str) -> str:
    """Return a statement, and below it since when it stands (or stood), its id, and the last messages it rests on."""
    first = f"{_FIRST[one.kind]}: " if one.kind in _FIRST else ""
    lines = [f"{first}{one.text}", f"    {_when(one, time_zone)} · id {ids[one.id]}"]
    lines += [f"    {quoted(message, now, time_zone)}" for message in said[-_SHOWN:]]
    if len(said) > _SHOWN:
        lines.append(f"    and {counted(len(said) - _SHOWN, 'message')} before")
    return "\n".join(lines)


def state(now: SelfState, time_zone: str) -> str:
    """Return how she is, in two lines."""
    since = f", since {day(now.since, time_zone)}" if now.since else ""
    mood = f"My mood here is {now.mind.mood:+.1f} (from -1 to 1), my energy {now.mind.energy:.1f} (from 0 to 1){since}."
    return f"{mood}\nWhat drives me, from 0 to 1: {driven(now.mind.drives)}."


async def told(kept: SelfStates, time_zone: str, *, past: bool) -> str:
    """Return how she is at a home, or how she was from her first state on."""
    return over_time(await kept.history(), time_zone) if past else state(await kept.now(), time_zone)


def driven(drives: Drives) -> str:
    """Return the levels of her drives."""
    return ", ".join(f"{name} {drives[name]:.2f}" for name in NAMES)


def over_time(moments: Sequence[Moment], time_zone: str) -> str:
    """Return how she was from her first state on, a line a measure; '' where she had fewer than two."""
    if len(moments) < 2:
        return ""
    oldest_first = [moment.mind for moment in reversed(moments[:_MOMENTS])]
    measures: list[tuple[str, list[float], float]] = [
        ("mood", [mind.mood for mind in oldest_first], -1.0),
        ("energy", [mind.energy for mind in oldest_first], 0.0),
        *((name, [mind.drives[name] for mind in oldest_first], 0.0) for name in NAMES),
    ]
    days = f"{day(moments[len(oldest_first) - 1].at, time_zone)} to {day(moments[0].at, time_zone)}"
    lines = [f"{name:<11} {_sparkline(values, least)} {values[-1]:+.2f}" for name, values, least in measures]
    return "\n".join([f"From {days}:", *lines])


def _sparkline(values: Sequence[float], least: float) -> str:
    """Draw values between `least` and 1."""
    return "".join(_BARS[min(len(_BARS) - 1, int((value - least) / (1 - least) * len(_BARS)))] for value in values)


def corrected(old: Statement, new: Statement, said: Sequence[Exchange], ids: Ids, now: int, time_zone: str) -> str:
    """Say what stands now in the place of a fact."""
    return f'"{old.text}" does not stand any more; what stands is:\n{statement(new, said, ids, now, time_zone)}'


def let_go(said: Sequence[Exchange], ids: Ids, now: int, time_zone: str, forget: str) -> str:
    """Say that a fact is gone, and that the messages it rested on stay; `forget` is how one of them is forgotten."""
    lines = [f"Forgotten, and not to be found again by itself. What it rested on stays; {forget} ID forgets that too:"]
    lines += [f"- {quoted(message, now, time_zone)} · id {ids[message.id]}" for message in said[-_NAMED:]]
    if len(said) > _NAMED:
        lines.append(f"and {counted(len(said) - _NAMED, 'message')} before")
    return "\n".join(lines)


def quoted(message: Exchange, now: int, time_zone: str) -> str:
    """Return who said a message when, and its beginning."""
    return f'{message.speaker}, {moment(message.said_at, now, time_zone)}: "{short(message.text, _SHORT)}"'


def _when(one: Statement, time_zone: str) -> str:
    first, last = day(one.first_at, time_zone), day(one.last_at, time_zone)
    if one.ended_at is not None:
        return f"from {first}, replaced on {day(one.ended_at, time_zone)}"
    return f"since {first}" + (f", last on {last}" if last != first else "")
