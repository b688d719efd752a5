"""What her answers had in view goes along in an export: where it is imported, the same answers go with what is forgotten."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.kits.lyra_kit import Home

TOLD = "My locker code is 4711."
TALK = (
    "Noah plays the cello in the town orchestra.",
    TOLD,
    "what is my locker code?",
    "I moved to Graz in May.",
    "where do I live now?",
    "who plays the cello?",
    "We planted tulips along the fence.",
)


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A machine on which somebody talked with her; it is only copied."""
    home = Home(tmp_path_factory.mktemp("talked")).begun()
    home.chat(*TALK)
    return home


def moved(home: Home, folder: Path, *without: str) -> Home:
    """Return a new machine into which the export of a home was imported, but for some fields."""
    there = Home(folder).begun()
    rows = [{name: value for name, value in row.items() if name not in without} for row in home.export()]
    (there.folder / "lyra.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert there.lyra("import", "lyra.jsonl").code == 0
    return there


def forget(home: Home, text: str) -> None:
    """Forget a message by its words."""
    (row,) = [row for row in home.export() if row["content"] == text]
    assert home.lyra("forget", row["id"]).code == 0


def said(home: Home) -> list[str]:
    """Return what is kept, by its words."""
    return [row["content"] for row in home.export()]


def views(home: Home) -> list[Any]:
    """Return what her answers had in view."""
    return [row["seen"] for row in home.export() if row["role"] == "assistant"]


def test_the_same_answers_go_in_both_homes(talked: Home, tmp_path: Path) -> None:
    here, there = talked.copied(tmp_path / "here"), moved(talked, tmp_path / "there")
    assert said(there) == said(here) and views(there) == views(here)
    for home in (here, there):
        forget(home, TOLD)
    assert said(there) == said(here)
    assert not any("4711" in text for text in said(there))
    assert any("Graz" in text for text in said(there) if text not in TALK), "an answer about something else stays"


def test_an_export_of_an_earlier_version_counts_as_before(talked: Home, tmp_path: Path) -> None:
    there = moved(talked, tmp_path / "there", "seen")
    assert "seen" not in there.export()[-1]
    forget(there, TOLD)
    assert not any("4711" in text for text in said(there))


def test_nothing_forgotten_is_named_or_comes_back(talked: Home, tmp_path: Path) -> None:
    here, there = talked.copied(tmp_path / "here"), moved(talked, tmp_path / "there")
    (id_,) = [row["id"] for row in here.export() if row["content"] == TOLD]
    forget(here, TOLD)
    assert id_ not in json.dumps(here.export())
    forget(there, TOLD)
    before = there.export()
    (there.folder / "earlier.jsonl").write_text("".join(json.dumps(row) + "\n" for row in talked.export()), "utf-8")
    again = there.lyra("import", "earlier.jsonl")
    assert again.code == 0 and there.export() == before


def test_an_answer_whose_view_is_not_fully_in_the_file_counts_as_before(talked: Home, tmp_path: Path) -> None:
    rows = [row for row in talked.export() if row["content"] != TALK[0]]
    there = Home(tmp_path / "there").begun()
    odd: list[Any] = [
        "x", {"messages": "x"}, {"messages": {"main": [1]}}, {"messages": {"main": ["nowhere"]}}, {"messages": {"elsewhere": ["x"]}},
        {"made_from": {"x": "y"}}, {"digests": ["nowhere"]},
    ]  # fmt: skip
    for row, seen in zip([row for row in rows if row["role"] == "assistant"], odd, strict=True):
        row["seen"] = seen
    (there.folder / "lyra.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done = there.lyra("import", "lyra.jsonl")
    assert (done.code, done.err) == (0, "") and said(there) == [row["content"] for row in rows]
    assert not any("seen" in row for row in there.export())


def test_where_the_rest_of_a_digest_is_not_in_the_file_answers_from_then_on_count_as_before(tmp_path: Path) -> None:
    there = Home(tmp_path).begun()
    told = [{"made_from": {"d": {"messages": {"main": [id_]}}}, "digests": ["d"]} for id_ in ("m0", "nowhere")]
    views: list[Any] = [*told, {"messages": {"main": ["m2"]}}]
    rows: list[dict[str, Any]] = []
    for at, view in enumerate(views):
        rows.append({"session": "main", "role": "user", "content": TALK[at], "id": f"m{at}"})
        rows.append(
            {"session": "main", "role": "assistant", "speaker": "Lyra", "content": f"Fine {at}.", "id": f"r{at}", "seen": view}
        )
    (there.folder / "lyra.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert there.lyra("import", "lyra.jsonl").code == 0
    assert ["seen" in row for row in there.export() if row["role"] == "assistant"] == [True, False, False]
