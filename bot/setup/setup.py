"""`lyra setup`: asks a few questions, tests each answer, shows the resulting file, and writes it."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, suppress
from zoneinfo import available_timezones

from bot.cli.output import home_relative
from bot.config.environment import Environment, read_environment
from bot.errors import BadConfig, BadInput, Cancelled
from bot.imports import imported
from bot.setup.config_file import ConfigFile
from bot.setup.model_questions import ask_local_model, ask_model, fetch
from bot.setup.platform_questions import ask_owner, ask_platforms
from bot.setup.setup_questions import SetupQuestions, one_of
from localization.current_language import LANGUAGES, current, language_code, language_name, read_in
from localization.formatting import listed
from localization.sentences import _, lazy, told

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
        fetches = ask_local_model(asking)
        code = _confirm_and_write(asking, file, environment)
        if code == 0:
            undoing.pop_all()
    if fetches:
        asking.say(fetch(asking.say))
    if code == 0 and file.difference():
        await _sign_in(asking, file)
    return code


def _ask_language(asking: SetupQuestions, file: ConfigFile) -> None:
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
    lines = [line.partition(" #")[0].rstrip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return "\n".join([*lines, _("(every other key is there as a comment, with its default and what it is for)")])
