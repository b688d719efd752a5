"""The results of parsing time expressions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """A half-open interval in microseconds UTC, from `start` up to but excluding `end`. It is never empty.

    For a time told by its distance ("a year ago"), `heart` is its most likely instant. `instead` is an alternative reading of
    the same words: 3 April or 4 March.
    """

    start: int
    end: int
    heart: int | None = None
    instead: "Window | None" = None

    def holds(self, at: int) -> bool:
        """Return whether an instant is in the window."""
        return self.start <= at < self.end


@dataclass(frozen=True, slots=True)
class AroundEvent:
    """A time relative to an event that has to be found first.

    `anchor` names the event in the asker's words. `low` and `high` are offsets in microseconds from when it was talked about,
    negative before; low < high.
    """

    anchor: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class TimedQuestion:
    """A question split into its time and the rest.

    `rest` is the question without its time expression; it keeps the words of an anchor, because answers often name the event.
    `now` asks for the present state of something, `dated` means that the time contains words of a calendar date, `past` that
    the question is about the past.
    """

    window: Window | None
    around: AroundEvent | None
    rest: str
    now: bool
    dated: bool = False
    past: bool = False
