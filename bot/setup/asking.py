"""Questions to whoever sets her up: at a terminal, or over a pipe with an answer a line."""

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from difflib import get_close_matches
from getpass import getpass

from bot.cli.output import asked, show
from bot.errors import BadInput
from localization.answers import NO, YES
from localization.sentences import _


class LeftOut(Exception):
    """Somebody does not want what they are asked about after all."""


class Asking:
    """Asks on standard error, so that standard output holds nothing but what was made. An empty answer takes the default.

    Every question raises BadInput where the input has ended, and Cancelled at Ctrl-C. What was done before the end of the
    questions is undone with `undoing`.
    """

    def __init__(self, undoing: ExitStack) -> None:
        self.undoing = undoing

    def say(self, text: str = "") -> None:
        """Tell something."""
        show(text, sys.stderr)

    def ask(self, question: str, default: str = "", *, wrong: Callable[[str], str] | None = None) -> str:
        """Return an answer; `wrong` says what is wrong with one, '' for nothing, and then it is asked again.

        Over a pipe a wrong answer is told, and the next line is taken.
        """
        while True:
            given = _line(f"{question} [{default}]" if default else question).strip() or default
            trouble = wrong(given) if wrong else ""
            if not trouble:
                return given
            self.say(f"  {trouble}")

    def ask_of(self, what: str, question: str, default: str = "", *, wrong: Callable[[str], str] | None = None) -> str:
        """Return an answer about something that may be left as it was. Raises LeftOut for a no, and for nothing where nothing is no answer."""
        given = self.ask(
            f"{question} {_('(no leaves {what} as it was)', what=what)}",
            default,
            wrong=wrong and (lambda said: "" if not said or said.casefold() in NO else wrong(said)),
        )
        if not given or given.casefold() in NO:
            raise LeftOut
        return given

    def sure(self, question: str, *, default: bool) -> bool:
        """Return whether it was agreed to."""
        given = self.ask(
            f"{question} {_('(Y/n)') if default else _('(y/N)')}",
            wrong=lambda said: "" if not said or said.casefold() in YES | NO else _("Say y or n."),
        ).casefold()
        return given in YES if given else default

    def keep_anyway(self) -> bool:
        """Return whether something that does not work is to be kept."""
        return self.sure(_("  Keep it anyway?"), default=False)

    def secret(self, question: str) -> str:
        """Return what is typed without showing it."""
        return (asked(question, lambda: f"{getpass('')}\n") if sys.stdin.isatty() else _line(question)).strip()


def _line(question: str) -> str:
    line = asked(question)
    if not line:
        # Said now: whoever prints it does not know in which language the questions went on.
        raise BadInput(_("The answers ended before the last question; nothing was written."))
    return line


def one_of(known: Sequence[str], none: Callable[[str], str]) -> Callable[[str], str]:
    """Return what tells that an answer is `none` of these, with the nearest of them."""

    def wrong(given: str) -> str:
        if not given or given in known:
            return ""
        near = get_close_matches(given, known, 1, 0.5)
        return none(given) + (f" {_('Did you mean {near}?', near=near[0])}" if near else "")

    return wrong
