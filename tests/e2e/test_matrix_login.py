"""`lyra setup` and `lyra matrix login` where accounts sign in on a page, `lyra run` where tokens live for seconds, and kills meanwhile."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.fakes.matrix import Event, People, Person, Synapse
from tests.fakes.matrix.authorization import Authorization
from tests.fakes.matrix.synapse import free_port
from tests.fakes.pulse import PATIENCE
from tests.kits.lyra_kit import Home, ModelServer, NewMachine, Process, one_sentence

pytest_plugins = ["tests.kits.run_fixtures"]

T = TypeVar("T")
SIGNED_IN = "She is signed in as "


class Delegating:
    """A homeserver, the authorization server that it asks, and somebody to talk to, for tests that wait for processes."""

    def __init__(self, synapse: Synapse, port: int) -> None:
        self.synapse, self.server, self.people = synapse, Authorization(port), People(synapse)
        self.server.homeserver = synapse.url
        self.name = synapse.unique("lyra")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def user(self) -> str:
        """Her account."""
        return f"@{self.name}:{self.synapse.server_name}"

    def __enter__(self) -> "Delegating":
        self._thread.start()
        self.do(self.server.__aenter__())
        self.do(self.people.__aenter__())
        self.do(self.server.provide(self.name))
        return self

    def __exit__(self, *_: object) -> None:
        self.do(self.people.__aexit__())
        self.do(self.server.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine beside them, and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    def config(self) -> str:
        """Return the part of a configuration that has Lyra come here."""
        return f'[matrix]\nhomeserver = "{self.synapse.url}"\nuser_id = "{self.user}"\ninvites = "anyone"\n[web]\nport = 0\n'

    def person(self) -> Person:
        """Somebody who is let in by the other server as well."""

        async def come() -> Person:
            name = self.synapse.unique("ada")
            await self.server.provide(name)
            token = await self.server.compatible(name, "ADA")
            return await self.people.admitted(f"@{name}:{self.synapse.server_name}", "ADA", token)

        return self.do(come())

    def answered(self, person: Person, room: str, text: str) -> str:
        """Say something, and return what she answers."""

        async def ask() -> str:
            said = await person.says(room, text)

            def look(event: Event) -> bool:
                return event.sender == self.user and event.type == "m.room.message" and event.answers == said

            return (await person.hears(room, look)).body

        return self.do(ask())


@pytest.fixture(scope="module")
def synapse() -> Iterator[tuple[Synapse, int]]:
    """A homeserver that asks who comes at a port."""
    port = free_port()
    settings: dict[str, Any] = Authorization(port).delegated()
    with Synapse(**settings) as synapse:
        yield synapse, port


@pytest.fixture
def matrix(synapse: tuple[Synapse, int]) -> Iterator[Delegating]:
    """Both servers."""
    with Delegating(*synapse) as matrix:
        yield matrix


def let_in(process: Process, matrix: Delegating) -> str:
    """Agree to the code that is shown, and return it."""
    code = process.note("agree to the code ").split("agree to the code ")[1].rstrip(":")
    matrix.do(matrix.server.agree(matrix.name, code))
    return code


def test_set_up_has_her_let_in_at_its_end(tmp_path: Path, matrix: Delegating) -> None:
    home = NewMachine(tmp_path)
    answers = ["", "", "none", "n", "y", matrix.synapse.url, matrix.user, "", "y", "y"]
    with home.started("setup") as process:
        process.write(*answers)
        process.note("Accounts sign in there on a page of theirs")
        let_in(process, matrix)
        process.note(f"{SIGNED_IN}{matrix.user}")
        assert process.finish().code == 0
    assert "password" not in (home.path / "lyra.toml").read_text().split("[matrix]")[1].split("\n[")[0].split("#")[0]


def test_before_that_doctor_and_run_say_which_command_lets_her_in(tmp_path: Path, matrix: Delegating) -> None:
    home = Home(tmp_path, matrix.config())
    [found] = [line for line in home.lyra("doctor").lines if "Matrix" in line]
    assert found.endswith("answers; accounts sign in there on a page: `lyra matrix login` shows where.")
    with home.started("run") as process:
        process.note("Lyra is not signed in to Matrix. `lyra matrix login` signs her in")
    home.configure(matrix.config().replace(matrix.user, "@somebody:else"))
    with home.started("matrix", "login") as process:
        let_in(process, matrix)
        process.note("/link?code=")
        assert one_sentence(process.wait()).startswith(f"That lets {matrix.user} in")


@pytest.mark.torture
def test_killed_while_she_is_let_in_and_while_a_token_is_renewed_she_goes_on_as_the_same_device(
    tmp_path: Path, matrix: Delegating, model: ModelServer
) -> None:
    home = Home(tmp_path, f"{model.config()}\n{matrix.config()}")
    with home.started("matrix", "login") as process:
        code = let_in(process, matrix)
        process.kill()
    with home.started("matrix", "login") as process:
        assert code in process.note("agree to the code ") or len(matrix.server.sessions) == 1
        assert matrix.user in process.note(SIGNED_IN)
    matrix.server.seconds = 3
    ada = matrix.person()
    with home.started("run") as lyra:
        lyra.note("Matrix: connected")
        room = matrix.do(ada.opens_dm(matrix.user))
        assert matrix.answered(ada, room, "hello") == "You said: hello"
        matrix.do(matrix.server.until_asked("refresh_token", 3))
        assert matrix.answered(ada, room, "still there?") == "You said: still there?"
        matrix.server.held = asyncio.Event()
        matrix.do(matrix.server.until_asked("refresh_token", len(matrix.server.calls("refresh_token")) + 1))
        lyra.kill()
    matrix.server.held = None
    with home.started("run") as lyra:
        lyra.note("Matrix: connected")
        assert matrix.answered(ada, room, "and now?") == "You said: and now?"
        [found] = [line for line in home.lyra("doctor").lines if "Matrix" in line]
        assert "signed by herself" in found
    assert len({one.device for one in matrix.server.sessions if one.user == matrix.name}) == 1
