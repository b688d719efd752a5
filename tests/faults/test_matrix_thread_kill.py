"""The real `lyra run`, killed -9 while it begins a thread in a Matrix room that wants them: there is one thread, and one answer in it."""

from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import Event, Held, Person
from tests.fakes.matrix.faults import SEND
from tests.kits import matrix_thread
from tests.kits.lyra_kit import Home, ModelServer, Process
from tests.kits.matrix_thread import MatrixThread
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures"]


def answer(request: b.Request) -> str:
    """Answer the last line."""
    return "You said " + request.last_user.splitlines()[-1].rpartition(": ")[2]


matrix = matrix_thread.matrix


def opened(matrix: MatrixThread, ada: Person, process: Process) -> str:
    """Have Ada let her into a room that wants a thread for each conversation; return that."""
    process.note("Matrix: connected.")
    room = matrix.do(matrix.people.together(ada, matrix.person("bob")))
    matrix.do(ada.invites(room, matrix.lyra.user))
    matrix.until(
        ada, lambda: [one for one in ada.ears.events if one.room == room and one.body.startswith("Hello")] or None, "a greeting"
    )
    matrix.says(ada, room, "!settings threads on")
    # The greeting, and aside what a setting is now.
    matrix.do(matrix.proxy.heard(SEND, 2))
    return room


def told(matrix: MatrixThread, ada: Person, text: str) -> None:
    """Wait until somebody reads an answer."""
    matrix.until(ada, lambda: [one for one in ada.ears.events if one.body == f"You said {text}"] or None, "an answer")


def in_threads(matrix: MatrixThread, ada: Person, room: str) -> list[tuple[str, str]]:
    """Return what she answered in a room: in which thread, and what."""
    told: list[Event] = matrix.do(ada.messages(room))
    return [(one.thread, one.body) for one in told if one.sender == matrix.lyra.user and one.body.startswith("You said")]


@pytest.mark.parametrize("before", few([False, True]), ids=few(["it stands", "it does not stand"]))
def test_a_kill_leaves_one_thread_and_one_answer(matrix: MatrixThread, tmp_path: Path, before: bool) -> None:
    ada = matrix.person("ada")
    with ModelServer(answer) as model:
        home = Home(tmp_path, f"{model.config()}{matrix.config()}[web]\nport = 0\n", **matrix.variables).begun()
        with home.started("run") as process:
            room = opened(matrix, ada, process)
            held = Held(before=before)
            matrix.faults(SEND, held)
            first = matrix.says(ada, room, "the lighthouse keeper is called Bertram")
            matrix.do(held.reached.wait())
            process.kill()
        with home.started("run") as process:
            process.note("Matrix: connected.")
            told(matrix, ada, "the lighthouse keeper is called Bertram")
            second = matrix.says(ada, room, "and which cup?")
            told(matrix, ada, "and which cup?")
            process.stop()
    assert in_threads(matrix, ada, room) == [
        (first, "You said the lighthouse keeper is called Bertram"),
        (second, "You said and which cup?"),
    ]


@pytest.mark.torture
def test_what_is_said_before_the_thread_can_be_seen_goes_into_it_after_a_kill_as_well(
    matrix: MatrixThread, tmp_path: Path
) -> None:
    ada = matrix.person("ada")
    with ModelServer(answer) as model:
        home = Home(tmp_path, f"{model.config()}{matrix.config()}[web]\nport = 0\n", **matrix.variables).begun()
        with home.started("run") as process:
            room = opened(matrix, ada, process)
            model.script(b.Hang())
            first = matrix.says(ada, room, "hello")
            model.wait(1)
            process.kill()
        matrix.says(ada, room, "which tea?")
        with home.started("run") as process:
            process.note("Matrix: connected.")
            told(matrix, ada, "which tea?")
            process.stop()
    assert {thread for thread, _ in in_threads(matrix, ada, room)} == {first}
