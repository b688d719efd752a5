"""In which language the voice speaks: the one that somebody wished for, or asks in; English where that is not known."""

from collections.abc import Mapping, Sequence

from bot.models.offline.manner import Manner
from bot.models.offline.phrases import English, FormalGerman, German
from bot.models.offline.romance_phrases import French, Spanish
from memory.text.languages import language
from memory.text.lexical import tokens

_SPOKEN: Mapping[str, type[English]] = {"english": English, "german": German, "spanish": Spanish, "french": French}
_TELLING: Mapping[str, frozenset[str]] = {
    name: frozenset(token for word in words.split() for token in tokens(word))
    for name, words in {
        "german": "hallo moin servus guten gute nacht danke tschüss wer wann wie warum wieso wo über weißt geht machst",
        "spanish": "hola buenos buenas gracias adiós qué quién cuándo dónde cómo cuál cuánto tengo soy estoy mi mis",
        "french": "bonjour bonsoir merci où quand pourquoi combien quel quelle quoi s'appelle je j'ai mon",
    }.items()
}
"""Words that tell a language where a text is too short for its function words to."""


def phrases(manner: Manner, words: Sequence[str]) -> English:
    """Return the sentences in which somebody is answered who says these words, or wished for a language."""
    told = (name for name, telling in _TELLING.items() if not telling.isdisjoint(words))
    spoken = manner.language or language(words) or next(told, "english")
    if spoken == "german" and manner.formal:
        return FormalGerman()
    return _SPOKEN.get(spoken, English)()
