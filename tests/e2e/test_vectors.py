"""Vectors from an endpoint: what was said is found by meaning too, and by words alone while the endpoint is away."""

from pathlib import Path

import pytest

from tests.kits.entered import entered
from tests.kits.lyra_kit import Home, ModelServer, jsonl

SAID = [
    {"content": "The kayak lies behind the boathouse.", "id": "1", "created_at": "2026-03-01T10:00:00"},
    {"content": "My dentist is Doctor Weber.", "id": "2", "created_at": "2026-03-02T10:00:00"},
    {"content": "We eat at eight on Sundays.", "id": "3", "created_at": "2026-03-03T10:00:00"},
]


model = entered(ModelServer)
"""An endpoint whose vectors are near each other where texts share words."""


def vectors_at(server: ModelServer) -> str:
    """Return a configuration that takes vectors from this endpoint, and converses with nobody."""
    return f'embed = "v"\n[models.v]\nbase_url = "{server.server.base_url}"\nmodel = "small"\n'


def why(home: Home, query: str) -> list[str]:
    """Return the signals of the best hit."""
    return list(home.lyra("recall", query, "--json", "-k", "1").rows[0]["hits"][0]["why"])


def test_an_import_gets_its_vectors_and_recall_uses_them(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, vectors_at(model)).begun()
    (tmp_path / "said.jsonl").write_text(jsonl(*SAID))
    assert home.lyra("import", "said.jsonl").code == 0
    embedded = [request for request in model.server.requests if request.path.endswith("/embeddings")]
    assert sum(len(request.body["input"]) for request in embedded) == len(SAID)
    signals = why(home, "where is the kayak?")
    assert any(signal.startswith("meaning 0.") for signal in signals)
    assert any(signal == "words: kayak" for signal in signals)


def test_what_is_said_in_a_conversation_gets_its_vector_too(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, vectors_at(model)).begun()
    home.chat("The kayak lies behind the boathouse.")
    assert any(signal.startswith("meaning") for signal in why(home, "boathouse"))


@pytest.mark.first
@pytest.mark.parametrize("command", [["dream", "--force"], ["summarize", "--all"], ["summarize"]])
def test_what_a_command_makes_of_it_gets_its_vector_too(tmp_path: Path, model: ModelServer, command: list[str]) -> None:
    home = Home(tmp_path, vectors_at(model)).begun()
    (tmp_path / "said.jsonl").write_text(jsonl(*SAID))
    home.lyra("import", "said.jsonl")
    assert home.lyra(*command).code == 0
    status = home.lyra("status", "--json").rows[0]
    assert (status["unsummarized_total"], status["waiting_for_vectors"]) == (0, 0)


def test_words_serve_while_the_endpoint_is_away_and_vectors_come_later(tmp_path: Path, model: ModelServer) -> None:
    away = vectors_at(model).replace(model.host, "127.0.0.1:1")
    home = Home(tmp_path, away).begun()
    (tmp_path / "said.jsonl").write_text(jsonl(*SAID))
    done = home.lyra("import", "said.jsonl")
    assert (done.code, done.out) == (0, "Imported 3 messages in 1 conversation.\n")
    assert "their vectors come later" in done.err
    assert why(home, "where is the kayak?") == ["words: kayak"]
    home.configure(vectors_at(model))
    home.chat("hello")
    assert any(signal.startswith("meaning") for signal in why(home, "where is the kayak?"))


def test_what_is_forgotten_has_no_vector_any_more(tmp_path: Path, model: ModelServer) -> None:
    home = Home(tmp_path, vectors_at(model)).begun()
    (tmp_path / "said.jsonl").write_text(jsonl(*SAID))
    home.lyra("import", "said.jsonl")
    found = home.lyra("recall", "kayak", "--json", "-k", "1").rows[0]["hits"][0]["id"]
    assert home.lyra("forget", found).code == 0
    hits = home.lyra("recall", "kayak boathouse", "--json", "-k", "10").rows[0]["hits"]
    assert "1" not in [hit["source_id"] for hit in hits]
