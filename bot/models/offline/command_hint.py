"""The answer to plain words that ask for what only a command does: it names the command, and nothing is done on a mere word."""

from adapters.plain_words import Offer
from bot.models.offline.phrases import Phrases
from bot.models.offline.spoken_languages import SPOKEN, phrases, spoken_language
from bot.models.offline.spoken_manner import Manner


def command_hint(text: str, offer: Offer, manner: Manner) -> str:
    """Return the answer to a message that is in whole a request for the offered command, in the asker's manner."""
    unclear = not (manner.language or spoken_language(text))
    told = Phrases(offer.language) if unclear and offer.language in SPOKEN.values() else phrases(manner, text, "")
    if offer.forgets:
        return told.framed("Nothing is forgotten yet. {command} does it, and asks once more first.", command=offer.line)
    return told.framed("{command} does that.", command=offer.line)
