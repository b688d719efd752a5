"""What a question's time expression comes to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time, in microseconds UTC: `start` belongs to it, `end` does not. It is never empty.

    Of a time told by its distance ("a year ago") `heart` is the instant to which it comes nearest. `instead` is what the same
    words may mean as well: 3 April or 4 March.
    """

    start: int
    end: int
    heart: int | None = None
    instead: "Window | None" = None

    def holds(self, at: int) -> bool:
        """Say whether an instant is in it."""
        return self.start <= at < self.end


@dataclass(frozen=True, slots=True)
class Around:
    """A stretch of time told from an event that has to be found first.

    `anchor` names the event in the asker's words. `low` and `high` are microseconds from the time at which it was talked
    about, negative before it; low < high.
    """

    anchor: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class TimedQuestion:
    """A question taken apart.

    `rest` is the question without its time expression; the words of an anchor stay in it, because answers often name the
    event. `now` says that the present state of something is asked for, `dated` that a time is told with words that dates are
    written with, `past` that it is asked how something was.
    """

    window: Window | None
    around: Around | None
    rest: str
    now: bool
    dated: bool = False
    past: bool = False
