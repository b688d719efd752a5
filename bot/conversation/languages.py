"""In which language somebody is answered: as they or the place set it, as their platform shows itself to them, or as they write."""

from collections import OrderedDict

from adapters.events import Asked, Message, Person, Place
from bot.conversation.preferences import Preferences
from localization.languages import ENGLISH, LANGUAGES, known
from memory.text.languages import language
from memory.text.lexical import tokens

_MOST = 10_000
_TERMINAL = "console"


class Languages:
    """Says in which language a message or a call is answered.

    In which language somebody wrote last at a place is held in this process alone: the next words tell it again.
    """

    def __init__(self, preferences: Preferences) -> None:
        self._preferences = preferences
        self._written: OrderedDict[tuple[str, str, str], str] = OrderedDict()

    def of(self, event: Message | Asked) -> str:
        """Return the code of the language that an event is answered in; '' where nothing tells it, for the one that is read: the
        operator's, or that of the page where it was said.
        """
        if event.place.platform == _TERMINAL:
            return known(self._preferences.language(event.person))
        written = self._heard(event) if isinstance(event, Message) else self._written.get(_key(event.place, event.person), "")
        alone = event.place.is_private or (isinstance(event, Asked) and event.private)
        chosen = known(self._preferences.language(event.person if alone else event.place))
        shown = _shown(event.locale) if isinstance(event, Asked) and alone else ""
        return chosen or shown or written

    def _heard(self, message: Message) -> str:
        """Note in which language somebody writes at a place, where their words tell it; return it."""
        key = _key(message.place, message.person)
        told = next((code for code, name in LANGUAGES.items() if name == language(list(tokens(message.text)))), "")
        if told:
            self._written[key] = told
            self._written.move_to_end(key)
            if len(self._written) > _MOST:
                self._written.popitem(last=False)
        return self._written.get(key, "")


def _shown(locale: str) -> str:
    """Return the language for somebody to whom their platform shows itself so: English where there are no sentences in theirs."""
    return (known(locale) or ENGLISH) if locale else ""


def _key(place: Place, person: Person) -> tuple[str, str, str]:
    return place.platform, place.channel, person.id
