"""What people and admins set: of a person, of a place, of a server. Kept with the memory, read whenever it matters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from adapters.events import Person, Place, Quote, Reach, split_key
from localization.languages import LANGUAGES
from localization.sentences import Said, lazy
from memory.places import circles
from memory.places.settings import KeptSettings
from memory.types import Identity


@dataclass(frozen=True, slots=True)
class Preference:
    """One thing that can be set: its name, what it does, and the values it takes; none for a free one.

    `only` says where it means something: in servers, or in rooms; everywhere if empty.
    """

    name: str
    help: Said
    values: tuple[str, ...] = ()
    only: str = ""

    def fits(self, place: Place) -> bool:
        """Say whether it means something at a place."""
        return self.only in ("", "rooms" if place.reach is Reach.ROOM else "servers")


LANGUAGE, THREADS, BUTTONS = "language", "threads", "buttons"
PAUSED = "paused"
"""That nothing of a person's is kept, and they are not answered."""
INCOGNITO, INCOGNITO_SERVER = "incognito", "incognito-server"
"""That nothing is kept: of a person or a place, and of a whole server."""
LIMITED = ("turns a minute", "turns a day", "tokens a minute", "tokens a day")
"""Of what a place, and each person there, may have only so much."""
PERSONAL = (
    Preference(
        "reach", lazy("may I use here, with you alone, what I heard in servers and rooms that you can read"), ("on", "off")
    ),
    Preference(
        "encrypted", lazy("may I use, with you alone, what was said in encrypted places that you can read"), ("on", "off")
    ),
    Preference("time zone", lazy('the zone your times are told in, like "Europe/Vienna"')),
    Preference("language", lazy("the language I answer you in; auto: the one that you write"), ("auto", *LANGUAGES.values())),
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
    Preference(
        "newcomers", lazy("do I go on as before when somebody joins who cannot read what was said"), ("on", "off"), "rooms"
    ),
    Preference(
        THREADS, lazy("do I open a thread here for each conversation that somebody begins with me"), ("on", "off"), "servers"
    ),
    Preference("listening", lazy("do I keep what is said here without a word to me"), ("on", "off")),
    Preference("everyone", lazy("the role that every member has here, where newcomers see less: its id, or off"), only="servers"),
    Preference("time zone", lazy('the zone times are told in, like "Europe/Vienna"')),
    Preference("language", lazy("the language I speak here; auto: the one that is written"), ("auto", *LANGUAGES.values())),
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
    """Reads and keeps settings. `streaming` says on which platforms answers are shown while they are made, unless that is set.

    The roles that count as everyone are held at hand, for who asks without waiting.
    """

    def __init__(
        self, kept: KeptSettings, streaming: Mapping[str, bool], account: Callable[[Identity], str],
        declared: Callable[[Identity], Sequence[Identity]] = lambda who: [who],
    ) -> None:  # fmt: skip
        """Prepare; `account` returns the scope of what outlasts all that is known of an account, `declared` the accounts of a person."""
        self._declared = declared
        self._kept = kept
        self._account = account
        self._streaming = streaming
        self._gates: dict[tuple[str, str], str] = {}
        self._waived: set[tuple[str, str]] = set()
        self._languages: dict[str, str] = {}
        self._threads: dict[str, str] = {}

    async def open(self) -> None:
        """Read what must be at hand."""
        self._gates = {
            (platform, server): str(role)
            for scope, role in await self._kept.everywhere("everyone")
            for _, platform, server in [scope.split(":", 2)]
        }
        self._waived = {
            (platform, split_key(key)[1])
            for scope, value in await self._kept.everywhere("newcomers")
            if value == "on"
            for _, platform, key in [scope.split(":", 2)]
        }

        self._languages = {scope: str(value) for scope, value in await self._kept.everywhere(LANGUAGE)}
        self._threads = {scope: str(value) for scope, value in await self._kept.everywhere(THREADS)}
        for scope, value in await self._kept.everywhere(PAUSED):
            # Before, it was set for the account by its name on its platform.
            if scope.startswith("person:"):
                _, platform, account = scope.split(":", 2)
                await self._kept.set(self._account(Identity(platform, account)), PAUSED, value)
                await self._kept.set(scope, PAUSED, None)

    def language(self, where: Place | Person) -> str:
        """Return the language that is set, '' where none is. What is set for a channel holds in its threads, unless they differ."""
        found = self._languages.get(_scope(where, LANGUAGE), "")
        return self.language(replace(where, thread="")) if not found and isinstance(where, Place) and where.thread else found

    def gate(self, platform: str, server: str) -> str:
        """Return the role that counts as everyone of a server, '' where everyone does."""
        return self._gates.get((platform, server), "")

    def waived(self, platform: str, room: str) -> bool:
        """Say whether a room goes on as before when somebody joins who cannot read what was said."""
        return (platform, room) in self._waived

    def threads(self, channel: Place) -> str:
        """Return whether each conversation of a channel has a thread: on or off, '' where that was never set."""
        return self._threads.get(_scope(channel, THREADS), "")

    async def read(self, *where: Place | Person) -> "Chosen":
        """Return what is set for these places and people now."""
        scopes = dict.fromkeys(scope for one in where for scope in _scopes(one))
        own = (Identity(one.platform, one.id) for one in where if isinstance(one, Person))
        people = dict.fromkeys(self._account(account) for one in own for account in self._declared(one))
        return Chosen(await self._kept.chosen([*scopes, *people]), self._streaming, self._account)

    async def keeps(self, place: Place, person: Person) -> bool:
        """Return whether what a person says at a place is kept now: they did not tell her to stop, and it is on the record."""
        chosen = await self.read(place, person)
        return not (chosen.on(person, PAUSED) or chosen.is_off_record(place, person))

    async def value(self, where: Place | Person, name: str) -> str:
        """Return what is set, '' where nothing is. What is set for a channel holds in its threads, unless they differ."""
        return (await self.read(where)).value(where, name)

    async def put(self, where: Place | Person, name: str, value: str) -> None:
        """Set something; '' and off for a free one take it back."""
        if isinstance(where, Place) and where.reach is Reach.ROOM:
            # A room is ruled as a whole.
            where = replace(where, thread="")
        free = name == "everyone"
        kept = None if not value or (free and value == "off") else value
        scope = _scope(where, name)
        if isinstance(where, Person) and name == PAUSED:
            scope = self._account(Identity(where.platform, where.id))
        await self._kept.set(scope, name, kept)
        if free and isinstance(where, Place):
            self._gates[(where.platform, where.server)] = kept or ""
        if name == LANGUAGE:
            self._languages[_scope(where, name)] = kept or ""
        if name == THREADS:
            self._threads[_scope(where, name)] = kept or ""
        if name == "newcomers" and isinstance(where, Place):
            (self._waived.add if value == "on" else self._waived.discard)((where.platform, where.channel))

    async def on(self, where: Place | Person, name: str, *, default: bool = False) -> bool:
        """Return whether something is on."""
        return (await self.read(where)).on(where, name, default=default)

    async def heeded(self, platform: str, quotes: Sequence[Quote]) -> list[Quote]:
        """Return what was said by those who did not tell her to stop."""
        return (await self.read(*speakers(platform, quotes))).heeded(platform, quotes)

    def streams_on(self, platform: str) -> bool:
        """Return whether answers are shown while they are made on a platform, unless somebody set it otherwise."""
        return self._streaming.get(platform, True)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was set for some places and people when that was read."""

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
        """Return the accounts that those of somebody for whom this was read are linked with, themselves among them; [] for none."""
        return [other for one in accounts for other in circles.read(self._kept.get((self._account(one), circles.LINKED)))]

    def on(self, where: Place | Person, name: str, *, default: bool = False) -> bool:
        """Return whether something is on."""
        kept = self.value(where, name)
        return kept == "on" if kept else default

    def is_off_record(self, place: Place, person: Person) -> bool:
        """Return whether nothing is kept of what a person says at a place, nor of what answers it."""
        return self.on(person, INCOGNITO) or self.all_off_record(place)

    def all_off_record(self, place: Place) -> bool:
        """Return whether nothing is kept of what anybody says at a place."""
        return self.on(place, INCOGNITO) or self.on(place, INCOGNITO_SERVER)

    def heeded(self, platform: str, quotes: Sequence[Quote]) -> list[Quote]:
        """Return what was said by those who did not tell her to stop."""
        return [one for one in quotes if not (one.person and self.on(Person(platform, one.person, ""), PAUSED))]

    def streams(self, place: Place, person: Person) -> bool:
        """Return whether an answer is shown while it is made: as the person wants in private, as the place does elsewhere."""
        default = self._streaming.get(place.platform, True)
        return self.on(person if place.is_private else place, "streaming", default=default)

    def offers(self, place: Place, person: Person) -> bool:
        """Return whether something can be pressed under an answer: as the person wants in private, as the place does elsewhere."""
        return self.on(person if place.is_private else place, BUTTONS)


def speakers(platform: str, quotes: Sequence[Quote]) -> list[Person]:
    """Return who said these."""
    return [Person(platform, one, "") for one in dict.fromkeys(quote.person for quote in quotes) if one]


def _scopes(where: Place | Person) -> list[str]:
    """Return all scopes in which something may be set for a person, or for a place."""
    if isinstance(where, Person):
        return [_scope(where, "")]
    return [_scope(where, ""), _scope(replace(where, thread=""), ""), _scope(where, "everyone")]


def _scope(where: Place | Person, name: str) -> str:
    if isinstance(where, Person):
        return f"person:{where.platform}:{where.id}"
    if name in ("everyone", "time zone", INCOGNITO_SERVER) and where.server:
        return f"server:{where.platform}:{where.server}"
    return f"place:{where.platform}:{where.key}"
