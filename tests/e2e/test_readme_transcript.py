"""The transcript in the README is true: it is replayed line by line against the real process."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.kits.lyra_kit import REPO, Home, ModelServer, NewMachine
from tests.kits.lyra_terminal import Terminal

_START = "$ make run"
_TYPED = "you › "
_ANSWERED = "lyra › "
_QUESTION = "[y/N] "
_VARIABLE = (
    (r"\b(today|yesterday) at \d\d:\d\d\b", "today at 00:00"),
    (r"\bjust now\b|\b\d+ (minute|hour|day)s? ago\b", "just now"),
    (r"(copy this key somewhere safe:) \S+", r"\1 KEY"),
)


@dataclass(slots=True)
class Start:
    """One start of Lyra: what stands on the screen, and the keys that were pressed, in order."""

    shown: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)


def transcript(readme: str) -> list[str]:
    """Return the lines of the fenced block between the README's transcript markers."""
    found = re.search(r"<!-- transcript -->\s*```[^\n]*\n(.*?)```\s*<!-- /transcript -->", readme, re.DOTALL)
    assert found, "README.md has no transcript between its markers"
    return [line.rstrip() for line in found[1].splitlines() if line.strip()]


def starts(lines: list[str]) -> list[Start]:
    """Take a transcript apart; what only the Makefile prints is left out, and what a model answered is noted."""
    found: list[Start] = []
    connected = False
    for line in lines:
        if line == _START:
            found.append(Start())
            continue
        start = found[-1]
        if line.startswith("Setting up"):
            continue
        start.shown.append("you ›" if line == f"{_TYPED}^D" else line)
        if line.startswith(_TYPED):
            start.typed.append(line.removeprefix(_TYPED))
        elif _QUESTION in line:
            start.typed.append(line.partition(_QUESTION)[2])
        elif connected and line.startswith(_ANSWERED):
            start.answers.append(line.removeprefix(_ANSWERED))
        connected = connected or line.startswith(f"{_ANSWERED}Connected.")
    return found


def settled(lines: list[str]) -> list[str]:
    """Return lines with what differs from day to day and from machine to machine made equal."""
    for pattern, instead in _VARIABLE:
        lines = [re.sub(pattern, instead, line) for line in lines]
    return lines


def replay(home: Home, start: Start) -> list[str]:
    """Press the keys of one start and return what stands on the screen before the conversation is left."""
    with Terminal(home) as terminal:
        for text in start.typed:
            terminal.awaits_keys()
            if text == "^D":
                lines = terminal.lines
                assert terminal.leave() == 0
                return lines
            terminal.type(text)
        lines = terminal.ready()
        assert terminal.leave() == 0
    return lines[:-1]


def test_the_readme_shows_what_happens(tmp_path: Path) -> None:
    told = starts(transcript((REPO / "README.md").read_text("utf-8")))
    assert len(told) >= 2
    with ModelServer(models=("llama3.2",)) as ollama:
        home = NewMachine(tmp_path, OLLAMA_HOST=ollama.host, NO_COLOR="1")
        for start in told:
            ollama.script(*start.answers)
            assert settled(replay(home, start)) == settled(start.shown)
