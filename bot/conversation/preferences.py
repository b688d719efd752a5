"""Settings of people, places and servers. Stored with the memory and read whenever they matter."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from adapters.events import Person, Place, Reach
from adapters.message_parts import Quote
from localization.current_language import LANGUAGES
from localization.sentences import Said, lazy
from memory.places import linked_accounts
from memory.places.scope_settings import KeptSettings
from memory.types import Identity


@dataclass(frozen=True, slots=True)
class Preference:
    """One setting: its name, description, and allowed values; none if it is free text.

    `only` restricts it to servers or rooms; empty means everywhere.
    """

    name: str
    help: Said
    values: tuple[str, ...] = ()
    only: str = ""

    def fits(self, place: Place) -> bool:
        """Return whether it applies at a place."""
        return self.only in ("", "rooms" if place.reach is Reach.ROOM else "servers")


LANGUAGE, THREADS, BUTTONS, EVERYONE, NEWCOMERS = "language", "threads", "buttons", "everyone", "newcomers"
_CACHED = (LANGUAGE, THREADS, EVERYONE, NEWCOMERS)
PAUSED = "paused"
"""Whether a person opted out: nothing of theirs is stored or answered. Since they resumed, the time of that, in microseconds UTC."""
INCOGNITO, INCOGNITO_SERVER = "incognito", "incognito-server"
"""Off the record: for a person or place, and for a whole server."""
LIMITED = ("turns a minute", "turns a day", "tokens a minute", "tokens a day")
"""The limits of a place, and of each person there."""
PERSONAL = (
    Preference(
        "reach", lazy("may I use here, with you alone, what I heard in servers and rooms that you can read"), ("on", "off")
    ),
    Preference(
        "encrypted", lazy("may I use, with you alone, what was said in encrypted places that you can read"), ("on", "off")
    ),
    Preference("time zone", lazy('the zone your times are told in, like "Europe/Vienna"')),
    Preference(LANGUAGE, lazy("the language I answer you in; auto: the one that you write"), ("auto", *LANGUAGES.values())),
    Preference("streaming", lazy("do you see an answer while it is made"), ("on", "off")),
    Preference(BUTTONS, lazy("is there something to press under my answers: once more, not good"), ("on", "off")),
    Preference("reflections", lazy("may I begin to speak by myself now and then"), ("on", "off")),
)
SHARED = (
    Preference("answers", lazy("do I answer here when mentioned, or always"), ("mentioned", "always")),
    Preference(
        "replies",
        lazy("where I answer in a room with threads: as asked, always in a thread, or never"),
        ("follow", "thread", "timeline"),
        "rooms",
    ),
    Preference(NEWCOMERS, lazy("do I go on as before when somebody joins who cannot read what was said"), ("on", "off"), "rooms"),
    Preference(
        THREADS, lazy("do I open a thread here for each conversation that somebody begins with me"), ("on", "off"), "servers"
    ),
    Preference("listening", lazy("do I keep what is said here without a word to me"), ("on", "off")),
    Preference(EVERYONE, lazy("the role that every member has here, where newcomers see less: its id, or off"), only="servers"),
    Preference("time zone", lazy('the zone times are told in, like "Europe/Vienna"')),
    Preference(LANGUAGE, lazy("the language I speak here; auto: the one that is written"), ("auto", *LANGUAGES.values())),
    Preference("streaming", lazy("is an answer shown here while it is made"), ("on", "off")),
    Preference(BUTTONS, lazy("is there something to press under my answers: once more, not good"), ("on", "off")),
    Preference("reflections", lazy("may I begin to speak here by myself now and then"), ("on", "off")),
    Preference(
        "retention", lazy("for how many days I keep what is said here: a number, or off for as long as nobody forgets it")
    ),
    *(
        Preference(f"{what} {whose}", told)
        for whose, told in (
            (
                "here",
                lazy("at most, for all here together: a number, or off; beyond it I answer more briefly, then not for a while"),
            ),
            (
                "each",
                lazy("at most, for each person here: a number, or off; beyond it I answer more briefly, then not for a while"),
            ),
        )
        for what in LIMITED
    ),
)


class Preferences:
    """Reads and stores settings. `streaming` is the default per platform for streaming answers.

    Some are cached, by scope and name, for callers that cannot await.
    """

    def __init__(
        self, kept: KeptSettings, streaming: Mapping[str, bool], account: Callable[[Identity], str],
        declared: Callable[[Identity], Sequence[Identity]] = lambda who: [who],
    ) -> None:  # fmt: skip
        """Create; `account` returns the scope of settings that outlast everything else of an account, `declared` the accounts of a person."""
        self._declared = declared
        self._kept = kept
        self._account = account
        self._streaming = streaming
        self._cached: dict[tuple[str, str], str] = {}

    async def open(self) -> None:
        """Fill the cache."""
        self._cached = {(scope, name): str(value) for name in _CACHED for scope, value in await self._kept.everywhere(name)}
        for scope, value in await self._kept.everywhere(PAUSED):
            # Earlier versions stored it under the account's name on its platform.
            if scope.startswith("person:"):
                _, platform, account = scope.split(":", 2)
                await self._kept.set(self._account(Identity(platform, account)), PAUSED, value)
                await self._kept.set(scope, PAUSED, None)

    def language(self, where: Place | Person) -> str:
        """Return the language that is set, '' where none is. What is set for a channel holds in its threads, unless they differ."""
        found = self._cached.get((_scope(where, LANGUAGE), LANGUAGE), "")
        return self.language(replace(where, thread="")) if not found and isinstance(where, Place) and where.thread else found

    def gate(self, platform: str, server: str) -> str:
        """Return the everyone-role of a server, '' for the default."""
        return self._cached.get((_server_scope(platform, server), EVERYONE), "")

    def waived(self, platform: str, room: str) -> bool:
        """Return whether a room keeps its epoch when somebody joins who cannot read the history."""
        return self._cached.get((_scope(Place(platform, room, "", Reach.ROOM), NEWCOMERS), NEWCOMERS)) == "on"

    def threads(self, channel: Place) -> str:
        """Return whether each conversation of a channel has a thread: on or off, '' if never set."""
        return self._cached.get((_scope(channel, THREADS), THREADS), "")

    async def read(self, *where: Place | Person) -> "Chosen":
        """Return the current settings of these places and people."""
        scopes = dict.fromkeys(scope for one in where for scope in _scopes(one))
        own = (Identity(one.platform, one.id) for one in where if isinstance(one, Person))
        people = dict.fromkeys(self._account(account) for one in own for account in self._declared(one))
        return Chosen(await self._kept.of_scopes([*scopes, *people]), self._streaming, self._account)

    async def keeps(self, place: Place, person: Person) -> bool:
        """Return whether a person's messages at a place are stored now: not opted out, and on the record."""
        chosen = await self.read(place, person)
        return not (chosen.on(person, PAUSED) or chosen.is_off_record(place, person))

    async def value(self, where: Place | Person, name: str) -> str:
        """Return what is set, '' where nothing is. What is set for a channel holds in its threads, unless they differ."""
        return (await self.read(where)).value(where, name)

    async def put(self, where: Place | Person, name: str, value: str) -> None:
        """Store a setting; '' (or off, for free text) removes it."""
        if isinstance(where, Place) and where.reach is Reach.ROOM:
            # A room is administered as a whole.
            where = replace(where, thread="")
        kept = None if not value or (name == EVERYONE and value == "off") else value
        scope = _scope(where, name)
        if isinstance(where, Person) and name == PAUSED:
            scope = self._account(Identity(where.platform, where.id))
        await self._kept.set(scope, name, kept)
        if name in _CACHED:
            self._cached[scope, name] = kept or ""

    async def on(self, where: Place | Person, name: str, *, default: bool = False) -> bool:
        """Return whether something is on."""
        return (await self.read(where)).on(where, name, default=default)

    async def without_opted_out_people(self, platform: str, quotes: Sequence[Quote], stored: Collection[str] = ()) -> list[Quote]:
        """Return what was said by those who did not tell her to stop; of those who resumed, what is `stored` or was said since."""
        return (await self.read(*speakers(platform, quotes))).without_opted_out_people(platform, quotes, stored)

    def streams_on(self, platform: str) -> bool:
        """Return the platform's default for streaming answers."""
        return self._streaming.get(platform, True)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A snapshot of the settings of some places and people."""

    _kept: Mapping[tuple[str, str], object]
    _streaming: Mapping[str, bool]
    _account: Callable[[Identity], str]

    def value(self, where: Place | Person, name: str) -> str:
        """Return what is set, '' where nothing is. What is set for a channel holds in its threads, unless they differ."""
        scope = _scope(where, name)
        if isinstance(where, Person) and name == PAUSED:
            scope = self._account(Identity(where.platform, where.id))
        kept = self._kept.get((scope, name))
        if kept is None and isinstance(where, Place) and where.thread:
            return self.value(replace(where, thread=""), name)
        return str(kept) if kept is not None else ""

    def linked(self, accounts: Sequence[Identity]) -> list[Identity]:
        """Return the accounts linked with somebody's, including them, of a person in this snapshot; [] if none."""
        return [
            other
            for one in accounts
            for other in linked_accounts.deserialize(self._kept.get((self._account(one), linked_accounts.LINKED)))
        ]

    def on(self, where: Place | Person, name: str, *, default: bool = False) -> bool:
        """Return whether something is on."""
        kept = self.value(where, name)
        return kept == "on" if kept else default

    def is_off_record(self, place: Place, person: Person) -> bool:
        """Return whether a person's messages at a place, and their answers, are off the record."""
        return self.on(person, INCOGNITO) or self.all_off_record(place)

    def all_off_record(self, place: Place) -> bool:
        """Return whether everything said at a place is off the record."""
        return self.on(place, INCOGNITO) or self.on(place, INCOGNITO_SERVER)

    def without_opted_out_people(self, platform: str, quotes: Sequence[Quote], stored: Collection[str] = ()) -> list[Quote]:
        """Return what was said by those who did not tell her to stop; of those who resumed, what is `stored` or was said since."""

        def is_opted_in(quote: Quote) -> bool:
            told = self.value(Person(platform, quote.person, ""), PAUSED) if quote.person else ""
            return told != "on" and (quote.id in stored or not told.isdecimal() or quote.said_at >= int(told))

        return [one for one in quotes if is_opted_in(one)]

    def streams(self, place: Place, person: Person) -> bool:
        """Return whether answers are streamed: the person's choice in private, the place's elsewhere."""
        default = self._streaming.get(place.platform, True)
        return self.on(person if place.is_private else place, "streaming", default=default)

    def offers(self, place: Place, person: Person) -> bool:
        """Return whether answers get buttons: the person's choice in private, the place's elsewhere."""
        return self.on(person if place.is_private else place, BUTTONS)


def speakers(platform: str, quotes: Sequence[Quote]) -> list[Person]:
    """Return the speakers of these quotes."""
    return [Person(platform, one, "") for one in dict.fromkeys(quote.person for quote in quotes) if one]


def _scopes(where: Place | Person) -> list[str]:
    if isinstance(where, Person):
        return [_scope(where, "")]
    return [_scope(where, ""), _scope(replace(where, thread=""), ""), _scope(where, EVERYONE)]


def _scope(where: Place | Person, name: str) -> str:
    if isinstance(where, Person):
        return f"person:{where.platform}:{where.id}"
    if name in (EVERYONE, "time zone", INCOGNITO_SERVER) and where.server:
        return _server_scope(where.platform, where.server)
    return f"place:{where.platform}:{where.key}"


def _server_scope(platform: str, server: str) -> str:
    return f"server:{platform}:{server}"
