"""How much a person, a place and all together have of her: answers and tokens, a minute and a day. Linked accounts are one person's.

Who asks for more is answered from a smaller prompt at first, then by a cheaper model where there is one, and beyond twice as much
no more, for a while. Whoever runs a place may set less for it than the configuration allows. An account that
writes faster than a person could gets a few answers in a row, so that two machines do not talk for ever.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from adapters.events import Person, Place
from bot.admission.place_limits import EACH, HERE, place_limits, stricter
from bot.commands.being import owned
from bot.config.crowd import Limit
from bot.config.settings import Settings
from bot.conversation.people import People
from bot.conversation.preferences import Chosen
from memory.places.settings import KeptSettings
from memory.ports import Clock
from memory.types import MINUTE, Identity

_DAY = 24 * 60 * MINUTE
_SECOND = MINUTE // 60
_AT_ONCE = 3 * _SECOND // 2
"""How soon after an answer a person can hardly have read it and written the next message."""
_BREATH = 60
"""For how many seconds, as it is said, such an account gets no answer: until it waits a little."""
_LESS_UNTIL, _LEAST_FROM = 2.0, 1.5
"""At how many times a limit nothing is answered any more."""
_NO_LIMIT = Limit()
_SCOPE, _KEY = "install", "allowance"


class Grant(Enum):
    """What somebody gets: an answer, one from a smaller prompt, one of a cheaper model as well, none and a word on it, or nothing."""

    FULL = "full"
    LESS = "less"
    LEAST = "least"
    TOLD = "told"
    NOTHING = "nothing"


@dataclass(slots=True)
class _Used:
    recent: deque[tuple[int, int, int]] = field(default_factory=deque)
    day: int = 0
    turns: int = 0
    tokens: int = 0
    told: int = 0

    def add(self, now: int, turns: int, tokens: int) -> None:
        if self.day != now // _DAY:
            self.day, self.turns, self.tokens = now // _DAY, 0, 0
        self.turns += turns
        self.tokens += tokens
        self.recent.append((now, turns, tokens))

    def today(self, now: int) -> tuple[int, int]:
        """Return how many answers and tokens were had today, after letting go of what is older than a minute."""
        while self.recent and self.recent[0][0] <= now - MINUTE:
            self.recent.popleft()
        return (self.turns, self.tokens) if self.day == now // _DAY else (0, 0)


def _share(used: Sequence[_Used], limit: Limit, now: int) -> tuple[float, int]:
    """Return how much of a limit is used by all these together, 1 for all of it, and for how long that lasts, in microseconds."""
    today = [one.today(now) for one in used]
    recent = [had for one in used for had in one.recent]
    next_minute = min((at for at, *_ in recent), default=now - MINUTE) + MINUTE - now
    shares = [
        (had / most, left)
        for had, most, left in (
            (sum(turns for _, turns, _ in recent), limit.turns_per_minute, next_minute),
            (sum(tokens for *_, tokens in recent), limit.tokens_per_minute, next_minute),
            (sum(turns for turns, _ in today), limit.turns_per_day, _DAY - now % _DAY),
            (sum(tokens for _, tokens in today), limit.tokens_per_day, _DAY - now % _DAY),
        )
        if most
    ]
    return max(shares, default=(0.0, 0))


class Allowance:
    """Counts what was had. What was had today outlives the process where a day has a limit."""

    def __init__(self, settings: Settings, kept: KeptSettings, people: People, clock: Clock) -> None:
        self._people = people
        self._limits = settings.limits
        self._kept = kept
        self._clock = clock
        self._own = settings.accounts
        self._used: dict[str, _Used] = {}
        self._rows: dict[str, tuple[int, int]] = {}
        self._changed = False
        self._daily: set[str] = set()

    def __len__(self) -> int:
        """Return how many people, places and conversations are counted now."""
        return len(self._used) + len(self._rows)

    async def open(self) -> None:
        """Read what was had today."""
        kept = await self._kept.get(_SCOPE, _KEY)
        day = self._clock.now() // _DAY
        if isinstance(kept, dict) and kept.get("day") == day:
            self._used = {name: _Used(day=day, turns=had[0], tokens=had[1]) for name, had in kept["had"].items()}
            self._daily = set(self._used)

    async def save(self) -> None:
        """Keep what was had today, where a day has a limit, and drop what counts no more."""
        self._drop()
        day = self._clock.now() // _DAY
        had = {name: [one.turns, one.tokens] for name, one in self._used.items() if one.day == day and self._by_day(name)}
        if not (had and self._changed):
            return
        self._changed = False
        await self._kept.set(_SCOPE, _KEY, {"day": day, "had": had})

    def _drop(self) -> None:
        now = self._clock.now()
        self._rows = {row: (count, at) for row, (count, at) in self._rows.items() if at > now - MINUTE}
        today = now // _DAY
        self._used = {
            name: one
            for name, one in self._used.items()
            if one.told > now or any(at > now - MINUTE for at, *_ in one.recent) or (one.day == today and self._by_day(name))
        }

    async def take(self, person: Person, place: Place, said_at: int, chosen: Chosen) -> tuple[Grant, int]:
        """Take an answer to what a person said at an instant; return what they get, and for how many seconds it is less.

        `chosen` is what is set for both.
        """
        accounts = await self._people.accounts(Identity(person.platform, person.id), chosen)
        if self._is_free(person, accounts):
            return Grant.FULL, 0
        now = self._clock.now()
        mine = self._of(_name("person", person.platform, person.id))
        if self._limits.in_a_row and self._goes_on(person, place, said_at) >= self._limits.in_a_row:
            # Said once as well: clocks may differ, and then it was a person.
            return self._told(mine, now, _BREATH * _SECOND), _BREATH
        scopes = self._scopes(person, place, chosen)
        self._daily.update(name for name, limit in scopes if limit.turns_per_day or limit.tokens_per_day)
        share, left = self._had_of(accounts, place, chosen)
        seconds = -(-left // _SECOND)
        if share >= _LESS_UNTIL:
            return self._told(mine, now, left), seconds
        for name, _ in scopes:
            self._of(name).add(now, 1, 0)
        self._changed = True
        return (Grant.FULL if share < 1 else Grant.LESS if share < _LEAST_FROM else Grant.LEAST), seconds

    async def is_over(self, person: Person, place: Place, said_at: int, chosen: Chosen) -> bool:
        """Say whether `take` would give no answer now; nothing is taken."""
        accounts = await self._people.accounts(Identity(person.platform, person.id), chosen)
        if self._is_free(person, accounts):
            return False
        in_a_row = self._limits.in_a_row
        return bool(in_a_row and self._quick(person, place, said_at) >= in_a_row) or (
            self._had_of(accounts, place, chosen)[0] >= _LESS_UNTIL
        )

    def _is_free(self, person: Person, accounts: Sequence[Identity]) -> bool:
        """Say whether somebody runs her, and has no limits."""
        return owned(person.platform) or not self._own.isdisjoint((one.platform, one.native_id) for one in accounts)

    def _had_of(self, accounts: Sequence[Identity], place: Place, chosen: Chosen) -> tuple[float, int]:
        """Return how much of the narrowest limit on these accounts of one person is used at a place, and for how long, in microseconds."""
        # What was had under each account stays counted by itself, so that linking and unlinking change no count.
        people = [Person(one.platform, one.native_id, "") for one in accounts]
        counted = [self._scopes(one, place, chosen) for one in people]
        shares = [
            _share([self._of(name) for name in dict.fromkeys(scopes[at][0] for scopes in counted)], limit, self._clock.now())
            for at, (_, limit) in enumerate(counted[0])
        ]
        return max(shares, default=(0.0, 0))

    def had(self, person: Person, place: Place, tokens: int, chosen: Chosen) -> None:
        """Take in that an answer left, and what it took."""
        now = self._clock.now()
        row = self._row(person, place)
        count, _ = self._rows.get(row, (0, 0))
        self._rows[row] = count, now
        for name, _ in self._scopes(person, place, chosen):
            self._of(name).add(now, 0, tokens)

    @staticmethod
    def _told(mine: _Used, now: int, left: int) -> Grant:
        """Return that nothing is given for so many microseconds, and a word on it where none was said for as long."""
        if mine.told > now:
            return Grant.NOTHING
        mine.told = now + left
        return Grant.TOLD

    def _goes_on(self, person: Person, place: Place, said_at: int) -> int:
        """Return what `_quick` does, and count this message too."""
        row, count = self._row(person, place), self._quick(person, place, said_at)
        _, answered_at = self._rows.get(row, (0, 0))
        if answered_at and said_at >= answered_at:
            # Who gets no answer any more goes on in a row until they pause.
            self._rows[row] = count, said_at if count >= self._limits.in_a_row else answered_at
        return count

    def _quick(self, person: Person, place: Place, said_at: int) -> int:
        """Return how many messages in a row, with this one, came sooner after an answer than a person could have read it."""
        count, answered_at = self._rows.get(self._row(person, place), (0, 0))
        if not answered_at or said_at < answered_at:
            return 0
        return count + 1 if said_at - answered_at <= _AT_ONCE else 0

    def _by_day(self, name: str) -> bool:
        return name in self._daily

    def _scopes(self, person: Person, place: Place, chosen: Chosen) -> Sequence[tuple[str, Limit]]:
        """Return what has a limit, each under the name that it is counted by."""
        here, each = (Limit(), Limit()) if place.is_private else (place_limits(chosen, place, whose) for whose in (HERE, EACH))
        scopes = (
            (_name("person", person.platform, person.id), self._limits.person),
            (_name("each", place.platform, place.channel, person.platform, person.id), each),
            (_name("place", place.platform, place.channel), stricter(self._limits.place, here)),
            ("all", self._limits.all),
        )
        return [(name, limit) for name, limit in scopes if limit != _NO_LIMIT]

    def _of(self, name: str) -> _Used:
        return self._used.setdefault(name, _Used())

    def _row(self, person: Person, place: Place) -> str:
        # Where each answer opens a thread of its own, all of them are one row.
        return _name("row", person.platform, person.id, place.channel)


def _name(*parts: str) -> str:
    return ":".join(parts)
