"""What a view runs is of its domains, but for what has to be asked of the whole memory, each with the reason."""

import ast
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from memory import core
from memory import view as view_package
from memory.index.hits import RecallLimits
from memory.index.when.values import Window
from memory.journal.parts import Part
from memory.store import opening
from memory.tiers.messages.asides import Aside
from memory.types import Discretion, DomainKind, DomainRef, Identity, Kind, NewExchange, SessionRef
from memory.view.binding import Binding
from memory.view.view import View
from tests.kits.dream_kit import Muse, forced, thinking
from tests.kits.ladder_kit import PAIRS, Teller
from tests.kits.memory_kit import HOUR, Clock, Corner, opened
from tests.kits.scopes import NO_VIEW, Noted, Scopes

ADA, BEN = Identity("console", "ada"), Identity("console", "ben")
_GONE = "what rests on it goes in whichever domain, tombstones first"
_REPLIES = "a reply of another domain may rest on what is removed, and rests on the messages below it then"
_SEEN = "a reply may have in view, hold or answer what is kept elsewhere: within the domains it would count as nothing"
_KEPT = "what is kept elsewhere is left out: within the domains it would not be found, and would pass"
_TOLD = "what is told in confidence is kept from people in whichever domain holds something of it"
_NAMES = "a name that somebody bears elsewhere is not given to another one"
_SETTING = "settings are kept by scope and are of no domain"
_PLACE = "the conversation that goes on at a place, or the name of its thread, may be another domain's"
_FOR_ALL = re.compile(r"everywhere|\.transaction\(\)|bounds=None")
ASKED: Mapping[str, str] = {
    "Confidences._told": _NAMES,
    "Confidences.put": _TOLD,
    "Confidences.put_about": _TOLD,
    "Conversations.active": _PLACE,
    "Conversations.get": _PLACE,
    "Facts.forget": _REPLIES,
    "AnswerValidity.require": _SEEN,
    "Messages.in_confidence": _KEPT,
    "Messages.kept": _KEPT,
    "Messages.name_standings": _NAMES,
    "Notices.once": _SETTING,
    "Notices.greet": _SETTING,
    "Notices.has_greeted": _SETTING,
    "Notices.queue": _SEEN,
    "OwnPosts.items_of": _SEEN,
    "OwnPosts.may_be_shown": _KEPT,
    "Selecting._affected": _GONE,
    "Selecting.forget": _GONE,
    "SelfStates.reset": _REPLIES,
    "SharedBank.render": _SETTING,
    "SharedBank.state": _SETTING,
    "Thoughts.bar": _SETTING,
    "Thoughts.are_to_offer": _SETTING,
    "Thoughts.take_back": _REPLIES,
    "View._forget": _GONE,
    "View._answer": _SEEN,
    "View._say": _TOLD,
    "View.say": _TOLD,
    "_require_untouched": _SEEN,
    "answers_alone": _SEEN,
    "require_standing": _SEEN,
}
"""What a view asks of the whole memory, by the method that does, and why."""
WRITTEN: Mapping[str, str] = {
    "Confidences.end_about": _TOLD,
    "Confidences.end_all": _TOLD,
    "Confidences.put": _TOLD,
    "Confidences.put_about": _TOLD,
    "Conversations.active": _PLACE,
    "Conversations.begin": _PLACE,
    "Notices.greet": _SETTING,
    "Selecting.forget": _GONE,
    "Thoughts.raise_bar": _SETTING,
    "View._forget": _GONE,
    "View._say": _TOLD,
    "View.say": _TOLD,
}
"""What a view writes bound to nothing, likewise."""


@asynccontextmanager
async def noted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Corner, Scopes]]:
    """Open a memory of a room that writes down what a view runs on all of it."""
    scopes, opens = Scopes(), opening.open_database

    async def noting(*what: Any, **how: Any) -> Noted:
        return Noted(await opens(*what, **how), scopes, scopes.asked)

    monkeypatch.setattr(core, "open_database", noting)
    clock = Clock()
    async with opened(folder / "lyra.db", None, clock=clock, habits=PAIRS) as memory:
        domain = await memory.places.domain(DomainRef(DomainKind.ROOM, "console", "here"), "UTC", clock.now())
        view = memory.view(domain)
        yield Corner(memory, clock, domain, view, await view.sessions.get(SessionRef("console", "dm"), "dm")), scopes


async def toured(here: Corner) -> None:
    """Have a view do everything that it can."""
    keys = (f"part {n}" for n in count())
    view, session = here.view, here.session

    async def said(text: str, who: Identity = ADA, discretion: Discretion | None = None) -> Any:
        here.said += 1
        here.clock.forward(HOUR)
        new = NewExchange(Kind.SAID, text, f"a{here.said}", here.clock.now(), who.native_id, "user", who, discretion=discretion)
        return (await view.say(session, [new])).stored[0]

    asked = await said("the zebrafinch in the kitchen sings all day")
    await said("Kiki comes at 7 with her trumpet", BEN)
    reply = await here.reply("it sings", [asked.key], parts=[Part(next(keys), "it sings")])
    await forced(here, Teller(), Muse([thinking("Kiki comes at 7, while it sings", "m1", "m2")]))
    await _answers(view, session, asked, reply, keys)
    await _knows(view, session, asked)
    await _thinks(here, keys)
    await _confides(view, session, await said("but the trumpet is stolen"), keys)
    await said("keep that to yourself", discretion=Discretion(back=True))
    await _looks(view, session, asked)
    await _forgets(view, session, await said("the trumpet again", BEN))


async def _answers(view: View, session: Any, asked: Any, reply: Any, keys: Any) -> None:
    assert await view.feedback.dislike(await view.feedback.target(session, "", ADA), ADA, rules=True, act="sign") is not None
    assert await view.feedback.disliked(5)
    await view.feedback.take_back(reply, ADA, rules=True)
    for notice in (
        view.notices.greet(session, [Part(next(keys), "Hello")]),
        view.notices.hint(session, [Part(next(keys), "Hm")], ""),
    ):
        assert await notice
    await view.notices.queue(session, [Part(next(keys), "found")], [], shows=[asked.key])
    await view.notices.queue_room_notice("room", session, [Part(next(keys), "on")])
    await view.notices.once("scope", "mark", session, [Part(next(keys), "once")])
    await view.posts.may_be_shown("console", ["1"])
    await view.posts.newest_answer(asked)
    await view.posts.answer_to(asked)
    await view.posts.answered_message(session, "1")
    await view.posts.named_thread(session, "root", next(keys))
    await view.posts.delete(keys, 5)
    await view.posts.items_of(session, [Aside("beside")])
    await view.preview(session, Part(next(keys), "it"), "a1")
    await view.note("import", messages=1)
    await view.activity(0, 5)


async def _knows(view: View, session: Any, asked: Any) -> None:
    facts = await view.digests.statements("profile")
    await view.facts.correct(facts[0].id, asked)
    await view.facts.forget((await view.digests.statements("profile"))[0].id)
    await view.digests.tiers(session, 500)
    await view.digests.months(Window(0, 1 << 60))
    await view.self_state.now()
    await view.self_state.history()
    await view.bank.turn_on()
    await view.bank.render(500)
    await view.bank.state()
    await view.bank.opt_out(BEN)
    await view.bank.opt_in(BEN)
    await view.bank.turn_off()


async def _thinks(here: Corner, keys: Any) -> None:
    view, session = here.view, here.session
    assert await view.thoughts.are_to_offer()
    assert await view.thoughts.offer(session, [Part(next(keys), "I thought")])
    (waiting,) = await view.thoughts.waiting()
    assert not await view.thoughts.is_outdated(waiting)
    assert await view.thoughts.post(session, waiting, waiting.statement.text, [Part(next(keys), "thought")])
    (said,) = await view.thoughts.posted(3)
    await view.thoughts.find(platform="console", place="dm")
    await view.thoughts.stop_waiting(said)
    await view.thoughts.take_back(said, keys)
    await view.thoughts.raise_bar(await view.thoughts.bar() + 1)
    await view.self_state.reset()


async def _confides(view: View, session: Any, told: Any, keys: Any) -> None:
    confided = await view.confidences.put(told.id, ADA, Discretion(("ben",)))
    assert [one.exchange.key for one in await view.confidences.told_by(ADA)] == [told.key]
    about = await view.confidences.put_about([ADA], Discretion(("ben",), topic=frozenset(told.text.split()[-1:])))
    assert [one.exchange.key for one in about] == [told.key]
    await view.confidences.confided([told])
    assert await view.confidences.queue_notice(session, [confided], [Part(next(keys), "kept from him")], "")
    assert await view.messages.in_confidence("console", [told.source_id])
    topic = frozenset(told.text.split()[-1:])
    assert await view.confidences.end_about([ADA], Discretion(("nobody",), ends=True, back=True, topic=topic)) == 0
    assert await view.confidences.end_all(ADA) == 1


async def _looks(view: View, session: Any, asked: Any) -> None:
    await view.messages.kept("console", [asked.source_id])
    await view.messages.names([(ADA, "ada")])
    await view.messages.last_by(session, BEN)
    await view.messages.count_said()
    await view.sessions.active("console", "dm")
    await view.sessions.begin("console", "another")
    await view.sessions.find(session.name)
    await view.sessions.last_heard()
    await view.sessions.drop_names_of_empty()
    await view.recall.messages("zebrafinch", 5)
    await view.recall.everything("zebrafinch", 5)
    await view.recall.at_once("zebrafinch", RecallLimits(5, 5, 5), (), "")
    await view.recall.around(asked.id, 2)
    await view.calendar.months()
    await view.calendar.messages(session, 5)
    await view.pages.about("Kiki")
    await view.pages.names(5)
    await view.ids.short([asked.id])
    await view.validity.require({asked.key: asked.text}, {}, 0)
    await view.validity.readable(0)
    assert [one async for one in view.own_words.said_by(ADA)]
    await view.embed()


async def _forgets(view: View, session: Any, last: Any) -> None:
    await view.extent(last.id)
    await view.selecting.forget(await view.selecting.select("trumpet", None))
    await view.forget_session(session, BEN)
    await view.forget_all()


async def test_it_runs_on_the_whole_memory_what_there_is_a_reason_for_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with noted(tmp_path, monkeypatch) as (here, scopes):
        await toured(here)
    assert sorted(scopes.asked ^ set(ASKED)) == []
    assert sorted(scopes.written ^ set(WRITTEN)) == []
    assert len(scopes.within) > 60


@pytest.mark.torture
async def test_without_the_guard_that_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Binding, "db", property(lambda self: self.shared.places.db))
    monkeypatch.setattr(Binding, "bounds", None)
    async with noted(tmp_path, monkeypatch) as (here, scopes):
        await toured(here)
    assert {"Retrieval.around", "Pages.names"} <= scopes.asked - set(ASKED)
    assert {"Thoughts.post", "Facts.correct", "Notices.queue"} <= scopes.written - set(WRITTEN)


def test_no_other_method_of_a_view_says_that_it_is_for_the_whole_memory() -> None:
    modules = [path for path in Path(view_package.__file__).parent.glob("*.py") if path.stem not in NO_VIEW]
    parts = [part for path in modules for part in ast.walk(ast.parse(path.read_text())) if isinstance(part, ast.AsyncFunctionDef)]
    found = {part.name for part in parts if _FOR_ALL.search(ast.unparse(part))}
    assert found and found <= {name.rpartition(".")[2] for name in {**ASKED, **WRITTEN}} | {"_holds", "_keep", "require"}
