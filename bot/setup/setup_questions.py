"""Questions of the set-up: at a terminal, or over a pipe with one answer a line."""

import re
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from difflib import get_close_matches
from getpass import getpass
from pathlib import Path

from bot.cli.output import read_answer
from bot.config.environment import Environment
from bot.errors import BadInput, BadSecret
from bot.printing import note
from localization.sentences import _, lazy, told
from localization.yes_or_no import NO, YES
from memory.store.home_files import write_atomically

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_TYPE = "type"


class TopicSkipped(Exception):
    """The person chose to leave a topic out after all."""


class SetupQuestions:
    """Asks on standard error, so that standard output holds results alone. An empty answer takes the default.

    Every question raises BadInput at the end of input, and Cancelled at Ctrl-C. What was done before the last question is then
    reverted by `undoing`.
    """

    def __init__(self, undoing: ExitStack) -> None:
        self.undoing = undoing

    def say(self, text: str = "") -> None:
        """Print a message."""
        note(text)

    def ask(self, question: str, default: str = "", *, wrong: Callable[[str], str] | None = None) -> str:
        """Ask until an answer is valid; `wrong` returns what is wrong with one, '' for nothing.

        Over a pipe, an invalid answer is reported and the next line is taken.
        """
        while True:
            answer = _line(f"{question} [{default}]" if default else question).strip() or default
            trouble = wrong(answer) if wrong else ""
            if not trouble:
                return answer
            self.say(f"  {trouble}")

    def ask_of(self, what: str, question: str, default: str = "", *, wrong: Callable[[str], str] | None = None) -> str:
        """Ask about something that may stay as it was. Raises TopicSkipped for a no, or for an empty answer without a default."""
        answer = self.ask(
            f"{question} {_('(no leaves {what} as it was)', what=what)}",
            default,
            wrong=wrong and (lambda said: "" if not said or said.casefold() in NO else wrong(said)),
        )
        if not answer or answer.casefold() in NO:
            raise TopicSkipped
        return answer

    def sure(self, question: str, *, default: bool) -> bool:
        """Return whether the question was answered with yes."""
        answer = self.ask(
            f"{question} {_('(Y/n)') if default else _('(y/N)')}",
            wrong=lambda said: "" if not said or said.casefold() in YES | NO else _("Say y or n."),
        ).casefold()
        return answer in YES if answer else default

    def keep_anyway(self) -> bool:
        """Return whether to keep something that does not work."""
        return self.sure(_("  Keep it anyway?"), default=False)

    def ask_secret(
        self, environment: Environment, what: str, name: str, default: str, key: str, *, usual: str, platform: str = ""
    ) -> dict[str, str]:
        """Ask where a secret is; return the keys of a section that locate it, like {"token_env": "DISCORD_TOKEN"}.

        It is the name of a variable, a file, or typed, and then kept in the file `name` of the home; it is never printed or written
        into the configuration. `usual` is the customary variable. A `platform`'s secret is required: TopicSkipped is raised without
        one; any other is optional.
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
            answer = self.ask_of(platform, question, default) if platform else self.ask(question, default)
            if answer == _TYPE:
                self._keep(environment.home / name)
                return {f"{key}_env": "", f"{key}_file": name}
            env = answer if _VARIABLE.fullmatch(answer) else ""
            file = answer if answer and not env and environment.path(answer).is_file() else ""
            if env or file or not answer:
                try:
                    environment.secret(env, file, lazy("It"))
                except BadSecret as error:
                    self.say(_("  {error} Set it before you start her.", error=told(error)))
                return {f"{key}_env": env, f"{key}_file": file}
            # It may be the secret itself, so it is not repeated.
            self.say(
                _("  That is neither the name of an environment variable (like {usual}) nor a file that exists.", usual=usual)
            )
            if answer == default:
                default = usual if platform else ""

    def _keep(self, path: Path) -> None:
        """Ask for a secret, without echo, and write it to a file, as long as nothing undoes it."""
        question = _("Type it; it is not shown:")
        secret = (read_answer(question, lambda: f"{getpass('')}\n") if sys.stdin.isatty() else _line(question)).strip()
        if path.is_file():
            self.undoing.callback(write_atomically, path, path.read_bytes())
        else:
            self.undoing.callback(path.unlink, missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(path, f"{secret}\n".encode())
        self.say(_("  Kept in {path}, readable by you alone.", path=path))


def _line(question: str) -> str:
    line = read_answer(question)
    if not line:
        # Translated now: whoever prints it does not know the language chosen during the questions.
        raise BadInput(_("The answers ended before the last question; nothing was written."))
    return line


def one_of(known: Sequence[str], none: Callable[[str], str]) -> Callable[[str], str]:
    """Return a validator: for an answer that is not among `known`, it gives `none` with the nearest match."""

    def wrong(given: str) -> str:
        if not given or given in known:
            return ""
        near = get_close_matches(given, known, 1, 0.5)
        return none(given) + (f" {_('Did you mean {near}?', near=near[0])}" if near else "")

    return wrong
