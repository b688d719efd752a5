"""`lyra doctor` looks at Matrix, and `lyra matrix …` at her keys: what is wrong is one sentence that says what to do."""

import socket
from pathlib import Path

import pytest

from tests.flow.test_matrix_recovery import opened, public
from tests.kits import matrix_thread
from tests.kits.lyra_kit import LYRA, Home, ModelServer, one_sentence
from tests.kits.matrix_thread import PASSWORD_ENV, MatrixThread

pytest_plugins = ["tests.fakes.matrix.fixtures"]

ONCE = "give her the password of her account once (password_env or password_file in [matrix])"
AWAKE = "Lyra is awake, and her keys are in use. End `lyra run` first."

matrix = matrix_thread.matrix


@pytest.fixture
def home(tmp_path: Path, matrix: MatrixThread) -> Home:
    """A machine whose Lyra is on Matrix."""
    return Home(tmp_path, f"{matrix.config()}\n[web]\nport = 0\n", **matrix.variables)


def examined(home: Home) -> str:
    """Run the doctor and return what it says of Matrix, which decides the exit code."""
    done = home.lyra("doctor")
    assert "Traceback" not in done.err
    assert home.variables.get(PASSWORD_ENV, "no password") not in done.out + done.err
    [found] = [line for line in done.lines if "Matrix" in line]
    assert done.code == (1 if any(line.startswith("!! ") for line in done.lines) else 0), done.err
    return found


def lived(home: Home) -> str:
    """Let Lyra log in and end; return what she said of Matrix."""
    with home.started("run") as lyra:
        told = lyra.note("Matrix: ")
        assert lyra.stop().code == 0
    return told


def device(home: Home) -> str:
    """Return which device she is."""
    [store] = (home.path / "matrix").iterdir()
    return store.stem


def devices(matrix: MatrixThread) -> set[str]:
    """Return the devices of her account beside her owner's."""
    found = matrix.do(matrix.lyra.client.call("GET", "devices"))["devices"]
    return {one["device_id"] for one in found} - {matrix.lyra.device}


def test_before_she_logged_in_it_is_tried_whether_she_could(home: Home, matrix: MatrixThread) -> None:
    where, user = matrix.proxy.url, matrix.lyra.user
    assert examined(home) == f"ok  Matrix: {where} answers; she logs in as {user} at the next `lyra run`."
    assert devices(matrix) == set()
    home.variables[PASSWORD_ENV] = "wrong-and-secret"
    assert examined(home) == (
        f"!!  Matrix: {where} does not accept {user} with this password; correct user_id or the password in [matrix]."
    )
    del home.variables[PASSWORD_ENV]
    assert examined(home) == f"!!  Matrix: she has never logged in to {where}; `lyra matrix login` signs her in, or {ONCE}."


def test_a_token_is_looked_at_too(home: Home, matrix: MatrixThread) -> None:
    where, user = matrix.proxy.url, matrix.lyra.user
    home.configure(matrix.config().replace("password_env", "token_env"))
    home.variables[PASSWORD_ENV] = matrix.lyra.client.token
    assert examined(home) == f"ok  Matrix: {where} answers; she logs in as {user} at the next `lyra run`."
    other = matrix.person("ada")
    home.variables[PASSWORD_ENV] = other.client.token
    assert (
        examined(home) == f"!!  Matrix: the token in [matrix] is that of {other.user}; correct user_id, or give her one of hers."
    )
    home.variables[PASSWORD_ENV] = "wrong-and-secret"
    assert examined(home).startswith("!!  Matrix: The homeserver does not know Lyra's token")


def test_once_she_logged_in_her_device_is_looked_at(home: Home, matrix: MatrixThread) -> None:
    where, user = matrix.proxy.url, matrix.lyra.user
    lived(home)
    del home.variables[PASSWORD_ENV]
    assert examined(home) == f"ok  Matrix: she is {user} at {where}, device {device(home)}, signed by herself."
    matrix.lyra.ears.over = True
    matrix.do(matrix.lyra.client.call("POST", "logout", "all"))
    assert examined(home) == (
        "!!  Matrix: The homeserver does not know Lyra's token any more, because her device was signed out; "
        f"{ONCE}, and start her again as a new device."
    )


def test_a_homeserver_out_of_reach_and_what_is_none_are_named(home: Home, matrix: MatrixThread) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        away = f"http://127.0.0.1:{free.getsockname()[1]}"
    home.configure(matrix.config(homeserver=away))
    later = "Try again later, or correct homeserver in [matrix]."
    assert examined(home) == f"!!  Matrix: {away} is out of reach, or busy or broken just now. {later}"
    assert one_sentence(home.lyra("matrix", "recovery-key")) == f"{away} is out of reach, or busy or broken just now. {later}"
    with ModelServer() as model:
        other = model.server.base_url.removesuffix("/v1")
        home.configure(matrix.config(homeserver=other))
        assert (
            examined(home) == f"!!  Matrix: What answers at {other} is not a Matrix homeserver; correct homeserver in [matrix]."
        )


@pytest.mark.torture
def test_a_homeserver_that_says_nothing_holds_doctor_up_for_ten_seconds_and_no_longer(home: Home, matrix: MatrixThread) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"http://127.0.0.1:{mute.getsockname()[1]}"
        home.configure(matrix.config(homeserver=address))
        told = f"{address} does not answer within 10 seconds. Try again later, or correct homeserver in [matrix]."
        assert examined(home) == f"!!  Matrix: {told}"


def test_a_device_that_is_not_signed_is_named_and_signed_when_she_is_told_to(home: Home, matrix: MatrixThread) -> None:
    owner = matrix.do(matrix.people.second_device(matrix.lyra, encrypts=True))
    matrix.do(owner.signs_own_device())
    theirs = matrix.do(owner.keys_of(owner.user)).identity
    assert "lyra matrix replace-identity gives her an identity of her own." in lived(home)
    assert examined(home) == (
        f"!!  Matrix: she is {owner.user}, but her device is not signed; `lyra run` says why, lyra matrix replace-identity may help."
    )
    password = home.variables.pop(PASSWORD_ENV)
    assert one_sentence(home.lyra("matrix", "replace-identity")).startswith("Replacing the identity takes the account's password")
    home.variables[PASSWORD_ENV] = password
    done = home.lyra("matrix", "replace-identity")
    assert (done.out, done.code) == ("", 0)
    assert "was replaced; whoever verified her before has to verify her again." in done.err
    assert examined(home).startswith(f"ok  Matrix: she is {owner.user} at ")
    shown = matrix.do(owner.keys_of(owner.user))
    assert shown.identity != theirs
    assert shown.signed(device(home))
    assert "Lyra's own recovery key" not in lived(home)


def test_the_recovery_key_opens_the_secret_storage_of_her_account(home: Home, matrix: MatrixThread) -> None:
    done = home.lyra("matrix", "recovery-key")
    assert done.code == 0
    assert done.err.splitlines()[1:] == [
        "Sign in to her account in another client with this recovery key to verify her; keep it secret."
    ]
    [key] = done.lines
    shown = matrix.do(matrix.lyra.keys_of(matrix.lyra.user))
    assert public(matrix.do(opened(matrix.lyra, key, "master"))) == shown.identity
    assert shown.signed(device(home))
    del home.variables[PASSWORD_ENV]
    assert home.lyra("matrix", "recovery-key").lines == [key]


def test_her_keys_are_left_alone_while_she_is_awake(home: Home, matrix: MatrixThread) -> None:
    with home.started("run") as lyra:
        lyra.note("Matrix: connected.")
        before = devices(matrix)
        for command in ("recovery-key", "replace-identity"):
            done = home.lyra("matrix", command)
            assert (one_sentence(done), done.out, done.code) == (AWAKE, "", 1)
        assert examined(home).startswith("ok  Matrix: she is ")
        assert devices(matrix) == before == {device(home)}
        assert lyra.stop().code == 0


def loaded(home: Home) -> set[str]:
    """Return what an examination loads."""
    done = home.lyra("doctor", command=(LYRA[0], "-X", "importtime", *LYRA[1:]))
    return {line.rpartition("|")[2].strip() for line in done.err.splitlines()}


@pytest.mark.torture
def test_who_is_on_matrix_loads_its_library(home: Home) -> None:
    assert "nio" in loaded(home)


def test_who_is_on_no_platform_has_no_keys_and_does_not_load_their_libraries(home: Home) -> None:
    home.configure("[web]\nport = 0\n")
    assert loaded(home) & {"bot", "nio", "discord"} == {"bot"}
    for command in ("recovery-key", "replace-identity"):
        assert one_sentence(home.lyra("matrix", command)) == (
            "There is no [matrix] in the configuration. `lyra setup` asks for her account there."
        )
