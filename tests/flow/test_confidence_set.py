"""141 messages that ask for discretion and 52 that ask for none, written before the rules were mended: what is understood of them."""

import json
from pathlib import Path

import pytest

from memory.text.told.discretion import discreet

SET = Path(__file__).parents[1] / "sets" / "confidences"
KNOWN = frozenset({"ben", "cleo"})
EVERYBODY = frozenset({"everybody"})
ASKS, FALSE = 141, 0
"""So many of the 141 are understood at least, and so many of the 52 taken for one at most."""


def kept_from(names: list[str]) -> frozenset[str]:
    """Return from whom something is kept: where a name is nobody's, from everybody."""
    meant = frozenset(name.lower() for name in names)
    return meant if meant and meant <= KNOWN else EVERYBODY


def test_what_is_understood_of_what_people_say(capsys: pytest.CaptureFixture[str]) -> None:
    cases = [json.loads(line) for line in (SET / "messages.jsonl").read_text("utf-8").splitlines()]
    missed, false, exact = [], [], 0
    for case in cases:
        found = discreet(case["text"])
        if case["kind"] == "none":
            false += [case["text"]] if found else []
            continue
        whom, wanted = kept_from(list(found.names)) if found else frozenset(), kept_from(case["names"])
        exact += whom == wanted
        missed += [] if whom == EVERYBODY or (whom and wanted <= whom) else [f"{case['text']} ({sorted(whom)})"]
    asks = sum(case["kind"] == "ask" for case in cases)
    with capsys.disabled():
        print(
            f"\nunderstood {asks - len(missed)} of {asks}, {exact} of them as narrowly as said; false {len(false)} of {len(cases) - asks}"
        )
        print(*(f"missed: {text}" for text in missed), *(f"false: {text}" for text in false), sep="\n")
    assert (asks, len(cases)) == (141, 193)
    assert asks - len(missed) >= ASKS and len(false) <= FALSE
