"""Settings of people and admins, opting out of being stored, and all that somebody said as files."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from zoneinfo import available_timezones

from adapters.command_table import Call, Parameter, Reply
from adapters.events import Person, Place
from adapters.markup import abridged
from bot.admission import place_limits
from bot.commands.group import Group, caller, command, plain
from bot.conversation.introduction import privacy
from bot.conversation.preferences import BUTTONS, LANGUAGE, PAUSED, PERSONAL, SHARED, Preference
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from bot.reconciliation.keep_requests import KeepRequests
from bot.rights.exporting import JSONL, TEXT, fit_files, own_of
from localization.current_language import LANGUAGES
from localization.sentences import Sentence, _, lazy, ngettext
from memory.types import SECOND, Identity

_UNSET = {
    "time zone": lazy("this machine's"),
    "everyone": lazy("everybody"),
    "answers": "mentioned",
    "language": "auto",
    "replies": "follow",
}
_NAMES = tuple(dict.fromkeys(preference.name for preference in (*PERSONAL, *SHARED)))
_PAUSE = 60 * SECOND


@dataclass(frozen=True, slots=True)
class SettingsCommands(Group):
    """/settings and /privacy."""

    _keep_requests: KeepRequests

    @command(
        "settings",
        lazy("see or change how I behave: yours in private, a channel's if you run it"),
        Parameter("setting", lazy("which to see or to change"), value=lazy("SETTING"), choices=_NAMES, open=True),
        Parameter("value", lazy("what it shall be"), value=lazy("VALUE"), rest=True),
    )
    async def _settings(self, call: Call) -> Reply:
        where: Place | Person = call.place if self._shared(call) else call.person
        shared = self._shared(call)
        known = {one.name: one for one in (SHARED if shared else PERSONAL) if not shared or one.fits(call.place)}
        if not self._adapters[call.place.platform].presses:
            del known[BUTTONS]
        if shared and not call.admin:
            raise BadInput("Only those who run this place can see and change its settings; yours are in a DM with me.")
        name = str(call.arguments.get("setting", ""))
        if not name:
            return plain("\n".join([await self._line(where, one) for one in known.values()]))
        if name not in _NAMES:
            near, given = get_close_matches(name, known, 1), abridged(name)
            if near:
                raise BadInput('There is no setting "{name}"; did you mean "{near}"?', name=given, near=near[0])
            sign = self._sign(call)
            raise BadInput('There is no setting "{name}"; {sign}settings shows which there are.', name=given, sign=sign)
        if name == "threads" and shared and name not in known:
            # In a room, the corresponding setting is `replies`.
            call = replace(call, arguments={**call.arguments, **_in_rooms(call.arguments)})
            name = "replies"
        if name == BUTTONS and name not in known:
            raise BadInput("There is nothing to press under my answers here, and so nothing to set.")
        if name not in known:
            raise BadInput(_elsewhere(name))
        if "value" in call.arguments:
            await self._put(call, where, known[name], str(call.arguments["value"]).strip())
        return plain(await self._line(where, known[name]))

    async def _put(self, call: Call, where: Place | Person, one: Preference, value: str) -> None:
        if one.name == LANGUAGE:
            value = LANGUAGES.get(value.casefold(), value)
        if one.values and (value := value.casefold()) not in one.values:
            raise BadInput("{name} is one of: {values}.", name=one.name, values=", ".join(one.values))
        if one.name == "time zone":
            value = _zone(value)
        if one.name == "retention":
            value = place_limits.number(one.name, value, int(self._services.settings.retention.messages))
        if one.name in place_limits.NAMES:
            value = place_limits.parse_limit(one.name, value, self._services.settings.limits)
        if one.name == "everyone" and value != "off":
            value = value.strip("<@&>")
            if not value.isdigit():
                raise BadInput("everyone is the id of a role, or off. Copy the id from the server's settings, under Roles.")
        await self._services.preferences.put(where, one.name, value)
        if one.name == "listening" and isinstance(where, Place):
            await self._tell_everyone(call, on=value == "on")

    async def _tell_everyone(self, call: Call, *, on: bool) -> None:
        """Announce at a place that everything is stored from now on, or no longer."""
        sign = self._sign(call)
        text = (
            lazy(
                "{name} turned listening on: from now on I keep everything that is said here. {sign}privacy says how to stop.",
                name=call.person.name,
                sign=sign,
            )
            if on
            else lazy("{name} turned listening off: I keep only what is said to me.", name=call.person.name)
        )
        await self._announce(call, text)

    async def _line(self, where: Place | Person, one: Preference) -> str:
        default = "on" if one.name == "streaming" and self._services.preferences.streams_on(where.platform) else "off"
        value = await self._services.preferences.value(where, one.name) or str(_UNSET.get(one.name, default))
        choices = f" ({', '.join(one.values)})" if one.values else ""
        return f"{one.name}: {value} – {one.help}{choices}"

    async def _opt_out(self, call: Call, *, out: bool) -> None:
        """Stop storing anything of a person, under all their accounts, and learning of them from others; or undo that."""
        home = (await self._view(call)).home if self._shared(call) else None
        preferences, now = self._services.preferences, self._services.clock.now()
        for one in await self._services.domains.accounts(call.person):
            person = Person(one.platform, one.native_id, call.person.name)
            if out or await preferences.on(person, PAUSED):
                since = self._adapters[one.platform].platform_clock.time_of(now) if one.platform in self._adapters else now
                await preferences.put(person, PAUSED, "on" if out else str(since))
            await self._services.memory.opt_out(one, call.person.name, home, out=out)

    @command(
        "privacy",
        lazy("what is kept, where, and how to stop it"),
        Parameter(
            "choice",
            lazy("stop: keep nothing of yours from now on; resume: as before; keep: what disappeared, where you ruled it"),
            value=lazy("CHOICE"),
            choices=("stop", "resume", "keep"),
        ),
        Parameter("name", lazy("what disappeared and is to be kept"), value=lazy("NAME"), rest=True),
    )
    async def _privacy(self, call: Call) -> Reply:
        preferences = self._services.preferences
        choice = str(call.arguments.get("choice", ""))
        if choice == "keep":
            self._require_private(call)
            return plain(await self._keep_requests.keep(call.person, str(call.arguments.get("name", ""))))
        if choice:
            await self._opt_out(call, out=choice == "stop")
        return plain(
            privacy(
                call.place,
                self._services.models.goes_to,
                self._adapters[call.place.platform].prefix,
                listening=await preferences.on(call.place, "listening"),
                paused=await preferences.on(call.person, PAUSED),
                reach=await preferences.on(call.person, "reach"),
                in_database=self._services.memory.address is not None,
            )
        )


def _elsewhere(name: str) -> Sentence:
    shared = {one.name: one for one in SHARED}
    if name not in shared:
        return lazy('"{name}" can be set in a DM with me only.', name=name)
    match shared[name].only:
        case "servers":
            return lazy('"{name}" can be set in a server, by its admins only.', name=name)
        case "rooms":
            return lazy('"{name}" can be set in a room, by its admins only.', name=name)
    return lazy('"{name}" can be set in a server or a room, by its admins only.', name=name)


def _in_rooms(arguments: Mapping[str, str | int | bool]) -> Mapping[str, str | int | bool]:
    """Return the arguments with the room setting for threads turned into a value of `replies`."""
    words = {"on": "thread", "off": "follow"}
    return {"value": words.get(str(arguments["value"]).casefold(), arguments["value"])} if "value" in arguments else {}


def _zone(value: str) -> str:
    known = {zone.casefold(): zone for zone in available_timezones()}
    if value.casefold() not in known:
        raise BadInput('"{value}" is not a time zone; write it like "Europe/Vienna".', value=value)
    return known[value.casefold()]


@dataclass(frozen=True, slots=True)
class ExportCommands(Group):
    """/export."""

    _last: dict[Identity, int] = field(default_factory=dict)
    """When each account last got its own, in microseconds UTC."""

    @command("export", lazy("get everything that you told me, as files for you alone"))
    async def _export(self, call: Call) -> Reply:
        adapter, now = self._adapters[call.place.platform], self._services.clock.now()
        if not adapter.most_bytes:
            return plain(_('For files, use "lyra export" on the command line, or "Take it with you" on the page ("lyra web").'))
        who = caller(call)
        if 0 <= now - self._last.get(who, -_PAUSE) < _PAUSE:
            raise BadInput("You got that a moment ago; ask again in a minute.")
        self._last[who] = now
        items = [one async for one in own_of(call.person, self._services.memory, self._services.domains)]
        written = {name: "".join(f"{one.line(as_text=name == TEXT)}\n" for one in items) for name in (JSONL, TEXT)}
        files = fit_files(written, adapter.most_bytes)
        n = len(items)
        if not n:
            return plain(_("I keep nothing of yours."))
        if not files:
            raise BadInput("That is more than can be sent here; whoever runs me can give it to you: lyra export --own.")
        text = ngettext(
            "Here is your one message, with what I answered to you: a file to import again, and one to read.",
            "Here is all of yours, {n} messages with what I answered to you: a file to import again, and one to read.",
            n,
        )
        shows = frozenset(one.own.exchange.key for one in items if one.own.only_own)
        return Reply(
            f"{text} {_('What others said is not in it. The files are not encrypted.')}", NO_LINKS, shows=shows, files=files
        )
