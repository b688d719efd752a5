"""Private questions from anywhere, and answering a question once more."""

from dataclasses import dataclass

from adapters.command_table import Call, Parameter, Reply
from adapters.events import Message, Person
from bot.commands.command_call import named_message
from bot.commands.group import Group, caller, command
from bot.conversation.one_turn import RunningAnswers
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from localization.sentences import _, lazy
from memory.types import BY_COMMAND, Exchange, Kind, Session
from memory.view.view import View

ANEW, ASK, STOP = "again", "ask", "stop"
_NOT_YOURS = lazy("I can answer again only what you said in this conversation.")
_ANSWER_AGAIN = lazy("answer again what you asked")


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
            raise BadInput(lazy("Just say it to me."))
        await self._require_not_paused(call)
        question = Message(
            f"{call.id}{BY_COMMAND}", call.place, call.person, str(call.arguments["text"]), self._services.clock.now(),
            off_record=call.off_record, answers=call.answers,
        )  # fmt: skip
        return Reply("", NO_LINKS, asks=question)

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
        return Reply(_("I answer that again."), NO_LINKS, asks=question)

    @command(STOP, lazy("stop the answer that I am writing for you; what is there so far stays"), takes_back=True)
    async def _stop(self, call: Call) -> Reply:
        place = call.place
        whose = "" if call.admin or place.is_private else call.person.id
        if not self._running_answers.stop(place.platform, place.key, whose):
            raise BadInput(lazy("I am making no answer for you here just now."))
        return Reply(_("Ended."), NO_LINKS)

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
