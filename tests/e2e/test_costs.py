"""What models took: calls, tokens and money by purpose, at the prices of the configuration and at no others."""

import json
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.kits.entered import entered
from tests.kits.lyra_kit import Home, ModelServer, jsonl

TALK = jsonl(*({"session": "garden", "content": f"Tulip number {n} opened.", "id": str(n)} for n in range(6)))

model = entered(lambda: ModelServer(b.sensible))


def taken(home: Home) -> dict[str, dict[str, object]]:
    """Return what each purpose took today."""
    found: dict[str, dict[str, object]] = json.loads(home.lyra("status", "--json").out)["usage"]["today"]
    return found


def test_calls_tokens_and_money_are_told_by_purpose(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, model.config(backend="price_in = 1000.0\nprice_out = 100000.0")).begun()
    assert taken(home) == {} and "Models, today" not in home.lyra("status").out
    home.chat("hello", "how are you?")
    home.lyra("import", "-", given=TALK)
    home.lyra("summarize", "garden")
    spent = taken(home)
    talk, digests = spent["conversation"], spent["digests"]
    assert (talk["calls"], talk["unpriced"]) == (2, []) and int(str(digests["calls"])) >= 1
    for one in (talk, digests):
        tokens_in, tokens_out = int(str(one["tokens_in"])), int(str(one["tokens_out"]))
        assert tokens_in > 20 and tokens_out > 0
        assert one["money"] == pytest.approx(tokens_in / 1000 + tokens_out / 10)
    shown = home.lyra("status").lines
    assert any(line.startswith("Models, today: ") and line.endswith(" in your currency.") for line in shown)
    assert any(line.startswith("  conversation: 2 calls, about ") for line in shown)
    assert "conversation: 2 calls" in home.chat("/status").out


def test_each_prompt_of_an_answer_that_looks_something_up_is_paid_for(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, model.config()).begun()
    model.server.script(b.calls("look_up", query="tulip"), b.calls("look_up", query="rose"), "It opened.")
    home.chat("which tulip opened first?")
    sent = [sum(len(str(one["content"])) for one in request.messages) for request in model.server.requests]
    talk = taken(home)["conversation"]
    assert (talk["calls"], len(sent)) == (3, 3)
    assert int(str(talk["tokens_in"])) > sum(sent) / 5, "in tokens of at most five letters"


def test_without_a_price_only_tokens_are_told(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, model.config()).begun()
    home.chat("hello")
    assert taken(home)["conversation"]["money"] is None
    (line,) = [line for line in home.lyra("status").lines if line.startswith("Models, today")]
    assert "tokens in" in line and "currency" not in line


def test_a_call_that_fails_costs_nothing_and_the_one_that_answers_is_told_under_its_name(
    tmp_path: Path, model: ModelServer
) -> None:
    home = Home(
        tmp_path,
        'chat = ["broken", "main"]\n[models.broken]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "x"\nprice_in = 5.0\n'
        f'[models.main]\nbase_url = "{model.server.base_url}"\nmodel = "fake-model"\n',
    )
    home.chat("hello")
    talk = taken(home)["conversation"]
    assert (talk["calls"], talk["money"], talk["unpriced"]) == (1, None, ["main"])


def test_what_a_summary_will_cost_is_told_of_the_model_that_writes_it(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, model.config(backend="price_in = 1000.0\nprice_out = 100000.0"), OLLAMA_HOST=model.host).begun()
    home.lyra("import", "-", given=TALK)
    assert " in your currency" in home.lyra("summarize", "--all", "--limit", "1").err
    assert home.lyra("model", "ollama", "--yes").code == 0
    home.lyra("import", "-", given=TALK.replace("garden", "orchard"))
    assert "at no price that the configuration names" in home.lyra("summarize", "--all").err
