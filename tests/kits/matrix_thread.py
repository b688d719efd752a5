"""People at a real homeserver, and the way to it, in a thread of their own, for tests that wait for processes."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, ParamSpec, Self, TypeVar

import pytest

from tests.fakes.matrix import Event, People, Person, Proxy, Synapse
from tests.fakes.matrix.faults import Fault
from tests.fakes.pulse import PATIENCE

P = ParamSpec("P")
T = TypeVar("T")

PASSWORD_ENV = "MATRIX_PASSWORD"


class MatrixThread:
    """Lyra's account, the proxy that she comes by, and everyone else. Act through `do` and `call`.

    with MatrixThread(synapse) as matrix:
        home = Home(tmp_path, matrix.config(), **matrix.variables)
        ada = matrix.person("ada")
        ...start `lyra run`, then
        room = matrix.dm(ada)
        assert matrix.answered(ada, room, matrix.says(ada, room, "hello")) == ["You said: hello"]

    What is `beside` another one lives in its thread: nio keeps the keys of all clients in one place, for one thread at a time.
    """

    def __init__(self, synapse: Synapse, beside: "MatrixThread | None" = None) -> None:
        self.people, self.proxy = People(synapse), Proxy(synapse.url)
        self._loop: asyncio.AbstractEventLoop = beside._loop if beside else asyncio.new_event_loop()
        self._thread = None if beside else threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        if self._thread:
            self._thread.start()
        self.do(self.people.__aenter__())
        self.do(self.proxy.__aenter__())
        self.lyra = self.person("lyra")
        return self

    def __exit__(self, *_: object) -> None:
        self.do(self.proxy.__aexit__())
        self.do(self.people.__aexit__())
        if self._thread:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the people's loop, and return its result. Raises TimeoutError where it takes too long."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in the people's loop, where nothing else runs meanwhile, and return its result."""

        async def called() -> T:
            return function(*args, **kwargs)

        return self.do(called())

    # What people do, and what they read

    def person(self, name: str, *, encrypts: bool = False) -> Person:
        """Someone new."""
        return self.do(self.people.person(name, encrypts=encrypts))

    def dm(self, person: Person, *, encrypted: bool = False) -> str:
        """Let somebody open a DM with Lyra, whether she is there or not."""
        return self.do(person.opens_dm(self.lyra.user, encrypted=encrypted))

    def says(self, person: Person, room: str, text: str) -> str:
        """Let somebody say something to Lyra, and return which message it is."""
        return self.do(person.says(room, text, mentions=[self.lyra.user]))

    def answered(self, person: Person, room: str, said: str) -> list[str]:
        """Wait until a message is answered, and give what stands as answers to it."""
        self.until(person, lambda: self._answers(person, room, said), "an answer")
        return self.answers(person, room, said)

    def answers(self, person: Person, room: str, said: str) -> list[str]:
        """Return what stands as answers to a message now."""
        told = self.do(person.messages(room))
        return [one.body for one in told if one.sender == self.lyra.user and one.answers == said and not one.replaces]

    def told(self, person: Person, room: str) -> list[str]:
        """Return all that Lyra said in a room."""
        return [one.body for one in self.do(person.messages(room)) if one.sender == self.lyra.user]

    def until(self, person: Person, look: Callable[[], T | None], what: str) -> T:
        """Wait until a look at what somebody heard finds something. Raises AssertionError where it takes too long."""
        return self.do(person.ears.until(look, what))

    def _answers(self, person: Person, room: str, said: str) -> list[Event]:
        heard = [one for one in person.ears.events if one.room == room and one.sender == self.lyra.user]
        return [one for one in heard if one.answers == said]

    # What the way does

    def faults(self, operation: str, *faults: Fault) -> None:
        """Let the next requests of an operation meet faults."""
        self.call(self.proxy.faults.script, operation, *faults)

    def config(self, more: str = "", user: str = "", homeserver: str = "") -> str:
        """Return the part of a configuration that has Lyra come to this homeserver; `more` goes into [matrix]."""
        where = f'homeserver = "{homeserver or self.proxy.url}"\nuser_id = "{user or self.lyra.user}"\n'
        return f'[matrix]\n{where}password_env = "{PASSWORD_ENV}"\ninvites = "anyone"\n{more}\n'

    @property
    def variables(self) -> dict[str, str]:
        """The environment that holds the account's password."""
        return {PASSWORD_ENV: self.lyra.password}


@pytest.fixture
def matrix(synapse: Synapse) -> Iterator[MatrixThread]:
    """The homeserver and its people as a fixture, which a test module takes with `matrix = matrix_thread.matrix`."""
    with MatrixThread(synapse) as matrix:
        yield matrix
