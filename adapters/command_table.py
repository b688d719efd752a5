"""Commands as all platforms render them: what can be asked, in which words, and what is answered."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from adapters.events import Message, Person, Place
from localization.sentences import Said


class Surface(Protocol):
    """What a command may do at the place it was called, while the person waits."""

    async def confirm(self, question: str) -> bool:
        """Ask the person, and return whether they said yes."""

    def enter(self, thread: str, name: str) -> bool:
        """Switch this person to another conversation; False if a place has one at a time."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One typed argument of a command: text, a whole number, or yes/no. `rest` takes everything that follows.

    `choices` are the only values or, if `open`, suggestions; `suggests` means the listener offers values while the person
    types. A `named` one is given as name:value anywhere in the line; with `rest` it takes all words up to the next name. In
    help, `value` stands for the argument, by default its name.
    """

    name: str
    help: Said
    type: type = str
    required: bool = False
    rest: bool = False
    choices: tuple[str, ...] = ()
    open: bool = False
    suggests: bool = False
    named: bool = False
    value: Said = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A command call: who, where, with what; `message` is the one it was typed in, '' for none.

    `id` is the call's own on its platform, and `answers` where its answer goes, in the adapter's own words. Nothing is kept
    of a call that is `off_record`. `owner` marks a call by whoever runs Lyra, who alone reads the answer.
    """

    person: Person
    place: Place
    arguments: Mapping[str, str | int | bool]
    surface: Surface | None = None
    private: bool = True
    admin: bool = False
    target: Message | None = None
    message: str = ""
    id: str = ""
    off_record: bool = False
    owner: bool = False
    answers: str = field(default="", repr=False)


class AnswerAudience(StrEnum):
    """Who may call a command, and who reads its answer."""

    ANYONE = "anyone"
    OWNER = "owner"
    PRIVATE = "private"
    HERE = "here"


@dataclass(frozen=True, slots=True)
class Action:
    """A button under an answer: a command of the table, and its only argument. Together at most 90 characters."""

    label: str
    command: str
    argument: str


@dataclass(frozen=True, slots=True)
class File:
    """A file attached to an answer. It is held until the answer is sent, and kept nowhere."""

    name: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Card:
    """A self-contained receipt: `title` is one line linking to the URL `link` ('' for none); `note` is small print."""

    text: str
    title: str = ""
    note: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class CardLimits:
    """The limits of one message: how many cards, and how many UTF-16 units in all, per title, per text and per note."""

    cards: int
    units: int
    title: int
    text: int
    note: int


@dataclass(frozen=True, slots=True)
class Reply:
    """A command's answer. `links` are the URLs it may show as links; always given, and often empty.

    `shows` are the listener's own keys of what it quotes. `asks` is a message to answer next. `conversation` means that
    Lyra talks instead of giving a notice. `files` are attached. `cards` carry the same content as the text, for platforms
    with cards.
    """

    text: str
    links: frozenset[str]
    actions: tuple[Action, ...] = ()
    shows: frozenset[int] = frozenset()
    asks: Message | None = None
    conversation: bool = False
    files: tuple[File, ...] = ()
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One command of the table; every platform renders it in its own way.

    A name of two words is a command and its subcommand. `menu` names an entry of a message's menu: the command then has
    that message as its target and no parameters. A `hidden` command is only reached through actions. One that `takes_back`
    what was said does not wait for an answer being made. One that is `alone` concerns the person's private place, wherever
    it is called. One that `verifies` exists only on platforms where people verify Lyra.
    """

    name: str
    help: Said
    handler: Callable[[Call], Awaitable[Reply]]
    parameters: tuple[Parameter, ...] = ()
    who: AnswerAudience = AnswerAudience.ANYONE
    answer: AnswerAudience = AnswerAudience.PRIVATE
    menu: str = ""
    hidden: bool = False
    takes_back: bool = False
    alone: bool = False
    verifies: bool = False


STOP = "stop"
"""The command that stops an answer being made."""
OFFERS = {"🔁": "again", "👎": "dislike", "🛑": STOP}
"""What reactions to any of her messages ask for."""
TAKEN_BACK = {"👎": "like"}
"""What removing such a reaction stands for."""
# Presentation selectors: emoji style and skin tones.
_LOOKS = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")


def without_presentation(sign: str) -> str:
    """Return a reaction without its presentation."""
    return _LOOKS.sub("", sign)
