"""What a model thinks before it answers is no part of the answer, however its text comes in."""

import pytest

from memory.text.thinking import WithoutThinking

ANSWER = "Wave.\nA fine boat."
THOUGHTS = {
    "between tags": f"<think>\nThe boat? It was Wave.\n</think>\n\n{ANSWER}",
    "in one line": f"<think>the boat</think> {ANSWER}",
    "longer tags": f"<thinking>the boat</thinking>\n{ANSWER}",
    "Magistral": f"[THINK]the boat[/THINK]{ANSWER}",
    "twice": f"<think>the boat</think>\n<think>which?</think>\n{ANSWER}",
    "empty": f"<think>\n\n</think>\n\n{ANSWER}",
    "behind white space": f"\n <think>the boat</think>{ANSWER}",
    "only a closing tag": f"The boat? It was Wave.\n</think>\n\n{ANSWER}",
    "a closing tag in the line": f"The boat? Wave</think>{ANSWER}",
    "none": ANSWER,
}
TOLD = [
    "A model thinks between `<think>` and `</think>`, which I leave out.",
    "So:\n```\n<think>\nhm\n</think>\nYes.\n```\nThat is all.",
    'The closing tag is "</think>".',
    "2 < 3, and <the> rest",
    "It ends in <thi",
]


def fed(text: str, size: int, *, waits: bool = False, cut: bool = False) -> tuple[str, list[str]]:
    """Return what of a text is answer, fed in pieces of this size, and what was given before it began anew."""
    thoughts, given, dropped = WithoutThinking(waits=waits), "", list[str]()
    for at in range(0, len(text), size):
        new = thoughts.feed(text[at : at + size])
        if thoughts.begins_anew():
            dropped.append(given)
            given = ""
        given += new
    last = thoughts.flush(cut=cut)
    if thoughts.begins_anew():
        dropped.append(given)
        given = ""
    return given + last, dropped


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("kind", THOUGHTS)
def test_thoughts_are_left_out_in_whatever_pieces_they_come(kind: str, size: int) -> None:
    answer, dropped = fed(THOUGHTS[kind], size)
    assert answer.lstrip() == ANSWER
    assert bool(dropped) == ("closing tag" in kind and size < 1000)


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("kind", THOUGHTS)
def test_where_thoughts_are_waited_for_nothing_has_to_be_taken_back(kind: str, size: int) -> None:
    answer, dropped = fed(THOUGHTS[kind], size, waits=True)
    assert (answer.lstrip(), dropped) == (ANSWER, [])


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("text", TOLD)
def test_what_only_tells_of_such_tags_stays_whole(text: str, size: int) -> None:
    assert fed(text, size) == (text, [])


@pytest.mark.parametrize(("text", "waits"), [("<think>The boat? It was", False), ("The boat? It was", True)])
def test_thoughts_that_are_cut_off_are_no_answer(text: str, waits: bool) -> None:
    assert fed(text, 3, waits=waits, cut=True) == ("", [])


def test_who_was_waited_for_in_vain_gave_an_answer() -> None:
    assert fed(ANSWER, 3, waits=True) == (ANSWER, [])
