"""The browser as a platform: a person's conversations with Lyra, shared with the terminal.

A message is committed before its form is answered. Progress is shown in every tab of the conversation; if none is open, the
answer is stored all the same, and is there when the conversation is opened again.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b

from adapters.base import Adapter, Preview, Sending
from adapters.command_table import AnswerAudience, Surface
from adapters.errors import CommandUnclear, PlatformFailure
from adapters.events import Message, Person, Place, conversation, conversation_of, split_key
from adapters.listener import Listener
from adapters.markup import command_name, parse_command, printable
from adapters.plain_words import NO_REMINDER, Offer, asks_for_reminder, offered
from adapters.recent import Recent
from localization.current_language import reading
from localization.sentences import _

CLOSING = "closing"
"""The kind of the last event of a tab."""
_MOST_WAITING = 1_000
_PATIENCE_SECONDS = 300.0
_REMEMBERED = 500


@dataclass(frozen=True, slots=True)
class TabEvent:
    """Something to show: the kind of event, and its facts."""

    kind: str
    facts: dict[str, object] = field(default_factory=dict)


Tab = asyncio.Queue[TabEvent]


class Tabs:
    """The open tabs by place. Events go to the open ones; a tab that stops reading is dropped."""

    def __init__(self) -> None:
        self._open: dict[str, list[Tab]] = {}

    def watched(self, place: str) -> bool:
        """Return whether any tab shows a place."""
        return place in self._open

    @contextmanager
    def opened(self, place: str) -> Iterator[Tab]:
        """Open a tab of a place for the block."""
        tab: Tab = asyncio.Queue(_MOST_WAITING)
        self._open.setdefault(place, []).append(tab)
        try:
            yield tab
        finally:
            self._close(place, tab)

    def show(self, place: str, kind: str, **facts: object) -> None:
        """Send an event to every tab of a place."""
        for tab in list(self._open.get(place, ())):
            try:
                tab.put_nowait(TabEvent(kind, facts))
            except asyncio.QueueFull:
                self._close(place, tab)

    def end_all(self) -> None:
        """Tell every open tab that nothing follows."""
        for place in list(self._open):
            self.show(place, CLOSING)

    def _close(self, place: str, tab: Tab) -> None:
        left = [one for one in self._open.get(place, ()) if one is not tab]
        if left:
            self._open[place] = left
        else:
            self._open.pop(place, None)


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of message ids and times, and the machine's owner, who alone may call the owner's commands."""

    new_id: Callable[[], str]
    now: Callable[[], int]
    owner: str


class Browser(Adapter):
    """The tabs of everybody signed in. Its places are the terminal's, so that both show one conversation."""

    platform = "console"
    prefix = "/"
    introduces = False
    removes = False
    shares_places = True

    def __init__(self, tabs: Tabs, origin: Origin, at_hand: Callable[[str], bool]) -> None:
        self._tabs = tabs
        self._origin = origin
        self._at_hand = at_hand
        self._listener: Listener | None = None
        self._places: Recent[str, str] = Recent(_REMEMBERED)
        self._questions: dict[str, tuple[str, str, asyncio.Future[bool]]] = {}
        self._offers: set[asyncio.Task[None]] = set()
        self._taking: Recent[str, asyncio.Future[Awaitable[None]]] = Recent(_REMEMBERED)

    async def run(self, listener: Listener) -> None:
        self._listener = listener
        try:
            await asyncio.Event().wait()
        finally:
            self._listener = None
            for task in self._offers:
                task.cancel()

    def at_hand(self, place: str) -> bool:
        """Return whether somebody is at a place to receive what is left over there."""
        return self._at_hand(place)

    async def say(self, person: Person, thread: str, name: str, text: str, once: str = "") -> Awaitable[None]:
        """Commit what a person says in a conversation named `name`; return an awaitable that completes once it is answered.

        The same text with the same mark `once` is the same message, as where a form is sent twice or its page is loaded again.
        Plain words that ask for what only a command does are not kept: if a tab is open, the command is offered there
        instead. Raises CommandUnclear for a command that only the machine's owner may call, PlatformFailure if nobody
        listens.
        """
        if self._listener is None:
            raise PlatformFailure("Lyra is just waking up or falling asleep. Say it again in a moment.")
        place = conversation(self.platform, person.id, thread, name)
        if person.id != self._origin.owner and (command := _owner_command(self._listener, text)):
            raise CommandUnclear("/{name} is for whoever runs this machine.", name=command)
        if not once:
            return await self._take(self._listener, Message(self._origin.new_id(), place, person, text, self._origin.now()))
        id = blake2b(f"{place.key}\n{once}\n{text}".encode(), digest_size=16).hexdigest()
        if (taking := self._taking.get(id)) is None or (taking.done() and taking.exception()):
            message = Message(id, place, person, text, self._origin.now())
            taking = self._taking[id] = asyncio.ensure_future(self._take(self._listener, message))
        return await asyncio.shield(taking)

    async def _take(self, listener: Listener, message: Message) -> Awaitable[None]:
        place, text = message.place, message.text
        if self._tabs.watched(place.key) and (offer := offered(text, self.prefix)):
            self._show_said(message)
            task = asyncio.create_task(self._offer(offer, message))
            self._offers.add(task)
            task.add_done_callback(self._offers.discard)
            return task
        answered = await self._commit(listener, message)
        self._show_said(message)
        if language := asks_for_reminder(text):
            self._show_notice(place.key, NO_REMINDER.read_in(language))
        return answered

    async def _offer(self, offer: Offer, message: Message) -> None:
        """Offer a command, and call it if confirmed; wait until it is answered."""
        with reading(offer.language):
            question, left = f"{offer.question} ({offer.line})", _("(Nothing was done, and these words are not kept.)")
        wanted = not offer.question or await self.ask(message.place.key, question)
        if not wanted and offer.forgets:
            self._show_notice(message.place.key, left)
        elif self._listener:
            await (await self._commit(self._listener, replace(message, text=offer.line) if wanted else message))

    async def _commit(self, listener: Listener, message: Message) -> Awaitable[None]:
        self._places[message.id] = message.place.key
        return await listener.hear([message])

    def _show_said(self, message: Message) -> None:
        self._tabs.show(message.place.key, "said", id=message.id, speaker=message.person.name, text=printable(message.text))

    def tell(self, place: Place, text: str) -> None:
        """Show a notice that is kept nowhere in the tabs of a place, if it is one of theirs."""
        if place.platform == self.platform:
            self._show_notice(place.key, text)

    def _show_notice(self, place: str, text: str) -> None:
        self._tabs.show(place, "notice", text=text, actions=[], first=True)

    async def locate_key(self, key: str) -> Place | None:
        return conversation_of(self.platform, key)

    async def send(self, sending: Sending) -> str:
        """Show a part in the tabs of its place. A browser has no ids: its key serves."""
        if sending.operation not in ("delete", "offer", "unname"):
            actions = [asdict(action) for action in sending.actions]
            kind = "reflection" if sending.reflection else "notice" if sending.notice else "answer"
            self._tabs.show(sending.place, kind, text=printable(sending.text), actions=actions, first=sending.first)
        return sending.key

    def preview(self, place: str) -> Preview | None:
        return _TabPreview(self._tabs, place) if self._tabs.watched(place) else None

    def surface(self, event_id: str) -> Surface | None:
        """Return the person who said something in a tab that may still be open."""
        place = self._places.get(event_id)
        return _TabSurface(self, place) if place else None

    @asynccontextmanager
    async def thinking(self, place: str) -> AsyncIterator[None]:
        self._tabs.show(place, "thinking", on=True)
        try:
            yield
        finally:
            self._tabs.show(place, "thinking", on=False)

    async def ask(self, place: str, question: str) -> bool:
        """Ask in the open tabs of a place; no answer means no."""
        if not self._tabs.watched(place):
            return False
        key = self._origin.new_id()
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._questions[key] = place, question, answer
        self._tabs.show(place, "question", id=key, text=question)
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                return await answer
        except TimeoutError:
            return False
        finally:
            self._questions.pop(key, None)
            self._tabs.show(place, "settled", id=key)

    def answer_question(self, person: Person, key: str, *, yes: bool) -> bool:
        """Answer an open question; return whether it was still open, and this person's."""
        place, _text, answer = self._questions.get(key, ("", "", None))
        if answer is None or answer.done() or split_key(place)[1] != person.id:
            return False
        answer.set_result(yes)
        return True

    def open_questions(self, place: str) -> list[TabEvent]:
        """Return the questions that still wait for an answer at a place, for a tab that is opened meanwhile."""
        waiting = [(key, text) for key, (where, text, answer) in self._questions.items() if where == place and not answer.done()]
        return [TabEvent("question", {"id": key, "text": text}) for key, text in waiting]

    def enter(self, place: str, name: str) -> None:
        """Switch the tabs of a place to the same person's conversation with this name."""
        self._tabs.show(place, "enter", name=name)


def _owner_command(listener: Listener, text: str) -> str:
    """Return the name of the owner's command that a text calls, '' for none."""
    if command_name(text, Browser.prefix) is None:
        return ""
    try:
        parsed = parse_command(text, Browser.prefix, listener.table)
    except CommandUnclear:
        return ""
    return parsed[0].name if parsed and parsed[0].who is AnswerAudience.OWNER else ""


@dataclass(frozen=True, slots=True)
class _TabPreview:
    """A preview in the tabs of a place."""

    tabs: Tabs
    place: str

    async def show(self, piece: str) -> None:
        self.tabs.show(self.place, "piece", text=printable(piece))

    async def drop(self) -> None:
        self.tabs.show(self.place, "dropped")

    async def withhold(self) -> None:
        self.tabs.show(self.place, "withheld")


@dataclass(frozen=True, slots=True)
class _TabSurface:
    """The person in the tabs of a place."""

    browser: Browser
    place: str

    async def confirm(self, question: str) -> bool:
        return await self.browser.ask(self.place, question)

    def enter(self, thread: str, name: str) -> bool:
        self.browser.enter(self.place, name)
        return True
