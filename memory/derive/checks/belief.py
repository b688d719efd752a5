"""What is believed of the sentences of one answer, and why the others are not.

A sentence may say no name, number and date that its sources do not hold, put nobody in another's place, and neither deny what
they say nor say what they deny. The messages that it cites are the sources of its claims; its names may come from what else
its writer was given, the rest of the conversation and what is known of the people, which then is a source as well.
"""

from collections.abc import Sequence

from memory.derive.checks.evidence import Evidence, Judged
from memory.derive.checks.naming import Names
from memory.derive.checks.polarity import contradictions
from memory.derive.checks.roles import displaced
from memory.ports import Source


class Belief:
    """Judges the sentences of one answer: `written`, from what was given. Keep it no longer than that takes."""

    def __init__(self, given: Sequence[Source], written: Sequence[str], known: Sequence[Source] = ()) -> None:
        self._names = Names(given, known, written)
        self._evidence = Evidence(self._names)

    def judge(self, text: str, cited: Sequence[Source]) -> Judged:
        """Return the words of a sentence that cannot stand, and the sources that supplied a name to it."""
        judged = self._evidence.judge(text, cited)
        wrong = [*judged.missing, *displaced(text, cited, self._names), *contradictions(text, cited, self._names)]
        return Judged(tuple(dict.fromkeys(wrong)), judged.supplied)
