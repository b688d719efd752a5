"""`lyra matrix verify` beside `lyra run`, as processes: whoever runs her compares where nobody can change what they see."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes.matrix import Person
from tests.fakes.matrix.sas import Comparison, emoji_in
from tests.kits import matrix_thread
from tests.kits.lyra_kit import Home, Process
from tests.kits.matrix_thread import MatrixThread

pytest_plugins = ["tests.fakes.matrix.fixtures"]

NOTHING = "Nothing waits to be compared. Begin in an app, or with her command verify; then call this again.\n"

matrix = matrix_thread.matrix


def begun(matrix: MatrixThread, ada: Person, room: str) -> tuple[Comparison, str]:
    """Have ada's app come as far as to the emoji, and return it with what Lyra says of them."""
    app = Comparison(ada, matrix.lyra.user, room=room)

    async def compare() -> str:
        heard = len(ada.ears.events)
        await app.asks()
        await app.begins()
        await app.exchanges()
        return await ada.ears.until(
            lambda: next((one.body for one in ada.ears.events[heard:] if one.body.startswith("These are my emoji")), None),
            "emoji",
        )

    return app, matrix.do(compare())


@contextmanager
def woken(home: Home) -> Iterator[Process]:
    with home.started("run") as process:
        process.note("Matrix: ")
        yield process


@pytest.mark.torture
def test_a_kill_in_the_middle_ends_it_and_who_runs_her_compares_the_next_one(matrix: MatrixThread, tmp_path: Path) -> None:
    home = Home(tmp_path, f"{matrix.config()}\n[web]\nport = 0\n", **matrix.variables)
    ada = matrix.person("ada", encrypts=True)
    matrix.do(ada.signs_own_device())
    with woken(home) as process:
        room = matrix.dm(ada, encrypted=True)
        app, _ = begun(matrix, ada, room)
        process.kill_now()
    with woken(home) as process:
        assert matrix.do(app.cancelled()) == "m.user"
        app, said = begun(matrix, ada, room)
        assert emoji_in(said) == app.emoji
        undecided = home.lyra("matrix", "verify")
        assert (undecided.code, undecided.err.splitlines()[-1]) == (1, "Nothing was decided; call it again and say yes or no.")
        done = home.lyra("matrix", "verify", given="yes\n")
        assert done.code == 0
        assert done.out.startswith(f"{ada.user} (device {ada.device}) has to see: ")
        assert emoji_in(done.out) == app.emoji
        matrix.do(app.agrees())
        assert len(matrix.do(app.verified())) == 2
        matrix.until(ada, lambda: [one for one in ada.ears.events if one.body.startswith("Verified: whoever runs me")], "a word")
        listed = home.lyra("matrix", "verify")
        assert (listed.code, listed.err) == (0, NOTHING)
        assert listed.out.startswith(f"{ada.user}: verified on ")
        assert listed.out.endswith(", compared here\n")
        assert process.stop().code == 0
