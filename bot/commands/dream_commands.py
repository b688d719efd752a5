"""Dreams and their thoughts: previewing a dream, running it, and answering a reflection."""

from dataclasses import dataclass

from adapters.command_table import AnswerAudience, Call, Parameter, Reply
from bot.commands.group import Group, command, plain
from bot.commands.texts import dream_text, ladder_text
from bot.delivery.outgoing import Outgoing
from bot.dreams.dreaming import Dreams
from localization.sentences import _, lazy
from memory.view.thoughts import PostableThought
from memory.view.view import View

_STEP = 0.1
_MOST = 1.01
_WHICH = Parameter("id", lazy("which thought; the last one here if you name none"), value=lazy("ID"))


@dataclass(frozen=True, slots=True)
class DreamCommands(Group):
    """/dream, /reflection why, less, delete."""

    _dreams: Dreams

    @command(
        "dream",
        lazy("see what I would do while nobody is talking, and have me do it"),
        Parameter("force", lazy("act on every drive, however low it is"), type=bool, named=True),
        who=AnswerAudience.OWNER,
    )
    async def _dream(self, call: Call) -> Reply:
        view, forced = await self._view(call), bool(call.arguments.get("force"))
        found = dream_text.render_preview(await self._dreams.feel(view.home, forced=forced))
        if call.surface and not await call.surface.confirm(f"{found}\n{_('Dream now?')}"):
            return plain(_("Another time, then."))
        dreamt = await self._dreams.dream(view.home, forced=forced)
        return plain(dream_text.render(dreamt.report) if dreamt.report else _("Another process dreams this just now."))

    @command("reflection why", lazy("what a thought of mine rests on"), _WHICH, answer=AnswerAudience.HERE)
    async def _why(self, call: Call) -> Reply:
        view, thought = await self._thought(call)
        now, zone = self._services.clock.now(), view.home.time_zone
        rests = [f"- {ladder_text.quoted(placed.exchange, now, zone)}" for placed in thought.said]
        shows = {thought.statement.key, *(placed.exchange.key for placed in thought.said)}
        text = _('I thought "{text}" because of:', text=thought.statement.text)
        return plain("\n".join([text, *rests]), shows=shows)

    @command("reflection less", lazy("have me share fewer thoughts here"), _WHICH, answer=AnswerAudience.HERE)
    async def _less(self, call: Call) -> Reply:
        view, thought = await self._thought(call)
        return plain(await post_fewer(view, thought, self._services.settings.dream.curiosity))

    @command("reflection delete", lazy("take a thought of mine back"), _WHICH, answer=AnswerAudience.HERE)
    async def _delete(self, call: Call) -> Reply:
        view, thought = await self._thought(call)
        await take_back(view, thought, self._services.outgoing)
        return plain(_("I took it back, and forgot it."))

    async def _thought(self, call: Call) -> tuple[View, PostableThought]:
        """Return the thought that is meant: the one pressed or answered, the one with an id, or the last one here."""
        view = await self._view(call)
        platform, place = call.place.platform, call.place.key
        if call.arguments.get("id"):
            return view, await view.thoughts.find(str(call.arguments["id"]))
        if call.target is not None:
            return view, await view.thoughts.find(platform=platform, remote=call.target.id)
        return view, await view.thoughts.find(platform=platform, place=place)


async def take_back(view: View, thought: PostableThought, outgoing: Outgoing) -> None:
    """Forget a thought, and delete its post."""
    platform, place, parts = await view.thoughts.take_back(thought, outgoing.composer.keys())
    if parts:
        await outgoing.flush(platform, place, parts)


async def post_fewer(view: View, thought: PostableThought, curiosity: float) -> str:
    """Raise a home's threshold, so that fewer thoughts like this one are posted; return the resulting policy in words."""
    least = max(await view.thoughts.bar(), curiosity, thought.level) + _STEP
    await view.thoughts.raise_bar(min(_MOST, least))
    if least >= 1:
        return _("I keep my thoughts to myself here from now on.")
    return _("I say fewer of my thoughts here from now on.")
