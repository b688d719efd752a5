"""The offline voice's language: requested, that of the question, that of earlier messages, or the current one."""

from collections.abc import Mapping, Sequence

from bot.models.offline.phrases import FORMAL, Phrases
from bot.models.offline.spoken_manner import Manner
from localization.current_language import ENGLISH, LANGUAGES, current
from memory.text.language_detection import language
from memory.text.lexical import tokens

SPOKEN: Mapping[str, str] = {"english": "en", "german": "de", "spanish": "es", "french": "fr"}
"""The languages of the voice: name to code."""
_FORMAL = frozenset({"de"})
_TELLING: Mapping[str, frozenset[str]] = {
    name: frozenset(token for word in words.split() for token in tokens(word))
    for name, words in {
        "english": "hello hi thanks bye what who when where why how i i'm i've i'll my mine you your we our the is are have don't",
        "german": """hallo moin servus guten gute nacht danke tschüss wer wann wie warum wieso wo über weißt geht machst
            ich wir nicht kein keine mein meine meinen meinem meiner dein deine unser mir mich dir dich und ist bist habe hab
            heute gestern heißt wohne mag magst kannst hast denkst schläfst""",
        "spanish": "hola hasta nos vemos buenos buenas gracias adiós qué quién cuándo dónde cómo cuál cuánto cuántos tengo soy estoy eres gusta mi mis",
        "french": "t'es t'aimes salut coucou nuit bientôt demain c'est bonjour bonsoir merci où quand pourquoi combien quel quelle quoi s'appelle je j'ai",
    }.items()
}
"""Words that identify a language in texts too short for function words; none occurs in another of these languages."""


_LOOKED_AT = 2_000
"""How many characters of a text are examined; more add nothing."""


def detect_language(text: str) -> str:
    """Return the language of a text by its words; '' if unclear."""
    words = tokens(text[:_LOOKED_AT])
    if found := language(words):
        return found
    votes = {name: len(telling.intersection(words)) for name, telling in _TELLING.items()}
    first, second = sorted(votes, key=lambda name: -votes[name])[:2]
    return first if votes[first] > votes[second] else ""


def spoken_language(text: str) -> str:
    """Return the language of a text if she speaks it; '' if not, or if it is unclear: a short text is easily taken for another."""
    found = detect_language(text)
    return found if found in SPOKEN else ""


def newest_language(texts: Sequence[str]) -> str:
    """Return the language of a person's newest identifiable message, given oldest first, if she speaks it; else ''."""
    return next((name for text in reversed(texts) if (name := spoken_language(text))), "")


def phrases(manner: Manner, text: str, written: str) -> Phrases:
    """Return the sentences for an answer: in the requested language, the text's, the one written before, or the current one."""
    spoken = manner.language or spoken_language(text) or written or LANGUAGES[current()]
    code = SPOKEN.get(spoken, ENGLISH)
    return Phrases(f"{code}{FORMAL}" if manner.formal and code in _FORMAL else code)
