"""Plain words that ask for what only a command does: the command is offered, instead of an answer that pretends it was done."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from localization.sentences import Sentence, lazy

_ASKS = r"(?:can|could|would|will) you|tu (?:peux|pourrais)|(?:peux|pourrais)[ -]tu|puedes|podrías|i(?:['’]d| would) like you to|i want you to"
_PLEASE = r"(?:please|pls|bitte|por favor|porfa|stp|svp|s['’]il (?:te|vous) pla[iî]t|per favore|alsjeblieft|alstublieft|proszę|пожалуйста|lütfen|من فضلك|请|thanks|thank you|danke|merci|gracias)"
_BEFORE = re.compile(rf"(?i)(?:(?P<asks>{_ASKS})\s+|(?:@?lyra|hey|hi|ok(?:ay)?|actually|sorry|{_PLEASE})[\s,:!]+|[¡¿])*")
_AFTER = re.compile(rf"(?i)(?:[\s,]+(?:for me|lyra|{_PLEASE}))*[\s.!]*$")
_VERB_COMMA = re.compile(r"^((?:\S+ ){0,2}\S+), (was|wann|wo|wer|wie|wat)\b", re.IGNORECASE)
_MOST_AFTER = 60
"""How many of the last characters are looked at for courtesy: looking through all takes the square of them."""
_PART = re.compile(r"\{([a-z_]+)\}")
"""What stands in plain_words.toml for another entry of its section."""
_OFF_RECORD = (
    r"(?:(?:ok(?:ay)?|so|now|please|but|well|also|bitte),? )*(?:{0})(?P<said>.*)|(?P<before>.+?) ?[,;:.!?(–—-] ?(?:{0})\)?"
)
_MOST_OF_A_TOPIC, _LONGEST_TOPIC = 8, 100
"""In words and in characters: anything longer tells something rather than naming it."""
_ELSE = re.compile(r"(?i)\?|\b(?:not|never|nicht|niet|nooit|pas|nunca|non|nie|не)\b")
"""What a topic does not hold: "vergiss unseren Termin nicht" asks for the contrary."""
_NO_TOPIC = frozenset({"him", "her", "them", "me", "you", "us", "ihn", "sie", "ihm", "mich", "dich", "uns"})
NO_REMINDER = lazy("(I cannot remind you at a set time. I keep this, and tell you when you ask.)")


@dataclass(frozen=True, slots=True)
class Offer:
    """A command that plain words may stand for, the question offering it (None: the command asks itself), and the language.

    `forgets` says that it is one that forgets, `means_last` that it forgets what was said last.
    """

    line: str
    question: Sentence | None
    language: str
    forgets: bool = True
    means_last: bool = False


def offered(text: str, prefix: str) -> Offer | None:
    """Return the command that a whole line asks for in plain words, or None."""
    words = _VERB_COMMA.sub(r"\1 \2", _without_courtesy(" ".join(text.split())))
    if found := _matched("last", words):
        return Offer(f"{prefix}forget that", None, found[0], means_last=True)
    if found := _matched("all", words):
        return Offer(f"{prefix}forget all", lazy("Forget all that you told me?"), found[0])
    if found := _matched("summary", words):
        return Offer(f"{prefix}summarize", lazy("Summarize this conversation?"), found[0], forgets=False)
    if found := _matched("help", words):
        return Offer(f"{prefix}help", lazy("Show what you can say here?"), found[0], forgets=False)
    if found := _matched("no_record", words):
        if re.search(r"\w", found[1]["said"] or found[1]["before"] or ""):
            return Offer(
                f"{prefix}incognito once {' '.join(text.split())}",
                lazy("Answer this and keep none of it?"),
                found[0],
                forgets=False,
            )
        return Offer(f"{prefix}incognito on", lazy("Keep nothing of what is said here from now on?"), found[0], forgets=False)
    if found := _matched("about", words):
        group, topic = next((group, said) for group, said in found[1].groupdict().items() if said)
        short = len(topic) <= _LONGEST_TOPIC and len(topic.split()) <= _MOST_OF_A_TOPIC
        if short and not _ELSE.search(topic) and topic.casefold() not in _NO_TOPIC:
            # Of a whole statement all words are meant: "I like jazz" does not say "I like coffee".
            meant = f'"{topic}"' if group == "told" else topic
            return Offer(f"{prefix}forget about:{meant}", lazy('Forget what I keep about "{topic}"?', topic=topic), found[0])
    return None


def _without_courtesy(words: str) -> str:
    """Return words without "please", "Lyra, could you" and the like around them."""
    before = _BEFORE.match(words)
    assert before is not None, "it matches nothing as well"
    words = (words.rstrip("?") if before["asks"] else words)[before.end() :]
    return words[:-_MOST_AFTER] + _AFTER.sub("", words[-_MOST_AFTER:])


def asks_for_no_record(text: str) -> bool:
    """Return whether a message asks that it, or what follows, be kept nowhere."""
    return _matched("no_record", " ".join(text.split()).rstrip(" .!")) is not None


def asks_for_reminder(text: str) -> str:
    """Return the code of the language in which a line asks for a reminder, '' if it does not."""
    found = _matched("reminder", " ".join(text.split()))
    return found[0] if found else ""


def _matched(purpose: str, words: str) -> tuple[str, re.Match[str]] | None:
    tried = ((code, pattern.fullmatch(words)) for code, pattern in _patterns()[purpose].items())
    return next(((code, match) for code, match in tried if match), None)


@cache
def _patterns() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    """Return the patterns of plain_words.toml for each purpose, by the codes of their languages."""
    found: dict[str, dict[str, re.Pattern[str]]] = {}
    for code, listed in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items():
        said = dict[str, str]()
        for purpose, wordings in listed.items():
            one = wordings if isinstance(wordings, str) else "|".join(wordings)
            said[purpose] = _filled(one, said)
            whole = _OFF_RECORD.format(said[purpose]) if purpose == "no_record" else said[purpose]
            found.setdefault(purpose, {})[code] = re.compile(whole, re.IGNORECASE)
    return found


def _filled(wording: str, said: Mapping[str, str]) -> str:
    return _PART.sub(lambda part: said[part[1]], wording)
