"""Summaries, as a user pipes them: one conversation, all of them, with and without a model."""

import json
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.kits.entered import entered
from tests.kits.lyra_kit import Home, ModelServer, jsonl, one_sentence

QUICK = "summary_tries = 1"
TALKS = jsonl(
    *(
        {"session": name, "content": text, "created_at": f"2024-05-0{day}T10:00:00Z", "id": f"{name}-{day}"}
        for name, told in {
            "garden": ("Bo planted 40 tulips.", "The tulips froze.", "Bo bought new bulbs in Linz."),
            "kitchen": ("Rye bread needs 3 hours.", "The oven broke on Friday."),
        }.items()
        for day, text in enumerate(told, start=1)
    )
)


model = entered(lambda: ModelServer(b.sensible))
"""A model that answers digests from their transcripts."""


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A machine with two imported conversations; it is only copied."""
    home = Home(tmp_path_factory.mktemp("talks"))
    assert home.lyra("import", "-", given=TALKS).code == 0
    return home


@pytest.fixture
def home(talks: Home, tmp_path: Path) -> Home:
    """A machine with two imported conversations."""
    return talks.copied(tmp_path)


def test_one_conversation_by_name_or_the_newest(home: Home) -> None:
    named = home.lyra("summarize", "kitchen")
    assert (named.err, named.code) == ("", 0)
    assert named.lines[0] == "1 May 2024 – 2 May 2024"
    assert "Rye bread needs 3 hours." in named.out
    assert home.lyra("summarize", "kitchen").out == named.out
    home.chat("the new oven is red", options=["--session", "today"])
    assert "the new oven is red" in home.lyra("summarize").out
    unknown = home.lyra("summarize", "attic")
    assert unknown.code == 1
    assert one_sentence(unknown) == 'There is no session "attic" here. See them with: lyra sessions'


def test_nothing_to_summarize_is_said_plainly(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    home.chat()
    done = home.lyra("summarize")
    assert done.code == 1
    assert one_sentence(done) == "There is nothing to summarize yet. Start a conversation with: lyra chat"


def test_all_conversations_without_a_model(home: Home) -> None:
    done = home.lyra("summarize", "--all", "--json")
    assert (json.loads(done.out), done.err, done.code) == ({"summarized": 2, "failed": 0, "total": 2}, "", 0)
    again = home.lyra("summarize", "--all")
    assert (again.out, again.code) == ("summarized 0, failed 0, total 0\n", 0)
    counts = json.loads(home.lyra("status", "--json").out)
    assert (counts["dirty"], counts["ripe"], counts["unsummarized_total"]) == (0, 0, 0)

    kept = home.lyra("memory", "summaries", "--json")
    assert (kept.err, kept.code) == ("", 0)
    assert {row["session"] for row in kept.rows} == {"garden", "kitchen"}
    for row in kept.rows:
        assert {"id", "session", "tier", "writer", "first_at", "last_at", "text"} <= set(row)
        assert row["writer"] == "extractive"
        assert row["tier"] in ("gist", "summary")
        assert row["first_at"].startswith("2024-05-0")
    assert home.lyra("memory").out == home.lyra("memory", "summaries").out
    assert "40 tulips" in home.lyra("memory").out


def test_a_limit_takes_the_oldest_first(home: Home) -> None:
    limited = home.lyra("summarize", "--all", "--limit", "1", "--workers", "2", "--json")
    assert json.loads(limited.out) == {"summarized": 1, "failed": 0, "total": 1}
    assert json.loads(home.lyra("status", "--json").out)["dirty"] == 1


def test_a_model_writes_and_its_price_is_estimated_first(home: Home, model: ModelServer) -> None:
    home.configure(model.config(backend="price_in = 1000\nprice_out = 2000"))
    done = home.lyra("summarize", "--all", "--json")
    assert (json.loads(done.out), done.code) == ({"summarized": 2, "failed": 0, "total": 2}, 0)
    estimate, pieces = done.err.splitlines()
    assert pieces.endswith(" of profile, eras, narrative and self made.")
    assert estimate.startswith("2 conversations: about ")
    assert " calls of main and " in estimate
    assert " tokens, about " in estimate
    rows = home.lyra("memory", "--json").rows
    assert {row["writer"] for row in rows} == {"model:main"}
    assert any("The oven broke on Friday." in row["text"] for row in rows)
    asked = len(model.chats)
    assert f"about {asked} calls" in estimate, "what is announced is what is called"
    nothing = home.lyra("summarize", "--all", "--json")
    assert (json.loads(nothing.out)["total"], nothing.err, len(model.chats)) == (0, "", asked)


def test_what_a_run_that_was_cut_off_left_above_the_conversations_is_priced_as_well(home: Home, model: ModelServer) -> None:
    home.configure(model.config(QUICK))
    for name in ("garden", "kitchen"):
        home.lyra("summarize", name)
    before = len(model.chats)
    told = home.lyra("summarize", "--all").err
    assert told.startswith(f"Facts, months and what is going on: about {len(model.chats) - before} calls of main and ")
    assert home.lyra("summarize", "--all").err == "", "nothing is left"


def test_a_greeting_is_summed_up_as_one_whoever_said_it(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    for name in ("A", "Dr. No", "hi", "李"):
        home.lyra("chat", "--as", name, given="hi\n")
    done = home.lyra("summarize", "--all")
    assert (done.out, done.err, done.code) == ("summarized 4, failed 0, total 4\n", "", 0)
    assert home.lyra("summarize", "--as", "Dr. No").lines[1].endswith('Dr. No said: "hi".')


def test_one_that_fails_is_counted_and_done_the_next_time(home: Home, model: ModelServer) -> None:
    home.configure(model.config(QUICK))
    model.script(b.DOWN)
    failed = home.lyra("summarize", "--all", "--workers", "1", "--json")
    assert failed.code == 1
    assert json.loads(failed.out) == {"summarized": 1, "failed": 1, "total": 2}
    told = "1 conversation could not be summarized; lyra logs says why, and the next time it is tried again."
    assert failed.err.splitlines()[-1] == told and "summarize.failed" not in failed.err
    assert "summarize.failed" in home.lyra("logs").out
    assert "tulips" not in failed.err and "bread" not in failed.err
    resumed = home.lyra("summarize", "--all", "--json")
    assert (json.loads(resumed.out), resumed.code) == ({"summarized": 1, "failed": 0, "total": 1}, 0)


def test_what_another_process_summarizes_just_now_is_not_called_a_failure_to_look_up(home: Home, model: ModelServer) -> None:
    home.configure(model.config())
    model.script(b.Held("Rye bread needs 3 hours; the oven broke."))
    with home.started("summarize", "kitchen"):
        model.wait(1)
        second = home.lyra("summarize", "--all")
        assert (second.out, second.code) == ("summarized 1, failed 1, total 2\n", 1)
        assert second.err.splitlines()[-1] == "Another process is summarizing 1 conversation just now."
        assert "lyra logs" not in second.err
        model.go()


def test_a_model_out_of_reach_is_named_for_one_conversation(home: Home, model: ModelServer) -> None:
    home.configure(model.config(QUICK))
    model.script(b.DOWN)
    failed = home.lyra("summarize", "kitchen")
    assert (failed.out, failed.code) == ("", 1)
    assert "fake-model" in one_sentence(failed)
    assert "The oven broke on Friday." in home.lyra("summarize", "kitchen").out


def test_a_model_that_invents_is_refused_and_the_extract_stands_after_three_tries(home: Home, model: ModelServer) -> None:
    home.configure(model.config(QUICK))
    model.server.default = lambda _: "Zaphod arrived with 77 elephants [m1]."
    for _ in range(3):
        home.lyra("summarize", "kitchen")
    told = home.lyra("summarize", "kitchen")
    assert (told.err, told.code) == ("", 0)
    assert "Rye bread needs 3 hours." in told.out
    assert "Zaphod" not in home.lyra("memory", "--json").out


def test_what_a_model_would_not_write_is_asked_for_again_once_it_is_set_up_otherwise(home: Home, model: ModelServer) -> None:
    home.configure(model.config(QUICK))
    model.server.default = lambda _: "Zaphod arrived with 77 elephants [m1]."
    for _ in range(3):
        home.lyra("summarize", "--all", "--yes")
    asked = len(model.chats)
    model.server.default = b.sensible
    home.lyra("summarize", "--all", "--yes")
    assert len(model.chats) == asked, "the same model would write the same"
    home.configure(model.config(QUICK, backend="max_tokens = 2048"))
    home.lyra("summarize", "--all", "--yes")
    assert {row["writer"] for row in home.lyra("memory", "--json").rows if row["tier"] == "gist"} == {"model:main"}


def test_what_was_extracted_is_written_anew_once_there_is_a_model(home: Home, model: ModelServer) -> None:
    home.lyra("summarize", "--all")
    home.configure(model.config())
    done = home.lyra("summarize", "--all", "--json")
    assert json.loads(done.out) == {"summarized": 2, "failed": 0, "total": 2}
    assert {row["writer"] for row in home.lyra("memory", "--json").rows if row["tier"] == "gist"} == {"model:main"}


def test_summaries_are_made_without_the_model_she_chats_with_where_that_is_wanted(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, model.config('summary = "offline"')).begun()
    assert home.lyra("import", "-", given=TALKS).code == 0
    assert home.chat("hello").code == 0
    asked = len(model.chats)
    assert asked == 1
    assert "The oven broke on Friday." in home.lyra("summarize", "kitchen").out
    assert home.lyra("summarize", "--all", "--yes").code == 0
    assert len(model.chats) == asked
    assert json.loads(home.lyra("status", "--json").out)["summary"] == "extractive"
