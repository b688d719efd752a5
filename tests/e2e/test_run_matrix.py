"""`lyra run` on Matrix, as the process that people start: it logs in once, answers, waits for the homeserver, and ends."""

import signal
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adapters.matrix.outgoing.contents import PART
from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import UNKNOWN_TOKEN
from tests.fakes.matrix.faults import SYNC
from tests.kits import matrix_thread
from tests.kits.discord_thread import DiscordThread
from tests.kits.lyra_kit import Done, Home, ModelServer, Process
from tests.kits.matrix_thread import PASSWORD_ENV, MatrixThread
from tests.kits.size import few

pytest_plugins = ["tests.kits.run_fixtures", "tests.fakes.matrix.fixtures"]

CONNECTED = "Matrix: connected. I read and write encrypted rooms, too, with keys that stay on this machine."
GONE = "I am not on Matrix any more. The homeserver does not accept Lyra's user id and password"
SECRET = "the word that nobody may read in a log"

matrix = matrix_thread.matrix


@pytest.fixture
def home(tmp_path: Path, matrix: MatrixThread, model: ModelServer) -> Home:
    """A machine whose Lyra has a model and is on Matrix."""
    return machine(tmp_path, matrix, model)


def machine(folder: Path, matrix: MatrixThread, model: ModelServer, more: str = "", place: str = "") -> Home:
    """Return a machine whose Lyra has a model and is on Matrix; `place` is another section [matrix]."""
    config = f"{model.config(more)}\n{place or matrix.config()}\n[web]\nport = 0\n"
    return Home(folder, config, **matrix.variables).begun()


@contextmanager
def awake(home: Home) -> Iterator[Process]:
    """Keep Lyra awake for the block, from the moment she is connected."""
    with home.started("run") as process:
        assert process.note("Matrix: ") == CONNECTED
        yield process


def ended(done: Done) -> None:
    """Assert that Lyra ended as she should, and had nothing more to say."""
    assert (done.out, done.err, done.code) == ("", "", 0)


def refused(done: Done) -> str:
    """Return the one sentence with which Lyra ended, because she was not let in."""
    assert (done.out, done.code) == ("", 1)
    assert "Traceback" not in done.err
    [sentence] = [line for line in done.err.splitlines() if not line.startswith(("The memory page is at", "Memory is encrypted"))]
    return sentence


@pytest.mark.parametrize("sealed", few([True, False]), ids=few(["encrypted", "plain"]))
def test_she_needs_the_password_once_and_finishes_before_she_ends(
    home: Home, matrix: MatrixThread, model: ModelServer, sealed: bool
) -> None:
    ada = matrix.person("ada", encrypts=True)
    with awake(home) as lyra:
        room = matrix.dm(ada, encrypted=sealed)
        assert matrix.answered(ada, room, matrix.says(ada, room, "hello")) == ["You said: hello"]
        model.script(b.Drip("Finished before the end.", 0.1))
        last = matrix.says(ada, room, "one more")
        model.wait(2)
        ended(lyra.stop(signal.SIGTERM))
    assert matrix.answers(ada, room, last) == ["Finished before the end."]
    del home.variables[PASSWORD_ENV]
    down = matrix.says(ada, room, "while you were down?")
    with awake(home) as lyra:
        assert matrix.answered(ada, room, down) == ["You said: while you were down?"]
        assert matrix.answered(ada, room, matrix.says(ada, room, "and now?")) == ["You said: and now?"]
        ended(lyra.stop(signal.SIGINT))
    assert len(matrix.told(ada, room)) == 5, "the introduction, and an answer to each question"


def test_her_keys_are_hers_alone(home: Home, matrix: MatrixThread) -> None:
    with awake(home) as lyra:
        ended(lyra.stop())
    folder = home.path / "matrix"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()] == [0o600]
    shown = matrix.do(matrix.lyra.keys_of(matrix.lyra.user))
    [device] = (one.stem for one in folder.iterdir())
    assert shown.sound(device)
    assert shown.signed(device)


@pytest.mark.torture
def test_a_log_of_events_tells_what_happened_nobodys_words_and_no_secret(
    tmp_path: Path, matrix: MatrixThread, model: ModelServer
) -> None:
    home, ada = machine(tmp_path, matrix, model, 'log_level = "debug"'), matrix.person("ada", encrypts=True)
    with home.started("run") as lyra:
        told = [lyra.note("lyra.started"), lyra.note("platform.connected")]
        for sealed in (False, True):
            room = matrix.dm(ada, encrypted=sealed)
            said = matrix.says(ada, room, SECRET)
            matrix.answered(ada, room, said)
            matrix.do(ada.edits(room, said, f"{SECRET}, changed"))
            matrix.answered(ada, room, matrix.says(ada, room, f"!recall {SECRET}"))
            told.append(lyra.note("command.run"))
            matrix.do(ada.redacts(room, said))
        done = lyra.stop()
    assert "lyra.stopped" in done.err
    tokens = {call.headers["authorization"].split()[1] for call in matrix.proxy.requests if "authorization" in call.headers}
    written = "".join(told) + done.out + done.err
    assert tokens
    assert not [one for one in (SECRET, home.variables[PASSWORD_ENV], *tokens) if one in written]
    for file in (one for one in home.path.rglob("*") if one.is_file() and one.name not in ("key", "lyra.toml")):
        assert not [one for one in (SECRET, home.variables[PASSWORD_ENV], *tokens) if one.encode() in file.read_bytes()], file


@pytest.mark.torture
def test_a_device_that_is_signed_out_while_she_runs_is_replaced_where_she_has_the_password(
    home: Home, matrix: MatrixThread
) -> None:
    ada = matrix.person("ada", encrypts=True)
    with awake(home) as lyra:
        room = matrix.dm(ada, encrypted=True)
        matrix.answered(ada, room, matrix.says(ada, room, "hello"))
        matrix.lyra.ears.over = True
        matrix.do(matrix.lyra.client.call("POST", "logout", "all"))
        assert "Lyra is a new device now" in lyra.note("was signed out of Matrix")
        assert matrix.answered(ada, room, matrix.says(ada, room, "still there?")) == ["You said: still there?"]
        shown = matrix.do(ada.keys_of(matrix.lyra.user))
        [device] = [one for one, keys in shown.devices.items() if keys]
        assert shown.signed(device), "others are shown that it is hers"
        assert lyra.stop().code == 0


def test_an_identity_that_her_owner_makes_anew_elsewhere_while_she_runs_is_told_of(home: Home, matrix: MatrixThread) -> None:
    """It does not sign her device, and apps that exclude such devices show nothing of her any more."""
    ada = matrix.person("ada", encrypts=True)
    with awake(home) as lyra:
        room = matrix.dm(ada, encrypted=True)
        matrix.answered(ada, room, matrix.says(ada, room, "hello"))
        matrix.do(matrix.do(matrix.people.second_device(matrix.lyra)).signs_own_device())
        assert "lyra matrix replace-identity" in lyra.note("whose keys Lyra does not have")
        assert matrix.answered(ada, room, matrix.says(ada, room, "still there?")) == ["You said: still there?"]
        ended(lyra.stop())


def test_a_copy_of_her_that_answers_from_another_device_is_told_of(home: Home, matrix: MatrixThread) -> None:
    ada = matrix.person("ada")
    with awake(home) as lyra:
        room = matrix.dm(ada)
        matrix.answered(ada, room, matrix.says(ada, room, "hello"))
        other = matrix.do(matrix.people.second_device(matrix.lyra, encrypts=False))
        matrix.do(other.says(room, "by hand"))
        matrix.answered(ada, room, matrix.says(ada, room, "and she?"))
        matrix.do(other.sends(room, "m.room.message", {"msgtype": "m.text", "body": "You said: hello", PART: "part of a copy"}))
        assert lyra.note().partition("] ")[2].startswith("Another program posts as Lyra on Matrix")
        ended(lyra.stop())


@pytest.mark.parametrize("streaming", few([True, False]), ids=few(["shown", "whole"]))
def test_what_she_answers_while_her_device_is_signed_out_arrives_once_from_the_new_one(
    tmp_path: Path, matrix: MatrixThread, model: ModelServer, streaming: bool
) -> None:
    home = machine(tmp_path, matrix, model, place=matrix.config(f"streaming = {str(streaming).lower()}"))
    ada = matrix.person("ada", encrypts=True)
    with awake(home) as lyra:
        room = matrix.dm(ada, encrypted=True)
        matrix.answered(ada, room, matrix.says(ada, room, "hello"))
        model.script(b.Held(" is a whole answer.", "This"))
        asked = matrix.says(ada, room, "how?")
        model.wait(2)
        matrix.lyra.ears.over = True
        matrix.do(matrix.lyra.client.call("POST", "logout", "all"))
        lyra.note("was signed out of Matrix")
        model.go()
        assert matrix.answered(ada, room, asked) == ["This is a whole answer."]
        assert matrix.answered(ada, room, matrix.says(ada, room, "still there?")) == ["You said: still there?"]
        assert matrix.answers(ada, room, asked) == ["This is a whole answer."]
        assert lyra.stop().code == 0


@pytest.mark.torture
def test_after_that_the_password_lets_her_in_as_a_new_device_which_is_said(home: Home, matrix: MatrixThread) -> None:
    ada = matrix.person("ada", encrypts=True)
    with awake(home) as lyra:
        room = matrix.dm(ada, encrypted=True)
        matrix.answered(ada, room, matrix.says(ada, room, "hello"))
        ended(lyra.stop())
    matrix.lyra.ears.over = True
    matrix.do(matrix.lyra.client.call("POST", "logout", "all"))
    password = home.variables.pop(PASSWORD_ENV)
    done = home.lyra("run")
    assert refused(done).startswith(
        "Lyra's device was signed out of Matrix. To let Lyra in as a new device, give her the password"
    )
    home.variables[PASSWORD_ENV] = password
    with home.started("run") as lyra:
        assert "Lyra's device was signed out of Matrix. Lyra is a new device now" in lyra.note("Matrix: ")
        assert matrix.answered(ada, room, matrix.says(ada, room, "still there?")) == ["You said: still there?"]
        ended(lyra.stop())


def test_a_wrong_user_or_password_ends_her_with_one_sentence(tmp_path: Path, matrix: MatrixThread, model: ModelServer) -> None:
    sentence = (
        "The homeserver does not accept Lyra's user id and password; correct user_id or the password in [matrix], and start her "
        "again."
    )
    home = machine(tmp_path, matrix, model, place=matrix.config(user="@nobody:lyra.test"))
    assert refused(home.lyra("run")) == sentence
    home.configure(f"{model.config()}\n{matrix.config()}\n[web]\nport = 0\n")
    assert refused(home.lyra("run", env={PASSWORD_ENV: "wrong-and-secret"})) == sentence


def test_without_any_way_in_she_says_what_she_needs(home: Home) -> None:
    del home.variables[PASSWORD_ENV]
    assert refused(home.lyra("run")) == (
        "Lyra is not signed in to Matrix. `lyra matrix login` signs her in; or give her the password of her account once "
        "(password_env or password_file in [matrix]), and start her again."
    )


def test_what_is_no_homeserver_ends_her_with_one_sentence(tmp_path: Path, matrix: MatrixThread, model: ModelServer) -> None:
    """The model server answers with JSON that is not Matrix's, the address that people give may be that of their web site."""
    for address in (model.server.base_url.removesuffix("/v1"), f"{matrix.proxy.url}/elsewhere"):
        home = machine(tmp_path, matrix, model, place=matrix.config(homeserver=address))
        assert (
            refused(home.lyra("run")) == f"What answers at {address} is not a Matrix homeserver; correct homeserver in [matrix]."
        )


def test_the_homeserver_may_be_away_at_first(tmp_path: Path, matrix: MatrixThread, model: ModelServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    home = machine(tmp_path, matrix, model, place=matrix.config(homeserver=f"http://127.0.0.1:{port}"))
    with home.started("run") as lyra:
        assert "cannot be reached" in lyra.note("Matrix homeserver")
        ended(lyra.stop())


def test_discord_and_matrix_beside_each_other_each_answer(tmp_path: Path, matrix: MatrixThread, model: ModelServer) -> None:
    with DiscordThread() as discord:
        owner = f'[people.ada]\nconsole = "ada"\ndiscord = "{discord.person("ada").id}"\n'
        home = machine(tmp_path, matrix, model, place=f"{matrix.config()}\n{discord.config('streaming = false')}\n{owner}")
        home.variables |= discord.variables
        ada, dm = matrix.person("ada"), discord.dm("ada")
        with home.started("run") as lyra:
            connected = {lyra.note("connected.").partition(":")[0] for _ in range(2)}
            assert connected == {"Matrix", "Discord"}
            room = matrix.dm(ada)
            assert matrix.answered(ada, room, matrix.says(ada, room, "on Matrix")) == ["You said: on Matrix"]
            assert discord.answered(discord.ask("ada", dm, "on Discord")) == ["You said: on Discord"]
            matrix.call(matrix.proxy.faults.always, "*", UNKNOWN_TOKEN)
            matrix.call(matrix.proxy.cut, SYNC)
            assert "does not accept Lyra's user id and password" in lyra.note("does not accept")
            assert discord.answered(discord.ask("ada", dm, "still there?")) == ["You said: still there?"]
            discord.until(lambda: any(GONE in one.content for one in dm.history()), "what she tells who runs her")
            assert GONE in home.chat().err
            ended(lyra.stop())
