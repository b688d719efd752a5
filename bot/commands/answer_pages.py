"""Follow-up pages of long answers, held in this process alone and limited in number: one can ask again."""

import secrets
from collections.abc import Awaitable, Callable

from adapters.command_table import Action, Reply
from adapters.events import Person
from bot.errors import BadInput
from localization.sentences import _, lazy

Next = Callable[[], Awaitable[Reply]]
GONE = lazy("That list is not there any more; ask again.")
MORE = "more"
"""The command that shows a page."""
_MOST = 500


class AnswerPages:
    """Follow-up pages by unguessable token."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Person, Next]] = {}
        self._last: dict[tuple[str, str], str] = {}

    def keep(self, person: Person, following: Next) -> Action:
        """Store a page for a person, and return the action that shows it."""
        word = secrets.token_urlsafe(16)
        self._kept[word] = (person, following)
        self._last[person.platform, person.id] = word
        while len(self._kept) > _MOST:
            del self._kept[next(iter(self._kept))]
        self._last = {whose: one for whose, one in self._last.items() if one in self._kept}
        return Action(_("Show more"), MORE, word)

    def last(self, person: Person) -> str:
        """Remove and return the token of a person's latest page; '' if there is none."""
        return self._last.pop((person.platform, person.id), "")

    async def show(self, person: Person, word: str) -> Reply:
        """Return a stored page to its owner. Raises BadInput."""
        kept = self._kept.get(word)
        if kept is None or (kept[0].platform, kept[0].id) != (person.platform, person.id):
            raise BadInput(GONE)
        return await kept[1]()
