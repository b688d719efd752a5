"""The chart that docs/measured.md shows: latency against size, and evidence found against k."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from tests.bench.evidence import KS, Score
from tests.bench.scaling import Latency

CHART = Path(__file__).with_name("recall.svg")
_COLOURS = {"Lyra": "#2a6f97", "Lyra without vectors": "#61a5c2", "vectors alone": "#e07a5f", "words alone (FTS5)": "#9c9c9c"}


def draw(latencies: Sequence[Latency], scores: Mapping[str, Score], into: Path = CHART) -> None:
    """Write the chart."""
    mpl.rcParams.update({"svg.hashsalt": "lyra", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(1, 1 + len(scores), figsize=(4.2 * (1 + len(scores)), 3.4), layout="constrained")
    _latency(axes[0] if scores else axes, latencies)
    for axis, (name, score) in zip(axes[1:] if scores else (), scores.items(), strict=True):
        for way in score.found:
            axis.plot(KS, score.mean(way), marker="o", label=way, color=_COLOURS.get(way))
        axis.set(title=f"{name}: evidence found", xlabel="among the first k", ylabel="%", ylim=(0, 100), xticks=KS)
        axis.legend(frameon=False, fontsize=7)
    figure.savefig(into, metadata={"Date": None})
    plt.close(figure)


def _latency(axis: Axes, latencies: Sequence[Latency]) -> None:
    turns = [one.turns for one in latencies]
    axis.plot(turns, [one.plain for one in latencies], marker="o", color="#9c9c9c", label="load all, stack, sort")
    axis.plot(turns, [one.lyra for one in latencies], marker="o", color="#2a6f97", label="Lyra, words and vectors")
    axis.plot(turns, [one.memory for one in latencies], linestyle="--", color="#bbbbbb", label="reading the vectors once")
    axis.set(title="The first ten", xlabel="turns in one domain", ylabel="milliseconds", xscale="log", yscale="log")
    axis.legend(frameon=False, fontsize=7)
