"""One turn: what somebody said at a place, and the inputs of its answer."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from adapters.events import Person, Place, Quote
from bot.conversation.concurrent_changes import ChangeWatch
from bot.conversation.preferences import Chosen
from bot.models.port import Image
from memory.types import DiscretionScope, Exchange, Session
from memory.view.view import View


@dataclass(frozen=True, slots=True)
class Turn:
    """Messages of one person at a place that are answered together.

    `quotes` are what it answers, `aside` is what others said just before and is not kept; `watch` is told where that is changed
    or removed. `again` says that it was tried before, and the person knows. Nothing of it was read before `began`.
    `chosen` is what is set here, `left_over` the key of a preview that a kill left behind, '' where there is none. `ended` counts the
    messages that it says may be told again, `covered` says what those keep back that ask for discretion, where that is known.
    `ending` is set where the person has enough of the answer. A `frugal` one is answered from a smaller prompt, a `cheaper` one by the
    cheaper model, where there is one. One that is
    `off_record` is kept nowhere; `before` is what was said so before it in this conversation. `anew` is the call by which it is
    answered once more, '' for the first time. `to` is where its answer goes, in the adapter's own words, '' for an answer to what was asked.
    """

    view: View
    session: Session
    place: Place
    person: Person
    asked: Sequence[Exchange]
    finishes: Sequence[int]
    quotes: Sequence[Quote]
    aside: Sequence[Quote]
    images: Sequence[Image]
    again: bool
    watch: ChangeWatch
    began: int
    chosen: Chosen
    left_over: str
    ended: int = 0
    covered: Mapping[int, DiscretionScope] = field(default_factory=dict)
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    frugal: bool = False
    cheaper: bool = False
    off_record: bool = False
    before: Sequence[Exchange] = ()
    anew: str = ""
    to: str = ""

    @property
    def aside_of(self) -> str:
        """The account whose words alone are off the record here, '' if everybody's are, or nobody's."""
        return "" if self.chosen.all_off_record(self.place) or self.place.is_private else self.person.id

    @property
    def shared(self) -> bool:
        """Whether more than one person reads the place."""
        return not self.place.is_private

    @property
    def answers(self) -> str:
        """The platform id of the message that is answered, or wherever else the answer goes."""
        return self.to or self.asked[-1].source_id

    @property
    def reply_id(self) -> str:
        """The id under which its answer is stored; a new one for each regeneration."""
        time = f"{sha256(self.anew.encode()).hexdigest()[:12]}:" if self.anew else ""
        return f"reply:{time}{self.asked[-1].source_id}"


@dataclass(frozen=True, slots=True)
class ReadersChanged:
    """A question at a place whose readers changed before it was answered: the place as it is now, who asked, and the message."""

    place: Place
    person: Person
    answers: str


@dataclass(frozen=True, slots=True)
class TooLate:
    """Messages too old to be answered: their place, and the last of them."""

    view: View
    session: Session
    place: Place
    answers: str
