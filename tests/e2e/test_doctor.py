"""`lyra doctor` looks at every part and says what to do where something is wrong."""

import os
import re
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.kits import lyra_kit
from tests.kits.entered import entered
from tests.kits.forked import at_streams
from tests.kits.lyra_kit import Home, ModelServer

DEAD = 'chat = "dead"\n[models.dead]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "llama3.2"\n'

model = entered(ModelServer)
home = lyra_kit.home


def problems(home: Home) -> list[str]:
    """Run the doctor and return what is wrong, which must make the exit code 1."""
    done = home.lyra("doctor")
    assert "Traceback" not in done.err
    found = [line for line in done.lines if line.startswith("!! ")]
    assert done.code == (1 if found else 0), done.err
    return found


def test_a_new_home_is_sound(tmp_path: Path) -> None:
    home = Home(tmp_path)
    done = home.lyra("doctor")
    assert done.code == 0
    assert done.err == f"Memory is encrypted; copy this key somewhere safe: {home.key}\n"
    assert all(line.startswith("ok  ") for line in done.lines)
    for part in ("Configuration", "Persona", "Home", "Key", "Memory", "Model", "lyra run"):
        assert part in done.out


def test_where_nobody_can_be_told_she_ends_and_says_why(home: Home) -> None:
    home.chat("hello")
    full, nothing = os.open("/dev/full", os.O_WRONLY), os.open(os.devnull, os.O_RDONLY)
    said = at_streams(["doctor"], home.folder, home.environment(), given=nothing, output=full)
    assert said == ("Standard output cannot be written: No space left on device.\n", 1)


def test_a_model_that_answers_is_sound(home: Home, model: ModelServer) -> None:
    home.configure(model.config('embed = "main"'))
    done = home.lyra("doctor")
    assert done.code == 0
    (line,) = [line for line in done.lines if line.startswith("ok  Model main: ")]
    assert line.startswith(f"ok  Model main: fake-model answers at {model.server.base_url}, ")
    assert re.search(r", [\d,]+ tokens a second, streaming; context not known; tools are offered\.$", line)


def test_what_a_model_takes_and_does_is_said(home: Home, model: ModelServer) -> None:
    model.server.kind, model.server.context = "llama.cpp", 2048
    home.configure(model.config(backend='tools = "off"'))
    model.script(b.Raw(b'{"choices": [{"message": {"content": "one two"}}]}', "application/json"))
    assert "tokens a second, all at once; context 2,048 tokens; tools off." in home.lyra("doctor").out


def test_a_model_that_reasons_at_length_before_it_answers_is_sound(home: Home, model: ModelServer) -> None:
    home.configure(model.config(backend="max_tokens = 100"))
    thought = '{"choices": [{"delta": {"content": "", "reasoning_content": "Ten?"}, "finish_reason": "length"}]}'
    model.script(b.Events((thought, "[DONE]")))
    assert problems(home) == []
    assert [request.body["max_tokens"] for request in model.chats][:2] == [100, 400]


def test_an_endpoint_that_drops_tools_without_a_word_is_found_out_and_offered_none_from_then_on(
    home: Home, model: ModelServer
) -> None:
    home.configure(model.config())
    model.server.drops_tools = True
    assert "; it knows no tools." in home.lyra("doctor").out
    assert len(model.chats) == 4
    assert "; it knows no tools." in home.lyra("doctor").out
    home.chat("my boat is called Wave")
    assert not model.chats[-1].offered


@pytest.mark.first
@pytest.mark.parametrize("usage", [b"null", b'{"prompt_tokens": 10}', b"{}"], ids=["none", "always the same", "empty"])
def test_an_endpoint_that_counts_no_tokens_is_taken_at_its_word(home: Home, model: ModelServer, usage: bytes) -> None:
    home.configure(model.config())
    model.script(
        "One two three.",
        *[b.Raw(b'{"choices": [{"message": {"content": "yes"}}], "usage": ' + usage + b"}", "application/json")] * 2,
    )
    assert "; tools are offered." in home.lyra("doctor").out
    home.chat("my boat is called Wave")
    assert model.chats[-1].offered


def test_a_slow_model_has_its_own_time(home: Home, model: ModelServer) -> None:
    home.configure(model.config(backend="timeout = 0.3"))
    model.script(b.Hang())
    (problem,) = problems(home)
    assert problem.endswith("did not finish within 0.3 seconds.")
    model.script(b.Endless("one, two, {} ", 0.02))
    assert problems(home) == [problem]


def test_who_waits_for_a_silent_model_is_told_what_they_wait_for(home: Home, model: ModelServer) -> None:
    home.chat()
    home.configure(model.config(backend="timeout = 3.5"))
    model.script(b.Hang())
    done = home.lyra("doctor")
    assert done.err.splitlines() == ["Model main: no answer yet; waiting …"]
    assert "did not finish within 3.5 seconds." in done.out


def test_a_model_out_of_reach_is_named(home: Home) -> None:
    home.configure(DEAD)
    assert problems(home) == ["!!  Model dead: No model answers at http://127.0.0.1:1/v1. Is it running?"]


def test_a_model_that_should_see_and_does_not_is_named(home: Home, model: ModelServer) -> None:
    home.configure(model.config(backend="sees = true"))
    model.script("ok", b.Status(400, "no images", "invalid_value"))
    (problem,) = problems(home)
    assert problem.startswith("!!  Model main: it answers, but not about an image: The model fake-model at ")
    assert problem.endswith(" Mend that, or set sees = false in [models.main].")


def test_only_a_model_that_should_see_is_shown_an_image(home: Home, model: ModelServer) -> None:
    for backend, images in (("sees = true", [0, 1]), ("", [0])):
        model.server.requests.clear()
        home.configure(model.config(backend=backend))
        assert problems(home) == []
        assert [len(request.images) for request in model.chats][: len(images)] == images
        assert sum(len(request.images) for request in model.chats) == sum(images)


def test_a_wrong_key_is_named_and_never_shown(home: Home, model: ModelServer) -> None:
    home.configure(model.config(backend='api_key_env = "MY_KEY"'))
    model.script(b.DENIED)
    home.variables["MY_KEY"] = "sk-very-secret"
    (problem,) = problems(home)
    assert "does not accept the key" in problem
    assert "sk-very-secret" not in problem


def test_a_password_in_the_address_of_a_model_is_never_shown(home: Home, model: ModelServer) -> None:
    config = model.config('embed = "main"')
    home.configure(config.replace("http://", "http://ada:hunter2@"))
    said = home.lyra("doctor"), home.chat("hello", "/privacy", "/model"), home.lyra("status"), home.lyra("privacy")
    assert f"Your words go to {model.server.base_url}" in said[1].err and model.server.base_url in said[0].out
    assert all("hunter2" not in done.out + done.err for done in said)


def test_a_key_that_is_not_set_is_named(home: Home, model: ModelServer) -> None:
    home.configure(model.config(backend='api_key_env = "MY_KEY"'))
    done = home.lyra("doctor")
    assert done.code == 1
    assert "MY_KEY" in done.out + done.err
    assert "Traceback" not in done.err


def test_a_persona_that_is_not_there_is_named(home: Home) -> None:
    home.configure('persona = "who.md"\n')
    (problem,) = problems(home)
    assert str(home.path / "who.md") in problem
    assert home.chat("hello").code == 1


def test_a_key_that_others_can_read_is_named(home: Home) -> None:
    home.chat()
    home.key.chmod(0o644)
    assert problems(home) == [f"!!  Key: others may read {home.key}. Close it: chmod 600 {home.key}"]
    home.key.chmod(0o600)
    assert problems(home) == []


def test_a_home_that_everybody_can_look_into_is_named(home: Home) -> None:
    home.chat()
    home.path.chmod(0o755)
    assert problems(home) == [f"!!  Home: everybody on this machine may look into it. Close it: chmod 700 {home.path}"]
    home.path.chmod(0o700)
    assert problems(home) == []


def test_a_file_with_a_secret_that_others_can_read_is_named(home: Home, model: ModelServer) -> None:
    home.configure(model.config(backend='api_key_file = "my key"'))
    file = home.path / "my key"
    file.write_text("sk-secret\n")
    file.chmod(0o644)
    assert problems(home) == [f"!!  Secret: others may read '{file}'. Close it: chmod 600 '{file}'"]
    file.chmod(0o640)
    assert problems(home) == [], "a group may be let in on purpose"


def test_a_damaged_memory_is_named(home: Home) -> None:
    home.lyra("import", "-", given="".join(f'{{"content": "message number {n}"}}\n' for n in range(500)))
    pages = bytearray(home.db.read_bytes())
    pages[40960:41960] = bytes(1000)
    home.db.write_bytes(pages)
    done = home.lyra("doctor")
    assert done.code == 1
    assert "Traceback" not in done.err
    assert "damaged" in done.out + done.err
    assert "lyra restore" in done.out + done.err


def test_vectors_out_of_reach_are_named(home: Home) -> None:
    home.configure(DEAD.replace("chat =", "embed ="))
    (problem,) = problems(home)
    assert problem.startswith("!!  Meaning: No model answers at http://127.0.0.1:1/v1. Is it running? Words alone find")


@pytest.mark.parametrize("config", ["chat = ", "[web]\nport = true"])
def test_a_broken_configuration_keeps_nothing_else_from_being_looked_at(home: Home, config: str) -> None:
    home.chat("my cat is called Turing")
    home.configure(config)
    found = home.lyra("doctor").lines
    assert [line[4:].split(":")[0] for line in found][:4] == ["Configuration", "Home", "Key", "Memory"]
    assert [line[:2] for line in found][:4] == ["!!", "ok", "ok", "ok"]


def test_what_is_missing_for_vectors_is_said_once_and_of_their_part(home: Home, model: ModelServer) -> None:
    home.chat("my cat is called Turing")
    home.configure(model.config('embed = "main"', backend='api_key_env = "MY_KEY"'))
    found = problems(home)
    assert [line[4:].split(":")[0] for line in found] == ["Model main", "Meaning"]
    assert all("MY_KEY, which is not set" in line for line in found)
    assert "ok  Memory: " in home.lyra("doctor").out


def test_a_check_that_breaks_ends_no_other(home: Home) -> None:
    home.configure('chat = "odd"\n[models.odd]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\napi_key_file = "\\u0000"\n')
    found = problems(home)
    assert any(line.startswith("!!  Model odd: ") for line in found)
    assert "lyra run" in home.lyra("doctor").out
