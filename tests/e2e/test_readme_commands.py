"""Every command that README and the guides name is there, with the options that they name."""

import re
from pathlib import Path

import pytest
import typer

from bot.cli.main import cli
from tests.kits.lyra_kit import DOCUMENTS, REPO


def named(document: Path) -> list[tuple[str, list[str]]]:
    """Return the commands of the command line that a document names, each with its options."""
    outside = re.sub(r"(?ms)^\s*```.*?^\s*```$", "", document.read_text("utf-8"))
    spans = re.findall(r"`([^`\n]+)`", outside)
    calls = [part for span in spans for part in re.findall(r"\blyra ([a-z].*)", span)]
    return [(call.split()[0], re.findall(r"(?<=[\s\[])--?[a-z-]+", call)) for call in calls]


def test_commands_are_found_in_what_is_written() -> None:
    assert all(len(named(document)) > 10 for document in DOCUMENTS if document.stem in ("README", "commands", "running"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda one: str(one.name))
def test_every_command_that_is_named_is_there(document: Path) -> None:
    commands = typer.main.get_command(cli).commands  # type: ignore[attr-defined]
    found = named(document)
    unknown = [name for name, _ in found if name not in commands]
    assert unknown == []
    for name, options in found:
        there = {option for parameter in commands[name].params for option in parameter.opts + parameter.secondary_opts}
        assert [one for one in options if one not in there | {"--help"}] == [], name


def test_every_picture_is_there_and_small() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (REPO / "README.md").read_text("utf-8"))
    assert len(pictures) == 2
    assert all((REPO / one).stat().st_size < 200_000 for one in pictures)
