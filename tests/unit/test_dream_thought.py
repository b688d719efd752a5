"""What counts as a thought: one JSON object and nothing beside it, of which only the word true lets her say it aloud."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.dream.reflecting import MOST_CHARACTERS, Thought, read_thought
from memory.errors import WriterRefused
from memory.text.sanitize import clean
from tests.kits.size import examples

TEXT = "The boat may be ready by May."
PLAIN = {"text": TEXT, "cites": ["m1", "g2"], "post": True, "feeling": 0.25}
READ = Thought(TEXT, ("m1", "g2"), post=True, feeling=0.25)


def but(**fields: object) -> str:
    """Return a thought with other fields than the plain one's."""
    return json.dumps({**PLAIN, **fields})


def without(*names: str) -> str:
    """Return a thought that lacks fields."""
    return json.dumps({name: value for name, value in PLAIN.items() if name not in names})


@pytest.mark.parametrize(
    "answer",
    [
        but(),
        f"\n  {but()}\n",
        json.dumps(PLAIN, indent=2),
        f"```json\n{but()}\n```",
        f"```\n{json.dumps(PLAIN, indent=2)}\n```",
        f"```JSON\n\n{but()}\n\n```\n",
        but(mood="calm", why=None),
    ],
)
def test_one_object_alone_or_in_a_fence_is_read(answer: str) -> None:
    assert read_thought(answer) == READ


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I keep thinking of the boat.",
        "true",
        "null",
        "0.5",
        f'"{TEXT}"',
        "[]",
        f"[{but()}]",
        "{",
        but()[:-1],
        f"{but()}{but()}",
        f"Here is my thought: {but()}",
        f"{but()}\nI hope that helps.",
        f"Sure!\n```json\n{but()}\n```",
        f"```json\n{but()}\n```\nThat is all.",
        f"```json\n{but()}",
        f"<think>never ends {but()}",
        f"{but()}<think>after</think>",
        str(PLAIN),
        "[" * 100_000,
        '{"text":' * 100_000,
        "9" * 5_000,
    ],
)
def test_prose_garbage_lists_and_objects_with_words_around_them_are_no_thought(answer: str) -> None:
    with pytest.raises(WriterRefused, match="no JSON object") as refusal:
        read_thought(answer)
    assert refusal.value.answer == clean(answer), "the answer is kept"


@pytest.mark.parametrize(
    "answer",
    [
        without("cites"),
        but(cites=None),
        but(cites="m1"),
        but(cites=["m1", 2]),
        but(cites=[["m1"]]),
        but(cites={"m1": True}),
        but(text=7),
        but(text=[TEXT]),
        but(text={"en": TEXT}),
        but(text=True),
    ],
)
def test_a_thought_without_citations_or_with_fields_of_another_kind_is_refused(answer: str) -> None:
    with pytest.raises(WriterRefused, match="citations") as refusal:
        read_thought(answer)
    assert refusal.value.answer == answer


@pytest.mark.parametrize("answer", ["{}", without("text"), but(text=""), but(text=None), but(text="", cites="none", post=True)])
def test_no_text_is_no_thought_and_nothing_to_say(answer: str) -> None:
    found = read_thought(answer)
    assert (found.text, found.cites, found.post) == ("", (), False)


@pytest.mark.parametrize("post", ["yes", "true", "True", 1, 1.0, -1, None, [], [True], {"post": True}, "", 0, False])
def test_nothing_but_the_word_true_lets_it_be_said(post: object) -> None:
    assert read_thought(but(post=post)).post is False
    assert read_thought(without("post")).post is False
    assert read_thought(but()).post is True


@pytest.mark.parametrize(
    ("feeling", "felt"),
    [
        ("0.25", 0.25), ("-1", -1.0), ("1", 1.0), ("7", 1.0), ("-7.5", -1.0), ("1e999", 1.0), ("-1e999", -1.0),
        ("Infinity", 1.0), ("-Infinity", -1.0), ("NaN", 0.0), ("1" + "0" * 300, 1.0), ("-1" + "0" * 300, -1.0),
        ("null", 0.0), ("true", 0.0), ('"0.9"', 0.0), ("[1]", 0.0), ("{}", 0.0),
    ],
)  # fmt: skip
def test_what_she_felt_is_a_number_between_minus_one_and_one_or_nothing(feeling: str, felt: float) -> None:
    assert read_thought(but().replace("0.25", feeling)).feeling == felt
    assert read_thought(but(text="").replace("0.25", feeling)).feeling == felt


def test_what_she_felt_may_be_left_out() -> None:
    assert read_thought(without("feeling")).feeling == 0.0


def test_a_thought_may_not_be_longer_than_a_few_sentences() -> None:
    assert read_thought(but(text="x" * MOST_CHARACTERS)).text == "x" * MOST_CHARACTERS
    with pytest.raises(WriterRefused, match="longer than 600 characters"):
        read_thought(but(text="x" * (MOST_CHARACTERS + 1)))


def test_a_thought_is_one_line_and_cites_each_source_once() -> None:
    found = read_thought(but(text=" one\n\n two\tthree ", cites=["m2", "m1", "m2"]))
    assert (found.text, found.cites) == ("one two three", ("m2", "m1"))


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "text": st.text(max_size=700) | JSONS,
        "cites": st.lists(st.text(max_size=4), max_size=4) | JSONS,
        "post": st.sampled_from([True, False, "true", 1, None]) | JSONS,
        "feeling": st.floats() | JSONS,
    },
)
WRAPPED = st.sampled_from(["{0}", "```json\n{0}\n```", "{1}{0}", "{0}{1}", "{0},{0}"])
ANSWERS = st.one_of(
    st.text(),
    st.text(alphabet='{}[]":,truefalsn0159eE-+. \n`<>/kxpocid'),
    JSONS.map(json.dumps),
    st.builds(lambda form, found, noise: form.format(json.dumps(found), noise), WRAPPED, OBJECTS, st.text(max_size=10)),
    st.builds(lambda found, at: json.dumps(found)[:at], OBJECTS, st.integers(0, 80)),
)


def literally(answer: str) -> list[Any]:
    """Return every value that an answer gives to `post`, wherever in it the text of an object begins."""
    found = []
    for at, char in enumerate(answer):
        if char == "{":
            try:
                value, _ = json.JSONDecoder().raw_decode(answer, at)
            except ValueError:
                continue
            found.append(value.get("post"))
    return found


def outcome(answer: str) -> Thought | str:
    """Return the thought of an answer, or what is kept of one that is refused."""
    try:
        return read_thought(answer)
    except WriterRefused as refusal:
        return refusal.answer


@settings(max_examples=examples(100))
@given(ANSWERS)
def test_whatever_a_model_answers_is_refused_or_a_thought_within_bounds(answer: str) -> None:
    found = outcome(answer)
    if not isinstance(found, Thought):
        assert found == clean(answer), "it is kept"
        return
    assert -1.0 <= found.feeling <= 1.0 and not math.isnan(found.feeling)
    assert len(found.text) <= MOST_CHARACTERS and isinstance(found.post, bool)
    assert all(isinstance(label, str) for label in found.cites)
    if found.post:
        assert any(value is True for value in literally(answer))


@settings(max_examples=examples(100))
@given(OBJECTS)
def test_an_object_that_is_read_means_what_it_says(found: dict[str, Any]) -> None:
    one = outcome(json.dumps(found))
    if not isinstance(one, Thought):
        fits = isinstance(found.get("cites"), list) and all(isinstance(label, str) for label in found["cites"])
        assert not (fits and isinstance(found["text"], str) and len(found["text"]) <= MOST_CHARACTERS)
        return
    assert one.text == " ".join(clean(found.get("text") or "").split())
    assert one.post == (found.get("post") is True and bool(found.get("text")))
