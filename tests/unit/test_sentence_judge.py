"""What a model writes is believed only as far as the conversation bears it out: who, when, how much, and whether at all."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.derive.checks import sentence_judge
from memory.derive.checks.sentence_judge import SentenceJudge
from memory.derive.drafting import supported
from memory.ports import Entry, Source, Task
from tests.kits.tabled import tabled

TALK = (
    Source("m1", "rosa", "2026-03-02T19:00+01:00", "my brother Emil moves to Oslo in june, he found a job at Fjord Bygg"),
    Source("m2", "Lyra", "2026-03-02T19:02+01:00", "That is far. How do you feel about it?"),
    Source("m3", "rosa", "2026-03-02T19:04+01:00", "proud. i told him i'd visit in three weeks. he hasn't sold the boat yet"),
    Source("m4", "Lyra", "2026-03-02T19:06+01:00", "I'll ask you about the boat."),
    Source("m5", "rosa", "2026-03-02T19:08+01:00", "they want 12 crates by friday, and we play cards every tuesday at 8"),
    Source("m6", "Jonas", "2026-03-02T19:10+01:00", "i don't like cards. i gave Rosa 40 euro for the ferry"),
    Source(
        "m7",
        "rosa",
        "2026-03-02T19:12+01:00",
        "i'm allergic to nuts and i quit smoking. i've never swum more than two lengths, but i love to swim",
    ),
    Source(
        "m9",
        "rosa",
        "2026-03-02T19:13+01:00",
        "please book a table at the Anker. i'll call my sister tomorrow. remind me to water the plants",
    ),
    Source("m10", "rosa", "2026-03-02T19:13+01:00", "i booked the hotel, it was sold out nearly. could you book the train too?"),
    Source(
        "m8",
        "Jonas",
        "2026-03-02T19:14+01:00",
        "i hate the ferry. my boss accepted the plan. i love the harbour, and my mother is from Chile",
    ),
)


def wrong(text: str, *labels: str, talk: tuple[Source, ...] = TALK) -> tuple[str, ...]:
    return SentenceJudge(talk, [text]).judge(text, [one for one in talk if one.label in labels]).missing


@pytest.mark.parametrize(("text", "label"), tabled("sentence_judge", "said"))
def test_what_was_said_is_believed(text: str, label: str) -> None:
    assert wrong(text, label) == ()


@pytest.mark.parametrize(("text", "label", "word"), tabled("sentence_judge", "not_said"))
def test_what_was_not_said_is_not_believed(text: str, label: str, word: str) -> None:
    assert word in wrong(text, label)


def test_who_only_stands_there_as_he_is_looked_up_in_the_conversation_and_then_rests_on_it() -> None:
    entry = Entry("Rosa told Emil that she would visit.", ("m3",))
    assert supported([entry], Task("gist", TALK)) == ([Entry(entry.text, ("m3", "m1"))], [])
    good, bad = supported([entry], Task("gist", TALK[1:]))
    assert good == []
    assert "Emil" in bad[0]


def test_what_is_known_of_somebody_from_before_gives_a_name_that_nobody_says_now() -> None:
    talk = (Source("m1", "rosa", "2026-03-09T19:00+01:00", "my sister called, she starts at the bakery"),)
    known = (Source("k1", "", "2025-12-01", "Rosa's sister Nele lives in Bremen."),)
    entry = Entry("Rosa's sister Nele starts at the bakery.", ("m1",))
    assert supported([entry], Task("gist", talk, known=known)) == ([Entry(entry.text, ("m1", "k1"))], [])
    good, _ = supported([entry], Task("gist", talk))
    assert good == []


def test_a_digest_is_believed_by_what_its_lines_say_of_whom() -> None:
    lines = (
        Source("g1", "", "2026-03-02", "Emil is moving to Oslo in June 2026."),
        Source("g2", "", "2026-03-02", "He found a job at Fjord Bygg."),
        Source("g3", "", "2026-03-02", "Jonas turned the offer from Bergen down in May 2026."),
    )
    assert wrong("Emil found a job at Fjord Bygg.", "g2", talk=lines) == ()
    assert "Jonas" in wrong("Jonas is moving to Oslo in June 2026.", "g1", "g3", talk=lines)
    assert "May" in wrong("Emil is moving to Oslo in May 2026.", "g1", "g3", talk=lines)


@given(st.text(), st.text(), st.sampled_from(["", "2026-03-02T19:00+01:00"]))
def test_a_copy_of_what_was_said_is_believed(text: str, speaker: str, said_at: str) -> None:
    source = Source("m1", speaker, said_at, text)
    assert SentenceJudge([source], [text]).judge(text, [source]).missing == ()


@given(st.text(), st.lists(st.tuples(st.text(), st.text()), max_size=3))
def test_any_text_can_be_judged(text: str, heard: list[tuple[str, str]]) -> None:
    talk = tuple(Source(f"m{at}", speaker, "2026-03-02T19:00", said) for at, (said, speaker) in enumerate(heard))
    assert all(isinstance(word, str) for word in wrong(text, *(one.label for one in talk), talk=talk))


@pytest.mark.torture
@pytest.mark.parametrize(
    ("check", "nothing", "text", "label"),
    [
        ("undone", lambda text, cited: (), "Rosa booked a table at the Anker.", "m9"),
        ("opposed", lambda word: frozenset(), "Jonas hates the harbour.", "m8"),
        ("contradictions", lambda text, cited, names: (), "Rosa is not allergic to nuts.", "m7"),
    ],
)
def test_without_the_guard_what_was_turned_round_is_believed(
    monkeypatch: pytest.MonkeyPatch, check: str, nothing: Callable[..., object], text: str, label: str
) -> None:
    assert wrong(text, label) != ()
    monkeypatch.setattr(sentence_judge, check, nothing)
    assert wrong(text, label) == ()
