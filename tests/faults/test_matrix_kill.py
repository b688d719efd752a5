"""The real `lyra run` on Matrix, ended as a power cut would end it, at every moment: each question is answered there once.

One Lyra lives many lives in the same home. Each life ends at one of the moments below, in the order in which they stand, then
at random ones. In the end the homeserver shows what came of it: exactly one answer to every question, and nothing half done.
"""

import asyncio
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path

from tests.fakes.matrix import Held, Person, Synapse, Then
from tests.fakes.matrix.faults import SEND, TO_DEVICE
from tests.kits.lyra_kit import Home, ModelServer
from tests.kits.many_lives import chosen, in_the_call_of_the_model, killed_while_it_starts, life, remembered, repeats
from tests.kits.matrix_thread import MatrixThread
from tests.kits.size import TORTURE

pytest_plugins = ["tests.fakes.matrix.fixtures"]

KILLS = 120
"""How many kills there are under torture; each of the moments has one."""
AT_ONCE = 2 if TORTURE else 1
JOIN = "POST /join/*"
LONG = " ".join(f"sentence {n * n} of a long answer." for n in range(1000))
FURTHER_PARTS = 1
GREETING = "Hello, I am Lyra"


@dataclass(frozen=True)
class Asked:
    """A question: who asked what where, and which message it is."""

    who: Person
    room: str
    text: str
    id: str


class World:
    """A homeserver's people, a model, and a home where Lyra is started again and again."""

    def __init__(self, folder: Path, matrix: MatrixThread, model: ModelServer, seed: int) -> None:
        self.matrix = matrix
        self.model = model
        self.chance = random.Random(seed)
        self.home = Home(
            folder, f"{model.config('summarize_after = 500')}{matrix.config()}[web]\nport = 0\n", **matrix.variables
        ).begun()
        self.asked: list[Asked] = []
        self._people = [matrix.person(f"person{number}", encrypts=True) for number in range(5)]
        self._next = cycle(self._people)
        self._rooms: list[str] = []

    def meet(self) -> None:
        """Let her into two rooms, and hear a first word: what is killed before that leaves no place to go on from."""
        if not self._rooms:
            for sealed in (False, True):
                room = self.matrix.do(self.matrix.people.together(*self._people, encrypted=sealed))
                self.matrix.do(self._people[0].invites(room, self.matrix.lyra.user))
                self._rooms.append(room)
                self._heard(self._people[0], room, lambda body: body.startswith(GREETING), "a greeting")
            self.ask()
            self.settle()

    def ask(self, kind: str = "question", *, sealed: bool | None = None) -> None:
        """Let somebody ask something in a room, which is encrypted or not, or whichever."""
        self._ask(self._rooms[self.chance.random() < 0.5 if sealed is None else sealed], next(self._next), kind)

    def ask_privately(self) -> None:
        """Let somebody new ask something in a new DM, before she is there."""
        sealed = self.chance.random() < 0.5
        who = self.matrix.person("stranger", encrypts=sealed)
        self._ask(self.matrix.dm(who, encrypted=sealed), who, "question")

    def _ask(self, room: str, who: Person, kind: str) -> None:
        text = f"{kind} {len(self.asked)}"
        self.asked.append(Asked(who, room, text, self.matrix.says(who, room, text)))

    def settle(self) -> None:
        """Wait until everything that was asked is answered."""
        for one in self.asked:
            self._heard(one.who, one.room, lambda body: fits(one.text, body), f"the answer to {one.text}", one.id)  # noqa: B023

    def _heard(self, who: Person, room: str, look: Callable[[str], bool], what: str, answers: str = "") -> None:
        def found() -> bool:
            told = (one for one in who.ears.events if one.room == room and one.sender == self.matrix.lyra.user)
            return any(look(one.body) for one in told if not answers or one.answers == answers)

        self.matrix.until(who, lambda: found() or None, what)

    def hold(self, operation: str, held: Held, *before: Then) -> Held:
        """Stop the next request of an operation; more of them go through before."""
        self.matrix.faults(operation, *before, held)
        return held

    def reached(self, held: Held) -> None:
        """Wait until a request was stopped."""
        self.matrix.do(held.reached.wait())

    def either(self) -> Held:
        """Return what stops a request before or after it takes effect."""
        return Held(before=self.chance.random() < 0.5)


def fits(text: str, answer: str) -> bool:
    """Say whether this is the answer to a text, or its first part."""
    return answer == f"You said {text}." or answer.startswith(f"You said {text}. sentence 0")


# The moments. Each asks, and returns when the moment is there.


def while_it_is_heard(it: World) -> None:
    it.ask()
    time.sleep(it.chance.uniform(0.0, 0.05))


def before_the_answer_arrived(it: World) -> None:
    held = it.hold(SEND, Held(before=True))
    it.ask()
    it.reached(held)


def after_the_answer_arrived(it: World) -> None:
    held = it.hold(SEND, Held())
    it.ask(sealed=False)
    it.reached(held)


def after_the_encrypted_answer_arrived(it: World) -> None:
    held = it.hold(SEND, Held())
    it.ask(sealed=True)
    it.reached(held)


def between_the_parts_of_a_long_answer(it: World) -> None:
    held = it.hold(SEND, it.either(), Then(_nothing))
    it.ask("long question")
    it.reached(held)


def while_she_goes_into_a_dm(it: World) -> None:
    held = it.hold(JOIN, it.either())
    it.ask_privately()
    it.reached(held)


def in_the_introduction(it: World) -> None:
    held = it.hold(SEND, it.either())
    it.ask_privately()
    it.reached(held)


def while_keys_are_shared(it: World) -> None:
    it.matrix.do(it.matrix.people.second_device(it.asked[0].who))
    held = it.hold(TO_DEVICE, it.either())
    it.ask(sealed=True)
    it.reached(held)


def in_a_crowd(it: World) -> None:
    for sealed in (False, True, False):
        it.ask(sealed=sealed)
    it.ask_privately()
    it.ask("long question")
    time.sleep(it.chance.uniform(0.0, 0.5))


async def _nothing() -> None:
    pass


Moment = Callable[[World], None]
MOMENTS: tuple[Moment, ...] = (
    while_it_is_heard,
    in_the_call_of_the_model,
    before_the_answer_arrived,
    after_the_answer_arrived,
    after_the_encrypted_answer_arrived,
    between_the_parts_of_a_long_answer,
    while_she_goes_into_a_dm,
    in_the_introduction,
    while_keys_are_shared,
    in_a_crowd,
)
FEW: tuple[Moment, ...] = (after_the_encrypted_answer_arrived, while_keys_are_shared)
"""The moments of a shorter life: a kill after the homeserver took an answer, and in what only Matrix has."""


def lived(synapse: Synapse, beside: MatrixThread, seed: int, folder: Path, moments: list[Moment]) -> None:
    """Live, and be killed at each of these moments; in the end everything must have been answered once."""
    with MatrixThread(synapse, beside) as matrix, ModelServer(partial(repeats, long=LONG)) as model:
        it = World(folder, matrix, model, seed)
        killed_while_it_starts(it)
        for moment in moments:
            with life(it, "Matrix") as process:
                it.meet()
                moment(it)
                process.kill()
            if it.chance.random() < 0.5:
                it.ask("question while she was down,")
            if it.chance.random() < 0.2:
                killed_while_it_starts(it)
        with life(it, "Matrix") as process:
            it.ask()  # It is answered after everything that was left over.
            it.settle()
            assert process.stop().code == 0
        proved(it)


def proved(it: World) -> None:
    """Assert that each question has its one answer, each place its one greeting, and that memory and outbox agree."""
    for room in {one.room for one in it.asked}:
        here = [one for one in it.asked if one.room == room]
        told = it.matrix.told(here[0].who, room)
        assert len([body for body in told if body.startswith(GREETING)]) == 1
        for one in here:
            assert [body for body in told if fits(one.text, body)] != [], one.text
        long_ones = [one for one in here if one.text.startswith("long")]
        assert len(told) == 1 + len(here) + FURTHER_PARTS * len(long_ones), [body[:60] for body in told]
    kept, waiting = asyncio.run(remembered(it.home))
    assert waiting == []
    assert [one.text for one in it.asked if kept[one.text] != 1] == []
    assert sum(kept.values()) == 2 * len(it.asked)


def test_killed_again_and_again_she_answers_every_question_once(synapse: Synapse, tmp_path: Path) -> None:
    moments = chosen(MOMENTS, FEW, KILLS)
    with MatrixThread(synapse) as beside, ThreadPoolExecutor(AT_ONCE) as pool:
        seeds = range(AT_ONCE)
        lives = [pool.submit(lived, synapse, beside, seed, tmp_path / str(seed), moments[seed::AT_ONCE]) for seed in seeds]
    for one in lives:
        one.result()
