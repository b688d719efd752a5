"""Several models in a row: where the first is out of reach the next answers, and at the very end the offline voice."""

from pathlib import Path

from tests.fakes import openai_behaviours as b
from tests.kits.entered import entered
from tests.kits.lyra_kit import Home, ModelServer

DEAD = '[models.dead]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "gone"\n'
NOT_FOUND = b.Status(404, "The model does not exist", "model_not_found")

model = entered(ModelServer)
"""The model that works."""


def chained(model: ModelServer, *names: str) -> str:
    """Return a configuration with a chain of models."""
    chat = ", ".join(f'"{name}"' for name in names)
    return model.config().replace('chat = "main"', f"chat = [{chat}]") + DEAD


def test_the_second_model_answers_where_the_first_is_out_of_reach(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, chained(model, "dead", "main")).begun()
    model.script("Hello from the second.")
    done = home.chat("hello")
    assert (done.lines, done.code) == (["Hello from the second."], 0)


def test_a_wrong_key_of_the_first_is_noticed_although_the_second_answers(tmp_path: Path, model: ModelServer) -> None:
    backend = f'[models.shut]\nbase_url = "{model.server.base_url}"\nmodel = "other"\n'
    home = Home(tmp_path, chained(model, "shut", "main") + backend).begun()
    model.script(b.DENIED, "I am here.")
    done = home.chat("hello")
    assert (done.lines, done.code) == (["I am here."], 0)
    assert "shut" in (home.path / "lyra.log").read_text("utf-8")


def test_the_offline_voice_answers_where_it_stands_last(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, chained(model, "main", "offline")).begun()
    model.script(NOT_FOUND, NOT_FOUND)
    done = home.chat("my cat is called Turing", "what is my cat called?")
    assert done.code == 0
    assert done.lines[0] == "Kept."
    assert done.lines[1].endswith('"my cat is called Turing".')
    assert "Traceback" not in done.err and "Turing" not in done.err


def test_without_the_offline_voice_the_message_is_held_and_answered_later(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, chained(model, "main")).begun()
    model.script(NOT_FOUND)
    done = home.chat("are you there?")
    assert done.code == 0
    assert len(done.lines) == 1
    assert f"{model.server.base_url} has no model fake-model." in done.lines[0]
    assert done.lines[0].endswith("Your message is kept; I answer it when the model does.")
    model.script("Now I am.")
    assert home.chat().lines == ["Now I am."]
    assert [row["content"] for row in home.export()] == ["are you there?", "Now I am."]


def test_a_model_connected_by_hand_serves_until_it_is_turned_off(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path).begun()
    refused = home.chat(f"/model {model.server.base_url}", "n")
    assert refused.lines == ["Not connected."]
    connected = home.chat(f"/model {model.server.base_url}", "y", "hello")
    policy = home.lyra("privacy").out
    assert "- a model on the same machine: to answer, to sum up and to think about what was said" in policy
    assert "she makes summaries, facts, a digest a month and thoughts" in policy
    assert connected.lines[0] == "Connected. /model off undoes it."
    assert connected.lines[1].startswith("Echo: ")
    off = home.chat("/model off", "hello", "/model off")
    assert off.lines == ["Disconnected. No model elsewhere gets any of it.", "Hello, ada.", "No model was connected."]
    asked = len(model.chats)
    assert home.chat("hello").lines == ["Hello, ada."]
    assert len(model.chats) == asked
    nobody = home.chat("/model http://127.0.0.1:1/v1", "/model gibberish")
    assert nobody.lines[0].startswith("No model answers at http://127.0.0.1:1/v1.")
    assert nobody.lines[1].startswith('I do not know "gibberish".')
