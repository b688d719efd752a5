"""`lyra dream` in a pipe: what it does, what it says of it, and that nobody's words are in what it says."""

import signal
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.kits.dream_talk import thoughtful
from tests.kits.entered import entered
from tests.kits.lyra_kit import Home, ModelServer

SAID = ("We have a new garden", "My sister moves to Graz", "Who waters the tomatoes?")
CONFIG = 'embed = "off"\nsummary_waits = [0.0]\n'
DRIVES = ["continuity", "coherence", "curiosity"]

model = entered(lambda: ModelServer(thoughtful))
"""A model that tells the ladder, and has thoughts."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A machine with a model, to which something was told; it is only copied."""
    with ModelServer(thoughtful) as model:
        home = Home(tmp_path_factory.mktemp("told"), CONFIG + model.config())
        home.chat(*SAID)
    return home


@pytest.fixture
def home(told: Home, tmp_path: Path, model: ModelServer) -> Home:
    """A machine with a model, to which something was told."""
    return told.copied(tmp_path, CONFIG + model.config())


def test_with_nothing_to_do_it_says_so_and_asks_no_model(home: Home, model: ModelServer) -> None:
    asked = len(model.chats)
    done = home.lyra("dream")
    assert done.code == 0 and len(model.chats) == asked
    place, *steps = done.lines
    assert place == "Private conversation on this machine:" and [line.split()[0] for line in steps[:3]] == DRIVES
    assert all(line.endswith("below its threshold") for line in steps[:3])
    assert steps[-1].endswith("0 calls, 0 tokens")


def test_forced_it_does_everything_and_its_report_holds_no_words(home: Home, model: ModelServer) -> None:
    asked = len(model.chats)
    done = home.lyra("dream", "--force", "--json")
    [row] = done.rows
    assert done.code == 0 and (row["kind"], row["platform"]) == ("dm", "console")
    report = row["report"]
    assert [(step["drive"], step["acted"]) for step in report["steps"]] == [(drive, True) for drive in DRIVES]
    assert all(step["made"] > 0 for step in report["steps"])
    assert report["calls"] == len(model.chats) - asked > 3 and report["tokens"] > 0
    assert report["reflection"] == "waits to be said" and report["failed"] == ""
    assert not [word for word in ("garden", "Graz", "tomatoes", "sister") if word in done.out + done.err]
    again = home.lyra("dream", "--json").rows[0]["report"]
    assert again["calls"] == 0


def test_how_she_is_is_shown_over_time_and_begins_anew(home: Home) -> None:
    for _ in range(2):
        assert home.lyra("dream", "--force").code == 0
    now = home.lyra("memory", "self").lines
    assert now[0].startswith("My mood here is +") and now[1].startswith("What drives me, from 0 to 1: continuity 0.")
    drawn = home.lyra("memory", "self", "--history").lines
    assert [line.split()[0] for line in drawn[1:7]] == ["mood", "energy", *DRIVES, "stability"]
    assert set(drawn[1].split()[1]) <= set("▁▂▃▄▅▆▇█")
    [state] = home.lyra("memory", "self", "--history", "--json").rows
    assert len(state["history"]) == 2 and state["history"][0]["drives"].keys() == {*DRIVES, "stability"}
    assert home.lyra("memory", "reset").lines[0].startswith("I am as at the beginning here")
    assert home.lyra("memory", "self", "--json").rows[0]["mood"] == 0


def test_a_model_out_of_reach_is_said_and_loses_nothing(home: Home, model: ModelServer) -> None:
    model.script(*[b.Status(503)] * 4)
    failed = home.lyra("dream", "--force")
    assert failed.code == 1 and "Traceback" not in failed.out + failed.err
    assert home.lyra("status", "--json").rows[0]["unsummarized_total"] > 0
    assert home.lyra("dream", "--force").code == 0
    assert home.lyra("status", "--json").rows[0]["unsummarized_total"] == 0


def test_without_a_model_gists_are_written_and_the_rest_is_said_to_take_one(tmp_path: Path) -> None:
    home = Home(tmp_path, 'embed = "off"\n')
    home.chat(*SAID)
    done = home.lyra("dream", "--force")
    assert done.code == 0
    assert ["1 made" in line for line in done.lines[1:4]] == [True, False, False]
    assert all(line.endswith("that takes a model") for line in done.lines[2:4])


def test_it_goes_on_until_it_is_told_to_stop(home: Home) -> None:
    with home.started("dream", "--loop", "1") as dreaming:
        for _ in range(2):
            while dreaming.reply() != "Private conversation on this machine:":
                pass
        assert dreaming.stop().code == 0


@pytest.mark.parametrize("sure", ["y", "n"])
def test_at_the_terminal_it_is_shown_before_it_is_done(home: Home, sure: str) -> None:
    shown = home.chat("/dream force:yes", sure)
    assert "Dream now? [y/N]" in shown.err and "would act" in shown.err
    assert shown.lines[-1] == "Another time, then." if sure == "n" else "1 made" in shown.out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_a_model_that_says_nothing_holds_up_no_end(home: Home, model: ModelServer, number: int) -> None:
    asked = len(model.chats)
    model.script(b.Hang())
    with home.started("dream", "--force") as dreaming:
        model.wait(asked + 1)
        done = dreaming.stop(number)
    assert done.code == 0 and "Traceback" not in done.err
    assert len(model.chats) == asked + 1, "it is asked no more"
    again = home.lyra("dream", "--force", "--json")
    assert again.code == 0 and again.rows[0]["report"]["calls"] > 0, "nobody holds the dream"
