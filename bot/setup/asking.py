"""Questions to whoever sets her up: at a terminal, or over a pipe with an answer a line."""

import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from getpass import getpass

from adapters.markup import printable
from bot.errors import BadInput
from localization.answers import NO, YES
from localization.sentences import _, lazy


class Asking:
    """Asks on standard error, so that standard output holds nothing but what was made. An empty answer takes the default.

    Where the input `ended`, every question that is left takes its default.
    """

    def __init__(self) -> None:
        self.at_hand = sys.stdin.isatty()
        self.ended = False

    def say(self, text: str = "") -> None:
        """Tell something."""
        print(printable(text), file=sys.stderr, flush=True)

    def ask(self, question: str, default: str = "", *, wrong: Callable[[str], str] | None = None) -> str:
        """Return an answer; `wrong` says what is wrong with one, '' for nothing, and then it is asked again.

        Over a pipe a wrong answer is told, and the next line is taken.
        """
        while True:
            given = self._line(f"{question} [{default}] " if default else f"{question} ").strip() or default
            trouble = wrong(given) if wrong else ""
            if not trouble:
                return given
            self.say(f"  {trouble}")
            if self.ended:
                return default

    def sure(self, question: str, *, default: bool) -> bool:
        """Return whether it was agreed to."""
        given = self.ask(
            f"{question} {_('(Y/n)') if default else _('(y/N)')}",
            wrong=lambda said: "" if not said or said.casefold() in YES | NO else _("Say y or n."),
        ).casefold()
        return given in YES if given else default

    def keep_anyway(self) -> bool:
        """Return whether something that does not work is to be kept. Raises BadInput where nobody answers any more."""
        agreed = self.sure(_("  Keep it anyway?"), default=False)
        if not agreed:
            self.require_more()
        return agreed

    def require_more(self) -> None:
        """Raise BadInput where no more answers come."""
        if self.ended:
            raise BadInput(lazy("The answers ended before all was well. Nothing was written."))

    def secret(self, question: str) -> str:
        """Return what is typed without showing it."""
        if self.at_hand:
            return getpass(f"{question} ").strip()
        return self._line(f"{question} ").strip()

    def _line(self, question: str) -> str:
        print(printable(question), file=sys.stderr, end="", flush=True)
        line = "" if self.ended else sys.stdin.readline()
        if not line:
            self.ended = True
        if self.ended or not self.at_hand:
            # What stands on no screen is ended here, so that each question has a line of its own.
            print(file=sys.stderr, flush=True)
        return line


def one_of(known: Sequence[str], none: Callable[[str], str]) -> Callable[[str], str]:
    """Return what tells that an answer is `none` of these, with the nearest of them."""

    def wrong(given: str) -> str:
        if not given or given in known:
            return ""
        near = get_close_matches(given, known, 1, 0.5)
        return none(given) + (f" {_('Did you mean {near}?', near=near[0])}" if near else "")

    return wrong
