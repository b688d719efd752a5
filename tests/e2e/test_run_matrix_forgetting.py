"""`lyra forget` beside `lyra run` on Matrix: what goes while she answers from it in a DM is not said there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.test_run_matrix import awake, ended, machine
from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import Synapse
from tests.kits.lyra_kit import ModelServer
from tests.kits.matrix_thread import MatrixThread

pytest_plugins = ["tests.fakes.matrix.fixtures"]

TOLD, ASKED, CODE = "My locker code is 4711.", "what is the locker code?", "4711"


@pytest.fixture
def matrix(synapse: Synapse) -> Iterator[MatrixThread]:
    """A homeserver's people."""
    with MatrixThread(synapse) as matrix:
        yield matrix


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A model server."""
    with ModelServer(lambda request: "Nobody told me.") as server:
        yield server


@pytest.mark.torture
def test_what_the_terminal_forgets_while_she_answers_in_a_dm_is_not_said_there(
    tmp_path: Path, matrix: MatrixThread, model: ModelServer
) -> None:
    ada = matrix.person("ada", encrypts=True)
    people = f'[people.ada]\nconsole = "ada"\nmatrix = "{ada.user}"'
    home = machine(tmp_path, matrix, model, place=f"{matrix.config()}\n{people}")
    home.chat(TOLD)
    (told,) = [hit for hit in home.lyra("recall", "locker", "--json").rows[0]["hits"] if hit["content"] == TOLD]
    with awake(home) as lyra:
        room = matrix.dm(ada, encrypted=False)
        matrix.answered(ada, room, matrix.says(ada, room, "hello"))
        model.script(b.Held("711.", first="The code is 4"))
        question = matrix.says(ada, room, ASKED)
        model.wait(3)
        assert CODE in str(model.chats[-1].body)
        assert home.lyra("forget", told["id"]).code == 0
        assert matrix.answered(ada, room, question) == ["Nobody told me."]
        model.go()
        ended(lyra.stop())
    assert CODE not in str(model.chats[3].body)
    assert not any(CODE in text for text in matrix.told(ada, room))
    assert not any(CODE in row["content"] for row in home.export())
