"""`lyra setup`: asks a few questions, tests each answer, shows the resulting file, and writes it.

The questions about models are in a module of their own; those about platforms and who owns her there are below.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, suppress
from typing import Any, TypeVar
from zoneinfo import available_timezones

from pydantic import ValidationError

from bot.cli.checkups import Finding
from bot.cli.output import home_relative
from bot.config.environment import Environment, read_environment
from bot.config.problems import wrong
from bot.config.section_base import Section
from bot.config.sections import DiscordSection, MatrixSection, PersonAccounts
from bot.errors import BadConfig, BadInput, Cancelled
from bot.imports import imported
from bot.service.platforms import NoNotes
from bot.setup.config_file import ConfigFile
from bot.setup.model_questions import ask_local_model, ask_model, fetch
from bot.setup.setup_questions import SetupQuestions, TopicSkipped, one_of
from localization.current_language import LANGUAGES, current, language_code, language_name, read_in
from localization.formatting import listed
from localization.sentences import _, lazy, told

S = TypeVar("S", DiscordSection, MatrixSection)
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
        await _ask_platforms(asking, file, environment)
        _ask_owner(asking, file, environment)
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


async def _ask_platforms(asking: SetupQuestions, file: ConfigFile, environment: Environment) -> None:
    """Ask for her account on each platform, and test it."""
    for platform, account in (("discord", _discord_account), ("matrix", _matrix_account)):
        section = file.get(platform) or {}
        if not asking.sure(_("\nIs she on {platform}?", platform=platform.capitalize()), default=bool(section)):
            file.drop_section(platform)
            continue
        with suppress(TopicSkipped):
            for key, value in (await account(asking, section, environment)).items():
                file.set(platform, key, to=value or None)


async def _discord_account(asking: SetupQuestions, there: Mapping[str, Any], environment: Environment) -> dict[str, str]:
    """Ask for the keys of her Discord account, test them, and return them. Raises TopicSkipped."""
    if not there:
        asking.say(
            _("  https://discord.com/developers/applications: New Application, then Bot, then Reset Token gives the token.")
        )
    usual = "DISCORD_TOKEN"
    default = there.get("token_env") or there.get("token_file") or usual
    while True:
        token = asking.ask_secret(
            environment, _("The bot's token"), "discord-token", default, "token", usual=usual, platform="Discord"
        )
        section = _section(asking, DiscordSection, {**there, **token})
        if await _passes_check(asking, "discord", section, environment):
            return token


def _section(asking: SetupQuestions, kind: type[S], values: Mapping[str, Any]) -> S:
    """Return a validated section. Raises TopicSkipped if the file holds an invalid value that no question is about."""
    try:
        return kind(**values)
    except ValidationError as error:
        asking.say(f"  {wrong(error.errors()[0])}.")
        raise TopicSkipped from None


async def _matrix_account(asking: SetupQuestions, there: Mapping[str, Any], environment: Environment) -> dict[str, str]:
    """Ask for the keys of her Matrix account, test each answer, and return them. Raises TopicSkipped."""
    usual = "MATRIX_PASSWORD"
    default = there.get("password_env") or there.get("password_file") or usual
    while True:
        homeserver, answers = await _homeserver(asking, there)
        said = {
            "homeserver": homeserver,
            "user_id": asking.ask_of(
                "Matrix", _("Her account there, like @lyra:example.org:"), there.get("user_id", ""), wrong=_wrong("user_id")
            ),
        }
        if there.get("token_env") or there.get("token_file"):
            password = {}
        elif answers and await imported("bot.cli.checkups.matrix_checkup:by_page")(homeserver):
            asking.say(_("  Accounts sign in there on a page of theirs; that comes at the end."))
            return {**said, "password_env": "", "password_file": ""}
        else:
            password = asking.ask_secret(
                environment, _("The account's password"), "matrix-password", default, "password", usual=usual, platform="Matrix"
            )
        section = _section(asking, MatrixSection, {**there, **said, **password})
        if not answers or await _passes_check(asking, "matrix", section, environment):
            return {**said, **password}


async def _homeserver(asking: SetupQuestions, there: Mapping[str, Any]) -> tuple[str, bool]:
    """Ask for her homeserver; return its URL, and whether it answers. Raises TopicSkipped."""
    tried: Callable[[str], Awaitable[str]] = imported("bot.cli.checkups.matrix_checkup:out_of_reach")
    while True:
        given = asking.ask_of(
            "Matrix", _("The address of her homeserver, like https://matrix.example.org:"), there.get("homeserver", ""),
            wrong=_wrong("homeserver"),
        )  # fmt: skip
        trouble = await tried(given)
        if not trouble:
            return given, True
        asking.say("  " + _("Matrix: {error}", error=trouble))
        if asking.keep_anyway():
            return given, False


def _wrong(key: str) -> Callable[[str], str]:
    usual = {"homeserver": "https://matrix.example.org", "user_id": "@lyra:example.org"}
    return lambda given: _trouble(MatrixSection, {**usual, key: given})


async def _passes_check(asking: SetupQuestions, platform: str, section: Section, environment: Environment) -> bool:
    """Have her account on a platform tested; return whether it works, or is to be kept anyway."""
    asking.say(_("  Trying it …"))
    tried: Callable[..., Awaitable[list[Finding]]] = imported(f"bot.cli.checkups.{platform}_checkup:configured")
    findings = await tried(section, environment, NoNotes())
    for finding in findings:
        asking.say(f"  {finding.sentence}")
    return all(finding.sound for finding in findings) or asking.keep_anyway()


def _trouble(section: type[Section], values: dict[str, Any]) -> str:
    """Return what is wrong with the values of a section, '' for nothing."""
    try:
        section(**values)
    except ValidationError as error:
        return f"{wrong(error.errors()[0])}."
    return ""


def _ask_owner(asking: SetupQuestions, file: ConfigFile, environment: Environment) -> None:
    """Ask for the operator's accounts on the configured platforms."""
    platforms = {"discord": "123456789012345678", "matrix": "@ada:example.org"}
    chosen = [one for one in platforms if file.get(one)]
    if not chosen:
        return
    people = file.get("people") or {}
    name = next(
        (one for one, accounts in people.items() if environment.user in _listed(accounts.get("console"))), environment.user
    )
    there = people.get(name, {})
    asking.say(_("\nWho you are there, so that what you tell her in private in one place she knows in the other."))
    for platform in chosen:
        known = _listed(there.get(platform))
        account = asking.ask(
            _(
                "Your own account on {platform}, like {example} (nothing to leave it out):",
                platform=platform.capitalize(),
                example=platforms[platform],
            ),
            known[0] if known else "",
            wrong=lambda said: _trouble(PersonAccounts, {platform: said}) if said else "",  # noqa: B023
        )
        if account and account not in known:
            file.set("people", name, platform, to=[account, *known[1:]])
            file.set("people", name, "console", to=[*(_listed(there.get("console")) or [environment.user])])


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])
