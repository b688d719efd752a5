"""Questions and their answers: asking in private from anywhere, having an answer made anew or stopped, and saying that one was not good."""

from dataclasses import dataclass

from adapters.command_table import Action, Call, Parameter, Reply
from adapters.events import Message, Person
from bot.commands.command_calls import named_message
from bot.commands.group import Group, caller, command, plain
from bot.commands.texts import ladder_text
from bot.commands.texts.receipts import moment
from bot.conversation.one_turn import RunningAnswers
from bot.delivery.links import written_urls
from bot.errors import BadInput
from localization.sentences import _, lazy
from memory.types import BY_COMMAND, Exchange, Kind, Session
from memory.view.feedback_view import Disliked
from memory.view.view import View

ANEW, ASK, STOP = "again", "ask", "stop"
_NOT_YOURS = lazy("I can answer again only what you said in this conversation.")
_ANSWER_AGAIN = lazy("answer again what you asked")
DISLIKE, LIKE = "dislike", "like"
_MOST = 10
_WHICH = Parameter(
    "message",
    lazy("the id or link of an answer of mine, or of what it answers; the last one to you if you name none"),
    value=lazy("MESSAGE"),
)
_NOT_GOOD = lazy("tell me that an answer of mine was not good")


@dataclass(frozen=True, slots=True)
class QuestionCommands(Group):
    """/ask, /again, Answer again, /stop."""

    _running_answers: RunningAnswers

    @command(
        ASK,
        lazy("talk with me anywhere, for you alone; it belongs to our DM"),
        Parameter("text", lazy("what you want to say"), value=lazy("TEXT"), required=True, rest=True),
        alone=True,
    )
    async def _ask(self, call: Call) -> Reply:
        if not call.answers:
            raise BadInput("Just say it to me.")
        await self._require_not_paused(call)
        question = Message(
            f"{call.id}{BY_COMMAND}", call.place, call.person, str(call.arguments["text"]), self._services.clock.now(),
            off_record=call.off_record, answers=call.answers,
        )  # fmt: skip
        return plain("", asks=question)

    @command(
        ANEW,
        _ANSWER_AGAIN,
        Parameter("message", lazy("the id or link of a message of yours; your last one if you name none"), value=lazy("MESSAGE")),
    )
    @command("answer again", _ANSWER_AGAIN, menu="Answer again", hidden=True)
    async def _again(self, call: Call) -> Reply:
        await self._require_not_paused(call)
        view, session = await self._here(call)
        asked = await self._question_to_repeat(call, view, session)
        if asked is None:
            raise BadInput(_NOT_YOURS)
        who = call.person if await view.messages.is_by(asked, caller(call)) else await self._author(view, asked)
        question = Message(asked.source_id, call.place, who, asked.text, asked.said_at, anew=call.id, off_record=call.off_record)
        return plain(_("I answer that again."), asks=question)

    @command(STOP, lazy("stop the answer that I am writing for you; what is there so far stays"), takes_back=True)
    async def _stop(self, call: Call) -> Reply:
        place = call.place
        whose = "" if call.admin or place.is_private else call.person.id
        if not self._running_answers.stop(place.platform, place.key, whose):
            raise BadInput("I am making no answer for you here just now.")
        return plain(_("Ended."))

    async def _question_to_repeat(self, call: Call, view: View, session: Session) -> Exchange | None:
        """Return the message to answer again; None unless the caller said it in this conversation or is an admin."""
        who = caller(call)
        id = named_message(call)
        if not id:
            account = await view.messages.account(who) if call.off_record else None
            unkept = self._services.off_record.last_by(session, call.person.id, account) if call.off_record else None
            return unkept or await view.messages.last_by(session, who)
        question = await view.messages.by_source(session, await view.posts.answered_message(session, id) or id)
        question = question or await self._shown_as(view, session, id)
        rules = call.admin and self._shared(call)
        mine = question is not None and question.kind is Kind.SAID and (rules or await view.messages.is_by(question, who))
        return question if mine else None

    @staticmethod
    async def _shown_as(view: View, session: Session, id: str) -> Exchange | None:
        """Return the message of a conversation that a list shows with this id."""
        found = await view.messages.by_id(await view.ids.full(id))
        return found if found and found.session == session.key else None

    @staticmethod
    async def _author(view: View, asked: Exchange) -> Person:
        account = await view.messages.account_of(asked)
        if account is None:
            raise BadInput(_NOT_YOURS)
        return Person(account.platform, account.native_id, asked.speaker)


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
            raise BadInput("You did not say of that answer that it was not good.")
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
