"""Why something was found, as people say it: words that it shares, or how near its meaning is, without a figure."""

from collections.abc import Sequence

_ALIKE = 0.5
"""From this cosine on, people take two sentences for the same said in other words."""


def in_words(why: Sequence[str]) -> str:
    """Return the signals that found something as people say them: same words: locker, code; it means much the same."""
    return "; ".join(dict.fromkeys(_said(one) for one in why))


def _said(signal: str) -> str:
    kind, _, rest = signal.partition(" ")
    if kind == "words:":
        return f"same words: {rest}"
    if kind == "meaning":
        return "it means much the same" if float(rest) >= _ALIKE else "it means something like it"
    return {"beside a hit": "it stands beside what was found"}.get(signal, signal)
