"""What the documents say of the code is true: every place that they name exists."""

import ast
import re
from pathlib import Path

import pytest

from tests.kits.lyra_kit import REPO

DOCS = sorted((REPO / "docs").glob("*.md"))
STEP = re.compile(r"^\d+\. `(?P<file>[\w/]+\.py)` `(?P<name>[\w.]+)`: ", re.MULTILINE)


def defined(file: Path) -> set[str]:
    """Return the names of what a file defines: functions, classes, and methods as Class.method."""
    found: set[str] = set()
    for one in ast.parse(file.read_text("utf-8")).body:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(one.name)
        if isinstance(one, ast.ClassDef):
            found |= {f"{one.name}.{each.name}" for each in one.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    return found


def test_every_step_of_a_flow_is_a_place_in_the_code() -> None:
    steps = STEP.findall((REPO / "docs" / "architecture.md").read_text("utf-8"))
    assert len(steps) > 30
    assert [(file, name) for file, name in steps if name not in defined(REPO / file)] == []


@pytest.mark.parametrize(("flow", "most"), [("a message", 25), ("a recall", 20)])
def test_a_newcomer_follows_a_flow_through_few_files(flow: str, most: int) -> None:
    text = (REPO / "docs" / "architecture.md").read_text("utf-8")
    steps = text.partition(f"## The flow of {flow}\n")[2].partition("\n## ")[0]
    assert 10 < len(set(re.findall(r"`([\w/]+\.py)`", steps))) <= most


@pytest.mark.parametrize("document", [REPO / "README.md", *DOCS], ids=lambda one: str(one.name))
def test_every_file_that_is_named_is_there(document: Path) -> None:
    text = document.read_text("utf-8")
    named = re.findall(r"`((?:bot|memory|adapters|tests|deploy|docs)/[\w./]*)`", text)
    linked = re.findall(r"\]\(([^)#:]+\.\w+)\)", text)
    assert [one for one in named if not (REPO / one).exists()] == []
    assert [one for one in linked if not (document.parent / one).exists()] == []


@pytest.mark.parametrize("document", [REPO / "README.md", *DOCS], ids=lambda one: str(one.name))
def test_every_heading_that_is_linked_is_there(document: Path) -> None:
    linked = re.findall(r"\]\(([^)#:]*)#([^)]+)\)", document.read_text("utf-8"))
    assert [(file, name) for file, name in linked if name not in headings(document.parent / file if file else document)] == []


def headings(document: Path) -> set[str]:
    """Return how a link names each heading of a document."""
    found = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in found}


def test_every_folder_says_what_it_is_for_what_comes_in_and_what_goes_out() -> None:
    short = []
    for top in ("bot", "memory", "adapters", "localization"):
        for file in (REPO / top).rglob("__init__.py"):
            said = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
            if len(re.findall(r"[.;:](?:\s|$)", said)) < 2:
                short.append(str(file.relative_to(REPO)))
    assert short == []


def test_no_folder_holds_more_than_twenty_modules() -> None:
    folders = {file.parent for top in ("bot", "memory", "adapters", "localization") for file in (REPO / top).rglob("*.py")}
    assert [str(folder) for folder in folders if len(list(folder.glob("*.py"))) > 21] == []
