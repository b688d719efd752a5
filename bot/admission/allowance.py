"""Limits per person, per place and in total: answers and tokens, per minute and per day. Linked accounts count as one person.

Beyond a limit, answers come from a smaller prompt, then from a cheaper model if there is one, and beyond twice the limit not at
all, for a while. The admins of a place may set lower limits than the configuration. An account that writes faster than a person
could gets only a few consecutive answers, so that two bots do not talk forever.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from adapters.events import Person, Place
from bot.admission.place_limits import EACH, HERE, NO_LIMIT, place_limits, stricter
from bot.config.people_sections import Limit
from bot.config.settings import Settings
from bot.conversation.people import People, is_operator
from bot.conversation.preferences import Chosen
from localization.sentences import _, ngettext
from memory.places.scope_settings import KeptSettings
from memory.ports import Clock
from memory.types import MINUTE, Identity

_DAY = 24 * 60 * MINUTE
_SECOND = MINUTE // 60
_QUICK_REPLY = 3 * _SECOND // 2
"""A reply within this time after an answer is faster than a person can read and write."""
_PAUSE_SECONDS = 60
"""The seconds announced to such an account until it is answered again."""
_DECLINED_FROM, _CHEAPER_MODEL_FROM = 2.0, 1.5
"""The multiple of a limit beyond which nothing is answered."""
_SCOPE, _KEY = "install", "allowance"


class Grant(Enum):
    """The grades of service: full, a smaller prompt, a cheaper model as well, declined with a notice, or without one."""

    FULL = "full"
    SMALLER_PROMPT = "less"
    CHEAPER_MODEL = "least"
    DECLINED = "told"
    IGNORED = "nothing"


class _Use(NamedTuple):
    """Answers and tokens that were used at an instant."""

    at: int
    turns: int
    tokens: int


@dataclass(slots=True)
class _Used:
    """The usage of one counter: `recent` is that of the last minute, `turns` and `tokens` are those of `day`.

    A declined account was notified, and is not again before `notified_until`.
    """

    recent: deque[_Use] = field(default_factory=deque)
    day: int = 0
    turns: int = 0
    tokens: int = 0
    notified_until: int = 0

    def add(self, now: int, turns: int, tokens: int) -> None:
        if self.day != now // _DAY:
            self.day, self.turns, self.tokens = now // _DAY, 0, 0
        self.turns += turns
        self.tokens += tokens
        self.recent.append(_Use(now, turns, tokens))

    def today(self, now: int) -> tuple[int, int]:
        """Return the answers and tokens used today, dropping minute records that are too old, or of a clock that was ahead."""
        while self.recent and not now - MINUTE < self.recent[0].at <= now:
            self.recent.popleft()
        return (self.turns, self.tokens) if self.day == now // _DAY else (0, 0)


def _share(used: Sequence[_Used], limit: Limit, now: int) -> tuple[float, int]:
    """Return the used fraction of a limit (1 is all of it), and how long that lasts, in microseconds."""
    today = [one.today(now) for one in used]
    recent = [use for one in used for use in one.recent]
    next_minute = min((use.at for use in recent), default=now - MINUTE) + MINUTE - now
    shares = [
        (had / most, left)
        for had, most, left in (
            (sum(use.turns for use in recent), limit.turns_per_minute, next_minute),
            (sum(use.tokens for use in recent), limit.tokens_per_minute, next_minute),
            (sum(turns for turns, _ in today), limit.turns_per_day, _DAY - now % _DAY),
            (sum(tokens for _, tokens in today), limit.tokens_per_day, _DAY - now % _DAY),
        )
        if most
    ]
    return max(shares, default=(0.0, 0))


class Allowance:
    """Counts usage. Today's usage is persisted if there is a daily limit."""

    def __init__(self, settings: Settings, stored: KeptSettings, people: People, clock: Clock) -> None:
        self._people = people
        self._limits = settings.limits
        self._stored = stored
        self._clock = clock
        self._own = settings.accounts
        self._used: dict[str, _Used] = {}
        self._streaks: dict[str, tuple[int, int]] = {}
        self._changed = False
        self._daily: set[str] = set()

    def __len__(self) -> int:
        return len(self._used) + len(self._streaks)

    async def open(self) -> None:
        """Load today's usage."""
        stored = await self._stored.get(_SCOPE, _KEY)
        day = self._clock.now() // _DAY
        if isinstance(stored, dict) and stored.get("day") == day:
            self._used = {name: _Used(day=day, turns=turns, tokens=tokens) for name, (turns, tokens) in stored["had"].items()}
            self._daily = set(self._used)

    async def save(self) -> None:
        """Persist today's usage if there is a daily limit, and drop expired counters."""
        self._drop_expired()
        day = self._clock.now() // _DAY
        usage = {name: [used.turns, used.tokens] for name, used in self._used.items() if used.day == day and name in self._daily}
        if not (usage and self._changed):
            return
        self._changed = False
        await self._stored.set(_SCOPE, _KEY, {"day": day, "had": usage})

    def _drop_expired(self) -> None:
        now = self._clock.now()
        today, minute_ago = now // _DAY, now - MINUTE
        self._streaks = {key: (count, at) for key, (count, at) in self._streaks.items() if at > minute_ago}
        self._used = {
            name: used
            for name, used in self._used.items()
            if used.notified_until > now
            or any(use.at > minute_ago for use in used.recent)
            or (used.day == today and name in self._daily)
        }

    async def take(self, person: Person, place: Place, said_at: int, chosen: Chosen) -> tuple[Grant, int]:
        """Count an answer to a message said at an instant; return its grade, and for how many seconds service is reduced.

        `chosen` are the settings of both.
        """
        accounts = await self._people.accounts(Identity(person.platform, person.id), chosen)
        if self._is_free(person, accounts):
            return Grant.FULL, 0
        now = self._clock.now()
        own = self._counter(_name("person", person.platform, person.id))
        if self._limits.in_a_row and self._count_quick_reply(person, place, said_at) >= self._limits.in_a_row:
            # Only once, since clocks may differ and it may have been a person.
            return self._declined(own, now, _PAUSE_SECONDS * _SECOND), _PAUSE_SECONDS
        scopes = self._scopes(person, place, chosen)
        self._daily.update(name for name, limit in scopes if limit.turns_per_day or limit.tokens_per_day)
        share, left = self._used_fraction(accounts, place, chosen)
        seconds = -(-left // _SECOND)
        if share >= _DECLINED_FROM:
            return self._declined(own, now, left), seconds
        for name, _limit in scopes:
            self._counter(name).add(now, 1, 0)
        self._changed = True
        return (
            Grant.FULL if share < 1 else Grant.SMALLER_PROMPT if share < _CHEAPER_MODEL_FROM else Grant.CHEAPER_MODEL
        ), seconds

    async def is_over(self, person: Person, place: Place, said_at: int, chosen: Chosen) -> bool:
        """Return whether `take` would decline now, without counting anything."""
        accounts = await self._people.accounts(Identity(person.platform, person.id), chosen)
        if self._is_free(person, accounts):
            return False
        in_a_row = self._limits.in_a_row
        return bool(in_a_row and self._quick_replies(person, place, said_at) >= in_a_row) or (
            self._used_fraction(accounts, place, chosen)[0] >= _DECLINED_FROM
        )

    def _is_free(self, person: Person, accounts: Sequence[Identity]) -> bool:
        """Return whether somebody is the operator, who has no limits."""
        return is_operator(person.platform) or not self._own.isdisjoint((one.platform, one.native_id) for one in accounts)

    def _used_fraction(self, accounts: Sequence[Identity], place: Place, chosen: Chosen) -> tuple[float, int]:
        """Return the used fraction of the tightest limit on a person's accounts at a place, and for how long, in microseconds."""
        # Each account is counted separately, so that linking and unlinking change no count.
        people = [Person(one.platform, one.native_id, "") for one in accounts]
        counted = [self._scopes(one, place, chosen) for one in people]
        shares = [
            _share([self._counter(name) for name in dict.fromkeys(scopes[at][0] for scopes in counted)], limit, self._clock.now())
            for at, (_, limit) in enumerate(counted[0])
        ]
        return max(shares, default=(0.0, 0))

    def record(self, person: Person, place: Place, tokens: int, chosen: Chosen) -> None:
        """Record an answer that was sent, and its tokens."""
        now = self._clock.now()
        key = self._streak_key(person, place)
        count, _ = self._streaks.get(key, (0, 0))
        self._streaks[key] = count, now
        for name, _ in self._scopes(person, place, chosen):
            self._counter(name).add(now, 0, tokens)
        self._changed = True

    @staticmethod
    def _declined(counter: _Used, now: int, left: int) -> Grant:
        """Return the grade for a declined message: with a notice, unless one was sent within the period."""
        # No period is longer than a day: a later end was noted by a clock that was ahead.
        if now < counter.notified_until <= now + _DAY:
            return Grant.IGNORED
        counter.notified_until = now + left
        return Grant.DECLINED

    def _count_quick_reply(self, person: Person, place: Place, said_at: int) -> int:
        """Return the result of `_quick_replies`, and count this message."""
        key, count = self._streak_key(person, place), self._quick_replies(person, place, said_at)
        _, answered_at = self._streaks.get(key, (0, 0))
        if answered_at and said_at >= answered_at:
            # A declined account stays in its streak until it pauses.
            self._streaks[key] = count, said_at if count >= self._limits.in_a_row else answered_at
        return count

    def _quick_replies(self, person: Person, place: Place, said_at: int) -> int:
        """Return how many consecutive messages, including this one, followed an answer faster than a person could read it."""
        count, answered_at = self._streaks.get(self._streak_key(person, place), (0, 0))
        # Of an account that is declined it is when its last message was said, and an earlier one may be taken up after that.
        earliest = answered_at - _QUICK_REPLY if count >= self._limits.in_a_row else answered_at
        return count + 1 if answered_at and earliest <= said_at <= answered_at + _QUICK_REPLY else 0

    def _scopes(self, person: Person, place: Place, chosen: Chosen) -> Sequence[tuple[str, Limit]]:
        """Return the limits that apply, each with the name of its counter."""
        here, each = (NO_LIMIT, NO_LIMIT) if place.is_private else (place_limits(chosen, place, whose) for whose in (HERE, EACH))
        scopes = (
            (_name("person", person.platform, person.id), self._limits.person),
            (_name("each", place.platform, place.channel, person.platform, person.id), each),
            (_name("place", place.platform, place.channel), stricter(self._limits.place, here)),
            ("all", self._limits.all),
        )
        return [(name, limit) for name, limit in scopes if limit != NO_LIMIT]

    def _counter(self, name: str) -> _Used:
        return self._used.setdefault(name, _Used())

    def _streak_key(self, person: Person, place: Place) -> str:
        # If each answer opens its own thread, all threads count as one streak.
        return _name("streak", person.platform, person.id, place.channel)


def _name(*parts: str) -> str:
    return ":".join(parts)


def too_much(seconds: int, *, kept: bool) -> str:
    """Return the notice that a limit is reached, when answers resume, and whether the message is kept."""
    minutes = -(-seconds // 60)
    again = (
        _("in a minute")
        if minutes <= 1
        else ngettext("in {n} minute", "in {n} minutes", minutes)
        if minutes < 120
        else ngettext("in {n} hour", "in {n} hours", -(-minutes // 60))
    )
    if kept:
        return _("That was a lot in a short time. I keep what you say, and will answer you again {again}.", again=again)
    return _("That was a lot in a short time. I will answer you again {again}; I keep none of this.", again=again)
