"""Commands as every platform renders them: what can be asked, with which words, and what is answered."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from adapters.events import Message, Person, Place
from localization.sentences import Said


class Surface(Protocol):
    """What a command may ask of the place it was called at, while the person waits."""

    async def confirm(self, question: str) -> bool:
        """Ask the person, and return whether the answer was yes."""
        ...

    def enter(self, thread: str, name: str) -> bool:
        """Go on in another conversation of this person; False where a place has one at a time."""
        ...


@dataclass(frozen=True, slots=True)
class Parameter:
    """One typed word of a command: text, a whole number, or yes and no. `rest` takes everything that follows.

    `choices` are the only values, or those that are offered if it is `open` to others; `suggests` says that the listener offers values while the person types. A named one is
    given as name:value in a line, and stands nowhere in particular; with `rest` it takes all words up to the next name. In help `value`
    stands for what is given, by default its name.
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
    """A command as called: who, where, with what; `message` is the one by which it was typed, '' for none.

    `id` is the call's own, on its platform, and `answers` where its answer goes, in the adapter's own words. Of one that is `off_record` nothing is kept. `owner` says that it is who runs her, who
    alone reads the answer.
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
    """Something to press under an answer: a command of the table, and its only argument. Together at most 90 characters."""

    label: str
    command: str
    argument: str


@dataclass(frozen=True, slots=True)
class File:
    """A file that goes with an answer. It is held until that is sent, and kept nowhere."""

    name: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Card:
    """A receipt that stands by itself: `title` is one line that leads to the address `link`, '' for nowhere; `note` is small print."""

    text: str
    title: str = ""
    note: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class CardLimits:
    """What one message takes: how many cards, and how many UTF-16 units in all, in a title, in a text and in a note."""

    cards: int
    units: int
    title: int
    text: int
    note: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command answers. `links` are the addresses that it may show as such, always said and often none.

    `shows` are the listener's own keys of what it quotes. `asks` is a message that is to be answered next. `conversation` says
    that she talks, and gives no notice. `files` go with it. `cards` say the same as the text, where a platform shows cards.
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
    """One command of the table that every platform renders in its own way.

    A name of two words is a command and its subcommand. `menu` names an entry of a message's menu: the command then has that
    message as its target and no parameters. A hidden command is reached through actions alone. One that `takes_back` what was said
    waits for no answer that is being made. One that is `alone` is of a place that the person alone reads, wherever it is called. One
    that `verifies` is of platforms where people verify her.
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
