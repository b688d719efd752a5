"""The real `lyra dream`, ended as a power cut would end it, again and again: what it makes is made once, a thought said once."""

import random
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from tests.kits.dream_talk import thoughtful
from tests.kits.entered import entered
from tests.kits.lyra_kit import Home, ModelServer, jsonl
from tests.kits.size import TORTURE

KILLS, MONTHS = (200, 12) if TORTURE else (2, 3)
_PARTS = ("profile", "eras", "narrative", "self")
_CONFIG = 'embed = "off"\nsummarize_after = 4\nbackground_calls_per_day = 100000\n'
_DREAMS = "[dream]\ncuriosity = 0.05\ncalls_per_day = 100000\ntokens_per_day = 100000000\nreflections_per_day = 1\n"

model = entered(lambda: ModelServer(thoughtful))
"""A model that tells the ladder, and has thoughts."""


def machine(folder: Path, model: ModelServer) -> Home:
    """Return a machine with months of talk on it."""
    folder.mkdir(exist_ok=True)
    home = Home(folder, _CONFIG + model.config() + _DREAMS)
    months = [f"2025-{month:02}-{day:02}T10:00:00Z" for month in range(1, MONTHS + 1) for day in (3, 17)]
    lines = [
        {"session": "talk", "speaker": "ada", "content": f"Row {n} of the garden got peas.", "created_at": at, "id": str(n)}
        for n, at in enumerate(months)
    ]
    assert home.lyra("import", "-", given=jsonl(*lines)).code == 0
    return home


def made(home: Home) -> dict[str, Counter[str]]:
    """Return what stands in each part of the ladder, by its words."""
    found = {}
    for part in _PARTS:
        rows = home.lyra("memory", part, "--json").rows
        found[part] = Counter(text for row in rows for text in _texts(row))
    found["gists"] = Counter(row["text"] for row in home.lyra("memory", "summaries", "--json").rows if row["tier"] == "gist")
    return found


def _texts(row: dict[str, Any]) -> list[str]:
    if "text" in row:
        return [row["text"]]
    return [one["text"] for one in (*row.get("paragraphs", ()), *row.get("narrative", ()))]


def test_dreams_killed_at_any_moment_make_in_the_end_what_one_makes_that_is_not(tmp_path: Path, model: ModelServer) -> None:
    calm, shaken = machine(tmp_path / "calm", model), machine(tmp_path / "shaken", model)
    assert calm.lyra("dream", "--force").code == 0
    chance = random.Random(2026)
    killed = 0
    for _ in range(KILLS):
        with shaken.started("dream", "--force") as dreaming:
            timer = threading.Timer(chance.uniform(0.0, 1.0), dreaming.kill_now)
            timer.start()
            killed += dreaming.wait().code != 0
            timer.join()
    assert killed
    done = shaken.lyra("dream", "--force", "--json")
    assert done.code == 0, done.err
    for _ in range(3):  # what stands on what was made meanwhile is made of it
        shaken.lyra("dream", "--force")
    calm.lyra("dream", "--force")
    wanted = made(calm)
    assert all(wanted.values()) and made(shaken) == wanted
    assert shaken.lyra("doctor").code == 0


def test_a_thought_is_said_once_however_often_she_is_killed_before_and_after(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, _CONFIG + model.config() + _DREAMS)
    home.chat("We have a new garden", "My sister moves to Graz", "/settings reflections on")
    assert home.lyra("dream", "--force").code == 0
    chance = random.Random(2026)
    shown: list[str] = []
    for _ in range(KILLS):
        with home.started("chat") as chat:
            timer = threading.Timer(chance.uniform(0.0, 1.0), chat.kill_now)
            timer.start()
            timer.join()
            shown += chat.wait().out.splitlines()
    shown += home.chat().lines
    thoughts = [line for line in shown if line.startswith("Is there something between")]
    # A terminal cannot say what it has shown: after a kill right behind it, it may be repeated, and says so.
    assert 1 <= len(thoughts) <= 2 and len(set(thoughts)) == 1
    again = home.chat("/reflection why").lines
    assert again[0].startswith("I thought ") and not [line for line in again[1:] if line.startswith("Is there")]
