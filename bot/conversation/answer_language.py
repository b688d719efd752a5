"""The language of an answer: as set by the person or place, as their client is localized, or as they write."""

from adapters.events import MenuCall, Message, Person, Place
from adapters.recent import Recent
from bot.conversation.domain_access import DomainAccess
from bot.conversation.preferences import Preferences
from bot.models.offline.spoken_languages import detect_language, newest_language
from localization.current_language import ENGLISH, language_code
from memory.types import Identity
from memory.view.view import View

LOOKED_BACK = 50
"""How many recent messages of a place are examined for a recognizable language."""
_MOST = 10_000
_TERMINAL = "console"


class AnswerLanguage:
    """Chooses the language in which a message or a call is answered.

    The language a person used last at a place is cached in this process; after a start it is read from their stored messages.
    """

    def __init__(self, preferences: Preferences, domains: DomainAccess) -> None:
        self._preferences = preferences
        self._domains = domains
        self._written = Recent[tuple[str, str, str], str](_MOST)

    async def language(self, event: Message | MenuCall) -> str:
        """Return the code of the language that an event is answered in; '' where nothing tells it, for the one that is read: the
        operator's, or that of the page where it was said.
        """
        heard = language_code(detect_language(event.text)) if isinstance(event, Message) else ""
        if heard:
            self._written[_key(event.place, event.person)] = heard
        aside = isinstance(event, MenuCall) and event.private
        shown = event.locale if isinstance(event, MenuCall) and (event.place.is_private or aside) else ""
        # English where there are no sentences in the language in which their platform shows itself to somebody.
        shown = shown and (language_code(shown) or ENGLISH)
        return await self.to(event.place, event.person, aside=aside, shown=shown)

    async def to(self, place: Place, person: Person, *, aside: bool = False, shown: str = "") -> str:
        """Return the code of the language to address somebody in at a place, `aside` if they alone read it: the one that is set, else
        the one `shown` by their platform, else the one they wrote; '' if none is known.
        """
        chosen = language_code(self._preferences.language(person if place.is_private or aside else place))
        if place.platform == _TERMINAL:
            return chosen
        return chosen or shown or await self._before(place, person)

    async def among(self, place: Place, home: View) -> str:
        """Return the code of the language to address all readers of a shared place in: the one that is set, else the one most wrote in."""
        if chosen := language_code(self._preferences.language(place)):
            return chosen
        heard = [language_code(detect_language(text)) for text in await home.messages.last_said(LOOKED_BACK)]
        return max(filter(None, heard), key=heard.count, default="")

    async def _before(self, place: Place, person: Person) -> str:
        key = _key(place, person)
        if key not in self._written:
            home = await self._domains.home_view(place, person)
            account = await home.messages.account(Identity(person.platform, person.id)) if home else None
            said = await home.messages.last_said(LOOKED_BACK, account) if home and account else []
            self._written[key] = language_code(newest_language(said))
        return self._written[key]


def _key(place: Place, person: Person) -> tuple[str, str, str]:
    return place.platform, place.channel, person.id
