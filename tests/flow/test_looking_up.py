"""A model that looks things up while it answers: what it may see, what then stood in view, what it costs, and who knows no tools."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.app import App, open_app
from bot.context.tools import TOOLS
from bot.conversation.answering import model_answer
from bot.conversation.answering.model_answer import ROUNDS, SHARE, ToolCalls
from bot.models.endpoints.backend_facts import REFUSED
from memory.text.budget import tokens
from memory.tiers.messages import seen
from memory.types import MINUTE, Exchange, Kind, NewExchange, SessionRef
from tests.fakes import openai_behaviours as b
from tests.fakes.openai_server import OpenAIServer
from tests.kits.awake import configured, model_server, prompt
from tests.kits.fresh import with_words
from tests.kits.memory_kit import START
from tests.kits.stalls import say
from tests.kits.words_alone import words_alone

BLIND = 'recall_k = 0\ngists_k = 0\neras_k = 0\nrecent_turns = 1\ntime_zone = "UTC"\n'
"""A prompt that shows nothing but the last words: whatever else the model knows it has looked up."""
TOLD = ("My boat is green.", "Noah bought twelve chairs.", "The weather is fine.", "We leave on Monday.", "Lena plays the piano.")
ASKED = "what colour has it?"


async def says(app: App, person: str, lines: Sequence[str]) -> list[Exchange]:
    """Keep lines that somebody said long ago."""
    view = await app.view(person)
    there = await view.sessions.get(SessionRef("console", f"{person}'s"), "long ago")
    spoken = [NewExchange(Kind.SAID, text, f"s{n}", START + n * MINUTE, person) for n, text in enumerate(lines)]
    return (await view.say(there, spoken)).stored


@asynccontextmanager
async def told(
    home: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer, config: str = BLIND, *, lines: Sequence[str] = TOLD
) -> AsyncIterator[App]:
    """Wake her in a home where ada said these lines long ago."""
    home.mkdir(exist_ok=True)
    (home / "lyra.toml").write_text(words_alone(configured(model, config, "")))
    monkeypatch.setenv("LYRA_HOME", str(home))
    async with open_app() as app:
        await says(app, "ada", lines)
        yield app


async def asks(app: App, model: OpenAIServer, *steps: b.Behaviour | b.Answerer | str, text: str = ASKED) -> list[b.Request]:
    """Ask while the model does this; return what it was asked."""
    before = len(model.requests)
    model.script(*steps)
    await say(app, [text])
    return model.requests[before:]


async def kept(app: App) -> dict[str, Exchange]:
    """Return everything that is kept in ada's domain, by its words."""
    return {message.text: message async for _, message in (await app.view("ada")).messages.all()}


def receipt(request: b.Request, words: str) -> str:
    """Return the receipt under which words were returned."""
    line = next(line for line in "\n".join(request.returned).splitlines() if words in line)
    return line.partition("receipt ")[2].partition(",")[0]


def opens(words: str) -> b.Answerer:
    """Return a model's step: it opens what it was shown."""
    return lambda request: b.calls("open", receipt=receipt(request, words))


async def test_what_is_looked_up_is_framed_stands_in_view_and_is_cited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with model_server() as model, told(tmp_path, monkeypatch, model) as app:
        first, second, third = await asks(
            app, model, b.calls("recall", query="boat"), opens("My boat is green."), "Noah's boat is green."
        )
        assert first.offered == second.offered == third.offered == [tool.name for tool in TOOLS]
        assert "green" not in prompt(first)
        assert second.returned[0].startswith("What you looked up:\n> ") and "ada: My boat is green." in second.returned[0]
        assert "Noah bought twelve chairs." in third.returned[1], "what stands beside it"
        said = await kept(app)
        reply, boat, chairs = said["Noah's boat is green."], said["My boat is green."], said["Noah bought twelve chairs."]
        view = (await seen.seen_by(app.memory.db, [reply.key]))[reply.key]
        assert {boat.key, chairs.key} <= view
        rows = await app.memory.db.all("SELECT parent FROM lineage WHERE child = :reply AND cited = 1", {"reply": reply.key})
        assert chairs.key in {row["parent"] for row in rows}
        await (await app.view("ada")).forget_message(boat.id)
        assert reply.text not in await kept(app)


async def test_an_answer_that_looked_nothing_up_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with model_server() as model, told(tmp_path, monkeypatch, model) as app:
        await asks(app, model, "Noah's boat is green.")
        await (await app.view("ada")).forget_message((await kept(app))["My boat is green."].id)
        assert "Noah's boat is green." in await kept(app)


@pytest.mark.parametrize("guarded", [True, False], ids=["her", "the twin"])
async def test_what_goes_while_it_is_looked_at_is_in_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    """The twin notes as seen what stood in view before anything was looked up."""
    if not guarded:
        for name, value in (
            ("last_prompt", lambda self: self._prompts[0, False]),
            ("seen", lambda self: self._prompts[0, False].seen),
        ):
            monkeypatch.setattr(ToolCalls, name, property(value))
    async with model_server(lambda request: "Begun anew.") as model, told(tmp_path, monkeypatch, model) as app:
        gone = (await kept(app))["My boat is green."]
        model.script(b.calls("recall", query="boat"), b.Held("It is green."))
        asked = len(model.requests)

        async def forget() -> None:
            await model.heard(asked + 2)
            await (await app.view("ada")).forget_message(gone.id)
            model.go.set()

        await asyncio.gather(say(app, [ASKED]), forget())
        assert ("Begun anew." in await kept(app)) is guarded
        assert ("It is green." in await kept(app)) is not guarded
        assert all("green" not in prompt(request) for request in model.requests[asked + 2 :])


HOSTILE: dict[str, b.Calls] = {
    "a receipt of nobody": b.calls("open", receipt="a" * 26),
    "a speaker of another domain": b.calls("recall", query="key", speaker="bob"),
    "a domain": b.calls("recall", query="key harbour wall", domain=2, lines=[1, 2, 3], session="bob", person="bob"),
    "everything": b.calls("recall", query="", from_="0001-01-01", to="9999-12-31"),
    "no JSON": b.Calls((("recall", '{"query": '),)),
    "too much": b.calls("recall", query="key " * 100_000),
    "a path": b.calls("open", receipt="../../lyra.db"),
    "SQL": b.calls("recall", query="'; DROP TABLE items; --", speaker="' OR 1=1 --"),
    "another tool": b.calls("forget", query="all"),
    "lines of others": b.calls("recall\n> bob: hi", query="x\n> bob: the key is here"),
    "fifty at once": b.Calls(tuple(("recall", {"query": f"key {n}"}) for n in range(50))),
    "wrong types": b.calls("recall", query={"$ne": None}, from_=1, to=[], speaker=True),
}
SECRET = "I hid the key under the harbour wall"


async def test_no_call_widens_the_view_or_costs_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with model_server(lambda request: "Noted.") as model, told(tmp_path, monkeypatch, model) as app:
        (secret,) = await says(app, "bob", [SECRET])
        for kind, call in (HOSTILE | {"an id of another domain": b.calls("open", receipt=secret.id)}).items():

            def insists(request: b.Request, call: b.Calls = call, kind: str = kind) -> str | b.Calls:
                return call if request.offered else f"That is all about {kind}."

            model.default = insists
            # Beside them a gist is asked for, once the conversation is long enough.
            asked = [one for one in await asks(app, model) if one.last_user.endswith(ASKED)]
            assert 1 < len(asked) <= ROUNDS + 1, kind
            assert f"That is all about {kind}." in await kept(app)
            assert all("harbour wall" not in text or "bob" not in text for one in asked for text in one.returned), kind
            assert SECRET not in "".join(prompt(request) for request in asked), kind
            messages = [message for request in asked for message in request.messages]
            for made in (made for message in messages for made in message.get("tool_calls", ())):
                assert isinstance(json.loads(made["function"]["arguments"]), dict), kind
                assert len(str(made)) < 4000 and made["function"]["name"] in ("recall", "open"), kind


async def test_rounds_end_after_three_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with model_server() as model, told(tmp_path, monkeypatch, model) as app:
        steps = [b.calls("recall", query=query) for query in ("boat", "Noah", "Lena")]
        *_, last = asked = await asks(app, model, *steps, "That is all.")
        assert len(asked) == ROUNDS + 1 and not last.offered and not last.returned
        assert all(text in last.last_user for text in (TOLD[0], TOLD[1], TOLD[4])), "what was looked up stands in a plain prompt"
        assert last.last_user.endswith(ASKED)


@pytest.mark.parametrize("share", [SHARE, 3.0], ids=["her", "the twin"])
async def test_all_rounds_fit_into_one_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    monkeypatch.setattr(model_answer, "SHARE", share)
    budget, guarded = 1500, share == SHARE
    config = f'context_tokens = {budget}\nrecent_turns = 1\ntime_zone = "UTC"\n'
    lines = [f"Boat number {n} is {'very ' * 20} green." for n in range(40)]
    async with model_server() as model, told(tmp_path, monkeypatch, model, config, lines=lines) as app:
        steps = [b.calls("recall", query=f"boat {n}") for n in range(ROUNDS)]
        asked = await asks(app, model, *steps, "Green.", text="which boats are green?")
        assert len(asked) == ROUNDS + 1

        def size(request: b.Request) -> int:
            offered = sum(tokens(json.dumps([*tool["function"].values()])) for tool in request.body.get("tools", ()))
            return offered + sum(tokens(message["content"]) for message in request.messages)

        assert all(budget // 2 < size(request) <= budget for request in asked), [size(request) for request in asked]
        assert all(sum(map(tokens, request.returned)) <= budget // 4 for request in asked) is guarded
        reply = (await kept(app))["Green."]
        view = (await seen.seen_by(app.memory.db, [reply.key]))[reply.key]
        shown = {message.key for text, message in (await kept(app)).items() if any(text in prompt(one) for one in asked)}
        assert shown <= view, "what stood in view of any round"


async def test_what_only_a_lookup_showed_may_be_linked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = "https://example.org/boat"
    async with (
        model_server() as model,
        told(tmp_path, monkeypatch, model, lines=[f"My boat is on {link} now.", *TOLD[1:]]) as app,
    ):
        await asks(app, model, b.calls("recall", query="boat"), f"It is here: {link}")
        await asks(app, model, f"It is right here: {link}/other")
        shown, dead = await with_words(app.memory.db, "outbox", "text", "here:")
        assert shown.endswith(link) and not dead.endswith("/other")


async def test_an_endpoint_that_refuses_tools_is_found_out_once_for_all_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with model_server() as model:
        model.refuses_tools = b.Status(422, "Extra inputs are not permitted")
        async with told(tmp_path, monkeypatch, model, lines=()) as app:
            asked = await asks(app, model, "First.")
            assert [bool(request.offered) for request in asked] == [True, False]
            assert "First." in await kept(app)
            assert app.models.offers_tools, "what one turn finds out changes the room of no prompt"
        async with told(tmp_path, monkeypatch, model, lines=()) as app:
            assert [bool(request.offered) for request in await asks(app, model, "Second.")] == [False]
            assert not app.models.offers_tools
            [(_, value)] = await app.memory.settings.everywhere("tools")
            assert value == REFUSED


PARTS = "what is Noah's furniture, and what does Lena play?"


@pytest.mark.parametrize(("asked", "both"), [(PARTS, True), ("what is Noah's furniture?", False)], ids=["two parts", "one"])
async def test_a_question_of_parts_is_looked_up_part_by_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str, both: bool
) -> None:
    config = BLIND.replace("recall_k = 0", "recall_k = 1")
    async with model_server() as model, told(tmp_path, monkeypatch, model, config) as app:
        (request,) = await asks(app, model, "Yes.", text=asked)
        assert [line in prompt(request) for line in (TOLD[1], TOLD[4])] == [True, both]


async def test_who_turns_tools_off_has_none_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with model_server() as model:
        async with told(tmp_path, monkeypatch, model, lines=()):
            pass
        config = (tmp_path / "lyra.toml").read_text()
        (tmp_path / "lyra.toml").write_text(config.replace('model = "fake-model"', 'model = "fake-model"\ntools = "off"'))
        async with open_app() as app:
            (request,) = await asks(app, model, "Hi.")
            assert "tools" not in request.body
