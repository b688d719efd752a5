"""Why something was found and how certain that is, in words: shared words, or similar meaning, without figures."""

from collections.abc import Sequence

from localization.sentences import _, ngettext
from memory.index.hits import Certainty, Condensed, Hit

_ALIKE = 0.5
"""The cosine from which people take two sentences to say the same in other words."""


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
