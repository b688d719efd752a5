"""Which replies go along with what is forgotten, on sets of replies that were written before the rule.

`python -m tests.bench.sparing` prints, for a row of bounds, the share that goes of replies that copy, of those that
paraphrase, and of those that hold nothing of it; then, of those that are too short to be compared, of the ones that take note of
what they answer and of those that tell; what goes by shared content alone; and, last, what goes where no embedder can compare.
"""

import asyncio
import json
from dataclasses import dataclass
from math import inf
from pathlib import Path

from bot.models.local import minilm as weights
from bot.models.local.minilm import MiniLM
from memory.forget.shared_content import retelling, shares
from memory.forget.sparing import NEAR, Nearness, is_comparable
from memory.text.acknowledgements import only_acknowledges

NAMES = ("copies", "paraphrases", "innocent", "acknowledgements", "short_answers")
SETS = Path(__file__).parents[1] / "sets" / "sparing"
_BOUNDS = (-4, -3, -2.5, -2, NEAR, -1.2, -1, -0.5, 0, 1, 2, inf)


@dataclass(frozen=True, slots=True)
class Case:
    """A reply, what is forgotten, and what else stood in view: the question among it, last."""

    forgotten: str
    reply: str
    others: tuple[str, ...]

    @property
    def copies(self) -> bool:
        """Whether it shares content that nothing else in view holds."""
        return shares(self.reply, [self.forgotten], self.others)


def cases(name: str) -> list[Case]:
    """Return one of the sets, by its name."""
    rows = [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return [
        Case(row["forgotten"], row["reply"], (*(said.partition(": ")[2] for said in row["view"]), row["question"]))
        for row in rows
    ]


async def score(nearness: Nearness, case: Case) -> float:
    """Return how much speaks for a reply holding what is forgotten; without end where it shares content or is too short."""
    if only_acknowledges(case.reply, case.others[-1:]):
        return -inf
    if case.copies or not is_comparable(case.reply):
        return inf
    found = await nearness.signs(case.reply, [case.forgotten], case.others)
    assert found
    return max(one.score for one in found)


async def main() -> None:
    """Print the curve."""
    nearness = Nearness(MiniLM(weights.folder() or Path()))
    found = {name: [await score(nearness, case) for case in cases(name)] for name in NAMES}
    print(f"{'bound':>7}" + "".join(f"{name:>18}" for name in found))
    for bound in _BOUNDS:
        gone = [sum(one >= bound for one in some) / len(some) for some in found.values()]
        print(f"{bound:7.2f}" + "".join(f"{share:17.1%} " for share in gone) + ("  <- the bound" if bound == NEAR else ""))
    alone = [
        sum(
            one == inf or (one > -inf and bool(retelling(case.reply, case.others)))
            for one, case in zip(some, cases(name), strict=True)
        )
        / len(some)
        for name, some in found.items()
    ]
    print(f"{'words':>7}" + "".join(f"{share:17.1%} " for share in alone) + "  <- without an embedder")


if __name__ == "__main__":
    asyncio.run(main())
