"""Every command of the command line leads to what does its work, whose parameters fit."""

import ast
import inspect
import re

import pytest

from bot.imports import imported
from tests.kits.lyra_kit import REPO

CALLS = [
    one
    for file in ("cli/main.py", "cli/memory_commands.py")
    for one in ast.walk(ast.parse((REPO / "bot" / file).read_text("utf-8")))
    if isinstance(one, ast.Call) and ast.unparse(one.func) == "execute"
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: str(ast.literal_eval(call.args[0])))
def test_a_command_leads_to_its_work(call: ast.Call) -> None:
    work = imported(str(ast.literal_eval(call.args[0])))
    assert inspect.iscoroutinefunction(work)
    inspect.signature(work).bind(*call.args[1:], **{one.arg: one.value for one in call.keywords if one.arg})


def test_there_are_commands() -> None:
    assert len(CALLS) > 15


def test_what_is_loaded_when_it_is_needed_is_there() -> None:
    named = [
        name
        for file in (REPO / "bot").rglob("*.py")
        for name in re.findall(r'\bimported\("([\w.:]+)"\)', file.read_text("utf-8"))
    ]
    assert len(named) > 10
    for name in named:
        assert imported(name)
