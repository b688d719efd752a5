"""Commands, menus, buttons and autocompletion: heard, acknowledged, and passed on."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import discord
from discord import InteractionType
from discord.app_commands import Choice

from adapters.command_table import Surface
from adapters.discord.connection import Pace
from adapters.discord.failures import TROUBLE
from adapters.discord.incoming import convert
from adapters.discord.interactions import call_parsing
from adapters.discord.interactions.buttons import parse_answer, question
from adapters.discord.interactions.call_parsing import CallAddress, ParsedCall
from adapters.events import MenuCall, Place
from adapters.listener import Listener
from localization.current_language import ENGLISH, language_code, reading
from localization.sentences import Sentence, lazy

_OVER = lazy("This is not waiting for an answer any more; use the command again.")
_OTHERS = lazy("Only the person who was asked can answer this.")
_UNKNOWN = lazy("This is not offered any more; type / to see what there is.")
_NOT_HERE = lazy(
    "Lyra cannot see who reads this here, so this does not work; use it in a channel that she sees, or in a DM with her."
)
_OTHERS_WORDS = lazy(
    "Lyra keeps nothing that others said where she is no member, because she would never learn that they "
    "took it back. Tell her in a DM what she should know about it."
)
_NOT_KEPT = lazy("Lyra could not store this; use the command again in a moment.")
_MOST_CHOICES = 25
_LONGEST_CHOICE = 100


def as_event(interaction: discord.Interaction, call: ParsedCall, place: Place, answers: CallAddress | None) -> MenuCall:
    """Convert a call to an event; it has no address while somebody still types."""
    rights = interaction.permissions
    return MenuCall(
        str(interaction.id),
        place,
        convert.person(interaction.user),
        convert.said_at(interaction.id),
        call.spec.name,
        call.arguments,
        answers.text() if answers else "",
        private=call.private,
        admin=bool(place.server) and (rights.manage_guild or rights.administrator),
        target=call_parsing.target_of(interaction, place, interaction.channel),
        locale=str(interaction.locale),
    )


def address(interaction: discord.Interaction, heard_at: int, *, private: bool) -> CallAddress:
    """Return where the answer to a call goes."""
    return CallAddress(interaction.application_id, interaction.id, interaction.token, heard_at, private, interaction.user.id)


class PendingQuestions:
    """Pending yes/no questions, each open for `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._open: dict[str, tuple[int, asyncio.Future[bool]]] = {}

    async def ask(self, interaction: discord.Interaction, text: str) -> bool:
        """Ask the caller, in place of the answer; no answer in time, or no way to ask, means no."""
        nobody = discord.AllowedMentions.none()
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._open[str(interaction.id)] = interaction.user.id, answer
        try:
            with suppress(*TROUBLE):
                await interaction.edit_original_response(content=text, view=question(interaction.id), allowed_mentions=nobody)
                await asyncio.wait({answer}, timeout=self._seconds)
        finally:
            del self._open[str(interaction.id)]
        # If this fails, the answer to the call removes the buttons.
        with suppress(*TROUBLE):
            await interaction.edit_original_response(view=None)
        return answer.done() and answer.result()

    async def press(self, interaction: discord.Interaction, custom_id: str) -> bool:
        """Handle the click on a yes or no; return whether it was one."""
        told = parse_answer(custom_id)
        if told is None:
            return False
        call, yes = told
        person, answer = self._open.get(call, (0, None))
        with suppress(*TROUBLE):
            if answer is None:
                await interaction.response.send_message(_OVER, ephemeral=True)
            elif person != interaction.user.id:
                await interaction.response.send_message(_OTHERS, ephemeral=True)
            else:
                if not answer.done():
                    answer.set_result(yes)
                await interaction.response.defer()
        return True


@dataclass(eq=False)
class InteractionHandler:
    """Calls through Discord's own menus. `gate` returns the role that stands for everyone on a server, '' for @everyone.

    `shown` removes from a call what readers of its place may not read.
    """

    client: discord.Client
    listener: Listener
    gate: Callable[[str], str]
    pace: Pace
    now: Callable[[], int]
    shown: Callable[[MenuCall], MenuCall]

    def __post_init__(self) -> None:
        self._questions = PendingQuestions(self.pace.confirm)
        self._alive: dict[str, _Caller] = {}

    async def on(self, interaction: discord.Interaction) -> None:
        """Handle an interaction until it is answered, in its caller's language. Raises what the listener raises."""
        with reading(language_code(str(interaction.locale)) or ENGLISH):
            await self._take(interaction)

    async def _take(self, interaction: discord.Interaction) -> None:
        table, custom_id = self.listener.table, interaction.custom_id or ""
        match interaction.type:
            case InteractionType.application_command:
                await self._call(interaction, call_parsing.parse_call(call_parsing.data_of(interaction), table))
            case InteractionType.autocomplete:
                await self._offer(interaction, call_parsing.parse_call(call_parsing.data_of(interaction), table))
            case InteractionType.component:
                if not await self._questions.press(interaction, custom_id):
                    await self._call(interaction, call_parsing.called_by_button(custom_id, table))

    def surface(self, event_id: str) -> Surface | None:
        """Return the person waiting for a call's answer, None if it was answered or made before a restart."""
        return self._alive.get(event_id)

    async def _call(self, interaction: discord.Interaction, call: ParsedCall | None) -> None:
        place = call_parsing.place_of(self.client, interaction, self.gate)
        if call is not None and (call.spec.alone or (place is None and interaction.is_user_integration())):
            await self._call_alone(interaction, call)
        elif call is None or place is None:
            await _say(interaction, _NOT_HERE if call else _UNKNOWN)
        else:
            answers = address(interaction, self.now(), private=call.private)
            event = self.shown(as_event(interaction, call, place, answers))
            await self._hear(event, _Caller(interaction, self._questions))

    async def _call_alone(self, interaction: discord.Interaction, call: ParsedCall) -> None:
        """Handle a call as one in the caller's own DM, with a private answer where they are."""
        caller, answers = _Caller(interaction, self._questions), address(interaction, self.now(), private=True)
        # Finding the DM takes a request.
        await caller.promise(private=True)
        found = await call_parsing.own_place(interaction, self.gate)
        if found is None:
            await _say(interaction, _NOT_HERE)
            return
        dm, place = found
        own = call_parsing.own_words(interaction, dm, place) if call.spec.menu else None
        if call.spec.menu and own is None:
            await _say(interaction, _OTHERS_WORDS)
            return
        event = replace(as_event(interaction, call, place, answers), private=True, admin=False, target=own)
        await self._hear(event, caller)

    async def _hear(self, event: MenuCall, caller: "_Caller") -> None:
        # Discord may tell of an interaction twice.
        if event.id in self._alive:
            return
        self._alive[event.id] = caller
        try:
            hearing = asyncio.ensure_future(self.listener.hear([event]))
            await asyncio.wait({hearing}, timeout=self.pace.commit)
            if not caller.promised.is_set() and (not hearing.done() or hearing.exception() is None):
                await caller.promise(private=event.private)
            await asyncio.wait({hearing})
            if hearing.exception() is not None:
                await _say(caller.interaction, _NOT_KEPT)
            await hearing.result()
        finally:
            del self._alive[event.id]

    async def _offer(self, interaction: discord.Interaction, call: ParsedCall | None) -> None:
        choices = _choices(call, await self._suggestions(interaction, call)) if call else []
        with suppress(*TROUBLE):
            await interaction.response.autocomplete(choices)

    async def _suggestions(self, interaction: discord.Interaction, call: ParsedCall) -> Sequence[str]:
        place = call_parsing.place_of(self.client, interaction, self.gate)
        if (
            place is None
            and interaction.is_user_integration()
            and (found := await call_parsing.own_place(interaction, self.gate))
        ):
            _dm, place = found
        if place is None:
            return ()
        looking = asyncio.ensure_future(self.listener.suggest(as_event(interaction, call, place, None), call.focused, call.typed))
        await asyncio.wait({looking}, timeout=self.pace.suggest)
        # If late or failed, there are no suggestions; what was typed remains valid.
        return () if looking.cancel() or looking.exception() else looking.result()


@dataclass(slots=True)
class _Caller:
    """A person waiting for the answer to a call."""

    interaction: discord.Interaction
    questions: PendingQuestions
    promised: asyncio.Event = field(default_factory=asyncio.Event)

    async def promise(self, *, private: bool) -> None:
        """Acknowledge the call; if that fails, sending the answer will show it."""
        with suppress(*TROUBLE):
            await self.interaction.response.defer(ephemeral=private, thinking=True)
        self.promised.set()

    async def confirm(self, question: str) -> bool:
        """Ask the person, with buttons; no answer in time means no."""
        await self.promised.wait()
        return await self.questions.ask(self.interaction, question)

    def enter(self, thread: str, name: str) -> bool:
        """Return False: a place has one conversation at a time."""
        return False


def _choices(call: ParsedCall, values: Sequence[str]) -> list[Choice[str | int | float]]:
    parameter = next(one for one in call.spec.parameters if one.name == call.focused)
    shown = [one[:_LONGEST_CHOICE] for one in values if one][:_MOST_CHOICES]
    return [Choice(name=one, value=value) for one in shown if (value := call_parsing.value_of(parameter, one)) is not None]


async def _say(interaction: discord.Interaction, sentence: Sentence) -> None:
    with suppress(*TROUBLE):
        if interaction.response.is_done():
            await interaction.edit_original_response(content=str(sentence))
        else:
            await interaction.response.send_message(str(sentence), ephemeral=True)
