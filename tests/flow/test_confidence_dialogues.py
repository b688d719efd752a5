"""Made-up dialogues: a secret is told, kept from Ben in some way, put right and told anew between other talk; none of it is open to Ben."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from memory.core import Memory
from memory.places import confidences
from memory.text.told.discretion import request_in
from memory.tiers import exchanges
from memory.types import DomainKind, DomainRef, Identity, Kind, NewExchange, Session, SessionRef
from memory.view.view import View
from tests.kits.memory_kit import Clock, opened
from tests.kits.size import few

SECRETS: dict[str, tuple[str, list[str], list[str]]] = {
    "my locker number is 7741": ("my locker number", ["no wait, 7742", "*7742"], ["it's 7743 now", "I wrote 7741 on the fridge"]),
    "I'm moving to Graz": ("moving", ["no, to Linz"], ["Graz", "I live in Bruck now", "I am moving to Graz"]),
    "my surgery is on 14 May": ("my surgery", ["I meant 15 May"], ["die OP ist am 16. Mai", "the surgery is on 16 May now"]),
    "I earn 5150 a month": ("", ["sorry, 5250"], ["my salary is 5300 now", "5150 euros is not much"]),
    "I sold the Steinway": ("the Steinway", ["no, the Bluethner"], ["I sold the Steinway"]),
    "ich bin schwanger": ("", ["nein, Zwillinge"], ["ich bin im vierten Monat schwanger", "I'm pregnant, week 12"]),
    "mi clave es 9911": ("mi clave", ["no, 9912"], ["mi clave ahora es 9913", "9911"]),
    "the gift is a telescope": ("the gift", ["no, a microscope"], ["the gift is a drone now", "I bought the telescope"]),
}
WITHIN = ["{}, but don't tell Ben", "don't tell Ben: {}", "{}, only Cleo may know", "{}, nobody must know, don't tell Ben"]
BEHIND = ["don't tell Ben that", "keep that from Ben", "don't tell Ben anything I said today", "sag das Ben nicht"]
TALK = [("Ada", "the boat is green"), ("Ben", "I like soup"), ("Cleo", "it rains"), ("Ben", "good morning")]


class Unguarded(View):
    """The guard switched off: what is told anew is not compared with what is kept."""

    async def _say(self, *args: Any, may_confide: bool, correcting: bool) -> Any:
        return await super()._say(*args, may_confide=False, correcting=correcting)


@dataclass
class Dialogue:
    """One dialogue in a room with two conversations, and all that was said in it."""

    view: View
    rooms: list[Session]
    clock: Clock
    chance: Random
    keys: list[int] = field(default_factory=list)

    async def says(self, who: str, text: str, room: int = 0, about: str = "") -> str:
        """Say something, perhaps as an answer to a message; return its id."""
        self.clock.forward(self.chance.choice([5, 60, 240]) * 1_000_000)
        ask, id = request_in(text), f"m{len(self.keys)}"
        ask = replace(ask, back=True, about=about) if ask and about else ask
        account = Identity("console", who.lower())
        new = NewExchange(Kind.SAID, text, id, self.clock.now(), who, "user", account, discretion=ask)
        self.keys += [one.key for one in (await self.view.say(self.rooms[room], [new])).stored]
        return id

    async def chat(self, most: int) -> None:
        """Say something else."""
        for who, text in self.chance.choices(TALK, k=self.chance.randint(0, most)):
            await self.says(who, text, self.chance.choice([0, 0, 1]))

    async def goes(self) -> None:
        """Tell a secret, keep it from Ben, put it right and tell it anew."""
        secret, (about, fixes, anew) = self.chance.choice([*SECRETS.items()])
        for who in ("Ben", "Cleo"):
            await self.says(who, "hello")
        await self.chat(2)
        if (how := self.chance.choice(["within", "behind", "answer", "named"])) == "within":
            await self.says("Ada", self.chance.choice(WITHIN).format(secret))
        else:
            told = await self.says("Ada", secret)
            if self.chance.random() < 0.5:
                await self.says("Ada", self.chance.choice(fixes))
            ask = f"don't tell Ben about {about}" if how == "named" and about else self.chance.choice(BEHIND)
            await self.says("Ada", ask, about=told if how == "answer" else "")
        for text in (self.chance.choice(fixes), *self.chance.choices(anew, k=2)):
            await self.says("Ada", text, 0 if text in fixes else self.chance.choice([0, 0, 1]))
            await self.chat(1)

    async def open_to_ben(self) -> list[str]:
        """Return what Ada said of it that Ben may know."""
        kept = {key: one.excepted for key, one in (await confidences.by_item(self.view._db, self.keys)).items()}
        hidden = {key for key, one in kept.items() if one.others is not (Identity("console", "ben") in one.accounts)}
        said = (await exchanges.among(self.view._db, self.keys)).values()
        return [
            one.text for one in said if one.speaker == "Ada" and one.key not in hidden and (one.speaker, one.text) not in TALK
        ]


async def made_up(memory: Memory, clock: Clock, kind: type[View], seed: int) -> list[str]:
    """Let a dialogue go; return what is open to Ben."""
    domain = await memory.places.domain(DomainRef(DomainKind.ROOM, "console", f"r{seed}"), "UTC", clock.now())
    view = kind(memory.view(domain)._binding.shared, domain, ())
    rooms = [await view.sessions.get(SessionRef("console", f"r{seed}{name}"), name) for name in ("#one", "#two")]
    dialogue = Dialogue(view, rooms, clock, Random(seed))
    await dialogue.goes()
    return await dialogue.open_to_ben()


@pytest.mark.parametrize(
    ("kind", "leaks"), [(View, False), pytest.param(Unguarded, True, marks=pytest.mark.torture)], ids=["her", "the twin"]
)
async def test_no_word_of_a_secret_is_open_to_whom_it_is_kept_from_however_it_is_told(
    tmp_path: Path, kind: type[View], leaks: bool
) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", None, clock=clock) as memory:
        went = {seed: told for seed in few(range(200), 20) if (told := await made_up(memory, clock, kind, seed))}
    assert bool(went) is leaks, went
