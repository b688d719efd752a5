"""`lyra memory`, as a user pipes it: what two imported years become, put right, let go, and what is said without a model."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.kits.ladder_talk import teller
from tests.kits.lyra_kit import USER, Done, Home, ModelServer, jsonl, one_sentence

MONTHS = [f"{year}-{month:02}" for year in (2024, 2025) for month in range(1, 13)]
PARTS = ("profile", "eras", "narrative", "self")
YEARS = jsonl(
    *(
        {"session": f"talk {month}", "content": text, "created_at": f"{month}-{day:02}T10:00:00Z", "id": f"{month}-{day}"}
        for at, month in enumerate(MONTHS)
        for day, text in ((3, f"I planted {at + 10} tulips this time."), (4, f"Row {at + 50} of the garden seems too wet."))
    )
)


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A model that tells the ladder from what it reads."""
    with ModelServer(teller) as server:
        yield server


@dataclass(frozen=True)
class Years:
    """A machine with two years of conversations, what was said when all were summarized, and each part of memory then."""

    home: Home
    done: Done
    parts: dict[str, list[dict[str, Any]]]

    def fact(self, words: str) -> dict[str, Any]:
        """Return the one fact that says something."""
        return about(self.parts["profile"], words)


@pytest.fixture(scope="module")
def years(model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Years:
    """Those two years; nothing may be changed there."""
    home = Home(tmp_path_factory.mktemp("years"), model.config())
    assert home.lyra("import", "-", given=YEARS).code == 0
    return Years(home, home.lyra("summarize", "--all", "--json"), {part: memory(home, part) for part in PARTS})


@pytest.fixture
def home(years: Years, tmp_path: Path) -> Home:
    """A copy of that machine, to be changed."""
    shutil.copytree(years.home.folder, tmp_path / "home")
    return Home(tmp_path / "home")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A machine without a model, on which something was said."""
    home = Home(tmp_path_factory.mktemp("bare"))
    home.chat("my cat is called Turing")
    home.lyra("summarize", "--all")
    return home


def memory(home: Home, *words: str) -> list[dict[str, Any]]:
    """Return what a part of memory prints for scripts."""
    done = home.lyra("memory", *words, "--json")
    assert (done.err, done.code) == ("", 0)
    return done.rows


def about(rows: list[dict[str, Any]], words: str) -> dict[str, Any]:
    """Return the one fact that says something."""
    (fact,) = [row for row in rows if words in row["text"]]
    return fact


def test_summarizing_all_climbs_the_ladder_and_counts_what_was_made(years: Years) -> None:
    home, done = years.home, years.done
    assert (json.loads(done.out), done.code) == ({"summarized": 24, "failed": 0, "total": 24}, 0)
    price, *progress, pieces = done.err.splitlines()
    assert price.startswith("24 conversations: about ")
    # Where the machine is busy, it says meanwhile how far it is.
    assert all(line.startswith("Summarized") for line in progress)
    assert pieces == "28 pieces of profile, eras, narrative and self made."
    counts = json.loads(home.lyra("status", "--json").out)
    assert (counts["sessions"], counts["profile_sessions_covered"], counts["dirty"]) == (24, 24, 0)
    again = home.lyra("summarize", "--all", "--json")
    assert (json.loads(again.out), again.err) == ({"summarized": 0, "failed": 0, "total": 0}, "")


def test_what_is_said_later_is_not_covered_until_it_is_summarized(home: Home) -> None:
    home.chat("a stork came by", options=["--session", "today"])
    assert json.loads(home.lyra("status", "--json").out)["profile_sessions_covered"] == 24
    home.lyra("summarize", "--all")
    assert json.loads(home.lyra("status", "--json").out)["profile_sessions_covered"] == 25


def test_every_line_names_living_messages_that_it_rests_on(years: Years) -> None:
    home = years.home
    (found,) = home.lyra("recall", "tulips garden row", "-k", "1000", "--json").rows
    messages = {hit["id"]: hit for hit in found["hits"] if hit["role"] == "user"}
    assert len(messages) == 48
    eras, (state,) = years.parts["eras"], years.parts["self"]
    told = [*years.parts["profile"], *years.parts["narrative"], *state["narrative"]]
    told += [paragraph for era in eras for paragraph in era["paragraphs"]]
    assert len({row["id"] for row in told}) == len(told) > 48
    for row in told:
        assert row["sources"], row
        assert all(messages[source]["content"] in row["text"] for source in row["sources"]), row


def test_facts_have_their_kind_and_their_days(years: Years) -> None:
    fact = years.fact("12 tulips")
    assert set(fact) == {"id", "text", "kind", "since", "last", "sources"}
    assert (fact["text"], fact["kind"]) == (f"{USER} said: I planted 12 tulips this time.", "said")
    assert fact["since"] == fact["last"] == "2024-03-03T10:00:00+00:00"
    assert years.fact("Row 52")["kind"] == "inferred"


def test_every_imported_month_is_an_era_of_its_own(years: Years) -> None:
    eras = years.parts["eras"]
    assert [era["month"] for era in eras] == MONTHS
    assert {era["session_count"] for era in eras} == {1}
    assert all({"id", "text", "sources"} == set(one) for era in eras for one in era["paragraphs"])


def test_the_narrative_and_her_own_state_have_their_form(years: Years) -> None:
    lines = years.parts["narrative"]
    assert lines and all(set(line) == {"id", "kind", "text", "since", "sources"} for line in lines)
    assert {line["kind"] for line in lines} <= {"arc", "trend", "callback"}
    (state,) = years.parts["self"]
    assert set(state) == {"version", "mood", "energy", "drives", "since", "narrative", "reflections"}
    assert (state["version"], state["mood"], state["energy"], state["reflections"]) == (2, 0.0, 0.5, [])


def test_to_read_each_says_since_when_from_what_and_its_id(years: Years) -> None:
    home = years.home
    shown = home.lyra("memory", "profile").lines
    at = next(n for n, line in enumerate(shown) if "12 tulips" in line)
    assert shown[at + 1] == f"    since 3 March 2024 · id {years.fact('12 tulips')['id'][:6]}"
    assert shown[at + 2] == f'    {USER}, on 3 March 2024 at 10:00: "I planted 12 tulips this time."'
    assert any(f". Inferred: {USER} said: Row 52 of the garden seems too wet." in line for line in shown)
    eras = home.lyra("memory", "eras").lines
    assert [line for line in eras if line.endswith(", from 1 conversation")][:2] == [
        "January 2024, from 1 conversation", "February 2024, from 1 conversation",
    ]  # fmt: skip
    assert home.lyra("memory", "narrative").lines[0].startswith("1. Going on: ")
    assert home.lyra("memory", "self").lines[0] == "My mood here is +0.0 (from -1 to 1), my energy 0.5 (from 0 to 1)."


def test_nothing_was_replaced_yet(years: Years) -> None:
    done = years.home.lyra("memory", "eras", "--past")
    assert (done.out, done.err, done.code) == ("Nothing of that was replaced so far.\n", "", 0)


def test_a_fact_is_put_right_and_the_old_one_stays_as_history(years: Years, home: Home) -> None:
    old = years.fact("12 tulips")
    done = home.lyra("memory", "correct", old["id"], "It", "was 21 tulips.")
    assert (done.err, done.code) == ("", 0)
    assert done.lines[:2] == [f'"{old["text"]}" does not stand any more; what stands is:', "It was 21 tulips."]
    now = memory(home, "profile")
    new = about(now, "21 tulips")
    assert (new["kind"], new["text"]) == ("said", "It was 21 tulips.") and old not in now
    (ended,) = memory(home, "profile", "--history")
    assert (ended["id"], ended["sources"]) == (old["id"], old["sources"]) and ended["ended"] > ended["since"]
    assert ", replaced on " in home.lyra("memory", "profile", "--past").out
    said = home.export()[-1]
    assert (said["content"], said["speaker"], said["role"], said["session"]) == ("It was 21 tulips.", USER, "user", "main")
    (found,) = home.lyra("recall", "21 tulips", "-k", "1", "--json").rows
    assert new["sources"] == [found["hits"][0]["id"]]


def test_the_old_fact_stands_again_when_what_put_it_right_is_forgotten(years: Years, home: Home) -> None:
    old = years.fact("12 tulips")
    (new,) = memory(home, "correct", old["id"].upper(), "It was 21 tulips.")
    assert (new["text"], new["kind"]) == ("It was 21 tulips.", "said")
    assert home.lyra("forget", new["sources"][0]).code == 0
    assert old in memory(home, "profile")


def test_a_fact_is_let_go_and_its_messages_stay(years: Years, home: Home) -> None:
    fact = years.fact("12 tulips")
    done = home.lyra("memory", "forget", fact["id"])
    assert (done.err, done.code) == ("", 0)
    assert done.lines == [
        "Forgotten, and not to be found again by itself. What it rested on stays; lyra forget ID forgets that too:",
        f'- {USER}, on 3 March 2024 at 10:00: "I planted 12 tulips this time." · id {fact["sources"][0][:6]}',
    ]
    assert any("12 tulips" in row["content"] for row in home.export())
    home.lyra("summarize", "--all")
    assert "12 tulips" not in home.lyra("memory", "profile").out + home.lyra("memory", "profile", "--past").out
    other = years.fact("13 tulips")
    assert memory(home, "forget", other["id"]) == [{"forgotten": other["id"], "sources": other["sources"]}]


@pytest.mark.parametrize(
    "words", [["correct", "nosuchid", "It was 21 tulips."], ["forget", "nosuchid"]], ids=["correct", "forget"]
)
def test_an_unknown_fact_is_named_and_nothing_is_kept(years: Years, words: list[str]) -> None:
    done = years.home.lyra("memory", *words)
    assert (done.out, done.code) == ("", 1)
    assert one_sentence(done) == "There is no fact with that id here. The profile shows the id of each."
    assert len(years.home.export()) == 48


def test_no_words_put_nothing_right(years: Years) -> None:
    done = years.home.lyra("memory", "correct", years.fact("12 tulips")["id"], " ")
    assert (done.out, done.code) == ("", 2) and "it is empty" in one_sentence(done)


def test_a_page_is_found_by_a_name_and_says_when_there_is_none(tmp_path: Path) -> None:
    home = Home(tmp_path, "").begun()
    assert (
        home.lyra("import", "-", given=jsonl({"content": "My dog Bruno is a beagle.", "created_at": "2025-03-04T10:00:00Z"})).code
        == 0
    )
    told = home.lyra("memory", "about", "bruno")
    assert told.code == 0 and told.out.startswith('Bruno (pet, dog)\nWhat was said of it:\n- "My dog Bruno is a beagle."\n')
    (page,) = [json.loads(row) for row in home.lyra("memory", "about", "bruno", "--json").out.splitlines()]
    assert (page["name"], page["kind"], page["facts"]) == ("Bruno", "pet", [])
    assert [message["content"] for message in page["messages"]] == ["My dog Bruno is a beagle."]
    none = home.lyra("memory", "about", "Nemo")
    assert none.code == 1 and none.err == 'Nothing here names "Nemo".\n' and not none.out
    assert home.lyra("memory", "about").code == 2


def test_another_person_has_nothing_of_it(years: Years) -> None:
    home, fact = years.home, years.fact("12 tulips")
    assert home.lyra("memory", "profile", "--as", "bob", "--json").out == ""
    for words in (["correct", fact["id"], "It was 21."], ["forget", fact["id"]]):
        assert home.lyra("memory", *words, "--as", "bob").code == 1
    assert fact in memory(home, "profile")


@pytest.mark.parametrize("part", PARTS)
def test_without_a_model_each_part_says_that_it_takes_one(bare: Home, part: str) -> None:
    read = bare.lyra("memory", part)
    assert (read.err, read.code) == ("", 0)
    sentence = read.lines[-1]
    assert sentence.startswith("That takes a model: ") and sentence.endswith("lyra model connects one.")


@pytest.mark.parametrize("part", ["profile", "self"])
def test_without_a_model_a_script_reads_objects_alone(bare: Home, part: str) -> None:
    script = bare.lyra("memory", part, "--json")
    assert script.err.startswith("That takes a model: ") and script.code == 0
    assert [set(row) >= {"mood", "narrative"} for row in script.rows] == ([True] if part == "self" else [])


def test_with_a_model_and_nothing_told_it_says_what_makes_it(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, model.config()).begun()
    assert home.lyra("memory", "eras").lines == [
        "No month is told here yet. It is made from gists, once there are enough. lyra summarize --all makes what is due."
    ]


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["read", "script"])
def test_a_person_alone_has_no_bank(bare: Home, options: list[str]) -> None:
    done = bare.lyra("memory", "bank", *options)
    said, other = (done.err, done.out) if options else (done.out, done.err)
    assert (said, other, done.code) == ("There is no bank here: it is for places that several people read.\n", "", 0)


MISUSED = {
    "a part that is none": (["dreams"], 'There is no "dreams"; the parts of memory are profile, eras, narrative, self, bank'),
    "a word too many": (["eras", "2024"], '"2024" is a word too many for eras'),
    "the past of what has none": (["summaries", "--past"], "--past goes with profile, eras, narrative, self"),
    "correct without words": (["correct", "abc"], "Write it like this: lyra memory correct ID TEXT"),
    "forget without an id": (["forget"], "Write it like this: lyra memory forget ID"),
    "forget two": (["forget", "abc", "def"], "Write it like this: lyra memory forget ID"),
}


@pytest.mark.parametrize(("words", "named"), MISUSED.values(), ids=list(MISUSED))
def test_wrong_words_are_named(tmp_path: Path, words: list[str], named: str) -> None:
    home = Home(tmp_path)
    done = home.lyra("memory", *words)
    assert (done.out, done.code) == ("", 2)
    assert named in one_sentence(done)
    assert not home.path.exists()


def test_who_said_what_to_be_called_is_told_what_is_known_of_them(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    home.chat("My name is Nora.", "I work as a nurse in Linz.")
    for question in ("what do you know about me?", "who am I?", "do you remember me?"):
        told = home.chat(question).out
        assert "My name is Nora." in told and "I work as a nurse in Linz." in told
    for question in ("what do I do for a living?", "was bin ich von Beruf?"):
        assert "I work as a nurse in Linz." in home.chat(question).out
