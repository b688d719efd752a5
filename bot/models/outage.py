"""The time in which a model does not answer: when what it left is put to it again."""

from collections.abc import Callable

from bot.errors import ModelBusy, ModelDenied, ModelDown, ModelError, ModelGarbled, ModelMissing, ModelRefused, ModelTimeout
from bot.models.port import Model
from memory.ports import Clock
from memory.types import MINUTE

_SHARE = 8
LONGEST, LONGEST_UNASKED = 10 * MINUTE, 30 * MINUTE
"""The longest time between two tries (microseconds), and where nobody waits for what comes of them."""
_LONGEST_ASKED = 60 * MINUTE
WAITS_FOR_A_MODEL = frozenset(
    kind.__name__ for kind in (ModelBusy, ModelDenied, ModelDown, ModelGarbled, ModelMissing, ModelTimeout)
)
"""Why an event is held in an outage, as the inbox has it."""
PROMISED = WAITS_FOR_A_MODEL | {ModelRefused.__name__}
"""Why an event is held that was promised an answer."""


def passes(error: ModelError) -> bool:
    """Return whether a failure is no question's fault: the same question may be answered later."""
    return error.transient or isinstance(error, ModelDenied | ModelMissing)


class ModelOutage:
    """Begins with the first question that the `current` model leaves unanswered, and ends with the next that it answers.

    The longer it lasts, the rarer are tries: after an eighth of its time so far, or when the endpoint asked to be tried again, within
    `longest` (microseconds) and an hour. What somebody asks now is no such try. Another model than the one that failed is tried at
    once.
    """

    def __init__(self, clock: Clock, current: Callable[[], Model | None], longest: int = LONGEST) -> None:
        self._clock = clock
        self._current = current
        self._longest = longest
        self.last: ModelError | None = None
        """The last failure."""
        self._failing: Model | None = None
        self._since: int | None = None
        self._next = 0
        self._kinds: set[str] = set()

    def failed(self, error: ModelError) -> bool:
        """Note that a question was left unanswered; return whether this kind of failure is new in this outage."""
        now = self._clock.now()
        if not self.lasts:
            self.over()
        self._failing, self.last = self._current(), error
        self._since = now if self._since is None else min(self._since, now)
        wait = min((now - self._since) // _SHARE, self._longest)
        if isinstance(error, ModelBusy) and error.retry_after is not None:
            wait = max(wait, min(int(error.retry_after * 1_000_000), _LONGEST_ASKED))
        self._next = now + wait
        is_new = type(error).__name__ not in self._kinds
        self._kinds.add(type(error).__name__)
        return is_new

    def over(self) -> None:
        """Note that a model answered."""
        self._since, self._next = None, 0
        self._kinds.clear()

    @property
    def lasts(self) -> bool:
        """Whether the last question put to the present model was left unanswered."""
        return self._since is not None and self._failing is self._current()

    @property
    def is_due(self) -> bool:
        """Whether it is time for another try; also where the clock was put back."""
        return not self._next - _LONGEST_ASKED <= self._clock.now() < self._next
