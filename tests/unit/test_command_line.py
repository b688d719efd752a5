"""Every command of the command line leads to what does its work, whose parameters fit."""

import ast
import inspect
from importlib import import_module

import pytest

from tests.kits.lyra_kit import REPO

CALLS = [
    one
    for one in ast.walk(ast.parse((REPO / "bot" / "cli" / "main.py").read_text("utf-8")))
    if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "_run"
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: str(ast.literal_eval(call.args[0])))
def test_a_command_leads_to_its_work(call: ast.Call) -> None:
    module, _, name = str(ast.literal_eval(call.args[0])).partition(":")
    work = getattr(import_module(module), name)
    assert inspect.iscoroutinefunction(work)
    inspect.signature(work).bind(*call.args[1:], **{one.arg: one.value for one in call.keywords if one.arg})


def test_there_are_commands() -> None:
    assert len(CALLS) > 15
