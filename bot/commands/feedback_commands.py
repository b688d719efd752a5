"""Feedback on answers: marking one as bad, revoking that, and listing those marked."""

from adapters.command_table import Action, Call, Parameter, Reply
from bot.commands.command_call import named_message
from bot.commands.group import Group, caller, command, plain
from bot.commands.texts import ladder_text
from bot.commands.texts.receipts import moment
from bot.delivery.links import written_urls
from bot.errors import BadInput
from localization.sentences import _, lazy
from memory.types import Exchange
from memory.view.feedback_view import Disliked
from memory.view.view import View

DISLIKE, LIKE = "dislike", "like"
_MOST = 10
_WHICH = Parameter(
    "message",
    lazy("the id or link of an answer of mine, or of what it answers; the last one to you if you name none"),
    value=lazy("MESSAGE"),
)
_NOT_GOOD = lazy("tell me that an answer of mine was not good")


class FeedbackCommands(Group):
    """/dislike, Not good, /like, /memory feedback."""

    @command(DISLIKE, _NOT_GOOD, _WHICH)
    @command("dislike this", _NOT_GOOD, menu="Not good", hidden=True)
    async def _dislike(self, call: Call) -> Reply:
        await self._require_kept(call)
        view, reply = await self._target(call)
        await view.feedback.dislike(reply, caller(call), rules=self._rules(call), act=call.id)
        return plain(
            _(
                "Noted: I will not follow the example of that answer. Say what was wrong with it, if you "
                "like; {sign}again has me answer once more, and {sign}memory feedback shows this and "
                "takes it back.",
                sign=self._sign(call),
            )
        )

    @command(LIKE, lazy("take back that an answer of mine was not good"), _WHICH, hidden=True)
    async def _like(self, call: Call) -> Reply:
        view, reply = await self._target(call)
        if not await view.feedback.take_back(reply, caller(call), rules=self._rules(call)):
            raise BadInput(lazy("You did not say of that answer that it was not good."))
        return plain(_("Taken back: that answer counts like any other again."))

    @command("memory feedback", lazy("which answers of mine were not good"))
    async def _disliked(self, call: Call) -> Reply:
        view = await self._view(call)
        disliked = await view.feedback.disliked(_MOST)
        if not disliked:
            return plain(_("Nobody told me that an answer of mine was not good here."))
        ids, now = await view.ids.short([one.reply.id for one in disliked]), self._services.clock.now()
        lines = [f"{at}. {self._describe(one, ids[one.reply.id], now, view)}" for at, one in enumerate(disliked, 1)]
        messages = [message for one in disliked for message in (one.asked, one.reply) if message]
        actions = tuple(
            Action(_("Take back {number}", number=at), LIKE, one.reply.id)
            for at, one in enumerate(disliked, 1)
            if self._rules(call) or not self._shared(call)
        )
        if self._adapters[call.place.platform].prefix:
            lines.append(_("{sign}like ID takes one back.", sign=self._sign(call)))
        return Reply("\n".join(lines), await written_urls(messages), actions, frozenset(one.key for one in messages))

    @staticmethod
    def _describe(one: Disliked, id: str, now: int, view: View) -> str:
        zone = view.home.time_zone
        when = _("said {when}", when=moment(one.at, now, zone))
        lines = [ladder_text.quoted(one.reply, now, zone), f"    {when} · id {id}"]
        return "\n".join([*lines, *([f"    {ladder_text.quoted(one.asked, now, zone)}"] if one.asked else [])])

    async def _target(self, call: Call) -> tuple[View, Exchange]:
        view, session = await self._here(call)
        return view, await view.feedback.target(session, named_message(call), caller(call))

    def _rules(self, call: Call) -> bool:
        return call.admin and self._shared(call)
