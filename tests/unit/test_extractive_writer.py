"""Digests without a model: what people said, copied, with who said it and when."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.extractive import ExtractiveWriter
from bot.models.offline.shortening import shortened
from memory.derive.checks.evidence import Evidence
from memory.ports import Entry, Source, Task, Writer

DAY = "2026-11-20T21:04+01:00"


def talk(*lines: tuple[str, str], said_at: str = DAY) -> Task:
    return Task("gist", tuple(Source(f"m{at}", who, said_at, text) for at, (who, text) in enumerate(lines, 1)))


async def digest(task: Task) -> list[Entry]:
    entries = await ExtractiveWriter().write(task)
    by_label = {source.label: source for source in task.sources}
    for entry in entries:
        assert entry.cites
        assert Evidence().judge(entry.text, [by_label[label] for label in entry.cites]).missing == ()
    return entries


EVENING = talk(
    ("Ada", "Hi Lyra!"),
    ("Lyra", "Hello Ada, nice to see you."),
    ("Ada", "My cat Turing was ill, so I took him to Dr. Miller in Rome on Monday."),
    ("Lyra", "I am sorry to hear that. How is he now?"),
    ("Ada", "Better. The doctor gave Turing 3 pills a day for 2 weeks. It cost 120 euro."),
    ("Bo", "Where is the practice of Dr. Miller?"),
    ("Ada", "In Via Appia 7, next to the station in Rome."),
    ("Bo", "ok"),
    ("Ada", "We decided to bring Turing back to Dr. Miller on 4 December."),
    ("Bo", "Thanks!"),
    ("Ada", "My sister Vera will drive us, she has a red Fiat."),
    ("Ada", "My sister Vera will drive us, she has a red Fiat!"),
    ("Lyra", "Kept."),
)


async def test_it_is_a_writer_that_calls_no_model() -> None:
    writer: Writer = ExtractiveWriter()
    assert writer.name == "extractive"
    assert writer.extractive


async def test_one_message_is_told_with_speaker_and_date() -> None:
    assert await digest(talk(("Ada", "my cat is called Turing"))) == [
        Entry('On 20 November 2026 Ada said: "my cat is called Turing".', ("m1",))
    ]


async def test_a_question_and_its_answer_stand_together() -> None:
    assert await digest(talk(("Ada", "Where is the key of the boat?"), ("Bo", "The boat's key hangs in Rome."))) == [
        Entry(
            'On 20 November 2026 Ada said: "Where is the key of the boat?"; Bo answered: "The boat\'s key hangs in Rome."',
            ("m1", "m2"),
        )
    ]


async def test_a_question_without_its_mark_is_answered_too() -> None:
    (entry,) = await digest(talk(("Ada", "where is the key of the boat"), ("Bo", "The boat's key hangs in Rome.")))
    assert "Bo answered" in entry.text


async def test_an_evening_keeps_names_and_numbers_and_drops_pleasantries() -> None:
    entries = await digest(EVENING)
    text = " ".join(entry.text for entry in entries)
    for word in ("Turing", "Miller", "Rome", "4 December", "Vera"):
        assert word in text
    assert "Hi Lyra" not in text and "Thanks" not in text and "Kept" not in text
    assert text.count("red Fiat") == 1
    assert 4 <= text.count('"') / 2 <= 8


async def test_what_people_said_stands_before_what_she_made_of_it() -> None:
    invented = ("Lyra", "Your cousin Rosa was born on 12 May 1998 in Genoa and owns 3 boats there.")
    told = [("Ada", f"My boat number {n} lies in Genoa.") for n in range(3)]
    assert "cousin" in " ".join(entry.text for entry in await digest(talk(invented, *told)))
    assert "cousin" not in " ".join(entry.text for entry in await digest(talk(invented, *told, ("Ada", "I sail on Sundays."))))


async def test_entries_follow_the_order_of_what_they_cite() -> None:
    cited = [int(label[1:]) for entry in await digest(EVENING) for label in entry.cites]
    assert cited == sorted(cited)


async def test_sentences_are_copied_word_for_word() -> None:
    heard = " ".join(source.text for source in EVENING.sources)
    for entry in await digest(EVENING):
        for quote in re.findall(r'"([^"]*)"', entry.text):
            assert all(piece in heard for piece in quote.split(" … "))


async def test_each_day_is_named() -> None:
    task = Task(
        "gist",
        (
            Source("a", "Ada", "2026-11-20T23:50+01:00", "the boat is called Nautilus"),
            Source("b", "Ada", "2026-11-21T00:10+01:00", "the harbour is in Genoa"),
        ),
    )
    assert [entry.text for entry in await digest(task)] == [
        'On 20 November 2026 Ada said: "the boat is called Nautilus".',
        'On 21 November 2026 Ada said: "the harbour is in Genoa".',
    ]


async def test_a_long_message_is_quoted_in_part() -> None:
    filler = "and then we walked on along the river until the evening came, " * 40
    entries = await digest(talk(("Ada", f"{filler}. My cat is called Turing and he lives in Rome with 3 dogs. {filler}.")))
    assert any("Turing" in entry.text for entry in entries)
    assert all(len(entry.text) < 700 for entry in entries)


@pytest.mark.parametrize("sentences", [1, 2, 4, 8])
async def test_no_more_sentences_than_asked_for(sentences: int) -> None:
    told = talk(*((("Ada", f"Number {at} lives in house {at * 7} of street {at * 31}.")) for at in range(50)))
    entries = await digest(Task("gist", told.sources, sentences))
    assert 1 <= sum(entry.text.count('"') // 2 for entry in entries) <= sentences


async def test_a_merge_keeps_sentences_of_the_digests_below() -> None:
    below = tuple(
        Source(
            f"d{at}",
            "",
            DAY,
            f'On {at} May 2026 Ada said: "My boat {at} is in Genoa. It is red."; Bo said: "Boat {at} costs {at}00 euro." Lyra said: "Fine."',
        )
        for at in range(1, 9)
    )
    entries = await digest(Task("merge", below))
    assert 4 <= len(entries) <= 8
    for entry in entries:
        (label,) = entry.cites
        assert entry.text in next(source.text for source in below if source.label == label)
        assert entry.text.count('"') % 2 == 0


@pytest.mark.parametrize("text", ["🎉🎉", "?!", "ok", "the and of", "", "   ", "https://…", "x" * 5000, "7" * 5000, "🎉 " * 900])
@pytest.mark.parametrize("kind", ["gist", "merge"])
async def test_something_is_always_written(text: str, kind: str) -> None:
    task = Task("merge" if kind == "merge" else "gist", (Source("m1", "Ada", DAY, text),))
    (entry, *_) = await digest(task)
    assert entry.text.strip()
    if kind == "gist":
        assert len(entry.text) < 320


async def test_no_sources_no_digest() -> None:
    assert await ExtractiveWriter().write(Task("gist", ())) == []


async def test_a_very_long_transcript_is_bounded() -> None:
    told = talk(*((("Ada", f"Thing {at} is at place {at * 7}. " * 3)) for at in range(1500)))
    assert 4 <= len(await digest(told)) <= 8


@given(st.text(), st.integers(min_value=10, max_value=300))
def test_shortening_never_exceeds_its_limit(text: str, limit: int) -> None:
    assert len(shortened(text, limit)) <= limit


WORDS = st.lists(
    st.sampled_from('Ada Bo Rome May 3 20 1,000 21:04 cat boat " . ? ! \n 猫 🎉 said two hundred and 2:1 http://x.y'.split(" "))
).map(" ".join)
SOURCES = st.lists(
    st.builds(
        Source, st.text(min_size=1), st.text() | st.just("Ada"), st.sampled_from([DAY, "", "2026-11-21"]), st.text() | WORDS
    ),
    min_size=1,
)


@given(SOURCES, st.sampled_from(["gist", "merge"]), st.integers(min_value=1, max_value=8))
async def test_any_sources_make_a_digest_that_they_support(sources: list[Source], kind: str, sentences: int) -> None:
    labelled = tuple(Source(f"m{at}", s.speaker, s.said_at, s.text) for at, s in enumerate(sources))
    entries = await digest(Task("merge" if kind == "merge" else "gist", labelled, sentences))
    assert entries
    assert len(entries) <= sentences
    assert all(entry.text.strip() for entry in entries)
