"""Bar and line charts as SVG, with their numbers in words beside them. Colours come from the style sheet."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from localization.numerals import compact, number
from localization.sentences import _

_WIDE, _HIGH, _LEFT, _BELOW, _ABOVE = 720, 212, 44, 38, 12
_UNDER = _HIGH - _BELOW + 10
"""The y coordinate of the labels below a chart: they hang from there, so that larger letters grow away from the bars."""
_LABELS = 8
_BAR_MOST = 44.0
Bar = tuple[str, float, str]
"""A bar's label, its value, and its link ('' for none)."""


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """A measure over time: its name, and its (instant, value) points."""

    name: str
    points: Sequence[tuple[float, float]]


def bars(some: Sequence[Bar], title: str) -> Markup:
    """Return a bar chart of values of at least zero; '' if none is above zero."""
    most = max((value for _, value, _ in some), default=0)
    if most <= 0:
        return Markup()
    top = _round_up(most)
    step = (_WIDE - _LEFT) / len(some)
    width = min(_BAR_MOST, step * 0.72)
    every = -(-len(some) // _LABELS)
    drawn: list[Markup] = []
    for at, (name, value, leads) in enumerate(some):
        x, high = _LEFT + step * (at + 0.5) - width / 2, (_HIGH - _BELOW - _ABOVE) * value / top
        y = _HIGH - _BELOW - high
        bar = Markup(
            '<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="3"><title>{}: {}</title></rect>'
        ).format(x, y, width, max(high, 1.0 if value else 0.0), name, number(value))
        drawn.append(Markup('<a href="{}" aria-label="{}: {}">{}</a>').format(leads, name, number(value), bar) if leads else bar)
        if at % every == 0:
            drawn.append(_text(x + width / 2, _UNDER, name, "middle", "between" if at // every % 2 else "below"))
    return _framed(title, _summary(some), [*_grid(0, top), *drawn], linked=any(leads for _, _, leads in some))


def lines(some: Sequence[ChartSeries], least: float, most: float, ends: tuple[str, str], title: str) -> Markup:
    """Return a chart with one line per measure, between `least` and `most`; `ends` label the first and last instants.

    '' if no measure has two points.
    """
    instants = [at for line in some for at, _ in line.points]
    if not instants or max(len(line.points) for line in some) < 2:
        return Markup()
    first, last = min(instants), max(instants)
    span = (last - first) or 1.0

    def place(at: float, value: float) -> str:
        x = _LEFT + (_WIDE - _LEFT - 12) * (at - first) / span
        y = _ABOVE + (_HIGH - _BELOW - _ABOVE) * (most - value) / (most - least)
        return f"{x:.1f},{y:.1f}"

    drawn = [
        Markup('<polyline class="line line-{}" points="{}"><title>{}</title></polyline>').format(
            number, " ".join(place(*point) for point in line.points), line.name
        )
        for number, line in enumerate(some)
    ]
    named = [_text(_LEFT, _UNDER, ends[0], "start", "below"), _text(_WIDE - 12, _UNDER, ends[1], "end", "below")]
    summary = "; ".join(f"{line.name} {number(line.points[-1][1], digits=2)}" for line in some if line.points)
    return _framed(title, _("Last: {measures}", measures=summary), [*_grid(least, most), *drawn, *named], linked=False)


def _framed(title: str, told: str, inner: Sequence[Markup], *, linked: bool) -> Markup:
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="{}" aria-label="{}. {}">{}</svg>').format(
        _WIDE, _HIGH, "group" if linked else "img", title, told, Markup().join(inner)
    )


def _grid(least: float, most: float) -> list[Markup]:
    drawn: list[Markup] = []
    for share in (0.0, 0.5, 1.0):
        y = _HIGH - _BELOW - (_HIGH - _BELOW - _ABOVE) * share
        drawn.append(Markup('<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(_LEFT, _WIDE, y, y))
        drawn.append(_text(_LEFT - 8, y + 4, _number(least + (most - least) * share), "end"))
    return drawn


def _text(x: float, y: float, words: str, anchor: str, kind: str = "") -> Markup:
    """Return a text element; with a kind it hangs from `y`, and "between" ones are hidden where space is short."""
    named = Markup(' class="{}"').format(kind) if kind else ""
    return Markup('<text{} x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(named, x, y, anchor, escape(words))


def _number(value: float) -> str:
    if abs(value) >= 10_000:
        return compact(value)
    return number(value, digits=0 if value == int(value) else 1)


def _round_up(value: float) -> float:
    size = 1.0
    while True:
        for step in (2, 4, 10):
            if value <= step * size:
                return step * size
        size *= 10


def _summary(some: Sequence[Bar]) -> str:
    name, value, _leads = max(some, key=lambda bar: bar[1])
    return _("{first} to {last}, most in {name}: {n}", first=some[0][0], last=some[-1][0], name=name, n=number(value))
