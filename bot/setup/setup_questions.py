"""Questions of the set-up: at a terminal, or over a pipe with one answer a line."""

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from difflib import get_close_matches
from getpass import getpass

from bot.cli.output import asked
from bot.errors import BadInput
from bot.printing import note
from localization.sentences import _
from localization.yes_or_no import NO, YES


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
            given = _line(f"{question} [{default}]" if default else question).strip() or default
            trouble = wrong(given) if wrong else ""
            if not trouble:
                return given
            self.say(f"  {trouble}")

    def ask_of(self, what: str, question: str, default: str = "", *, wrong: Callable[[str], str] | None = None) -> str:
        """Ask about something that may stay as it was. Raises TopicSkipped for a no, or for an empty answer without a default."""
        given = self.ask(
            f"{question} {_('(no leaves {what} as it was)', what=what)}",
            default,
            wrong=wrong and (lambda said: "" if not said or said.casefold() in NO else wrong(said)),
        )
        if not given or given.casefold() in NO:
            raise TopicSkipped
        return given

    def sure(self, question: str, *, default: bool) -> bool:
        """Return whether the question was answered with yes."""
        given = self.ask(
            f"{question} {_('(Y/n)') if default else _('(y/N)')}",
            wrong=lambda said: "" if not said or said.casefold() in YES | NO else _("Say y or n."),
        ).casefold()
        return given in YES if given else default

    def keep_anyway(self) -> bool:
        """Return whether to keep something that does not work."""
        return self.sure(_("  Keep it anyway?"), default=False)

    def secret(self, question: str) -> str:
        """Return what is typed, without echo."""
        return (asked(question, lambda: f"{getpass('')}\n") if sys.stdin.isatty() else _line(question)).strip()


def _line(question: str) -> str:
    line = asked(question)
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
