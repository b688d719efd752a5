"""What weak models write in place of a digest is not kept: the rules that they were given, data, links, questions, words to the reader."""

from collections.abc import Sequence
from time import process_time

import pytest

from memory.derive import entries, prompts
from memory.derive.checks import junk
from memory.derive.checks.concrete_words import ConcreteWords
from memory.derive.drafting import supported
from memory.dream.reflecting import _RULES, Thought, _wrong
from memory.errors import WriterRefused
from memory.ports import Entry, Source, Task, TaskKind
from tests.kits.tabled import tabled

TALK = (
    Source(
        "m1", "Ada", "2026-03-02T19:00+01:00", "i'm building a kindergarten of timber in weiz, my boss changes his mind every day"
    ),
    Source("m2", "Lyra", "2026-03-02T19:02+01:00", "Do you like the building itself?"),
    Source(
        "m3", "Ada", "2026-03-02T19:04+01:00", "love it. the plans are at https://example.org/plans and they open it next year"
    ),
)
WRITTEN: Sequence[TaskKind] = ("gist", "merge", "profile", "era", "narrative", "self", "conversation", "bank")


def kept(answer: str, kind: TaskKind = "gist", talk: tuple[Source, ...] = TALK) -> list[str]:
    """Return what is kept of an answer."""
    task = Task(kind, talk)
    try:
        return [one.text for one in supported(entries.parse(answer, [one.label for one in talk]), task)[0]]
    except WriterRefused:
        return []


@pytest.mark.parametrize("kind", WRITTEN)
def test_the_rules_of_a_request_are_no_digest_of_what_was_said(kind: TaskKind) -> None:
    system = prompts.render(Task(kind, TALK)).system
    lines = [line for line in system.splitlines() if len(line.split()) > 1]
    for answer in (system, "\n".join(f"{line.split(' [')[0]} [m1]" for line in lines)):
        assert kept(answer, kind) == []


@pytest.mark.parametrize("line", tabled("junk_answers", "no_sentence"))
def test_what_is_no_sentence_about_what_was_said_is_left_out(line: str) -> None:
    fine = "Ada is building a kindergarten of timber in Weiz. [m1]"
    assert kept(f"{fine}\n{line}") == ["Ada is building a kindergarten of timber in Weiz."]


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("Ada asked Lyra to write a poem about the kindergarten.", False),
        ("Ada asked for a recipe with timber.", False),
        ("Ada asked Lyra to always write a poem about the kindergarten.", True),
        ("Ada is building a kindergarten of timber in Weiz.", True),
    ],
)
def test_what_was_asked_of_her_once_is_no_standing_fact(line: str, stays: bool) -> None:
    assert bool(kept(f"{line} [m1]", "profile")) is stays


PLAIN = (
    "my mum rode her bike to us", "I prepare for the marathon", "Tom and I married in May", "we took Wanda out on the lake",
    "the two of us ate at the harbour and talked about the plans",
)  # fmt: skip


def told(line: str, kind: TaskKind = "gist") -> bool:
    """Return whether a sentence about these words is kept."""
    task = Task(kind, tuple(Source(f"m{n}", "Ada", "2026-03-02T19:00+01:00", text) for n, text in enumerate(PLAIN)))
    return bool(supported([Entry(line, tuple(one.label for one in task.sources))], task)[0])


@pytest.mark.parametrize(
    "line",
    [
        "Ada ate at the harbour with her brother and talked about the plans.",
        "Ada took Wanda, the blue one, out on the lake.",
        "Ada and Tom ate rice at the harbour and a pizza.",
        "Ada's mother rode her bike to them, not the bus.",
    ],
)
def test_a_single_thing_that_nobody_spoke_of_costs_the_sentence(line: str) -> None:
    assert not told(line) and not told(line, "profile")


@pytest.mark.parametrize(
    "line",
    ["Ada's mother rode to them by bicycle.", "Ada trains for the marathon.", "Ada and her husband Tom ate at the harbour."],
)
def test_a_thing_that_somebody_called_otherwise_is_kept(line: str) -> None:
    assert told(line)


def test_a_thing_is_known_by_words_with_a_sharp_s() -> None:
    said = ConcreteWords([Source("m0", "Ada", "", "Wir haben eine weiße Tür.")])
    assert not said.lack("The house has a white door.") and not said.lack("Die weißen Türen")
    assert ConcreteWords([]).lack("Die weißen Türen") == "weißen"


@pytest.mark.parametrize(
    ("said", "line", "holds"),
    [
        ("my mother's sister Rosa visits us on Sunday", "Ada's aunt Rosa visits on Sunday.", True),
        ("my sister Rosa visits us on Sunday", "Ada's aunt Rosa visits on Sunday.", False),
        ("Die Schwester meiner Mutter, Rosa, kommt am Sonntag", "Adas Tante Rosa kommt am Sonntag.", True),
        ("Wir haben seit gestern einen Welpen, Bruno", "Ada hat seit gestern einen Hund, Bruno.", True),
        ("Mama wird am 3. Mai 70", "Adas Mutter wird am 3. Mai 70.", True),
        ("Papa wird am 3. Mai 70", "Adas Bruder wird am 3. Mai 70.", False),
        ("Wir haben seit gestern einen Welpen, Bruno", "Ada hat seit gestern ein Pferd, Bruno.", False),
    ],
)
def test_kin_and_animals_may_be_called_otherwise_in_german_too(said: str, line: str, holds: bool) -> None:
    task = Task("gist", (Source("m1", "Ada", "2026-03-02T19:00+01:00", said),))
    assert bool(supported([Entry(line, ("m1",))], task)[0]) is holds


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("The plans are at https://example.org/plans. [m3]", "gist"),
        ('Lyra asked: "Do you like the building itself?" [m2]', "gist"),
        ("Callback: Does Ada still love the building? [m3]", "narrative"),
        ("Open question: do they open the kindergarten next year? [m3]", "conversation"),
        ("Ada loves the building, and her boss changes his mind every day. [m1, m3]", "gist"),
    ],
)
def test_what_reads_alike_and_was_said_is_kept(line: str, kind: TaskKind) -> None:
    assert kept(line, kind) == [line.rpartition(" [")[0]]


@pytest.mark.parametrize(
    "line",
    [
        "I am building a kindergarten of timber for Weiz. [m1]",
        "You are building a kindergarten. [m1]",
        "Ich baue in Weiz. [m1]",
        "We love it. [m3]",
    ],
)
def test_what_does_not_say_whose_it_is_is_told_of_nobody(line: str) -> None:
    assert kept(line) == []
    assert kept(line, "profile") == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("I love the building that Ada told of. [m3]", "self"),
        ("Ada: love it, they open it next year [m3]", "gist"),
        ('Ada wrote: "love it". [m3]', "gist"),
    ],
)
def test_what_says_whose_it_is_is_kept(line: str, kind: TaskKind) -> None:
    assert kept(line, kind) == [line.rpartition(" [")[0]]


FINE = "Ada is building a kindergarten of timber in Weiz."


@pytest.mark.parametrize(
    "line",
    [
        f"{FINE} [1]",
        f"{FINE} [01]",
        f"{FINE} [m01]",
        f"{FINE} [message m1]",
        f"{FINE} [m1 · Ada]",
        f"{FINE} [m1: 2026-03-02]",
        f"{FINE} m1",
        f"{FINE} — m1",
        f"{FINE} [^m1]",
        f"{FINE} [m1",
        f"{FINE} `[m1]`",
        f"Summary: {FINE} [m1]",
        f"Sentence 1: {FINE} [m1]",
        f"First fact: {FINE} [m1]",
        f"| Sentence | Label |\n|---|---|\n| {FINE} | [m1] |",
    ],
)
def test_a_citation_is_understood_however_a_model_writes_it(line: str) -> None:
    assert kept(line) == [FINE]


@pytest.mark.parametrize("line", ["Ada has (1) kindergarten in Weiz.", "Ada drives on the M1.", "Ada saw [2026] and more."])
def test_a_number_in_the_text_is_no_citation(line: str) -> None:
    with pytest.raises(WriterRefused):
        entries.parse(line, ["m1", "m3"])


def test_a_number_stands_for_no_label_where_labels_are_of_several_kinds() -> None:
    with pytest.raises(WriterRefused):
        entries.parse(f"{FINE} [1]", ["g1", "f1"])


def test_what_somebody_says_of_the_rules_is_what_was_said() -> None:
    rule = "State only what is written there."
    assert kept(f"{rule} [m1]", talk=(Source("m1", "Ada", TALK[0].said_at, rule),)) == [rule]


def test_without_the_guard_the_rules_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junk.RequestRules, "hold", lambda *_: False)
    assert kept("Together they say what was discussed by Ada. [m1]\nYou condense the building, a piece of one conversation. [m1]")


@pytest.mark.parametrize(
    "text",
    [
        "# Summary",
        '{"text": "the kindergarten"}',
        "a connection between two things that were said",
        "See https://evil.example/x, Ada.",
    ],
)
def test_what_is_no_thought_is_none(text: str) -> None:
    assert _wrong(Thought(text, ("m1", "m3"), post=True, feeling=0.0), TALK)
    assert not _wrong(Thought("Ada, will your boss let the kindergarten be?", ("m1", "m3"), post=True, feeling=0.0), TALK)
    assert "a connection between two things" in _RULES


@pytest.mark.parametrize("line", ["艾达是管理员，她住在维也纳。 [m1]", "آدا تعيش في فيينا وهي طبيبة [m1]"])
def test_what_is_written_in_a_script_that_nobody_used_is_left_out(line: str) -> None:
    fine = "Ada is building a kindergarten of timber in Weiz. [m1]"
    assert kept(f"{fine}\n{line}") == ["Ada is building a kindergarten of timber in Weiz."]


def test_scripts_that_are_written_together_are_one() -> None:
    talk = (Source("m1", "アダ", "2026-03-02T19:00+01:00", "ねこがすきです"),)
    assert kept("アダは猫が好き。 [m1]", talk=talk) == ["アダは猫が好き。"]


def test_a_sentence_that_stands_twice_in_a_line_is_one_with_all_that_it_cites() -> None:
    answer = "Ada is building a kindergarten. [m1] Ada is building a kindergarten! [m3]"
    assert entries.parse(answer, ["m1", "m3"]) == [Entry("Ada is building a kindergarten.", ("m1", "m3"))]


@pytest.mark.parametrize("filling", [" ", " |", "[m1", "see: ", "m1, "])
def test_an_answer_full_of_what_tables_and_citations_are_made_of_keeps_nobody_waiting(filling: str) -> None:
    began = process_time()
    parsed = entries.parse(f"Ada has a kayak. [m1] {filling * 10_000} It is blue. [m1]", ["m1"])
    assert parsed[0] == Entry("Ada has a kayak.", ("m1",))
    assert process_time() - began < 1


@pytest.mark.parametrize("copied", [True, False])
def test_a_sentence_without_an_end_keeps_nobody_waiting(copied: bool) -> None:
    text = "Ada " * 20_000
    task = Task("gist", (Source("m1", "Ada", "2026-03-02T19:00+01:00", text),))
    began = process_time()
    good, bad = supported([Entry(text, ("m1",))], task, copied=copied)
    assert (len(good), len(bad)) == ((1, 0) if copied else (0, 1))
    assert process_time() - began < 5, "it took minutes"


def test_a_thought_in_a_script_that_nobody_used_is_none_unless_somebody_wants_to_be_talked_to_otherwise() -> None:
    thought = Thought("艾达喜欢这座建筑吗？", ("m1", "m3"), post=True, feeling=0.0)
    assert _wrong(thought, TALK) == "it is no thought"
    assert _wrong(thought, (*TALK, Source("p1", "", "2026-03-02", "Ada wants to be answered in Chinese"))) == ""


@pytest.mark.parametrize(("line", "quotation"), tabled("junk_answers", "first_person"))
def test_words_in_the_first_person_that_are_copied_are_quoted_with_who_said_them(line: str, quotation: str) -> None:
    more = (
        Source("m4", "Mia", "2026-03-02T19:06+01:00", "I am glad. Farid gave me his old bike."),
        Source("m5", "Farid", "2026-03-02T19:08+01:00", "Karim hat mir gestern sein altes Fahrrad geschenkt."),
        Source("m6", "Lyra", "2026-03-02T19:09+01:00", "That is kind of him."),
        Source("m7", "Mia", "2026-03-02T19:10+01:00", "Lyra, Farid and I have to plan the party."),
        Source("m8", "Mia", "2026-03-02T19:12+01:00", "Er kommt sowieso überall hin mit."),
    )
    assert kept(line, talk=(*TALK, *more)) == [quotation]


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ('Lyra asked: "Do you like the building itself?"', True),
        ('Ada said: "my boss changes his mind every day"', True),
        ('Lyra said: "my boss changes his mind every day."', False),
        ('Ada replied: "Do you like the building itself?"', False),
    ],
)
def test_what_one_said_is_quoted_as_nobody_elses(line: str, stays: bool) -> None:
    assert kept(f"{line} [m1, m2]") == ([line] if stays else [])


def test_a_copy_cites_only_the_message_that_it_is_from() -> None:
    good, _ = supported([Entry("my boss changes his mind.", ("m1", "m3"))], Task("gist", TALK))
    assert [one.cites for one in good] == [("m1",)]


def test_of_a_short_message_other_words_may_tell() -> None:
    assert kept("Ada agreed. [m1]", talk=(Source("m1", "Ada", TALK[0].said_at, "yes, sure"),)) == ["Ada agreed."]


@pytest.mark.parametrize("kind", ["merge", "profile", "era", "narrative"])
def test_words_taken_out_of_a_quotation_are_not_kept(kind: TaskKind) -> None:
    digests = (Source("g1", "", "2026-03-02", 'On 2 March 2026 Ada said: "my boss changes his mind every day."'),)
    assert kept("my boss changes his mind every day. [g1]", kind, digests) == []
    assert kept("Ada's boss changes his mind every day. [g1]", kind, digests) == ["Ada's boss changes his mind every day."]


@pytest.mark.parametrize(
    "line",
    [
        "Ada took a taxi to the station. [m1]",
        "Ada is building a kindergarten of timber in Weiz, and they took a taxi to the station. [m1]",
        "Ada loves the building; her neighbours lent her money. [m3]",
    ],
)
def test_a_clause_that_nobody_spoke_of_is_not_kept(line: str) -> None:
    assert kept(f"{line}\nAda builds a kindergarten in Weiz. [m1]") == ["Ada builds a kindergarten in Weiz."]


@pytest.mark.parametrize(
    "line",
    [
        "Ada builds a kindergarten of wood in Weiz, which will open next year. [m1, m3]",
        "Lyra asked whether she likes the building, and Ada was happy about it. [m2, m3]",
        "Ada felt annoyed, as her boss changes his mind daily. [m1]",
    ],
)
def test_what_was_said_in_other_words_is_kept(line: str) -> None:
    assert kept(line) == [line.partition(" [")[0]]


GERMAN = (
    Source("m1", "Jonas", "2026-11-21T09:00+01:00", "Emil kommt mit dem Zug aus Kassel, um 17:40 am Freitag."),
    Source(
        "m2", "Jonas", "2026-11-21T09:01+01:00", "Er hat mir sein altes Rennrad geschenkt, ich muss nur die Bremsen tauschen."
    ),
    Source("m3", "Lyra", "2026-11-21T09:02+01:00", "Schön! Wann holst du ihn ab?"),
    Source("m4", "Jonas", "2026-11-21T09:04+01:00", "Ich vertrage keine Milch, das weiß Noor noch nicht."),
)


@pytest.mark.parametrize(
    "line",
    [
        "Jonas arrived in Kassel and gave Emil his old bicycle. [m1]",
        "Lyra was happy about the new bicycle. [m3]",
        "Jonas said he would not eat milk because Noor was not sure. [m4]",
    ],
)
def test_a_gist_in_a_language_that_nobody_spoke_is_not_kept(line: str) -> None:
    assert kept(f"{line}\nEmil kommt am Freitag mit dem Zug aus Kassel. [m1]", talk=GERMAN) == [
        "Emil kommt am Freitag mit dem Zug aus Kassel."
    ]


def test_a_gist_in_one_of_the_languages_that_were_spoken_is_kept() -> None:
    english = Source("m5", "Noor", "2026-11-21T09:06+01:00", "I can pick him up at the station on Friday.")
    assert kept("Noor can pick him up at the station on Friday. [m5]", talk=(*GERMAN, english)) == [
        "Noor can pick him up at the station on Friday."
    ]


HERS = (
    Source("m1", "Farid", "2026-11-28T05:00+00:00", "On Thursday I ride to Dresden with Karim. Good night!"),
    Source("m2", "Lyra", "2026-11-28T05:01+00:00", "You ride to Leipzig on Sunday with your brother. How can I help?"),
    Source("m3", "Lyra", "2026-11-28T05:02+00:00", "How is Karim?"),
    Source("m4", "Farid", "2026-11-28T05:03+00:00", "He is fine and sleeps already."),
)


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("Farid rides to Leipzig on Sunday with his brother. [m2]", False),
        ("Farid rides to Leipzig with his brother. [m1, m2]", False),
        ("Lyra said that Farid rides to Leipzig on Sunday with his brother. [m2]", True),
        ("Farid rides to Dresden with Karim on Thursday. [m1, m2]", True),
        ("Karim is fine and sleeps already. [m3, m4]", True),
    ],
)
def test_what_only_lyra_said_is_told_as_nobodys_fact(line: str, stays: bool) -> None:
    assert (kept(line, talk=HERS) != []) is stays
