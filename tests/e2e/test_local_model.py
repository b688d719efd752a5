"""The local model, as everybody has it: nothing is configured, no server runs, and what was meant is found."""

import json
import shutil
import signal
import socket
import time
from pathlib import Path

import pytest

from bot.models.local import e5 as others
from bot.models.local import minilm as weights
from bot.models.local import onnx_graph
from tests.fakes import openai_behaviours as b
from tests.kits.customized import customized
from tests.kits.entered import entered
from tests.kits.lyra_kit import REPO, Done, Home, ModelServer, NewMachine, jsonl, one_sentence
from tests.kits.size import few
from tests.kits.tiny_gemma import published

SAID = [
    {"content": "We bought a puppy last weekend.", "id": "1", "created_at": "2026-03-01T10:00:00"},
    {"content": "My dentist is Doctor Weber.", "id": "2", "created_at": "2026-03-02T10:00:00"},
    {"content": "Supper is at eight on Sundays.", "id": "3", "created_at": "2026-03-03T10:00:00"},
    {"content": "The kayak lies behind the boathouse.", "id": "4", "created_at": "2026-03-04T10:00:00"},
]
PARAPHRASE = "which young dog did they get"
WORD = "where is the kayak"
EXACT = "all-MiniLM-L6-v2:53aa51172d14"
NAME = "all-MiniLM-L6-v2-int8:53aa51172d14"
NAME_OF_LARGE = "embeddinggemma-300m-q4-384"
LOCAL = "the local models all-MiniLM-L6-v2 and, for other languages, multilingual-e5-small"
MISSING = "Meaning: the local model is not installed; `lyra setup` fetches it. Words alone find things."


@pytest.fixture
def home(tmp_path: Path) -> NewMachine:
    """A new machine."""
    return NewMachine(tmp_path)


endpoint = entered(ModelServer)
"""An endpoint that makes vectors."""


def through(server: ModelServer) -> str:
    """Return a configuration that takes vectors from an endpoint."""
    return f'embed = "v"\n[models.v]\nbase_url = "{server.server.base_url}"\nmodel = "small"\n'


def embedded(server: ModelServer) -> list[str]:
    """Return the texts that an endpoint was sent."""
    asked = [request.body["input"] for request in server.server.requests if request.path.endswith("/embeddings")]
    return [text for some in asked for text in some]


def imports(home: Home) -> Done:
    """Import what was said."""
    (home.folder / "said.jsonl").write_text(jsonl(*SAID))
    return home.lyra("import", "said.jsonl")


def best(home: Home, query: str) -> tuple[str, list[str]]:
    """Return the best hit for a question in a fresh process, and the signals that found it."""
    done = home.lyra("recall", query, "--json", "-k", "1")
    hits = done.rows[0]["hits"]
    return (hits[0]["source_id"], hits[0]["why"]) if hits else ("", [])


def without(folder: Path, *modules: str) -> dict[str, str]:
    """Return an environment in which modules are not installed, as far as Python sees."""
    return customized(folder / "without", f"import sys\nsys.modules.update(dict.fromkeys({modules!r}))\n")


def spoilt(folder: Path) -> dict[str, str]:
    """Return an environment in which a byte of the model's weights is another one."""
    there = weights.folder()
    assert there is not None, "`make model` installs it"
    model = folder / "spoilt" / weights.PACKAGE / "model"
    model.mkdir(parents=True)
    (model.parent / "__init__.py").touch()
    for name in weights.PUBLISHED:
        shutil.copy(there / name, model)
    with (model / weights.WEIGHTS).open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\1")
    return {"PYTHONPATH": f"{model.parents[1]}:{REPO}"}


def test_what_was_meant_is_found_without_a_word_in_common(home: NewMachine) -> None:
    assert imports(home) == Done("Imported 4 messages in 1 conversation.\n", _greeting(home), 0)
    source, why = best(home, PARAPHRASE)
    assert source == "1" and [signal.partition(" ")[0] for signal in why] == ["meaning"]


def test_what_is_said_in_a_conversation_is_found_so_too(home: NewMachine) -> None:
    home.chat("We bought a puppy last weekend.", "Supper is at eight on Sundays.")
    done = home.lyra("recall", PARAPHRASE, "--json", "-k", "1")
    (hit,) = done.rows[0]["hits"]
    assert hit["content"] == "We bought a puppy last weekend." and any(signal.startswith("meaning") for signal in hit["why"])


def test_it_is_said_what_finds_by_meaning(home: NewMachine, endpoint: ModelServer) -> None:
    for config, name, doctor, status in (
        ("", NAME, f" (embed): {LOCAL}, 384 numbers a text.", f"{LOCAL}."),
        ('embed = "local"', NAME, f" (embed): {LOCAL}, 384", f"{LOCAL}."),
        ('embed = "off"', None, ": embed is off. Words alone find things.", "embed is off. Words alone find things."),
        (
            through(endpoint),
            "v:small",
            f" (embed): small at {endpoint.server.base_url}, ",
            f"small at {endpoint.server.base_url}.",
        ),
    ):
        home.configure(config)
        done = home.lyra("doctor")
        assert done.code == 0 and f"ok  Meaning{doctor}" in done.out
        assert f"Meaning: {status}" in home.lyra("status").lines
        assert json.loads(home.lyra("status", "--json").out)["embed"] == name
    assert f"Meaning: {status}" in home.chat("/status").out


def test_words_that_go_to_an_endpoint_are_not_said_to_stay(home: NewMachine, endpoint: ModelServer) -> None:
    home.configure(through(endpoint))
    done = home.chat("/privacy")
    assert f"Your words go to {endpoint.server.base_url}." in done.err and "Nothing leaves" not in done.err
    assert "No word of it leaves" not in done.out


@pytest.mark.parametrize("module", few([weights.PACKAGE, "tokenizers"]))
def test_where_it_is_not_installed_that_is_said_once_and_words_serve(home: NewMachine, tmp_path: Path, module: str) -> None:
    home.variables.update(without(tmp_path, module, others.PACKAGE))
    assert imports(home) == Done("Imported 4 messages in 1 conversation.\n", _greeting(home), 0)
    assert home.chat("hello").err.splitlines().count(MISSING) == 1
    assert MISSING not in home.chat("hello").err
    assert best(home, PARAPHRASE) == ("", [])
    assert best(home, WORD)[0] == "4"
    assert MISSING in home.lyra("status").lines
    doctor = home.lyra("doctor")
    assert doctor.code == 0 and f"ok  {MISSING}" in doctor.lines
    home.configure('embed = "local"')
    for command in ("status", "chat"):
        refused = home.lyra(command)
        assert refused.code == 1 and "`lyra setup` fetches it" in one_sentence(refused)
    found = [line for line in home.lyra("doctor").lines if "embed =" in line]
    assert len(found) == 1 and found[0].startswith("!!  Meaning: ")


def test_once_it_is_installed_everything_gets_its_vectors_and_a_loss_is_told_again(home: NewMachine, tmp_path: Path) -> None:
    lacking = without(tmp_path, weights.PACKAGE, others.PACKAGE)
    home.variables.update(lacking)
    imports(home)
    assert MISSING in home.chat("hello").err
    del home.variables["PYTHONPATH"]
    home.chat("hello")
    assert best(home, PARAPHRASE)[0] == "1"
    home.variables.update(lacking)
    assert MISSING in home.chat("hello").err


def test_without_its_runtime_it_is_computed_in_numpy_and_anew_once_that_is_there(home: NewMachine, tmp_path: Path) -> None:
    home.variables.update(without(tmp_path, onnx_graph.PACKAGE))
    imports(home)
    assert best(home, PARAPHRASE)[0] == "1"
    assert json.loads(home.lyra("status", "--json").out)["embed"] == EXACT
    del home.variables["PYTHONPATH"]
    assert (best(home, PARAPHRASE), best(home, WORD)[0]) == (("", []), "4"), "words serve meanwhile"
    home.chat("hello")
    assert best(home, PARAPHRASE)[0] == "1"


def test_the_large_model_serves_once_its_files_are_given(home: NewMachine) -> None:
    published(home.folder / "published")
    left = home.path / "models" / ".making-killed"
    left.mkdir(parents=True)
    imports(home)
    done = home.lyra("setup", "--large", "--from", "published")
    assert done.code == 0 and "finds things by embeddinggemma-300m from her next start on" in done.out
    assert not left.exists(), "what was cut off is removed"
    home.chat("hello")
    assert best(home, WORD)[0] == "4" and any(signal.startswith("meaning") for signal in best(home, WORD)[1])
    assert "Meaning: the large local model embeddinggemma-300m." in home.lyra("status").lines
    shutil.rmtree(home.path / "models")
    for command in ("status", "chat"):
        refused = home.lyra(command)
        assert refused.code == 1 and "`lyra setup --large` fetches it" in one_sentence(refused)


def test_the_large_model_is_not_set_up_where_it_cannot_be(home: NewMachine, tmp_path: Path) -> None:
    refused = home.lyra("setup", "--large", "--from", "nowhere")
    assert refused.code == 1 and "cannot be read" in one_sentence(refused)
    assert "from goes with --large" in home.lyra("setup", "--from", "nowhere").err
    (damaged := home.path / "models" / NAME_OF_LARGE).mkdir()
    assert "is damaged; remove it" in one_sentence(home.lyra("setup", "--large"))
    damaged.rmdir()
    home.variables.update(without(tmp_path, onnx_graph.PACKAGE))
    assert "needs the engine of the small one" in one_sentence(home.lyra("setup", "--large"))
    assert "Meaning: the local models" in home.lyra("status").out


def test_fetching_the_large_model_is_done_by_one_and_stopped_at_once(home: NewMachine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        registry = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with home.started("setup", "--large", env={"PIP_INDEX_URL": registry, "UV_DEFAULT_INDEX": registry}) as fetching:
            asked, _ = silent.accept()
            other = home.lyra("setup", "--large", "--from", "published")
            assert other.code == 1 and "is making the model; wait for it" in one_sentence(other)
            assert list((home.path / "models").iterdir()), "what the first makes is still there"
            done = fetching.stop(signal.SIGINT)
            asked.close()
    assert done.code == 130 and done.err.endswith("\nStopped.\n")
    assert not list((home.path / "models").iterdir())


@pytest.mark.torture
def test_weights_that_were_changed_are_refused_and_words_serve(home: NewMachine, tmp_path: Path) -> None:
    home.variables.update(spoilt(tmp_path))
    done = imports(home)
    assert (done.out, done.code) == ("Imported 4 messages in 1 conversation.\n", 0)
    assert f"{weights.WEIGHTS} is not the published one; install it again with `make model`. Words find" in done.err
    assert "Traceback" not in done.err
    assert best(home, PARAPHRASE) == ("", [])
    assert best(home, WORD)[0] == "4"
    before = home.lyra("logs", "-n", "1000").out.count("embed.refused")
    assert "embed.refused" not in home.chat("hello", "hello").err
    assert home.lyra("logs", "-n", "1000").out.count("embed.refused") == before + 1
    doctor = home.lyra("doctor")
    (problem,) = [line for line in doctor.lines if line.startswith("!! ")]
    assert doctor.code == 1 and "is not the published one" in problem and "Words alone find things meanwhile." in problem
    del home.variables["PYTHONPATH"]
    home.chat("hello")
    assert best(home, PARAPHRASE)[0] == "1"


def test_a_change_of_what_embeds_is_made_up_for_in_the_background(home: NewMachine, endpoint: ModelServer) -> None:
    imports(home)
    home.configure(through(endpoint))
    assert best(home, WORD)[1] == ["words: kayak"], "vectors of two models are never compared"
    home.chat("hello")
    assert {message["content"] for message in SAID} <= set(embedded(endpoint))
    assert any(signal.startswith("meaning") for signal in best(home, WORD)[1])
    home.configure("")
    assert best(home, PARAPHRASE)[0] == "1", "what the local model made is still there"


def test_an_import_can_be_left_while_it_is_embedded_and_nothing_is_lost(home: NewMachine, endpoint: ModelServer) -> None:
    home.configure(through(endpoint))
    (home.folder / "many.jsonl").write_text(jsonl(*({"content": f"remark number {n}", "id": f"{n}"} for n in range(40))))
    endpoint.script(b.Say(""), b.Hang())
    with home.started("import", "many.jsonl") as process:
        assert process.reply() == "Imported 40 messages in 1 conversation."
        while len(embedded(endpoint)) < 40:
            time.sleep(0.01)
        done = process.stop(signal.SIGINT)
    assert done.code == 0
    assert done.err.endswith("Embedded 32 of 40. The rest comes when Lyra is awake next; words find it meanwhile.\n")
    assert len(home.export()) == 40
    before = len(embedded(endpoint))
    assert home.lyra("import", "many.jsonl").out == "Imported 0 messages in 1 conversation; 40 were here already.\n"
    assert len(embedded(endpoint)) == before + 8


def test_where_she_is_awake_vectors_are_left_to_her(home: NewMachine, endpoint: ModelServer) -> None:
    home.configure(f"{through(endpoint)}[web]\nport = 0\n")
    with home.started("run") as process:
        process.note("Lyra is awake")
        assert imports(home).code == 0
        assert embedded(endpoint) == []
        assert process.stop().code == 0
    imports(home)
    assert len(embedded(endpoint)) == 4


def _greeting(home: Home) -> str:
    return f"Memory is encrypted; copy this key somewhere safe: {home.key}\n"
