"""Secrets in set-up: given as the name of a variable or a file; a typed one is stored in a file of its own in the home."""

import re
from pathlib import Path

from bot.config.atomic_files import write_private
from bot.config.environment import Environment
from bot.errors import BadSecret
from bot.setup.setup_questions import SetupQuestions
from localization.sentences import _, lazy, told

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_TYPE = "type"


class Secrets:
    """Asks where a secret is; no secret is ever printed or written into the configuration."""

    def __init__(self, asking: SetupQuestions, environment: Environment) -> None:
        self._asking = asking
        self._environment = environment

    def ask(self, what: str, name: str, default: str, key: str, *, usual: str, platform: str = "") -> dict[str, str]:
        """Ask for a secret; return the keys of a section that locate it, like {"token_env": "DISCORD_TOKEN"}.

        `name` is the file in the home for a typed secret, `usual` the customary variable. A `platform`'s secret is required:
        TopicSkipped is raised without one; any other is optional.
        """
        question = (
            _(
                "{what}: the name of an environment variable, a file, {type} to type it in (it is then kept in her home), or nothing?",
                what=what,
                type=_TYPE,
            )
            if not (platform or default)
            else _(
                "{what}: the name of an environment variable, a file, or {type} to type it in (it is then kept in her home)?",
                what=what,
                type=_TYPE,
            )
        )
        while True:
            given = self._asking.ask_of(platform, question, default) if platform else self._asking.ask(question, default)
            if not given:
                return {f"{key}_env": "", f"{key}_file": ""}
            if given == _TYPE:
                return self._kept(name, key)
            if _VARIABLE.fullmatch(given):
                return self._there({f"{key}_env": given, f"{key}_file": ""}, given, "")
            if self._environment.path(given).is_file():
                return self._there({f"{key}_env": "", f"{key}_file": given}, "", given)
            # It may be the secret itself, so it is not repeated.
            self._asking.say(
                _("  That is neither the name of an environment variable (like {usual}) nor a file that exists.", usual=usual)
            )
            if given == default:
                default = usual if platform else ""

    def _there(self, found: dict[str, str], env: str, file: str) -> dict[str, str]:
        try:
            self._environment.secret(env, file, lazy("It"))
        except BadSecret as error:
            self._asking.say(_("  {error} Set it before you start her.", error=told(error)))
        return found

    def _kept(self, name: str, key: str) -> dict[str, str]:
        path = self._environment.home / name
        secret = self._asking.secret(_("Type it; it is not shown:"))
        self._asking.undoing.callback(_put_back, path, path.read_text("utf-8") if path.is_file() else None)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(path, secret + "\n")
        self._asking.say(_("  Kept in {path}, readable by you alone.", path=path))
        return {f"{key}_env": "", f"{key}_file": name}


def _put_back(path: Path, before: str | None) -> None:
    if before is None:
        path.unlink(missing_ok=True)
    else:
        write_private(path, before)
