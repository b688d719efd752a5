"""One turn: what somebody said at a place, the inputs of its answer, the answer before it is stored, and how it is stopped."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from adapters.base import Adapter
from adapters.events import Person, Place
from adapters.message_parts import Quote
from adapters.plain_words import asks_for_no_record
from bot.conversation.concurrent_changes import ChangeWatch
from bot.conversation.mailbox import Ticket
from bot.conversation.preferences import Chosen
from bot.models.port import Image
from bot.reconciliation.used_messages import UsedMessage
from memory.tiers.messages.asides import Aside
from memory.types import DiscretionScope, Exchange, Session
from memory.view.view import View


@dataclass(frozen=True, slots=True)
class Turn:
    """Messages of one person at a place that are answered together through its `adapter`, and what their answer is made from.

    `questions` are those messages as stored, `inbox_keys` the inbox rows that the answer closes. `quotes` is what they reply to,
    `aside` what others said just before and is not stored. `retried` means an earlier attempt failed, and the person was told.
    Nothing was read before `began_at` (microseconds UTC); `watch` collects what is edited or deleted since. `chosen` are the
    settings of the person and the place. `leftover_preview` is the key of a preview that a kill left behind and the answer
    replaces, '' if there is none; `stale_previews` are those of others, which nothing replaces.

    `ended_confidences` counts the messages that these allow to be told again; `discretion_scopes` says what each request for
    discretion keeps back, by exchange key. `stop_requested` is set when the person stops the answer. A `frugal` turn has a
    smaller prompt, a `cheaper` one the cheaper model, if there is one. An `off_record` turn is not stored; `unstored_history` is
    its conversation so far. `anew` is the call that asked for a regeneration, '' for the first answer. `reply_address` is where
    the answer goes, in the adapter's own words, '' for a reply to the last question.
    """

    view: View
    session: Session
    place: Place
    person: Person
    adapter: Adapter
    questions: Sequence[Exchange]
    watch: ChangeWatch
    began_at: int
    chosen: Chosen
    inbox_keys: Sequence[int] = ()
    quotes: Sequence[Quote] = ()
    aside: Sequence[Quote] = ()
    images: Sequence[Image] = ()
    retried: bool = False
    leftover_preview: str = ""
    stale_previews: Sequence[str] = ()
    ended_confidences: int = 0
    discretion_scopes: Mapping[int, DiscretionScope] = field(default_factory=dict)
    stop_requested: asyncio.Event = field(default_factory=asyncio.Event)
    frugal: bool = False
    cheaper: bool = False
    off_record: bool = False
    unstored_history: Sequence[Exchange] = ()
    anew: str = ""
    reply_address: str = ""

    @property
    def aside_of(self) -> str:
        """The account whose words alone are off the record here, '' if everybody's are, or nobody's."""
        return "" if self.chosen.all_off_record(self.place) or self.place.is_private else self.person.id

    @property
    def shared(self) -> bool:
        """Whether more than one person reads the place."""
        return not self.place.is_private

    @property
    def is_kept_against_a_wish(self) -> bool:
        """Whether a message to be answered in private asks that it be kept nowhere, though it is."""
        if self.off_record or self.retried or self.anew or self.shared:
            return False
        return any(asks_for_no_record(one.text) for one in self.questions)

    @property
    def reply_target(self) -> str:
        """The platform id of the message that is answered, or wherever else the answer goes."""
        return self.reply_address or self.questions[-1].source_id

    @property
    def reply_id(self) -> str:
        """The id under which its answer is stored; a new one for each regeneration."""
        regeneration = f"{sha256(self.anew.encode()).hexdigest()[:12]}:" if self.anew else ""
        return f"reply:{regeneration}{self.questions[-1].source_id}"


@dataclass(frozen=True, slots=True)
class ReadersChanged:
    """A question at a place whose readers changed before it was answered: the place as it is now, who asked, and the message."""

    place: Place
    person: Person
    reply_target: str


@dataclass(frozen=True, slots=True)
class TooLate:
    """Messages too old to be answered: their place, the last of them, and the previews of answers that a kill left behind."""

    view: View
    session: Session
    place: Place
    reply_target: str
    stale_previews: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class GeneratedAnswer:
    """An answer: its text, the keys of its sources, whether it only quotes memory, and the links it may show.

    `seen` is what was in view, as read from `read_at` (microseconds UTC) on, `asides` the messages in view that are not stored. `used` are the
    stored messages it may rest on, with where they were said. `raised` is the open topic it was asked to bring up. `tokens` counts
    those sent and received.
    """

    text: str
    sources: frozenset[int]
    echo: bool
    links: frozenset[str]
    read_at: int
    seen: Mapping[int, str] = field(default_factory=dict)
    asides: frozenset[Aside] = frozenset()
    used: Sequence[UsedMessage] = ()
    raised: frozenset[int] = frozenset()
    tokens: int = 0


class RunningAnswers:
    """The turns being answered, by ticket."""

    def __init__(self) -> None:
        self._turns: dict[Ticket, Turn] = {}

    def begin(self, ticket: Ticket, turn: Turn) -> None:
        """Register a turn as being answered, or answered again."""
        self._turns[ticket] = turn

    def finish(self, ticket: Ticket) -> None:
        """Unregister a turn."""
        self._turns.pop(ticket, None)

    def stop(self, platform: str, place: str, person: str = "") -> bool:
        """Stop the answers being generated at a place, for one account or for everybody, keeping what there is of them.

        Returns whether there was any.
        """
        here = [one for one in self._turns.values() if (one.place.platform, one.place.key) == (platform, place)]
        left = [one for one in here if not one.stop_requested.is_set() and person in ("", one.person.id)]
        for turn in left:
            turn.stop_requested.set()
        return bool(left)
