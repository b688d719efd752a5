"""`lyra chat`, killed while the model looks things up: the turn is taken again from what was kept, and nothing of it is twice."""

from pathlib import Path

import pytest

from bot.conversation.answering.model_answer import ROUNDS
from tests.fakes import openai_behaviours as b
from tests.kits.entered import entered
from tests.kits.lyra_kit import Home, ModelServer, jsonl
from tests.kits.size import few

QUESTION = "where is my boat?"
TOLD = "My boat lies in the harbour of Graz."

model = entered(ModelServer)


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A machine where something was said long ago; it is only copied."""
    made = Home(tmp_path_factory.mktemp("old"))
    file = made.folder / "old.jsonl"
    file.write_text(jsonl({"session": "old", "content": TOLD, "created_at": "2020-01-01T10:00:00"}), "utf-8")
    assert made.lyra("import", str(file)).code == 0
    return made


@pytest.fixture
def home(old: Home, tmp_path: Path, model: ModelServer) -> Home:
    """A machine with a model, where something was said long ago that no prompt shows."""
    return old.copied(tmp_path, model.config('recall_k = 0\nsummary = "offline"'))


@pytest.mark.parametrize("rounds", few(range(ROUNDS, -1, -1)))
def test_a_kill_in_any_round_repeats_the_turn(home: Home, model: ModelServer, rounds: int) -> None:
    looks = [b.calls("recall", query=f"boat {n}") for n in range(rounds)]
    model.script(*looks, b.Hang())
    with home.started("chat") as chat:
        chat.write(QUESTION)
        model.wait(rounds + 1)
        assert chat.kill().out == ""
    assert [row["content"] for row in home.export()] == [TOLD, QUESTION]
    model.script(b.calls("recall", query="boat"), "In Graz.")
    assert home.chat().lines == ["In Graz."]
    again = model.chats[rounds + 1 :]
    assert [len(request.returned) for request in again] == [0, 1], "the rounds of before are stored nowhere"
    assert TOLD in again[1].returned[0]
    assert [row["content"] for row in home.export()] == [TOLD, QUESTION, "In Graz."]
    assert home.chat().lines == []
