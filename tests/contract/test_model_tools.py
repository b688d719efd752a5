"""Tools at the model port, over real HTTP: calls as endpoints send them, endpoints that know none, and chains of both."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from bot.errors import ContextTooLong, ModelDown, ModelError, ModelGarbled, ModelRefused, ModelTimeout
from bot.models.endpoints.backend_facts import REFUSED, TOOLS, USED, BackendFacts
from bot.models.endpoints.llm import OpenAIModel
from bot.models.port import Chain, ChatMessage, Restart, Tool, ToolCall, complete
from tests.contract.test_model import model_at
from tests.fakes import openai_behaviours as fake
from tests.fakes.openai_server import OpenAIServer
from tests.kits.tabled import tabled

ASKED: list[ChatMessage] = [{"role": "user", "content": "Where is my boat?"}]
LOOK = Tool("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})


@dataclass
class Box:
    """Tools that return what they were asked for, as often as `left` says."""

    left: int = 3
    used: list[tuple[str, Sequence[ToolCall]]] = field(default_factory=list)

    @property
    def offered(self) -> Sequence[Tool]:
        return [LOOK] if self.left else ()

    def prompt(self, *, plain: bool) -> Sequence[ChatMessage]:
        if plain:
            told = " ".join(f"Saw {call.arguments}." for _, calls in self.used for call in calls)
            return [{"role": "user", "content": f"{told} {ASKED[0]['content']}".strip()}]
        messages = [*ASKED]
        for said, calls in self.used:
            messages.append({"role": "assistant", "content": said, "calls": calls})
            messages += [{"role": "tool", "content": f"Saw {call.arguments}.", "answers": call.id} for call in calls]
        return messages

    async def use(self, said: str, calls: Sequence[ToolCall]) -> None:
        self.left -= 1
        self.used.append((said, calls))


@asynccontextmanager
async def talking(seconds: float = 5.0, facts: BackendFacts | None = None) -> AsyncIterator[tuple[OpenAIServer, OpenAIModel]]:
    async with OpenAIServer() as server:
        model = model_at(server.base_url, facts=facts, tries=2, timeout=seconds, tools="auto")
        try:
            yield server, model
        finally:
            await model.close()


async def answer(model: OpenAIModel | Chain, box: Box) -> str:
    return "".join([piece async for piece in model.stream(ASKED, box)])


async def test_a_call_is_done_and_what_it_returns_is_in_the_next_request() -> None:
    async with talking() as (server, model):
        box = Box()
        server.script(fake.calls("look", at="the harbour"), "In the harbour.")
        assert await answer(model, box) == "In the harbour."
        [first, second] = server.requests
        assert first.offered == second.offered == ["look"]
        assert first.body["tools"][0]["function"]["parameters"] == LOOK.parameters
        [asked, called, returned] = second.messages
        assert (asked["role"], called["role"], returned["role"]) == ("user", "assistant", "tool")
        assert called["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"at": "the harbour"}'}
        assert returned["tool_call_id"] == called["tool_calls"][0]["id"]
        assert returned["content"] == 'Saw {"at": "the harbour"}.'


async def test_what_is_said_before_a_call_stands_before_the_rest_and_is_told_to_the_model() -> None:
    async with talking() as (server, model):
        box = Box()
        server.script(fake.calls("look", "Let me see.", at="sea"), fake.calls("look", at="land"), "On land.")
        assert await answer(model, box) == "Let me see.\n\nOn land."
        assert [said for said, _ in box.used] == ["Let me see.", ""]


async def test_who_called_and_then_says_nothing_more_has_answered_if_anything_was_said() -> None:
    async with talking() as (server, model):
        server.script(fake.calls("look", "In the harbour.", at="sea"), fake.Say(""))
        assert await answer(model, Box()) == "In the harbour."


async def test_without_tools_left_the_prompt_speaks_of_none_and_calls_do_not_count() -> None:
    async with talking() as (server, model):
        box = Box(left=1)
        late = fake.Calls((("look", {"at": "again"}),), "Enough.")
        server.script(fake.calls("look", at="sea"), late)
        assert await answer(model, box) == "Enough."
        last = server.requests[-1]
        assert not last.offered
        assert [message["role"] for message in last.messages] == ["user"]
        assert last.last_user == 'Saw {"at": "sea"}. Where is my boat?'
        assert len(box.used) == 1


def chunk(*calls: object, finish: object = None) -> str:
    """Return a streamed chunk with deltas of calls, as they are."""
    return json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": list(calls)}, "finish_reason": finish}]})


def part(name: object = "look", arguments: object = '{"at": "x"}', **more: object) -> dict[str, object]:
    """Return the delta of one call."""
    return {"function": {"name": name, "arguments": arguments}, **more}


SHAPES = {
    "without an index": ((chunk(part(id="a"), part(id="b")),), 2),
    "all of one index": ((chunk(part(id="a", index=0)), chunk(part(id="b", index=0))), 2),
    "each piece with the name": (
        (chunk(part(arguments='{"at"', id="a", index=0)), chunk(part(arguments=': "x"}', id="a", index=0))),
        1,
    ),
    "arguments as an object": ((chunk(part(arguments={"at": "x"}, id="a", index=0)),), 1),
    "alone, as before there were tools": (
        tuple(
            json.dumps({"choices": [{"delta": {"function_call": some}}]})
            for some in ({"name": "look"}, {"arguments": '{"at"'}, {"arguments": ': "x"}'})
        ),
        1,
    ),
    "without ids": ((chunk(part(index=0), part(index=1)),), 2),
    "bit by bit": (
        (chunk(part(arguments="", index=0)), *(chunk({"index": 0, "function": {"arguments": c}}) for c in '{"at": "x"}')),
        1,
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_calls_are_understood_in_every_shape_that_endpoints_send(shape: str) -> None:
    data, number = SHAPES[shape]
    async with talking() as (server, model):
        box = Box()
        server.script(fake.Events((*data, chunk(finish="tool_calls"), "[DONE]")), "Yes.")
        assert await answer(model, box) == "Yes."
        [(_, calls)] = box.used
        assert [(call.name, json.loads(call.arguments)) for call in calls] == [("look", {"at": "x"})] * number


SIDE_BY_SIDE = {
    "all of one index, with names": (
        part("look", '{"at": "sea"}', index=0, id=""),
        part("look", '{"at": "land"}', index=0, id=""),
    ),
    "all of one index, the name once": (part("look", '{"at": "sea"}', index=0), part("", '{"at": "land"}', index=0)),
    "an empty object first": (
        part("look", "{}", index=0, id="a"),
        {"index": 0, "function": {"arguments": '{"at": "sea"}'}},
        part("look", '{"at": "land"}', index=1, id="b"),
    ),
}


@pytest.mark.parametrize("shape", SIDE_BY_SIDE)
async def test_calls_made_side_by_side_stay_several(shape: str) -> None:
    async with talking() as (server, model):
        box = Box()
        server.script(fake.Events((*map(chunk, SIDE_BY_SIDE[shape]), chunk(finish="tool_calls"), "[DONE]")), "Yes.")
        assert await answer(model, box) == "Yes."
        assert [(call.name, json.loads(call.arguments)["at"]) for call in box.used[0][1]] == [("look", "sea"), ("look", "land")]


SIGNED = {"google": {"thought_signature": "c2ln"}}
WANTED_BACK: dict[str, tuple[tuple[str, ...], str]] = {
    "Google": (
        (chunk(part(id="a", index=0, extra_content=SIGNED)),),
        "Function call is missing a thought_signature in functionCall parts.",
    ),
    "DeepSeek": (
        (
            *(json.dumps({"choices": [{"delta": {"content": "", "reasoning_content": one}}]}) for one in ("The ", "sea?")),
            chunk(part(id="a", index=0)),
        ),
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
    ),
}


@pytest.mark.parametrize("kind", WANTED_BACK)
async def test_what_an_endpoint_wants_back_with_its_calls_it_gets_and_nobody_else(kind: str) -> None:
    data, refusal = WANTED_BACK[kind]
    facts = BackendFacts()
    called = fake.Events((*data, chunk(finish="tool_calls"), "[DONE]"))
    async with talking(facts=facts) as (server, model):
        server.script(called, fake.Status(400, refusal), "At sea.", called, "At sea.", "Hello.")
        for _ in range(2):
            assert await answer(model, Box()) == "At sea."
        assert len(server.requests) == 5
        for request in (server.requests[2], server.requests[4]):
            [message] = [one for one in request.messages if one["role"] == "assistant"]
            assert message.get("reasoning_content") == ("The sea?" if kind == "DeepSeek" else None)
            assert message["tool_calls"][0].get("extra_content") == (SIGNED if kind == "Google" else None)
        assert facts.get(TOOLS) == USED
        await complete(model, ASKED)
        assert "sea?" not in str(server.requests[-1].body)
    async with talking() as (server, model), talking() as (other, next_model):
        server.script(called, fake.DENIED)
        assert await answer(Chain([model, next_model]), Box()) == "Echo: Where is my boat?"
        assert "sea?" not in str(other.requests[-1].body)
        assert "signature" not in str(other.requests[-1].body)


NO_CALLS = {
    "no list": '{"choices": [{"delta": {"tool_calls": {"a": 1}}}]}',
    "no objects": chunk(1, "look", None, []),
    "no function": chunk({"id": "a", "index": 0}, {"function": 3}),
}


@pytest.mark.parametrize("wrong", NO_CALLS)
async def test_what_is_no_call_is_asked_for_again_without_tools(wrong: str) -> None:
    async with talking() as (server, model):
        server.script(fake.Events((NO_CALLS[wrong], chunk(finish="tool_calls"), "[DONE]")), "Somewhere.")
        assert await answer(model, Box()) == "Somewhere."
        assert [request.offered for request in server.requests] == [["look"], []]


WRITTEN = tabled("written_calls", "written")


@pytest.mark.parametrize("kind", WRITTEN)
async def test_a_call_that_is_written_as_text_is_shown_to_nobody_and_tools_are_offered_no_more(kind: str) -> None:
    facts = BackendFacts()
    async with talking(facts=facts) as (server, model):
        server.script(WRITTEN[kind], "Somewhere.", "Still there.")
        assert [piece async for piece in model.stream(ASKED, Box())] == ["Somewhere."]
        assert facts.get(TOOLS) == REFUSED
        assert await answer(model, Box()) == "Still there."
        assert [request.offered for request in server.requests] == [["look"], [], []]


async def test_what_led_to_a_call_that_is_written_as_text_is_taken_back() -> None:
    async with talking() as (server, model):
        server.script(f"Let me look.\n{WRITTEN['Hermes']}", "Somewhere.")
        pieces = [piece async for piece in model.stream(ASKED, Box())]
        anew = next(at for at, piece in enumerate(pieces) if isinstance(piece, Restart))
        assert "tool_call" not in "".join(pieces)
        assert "".join(pieces[anew:]) == "Somewhere."


async def test_where_calls_were_handed_on_before_one_that_is_written_ends_nothing() -> None:
    facts = BackendFacts()
    async with talking(facts=facts) as (server, model):
        server.script(fake.calls("look", at="sea"), "At sea.", WRITTEN["Llama"], "Somewhere.", "There.")
        assert await answer(model, Box()) == "At sea."
        assert await answer(model, Box()) == "Somewhere."
        assert facts.get(TOOLS) == USED
        await answer(model, Box())
        assert server.requests[-1].offered


NO_WRITTEN_CALL = [
    '{"name": "Wave", "length": 7}',
    "look (at the sea) and see",
    "<toolbox> is a tag.\n<tool_box>",
    'I would call <tool_call>{"name": "look"} here.',
    "```json\n{}\n```",
    "<tools>hammer</tools> is how you list them.",
    'So it looks:\n```xml\n<tool_call>{"name": "look"}</tool_call>\n```\nThat is all.',
    "[look at the sea](there)",
    "{" + "a" * 2000,
]


@pytest.mark.parametrize("text", NO_WRITTEN_CALL)
async def test_an_answer_that_only_looks_like_a_call_comes_whole(text: str) -> None:
    facts = BackendFacts()
    async with talking(facts=facts) as (server, model):
        server.script(text)
        assert await answer(model, Box()) == text
        assert facts.get(TOOLS) is None


async def test_who_says_nothing_with_tools_and_without_is_not_asked_a_third_time() -> None:
    async with talking() as (server, model):
        server.script(*[fake.Say("")] * 5)
        with pytest.raises(ModelGarbled) as caught:
            await answer(model, Box())
        assert (len(server.requests), caught.value.attempts) == (2, 2)


async def test_parts_of_the_wrong_type_and_endless_calls_end() -> None:
    many = [chunk(part(id=f"c{n}", index=n)) for n in range(1000)]
    async with talking() as (server, model):
        box = Box()
        server.script(
            fake.Events((chunk(part(3, [1], id=4, index="a")), *many, chunk(finish="tool_calls"), "[DONE]")), "Somewhere."
        )
        assert await answer(model, box) == "Somewhere."
        assert len(box.used[0][1]) == 64


async def test_an_endpoint_that_cannot_stream_calls_all_the_same() -> None:
    body = {"choices": [{"message": {"content": None, "tool_calls": [part(id="a")]}, "finish_reason": "tool_calls"}]}
    async with talking() as (server, model):
        box = Box()
        server.script(fake.Raw(json.dumps(body).encode(), "application/json"), "Yes.")
        assert await answer(model, box) == "Yes."
        assert box.used[0][1] == [ToolCall("a", "look", '{"at": "x"}')]


REFUSALS: dict[str, fake.Behaviour] = {
    "400": fake.Status(400, "registry.ollama.ai/library/gemma:2b does not support tools"),
    "404": fake.Status(404, "No endpoints found that support tool use."),
    "422": fake.Status(422, "Extra inputs are not permitted"),
    "500 of llama.cpp": fake.Status(500, "tools param requires --jinja flag", 500, "server_error"),
    "an error in a stream": fake.Events(('{"error": {"code": 400, "message": "no tools"}}',)),
}


@pytest.mark.parametrize("kind", REFUSALS)
async def test_an_endpoint_that_refuses_tools_is_found_out_once(kind: str) -> None:
    facts = BackendFacts()
    async with talking(facts=facts) as (server, model):
        server.script(REFUSALS[kind], "Somewhere.", "Still there.")
        assert await answer(model, Box()) == "Somewhere."
        assert facts.get(TOOLS) == REFUSED
        assert await answer(model, Box()) == "Still there."
        assert [request.offered for request in server.requests] == [["look"], [], []]


async def test_an_endpoint_that_refuses_what_tools_return_answers_without() -> None:
    facts = BackendFacts()
    async with talking(facts=facts) as (server, model):
        refusal = fake.Status(500, "Conversation roles must alternate user/assistant", None, "server_error")
        server.script(fake.calls("look", at="sea"), refusal, "At sea.")
        assert await answer(model, Box()) == "At sea."
        assert server.requests[-1].last_user == 'Saw {"at": "sea"}. Where is my boat?'
        assert facts.get(TOOLS) == REFUSED


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (fake.Status(404, "There is no model m."), ModelRefused),
        (fake.TOO_LONG, ContextTooLong),
        (fake.DENIED, ModelError),
        (fake.DOWN, ModelDown),
    ],
)
async def test_what_fails_without_tools_as_well_is_not_put_down_to_them(fault: fake.Status, error: type[ModelError]) -> None:
    facts = BackendFacts()
    async with talking(facts=facts) as (server, model):
        server.script(*[fault] * 4)
        with pytest.raises(error):
            await answer(model, Box())
        assert facts.get(TOOLS) is None


async def test_without_a_toolbox_nothing_is_offered() -> None:
    async with talking() as (server, model):
        await complete(model, ASKED)
        assert "tools" not in server.requests[0].body


async def test_all_rounds_of_an_answer_have_one_deadline() -> None:
    async with talking(seconds=0.5) as (server, model):
        server.default = lambda request: fake.calls("look", at="sea")
        server.script(fake.calls("look", at="sea"), fake.Hang())
        with pytest.raises(ModelTimeout):
            await answer(model, Box(left=10**6))


async def test_a_trouble_between_two_rounds_is_not_noticed() -> None:
    async with talking() as (server, model):
        server.script(fake.calls("look", at="sea"), fake.DOWN, "At sea.")
        assert await answer(model, Box()) == "At sea."


async def test_in_a_chain_each_endpoint_is_asked_as_it_knows_tools() -> None:
    async with talking() as (knows, first), OpenAIServer() as knows_none:
        second = model_at(knows_none.base_url, name="spare", tries=1)
        knows.script(fake.calls("look", at="sea"), fake.DOWN, fake.DOWN)
        knows_none.script("At sea.")
        box = Box()
        assert await answer(Chain([first, second]), box) == "At sea."
        [request] = knows_none.requests
        assert not request.offered
        assert request.last_user == 'Saw {"at": "sea"}. Where is my boat?'
        await second.close()
