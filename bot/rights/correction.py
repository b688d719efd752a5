"""Correcting a fact in the person's own main conversation, for the terminal and the memory page."""

from adapters.events import Person, conversation
from bot.app import App
from bot.commands.group import off_record, opt_out_notice
from bot.commands.texts.ladder_text import NO_WORDS
from bot.conversation.preferences import PAUSED
from bot.errors import BadInput
from memory.types import Identity, Kind, NewExchange, Session, Statement
from memory.view.view import View

_MAIN = "main"


async def correct_fact(app: App, view: View, name: str, fact: str, text: str) -> tuple[Statement, Statement]:
    """Replace a fact with what a person says, and return the old and the new one.

    Raises BadInput for empty text and for somebody who wants nothing kept, NotFound.
    """
    if not text.strip():
        raise BadInput(NO_WORDS)
    old = await view.facts.find(fact)
    place = conversation("console", name, await app.domains.thread_of(view, _MAIN), _MAIN)
    person = Person("console", name, name)
    chosen = await app.preferences.read(place, person)
    if chosen.on(person, PAUSED):
        raise BadInput(opt_out_notice("/"))
    if chosen.is_off_record(place, person):
        raise BadInput(off_record("/"))
    session = await app.domains.named_session(view, place)
    message = NewExchange(
        Kind.SAID, text.strip(), app.base.ids.new(), app.base.clock.now(), name, "user", Identity("console", name)
    )
    return old, await replace_fact(view, session, old, message)


async def replace_fact(
    view: View, session: Session, fact: Statement, said: NewExchange, only: Identity | None = None
) -> Statement:
    """Keep what a person says, and replace a fact with it; `only` is the account whose facts alone may be corrected, if any.

    Raises BadInput if what is said was forgotten before.
    """
    stored = (await view.say(session, [said])).stored
    if not stored:
        raise BadInput("What you said just now was forgotten, and stays so.")
    return await view.facts.correct(fact.id, stored[0], only)
