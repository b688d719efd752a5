"""Conversations with a model whose context is small, in the words with which servers refuse what is too long for them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.kits.lyra_kit import Home, ModelServer, jsonl
from tests.kits.size import few

REFUSALS: dict[str, b.Status | b.Raw] = {
    "LM Studio": b.Raw(
        b'{"error":"Trying to keep the first 5023 tokens when context the overflows. However, the model is loaded with context length '
        b'of only 1500 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}',
        "application/json", 400,
    ),
    "for no known reason": b.Status(400, "Bad request.", None, "BadRequestError"),
    "Ollama": b.Status(400, "input length exceeds maximum context length"),
    "a proxy": b.Raw(b"<html>413</html>", status=413),
    "LM Studio, older": b.Raw(
        b'{"error":"The number of tokens to keep from the initial prompt is greater than the context length"}', "application/json", 400
    ),
}  # fmt: skip


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A model server with a small context that it says nothing of."""
    with ModelServer(lambda _: "I see.") as server:
        server.server.context = 1500
        yield server


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A machine with much that was said; it is only copied."""
    home = Home(tmp_path_factory.mktemp("talked"))
    said = [{"session": "old", "role": "user", "content": f"tulip {n} grows beside the wall {'la ' * 60}"} for n in range(120)]
    home.lyra("import", "-", given=jsonl(*said))
    return home


@pytest.fixture
def home(talked: Home, tmp_path: Path, model: ModelServer) -> Home:
    """A machine with that model, and much that was said."""
    return talked.copied(tmp_path, model.config('summary = "offline"'))


@pytest.mark.first
@pytest.mark.parametrize("kind", few(REFUSALS, 2))
def test_whatever_the_refusal_is_called_the_message_is_answered_and_it_is_learnt(
    home: Home, model: ModelServer, kind: str
) -> None:
    model.server.overfull = REFUSALS[kind]
    assert home.chat("where do the tulips grow?", "and beside which wall?").lines == ["I see."] * 2
    asked = len(model.chats)
    assert asked <= 6
    assert home.chat("what grows beside the wall?").lines == ["I see."]
    assert home.chat("and what else?").lines == ["I see."]
    assert len(model.chats) == asked + 2, "what was learnt outlives her start"
    assert "tulip" in str(model.chats[-1].messages)


def test_what_nothing_shorter_mends_is_told_and_costs_one_request_more(home: Home, model: ModelServer) -> None:
    model.script(*[REFUSALS["for no known reason"]] * 10)
    assert "does not accept the request" in home.chat("where do the tulips grow?").lines[0]
    assert len(model.chats) <= 3


def test_where_not_even_the_shortest_prompt_fits_the_answer_says_why_it_comes_without_the_model(
    home: Home, model: ModelServer
) -> None:
    model.server.context = 50
    told = home.chat("where do the tulips grow?", "wie geht es dir?").lines
    assert told[0] == "This is too long for my model even at its shortest, so I answer without it." and "tulip" in told[1]
    assert told[-1] == "Das ist selbst in der kürzesten Fassung zu lang für mein Modell, deshalb antworte ich ohne es."
