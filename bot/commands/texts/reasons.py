"""Why something was found, as people say it: words that it shares, or how near its meaning is, without a figure."""

from collections.abc import Sequence

from localization.sentences import _, ngettext

_ALIKE = 0.5
"""From this cosine on, people take two sentences for the same said in other words."""


def in_words(why: Sequence[str]) -> str:
    """Return the signals that found something as people say them: same words: locker, code; it means much the same."""
    return "; ".join(dict.fromkeys(_said(one) for one in why))


def _said(signal: str) -> str:
    kind, _space, rest = signal.partition(" ")
    match kind:
        case "words:":
            return _("same words: {words}", words=rest)
        case "meaning":
            return _("it means much the same") if float(rest) >= _ALIKE else _("it means something like it")
        case "said":
            times = int(rest.split()[0])
            return ngettext("said {n} time", "said {n} times", times)
    return _("it stands beside what was found") if signal == "beside a hit" else _(signal)
