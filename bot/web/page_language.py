"""In which language a page is read, and how its templates say a sentence in it.

A template says `_("…")` and `ngettext("…", "…", n)` as everything else does. A sentence is text: what it says, and what stands in
its gaps, is escaped, but for a gap that is markup of the template's own.
"""

from collections.abc import Callable, Mapping

from markupsafe import Markup, escape

from localization.languages import current, known
from localization.numerals import number
from localization.sentences import Sentence

_MOST = 20
"""How many languages of a header are looked at."""


def accepted(header: str) -> str:
    """Return the code of the language that a browser asks for in Accept-Language; '' where there are no sentences in any of them."""
    ranked = [_ranked(one) for one in header.split(",")[:_MOST]]
    wanted = [(known(name), weight) for name, weight in ranked if weight > 0]
    return next((code for code, _weight in sorted(wanted, key=lambda one: -one[1]) if code), "")


def _ranked(entry: str) -> tuple[str, float]:
    name, _, parameter = entry.partition(";")
    try:
        return name, float(parameter.strip().removeprefix("q=") or 1)
    except ValueError:
        return name, 0


def _said(sentence: str, /, **values: object) -> Markup:
    return _filled(Sentence(sentence), values)


def _counted(sentence: str, plural: str, n: int, /, **values: object) -> Markup:
    return _filled(Sentence(sentence, plural, n), {"n": number(n), **values})


def _filled(sentence: Sentence, values: Mapping[str, object]) -> Markup:
    text = escape(sentence.unfilled(current()))
    return text.format(**values) if values else text


WORDS: Mapping[str, Callable[..., Markup]] = {"_": _said, "ngettext": _counted}
"""What templates say sentences with."""
