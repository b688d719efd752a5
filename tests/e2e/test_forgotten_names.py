"""What a conversation is called is in no file any more once it is forgotten, and what comes later under its name is known still."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kits.lyra_kit import Home, jsonl
from tests.kits.pages import holding
from tests.kits.size import few

NAME = "quixotic-zanzibar"
TOLD = jsonl(
    {"content": "The ship is called Iris.", "created_at": "2024-05-01T10:00:00Z", "id": "d1"},
    {"content": "ok", "created_at": "2024-05-01T10:00:05Z"},
)


def traces(home: Home) -> list[str]:
    """Return the files that hold the name, each as often as it does."""
    return holding(home.path, bytes.fromhex(home.key.read_text("ascii")), "zanzibar")


def typed(*lines: str) -> Callable[[Home], str]:
    """Return what types these lines in the conversation of that name."""
    return lambda home: home.chat(*lines, options=["--session", NAME]).out


WAYS: dict[str, Callable[[Home], str]] = {
    "at the command line": lambda home: home.lyra("forget", "--session", NAME, "--yes").out,
    "by what was said": lambda home: home.lyra("forget", "--since", "2000-01-01", "--yes").out,
    "in it": typed("/forget session", "y", "/status"),
    "all of it, in it": typed("/forget all", "y", "/status"),
    "word for word": typed("/forget last", "/forget last", "/status"),
}


@pytest.mark.parametrize("way", few(WAYS.values(), 3), ids=few(WAYS, 3))
def test_nothing_of_the_name_of_a_forgotten_conversation_is_left(tmp_path: Path, way: Callable[[Home], str]) -> None:
    home = Home(tmp_path).begun()
    home.chat("the vault opens with seven turns", "and then once more to the left", options=["--session", NAME])
    (said,) = home.lyra("sessions", "--json").rows
    assert said["name"] == NAME and traces(home) != []
    assert "Forgotten: " in way(home)
    assert traces(home) == []
    home.chat("here I am again", options=["--session", NAME])
    (again,) = home.lyra("sessions", "--json").rows
    assert again == {**again, "id": said["id"], "name": NAME}


def test_what_is_set_in_a_conversation_tells_nothing_of_its_name(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    home.chat("/incognito on", "here is nothing to see", options=["--session", NAME])
    assert traces(home) == []
    assert "Off the record" not in home.chat("/incognito", options=["--session", NAME]).out
    assert "off the record; /incognito off" in home.chat("/incognito", options=["--session", NAME]).out


def test_what_is_imported_under_the_name_of_a_forgotten_conversation_stays_forgotten(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    (home.folder / f"{NAME}.jsonl").write_text(TOLD, "utf-8")
    (home.folder / "copy.jsonl").write_text(TOLD, "utf-8")
    home.lyra("import", f"{NAME}.jsonl")
    ids = [row["id"] for row in home.export()]
    home.lyra("forget", "--session", NAME, "--yes")
    assert traces(home) == []
    for file in (f"{NAME}.jsonl", "copy.jsonl"):
        assert home.lyra("import", file).out == "Imported 0 messages in 1 conversation; 2 had been forgotten and stay so.\n"
        assert traces(home) == []
    assert ids and home.export() == []


def test_a_conversation_begun_off_the_record_is_off_the_record_and_in_no_file(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    home.chat("my cat is called Turing")
    begun = home.chat("/incognito on", "/new axolotl", "my doctor is called zanzibar", "/new main", "/incognito off")
    off = "What is said here is off the record; /incognito off ends it."
    assert begun.lines[1:] == [
        f'This is a new conversation: "axolotl". {off}', "Heard, and not kept.", f'We are in "main" now. {off}',
        "From now on I keep what is said to me again. I have nothing of what was said off the record.",
    ]  # fmt: skip
    assert [holding(home.path, bytes.fromhex(home.key.read_text("ascii")), word) for word in ("zanzibar", "axolotl")] == [[], []]
    back = home.chat("/incognito on", "/new other", "/incognito off", "/new main", options=["--session", "main"])
    assert back.lines[-1] == f'We are in "main" now. {off}'
    home.chat("/incognito off")
    assert home.chat("the tap drips", "/new main").lines[-1] == 'We are in "main" now.'
