"""What a small model writes and says nothing with is in no digest."""

import pytest

from memory.derive.drafting import supported
from memory.ports import Entry, Source, Task

OPERATION = Source(
    "g1", "", "2025-02-02", 'On 2 February 2025 Ines said: "Mum\'s knee operation went well, she is in the clinic until March."'
)
TIRED = Source("m1", "Ines", "2025-02-02T20:00:00+00:00", "Ich bin nach der Operation von Mama völlig erledigt.")


@pytest.mark.parametrize(
    "text",
    ["I.", "2025-02-02", "2025", "2 February 2025.", "The date that was said.", "The words she said.", "What he wrote.",
     "What was she called.", "What was he like.", "What was in her mind.", "First sentence.",
     "= 2025-02-02T20:00:00+00:00 · Ines", "=== 43069ae2069cc774 ===", "On 2025-02-02T20:00 Ines said her mum was well."],
)  # fmt: skip
def test_what_says_nothing_is_left_out(text: str) -> None:
    kept = Entry("Mum's knee operation went well.", ("g1",))
    good, bad = supported([Entry(text, ("g1",)), kept], Task("era", (OPERATION,)))
    assert good == [kept] and len(bad) == 1


@pytest.mark.parametrize(
    ("text", "source"),
    [("Mum is recovering.", OPERATION), ("The mood was relaxed.", OPERATION), ("Ines was exhausted.", TIRED),
     ("She is worn out.", TIRED), ("What matters to Ines is her mother's knee.", OPERATION)],
)  # fmt: skip
def test_what_is_short_and_says_something_stays(text: str, source: Source) -> None:
    entry = Entry(text, (source.label,))
    assert supported([entry], Task("era", (source,))) == ([entry], [])
