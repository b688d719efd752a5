"""Plain words that ask for what only a command does: the command is offered, instead of an answer that pretends it was done."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from localization.sentences import Sentence, lazy

_EN, _DE = "en", "de"
_OF_THIS = (
    r"(?:this|that|it|us|everything|(?:our|this|the|my) (?:talk|conversation|chat|dialog(?:ue)?|discussion)"
    r"|what (?:we|i) (?:have )?(?:said|talked about)|what was said)(?: so far| today)?"
)
_UNSER = (
    r"(?:das|dies|es|alles|(?:das|unser|dieses|mein) (?:bisherige )?(?:gespräch|chat)|(?:die|unsere|diese) (?:bisherige )?unterhaltung"
    r"|was (?:wir|ich) (?:bisher )?(?:besprochen|gesagt) (?:haben|habe))(?: bisher| mal| bitte)*"
)
_LAST = {
    _EN: r"(?:please )?(?:forget|delete|erase) (?:about )?(?:this|that|it|what i (?:just )?said|my last (?:message|words))(?: please| again)?",
    _DE: r"(?:bitte )?(?:vergiss|lösch\w*) (?:das|es|dies|was ich (?:gerade |eben )?gesagt habe|meine letzte nachricht)(?: wieder| bitte)*",
}
_ALL = {
    _EN: r"(?:please )?(?:forget|delete|erase) (?:all|everything)(?: (?:i|that i) (?:have )?(?:said|told you))?(?: please)?",
    _DE: r"(?:bitte )?(?:vergiss|lösch\w*) alles(?:,? was ich (?:dir )?(?:gesagt|erzählt) habe)?(?: bitte)?",
}
_ABOUT = {
    _EN: r"(?:please )?forget (?:(?:all|everything|anything|what(?:ever)?)(?: (?:that )?(?:i|we) (?:have )?(?:said|told you))? )?about (?P<topic>.+?)(?: please)?"
    r"|(?:please )?forget (?P<own>(?:my|our) [^,]+?)(?: please)?",
    _DE: r"(?:bitte )?vergiss (?:bitte )?(?:(?:alles|was ich (?:dir )?)? ?(?:über|von|zu) )(?P<topic>.+?)(?: (?:gesagt|erzählt) habe)?(?: bitte)?"
    r"|(?:bitte )?vergiss (?:bitte )?(?P<own>(?:mein|unser)\w* [^,]+?)(?: bitte)?",
}
_SUMMARY = {
    _EN: rf"(?:please |can you |could you )*(?:summari[sz]e|sum up)(?: {_OF_THIS})?(?: for me)?(?: please)?"
    rf"|(?:please )?sum {_OF_THIS} up(?: please)?|(?:give me )?a summary(?: of {_OF_THIS})?(?: please)?",
    _DE: rf"(?:bitte )?(?:fass\w*|kannst du|könntest du) (?:(?:bitte|mal|mir) )*{_UNSER} ?(?:(?:bitte|mal) )*zusammen(?:fassen)?(?: bitte)?"
    r"|(?:bitte )?(?:gib mir )?eine zusammenfassung(?: bitte)?|zusammenfassen(?: bitte)?",
}
_HELP = {_EN: "help", _DE: "hilfe"}
_REMINDER = {
    _EN: r"(?:please )?(?:can you |could you )?remind me\b.*",
    _DE: r"(?:bitte )?erinner\w* mich\b.*|(?:kannst|könntest) du mich .*\berinnern",
}
_NO_RECORD = {
    _EN: (
        r"(?:(?:strictly|completely|this (?:is|stays)|that['’]?s|that is|it['’]s|all (?:of )?this is|keep (?:this|it|that)) )*off the record",
        r"(?:please )?(?:do not|don['’]?t|never) (?:keep|save|store|record|log|write down) (?:any of )?(?:this|that|it)(?= ?(?:\W |$))",
    ),
    _DE: (
        r"(?:(?:ganz|streng|das (?:ist|bleibt)|dies ist|alles) )*off the record",
        r"(?:bitte )?(?:merke? dir|speicher\w*|behalte?|notier\w*) (?:das|dies|es)(?: bitte| jetzt)* nicht(?= ?(?:\W |$))",
    ),
}
_OFF_RECORD = {
    code: rf"(?:(?:ok(?:ay)?|so|now|please|but|well|also|bitte),? )*(?:{'|'.join(asked)})(?P<said>.*)"
    rf"|(?P<before>.+?) ?[,;:.!?(–—-] ?(?:{'|'.join(asked)})\)?"
    for code, asked in _NO_RECORD.items()
}
_MOST_OF_A_TOPIC = 8
"""In words: anything longer tells something rather than naming it."""
_NO_TOPIC = frozenset({"him", "her", "them", "me", "you", "us", "ihn", "sie", "ihm", "mich", "dich", "uns"})
NO_REMINDER = lazy("(I cannot remind you at a set time. I keep this, and tell you when you ask.)")


@dataclass(frozen=True, slots=True)
class Offer:
    """A command that plain words may stand for, the question offering it (None: the command asks itself), and the language."""

    line: str
    question: Sentence | None
    language: str


def offered(text: str, prefix: str) -> Offer | None:
    """Return the command that a whole line asks for in plain words, or None."""
    words = " ".join(text.split()).rstrip(" .!")
    if found := _matched(_LAST, words):
        return Offer(f"{prefix}forget that", None, found[0])
    if found := _matched(_ALL, words):
        return Offer(f"{prefix}forget all", lazy("Forget all that you told me?"), found[0])
    if found := _matched(_SUMMARY, words):
        return Offer(f"{prefix}summarize", lazy("Summarize this conversation?"), found[0])
    if found := _matched(_HELP, words):
        return Offer(f"{prefix}help", lazy("Show what you can say here?"), found[0])
    if found := _matched(_OFF_RECORD, words):
        if re.search(r"\w", found[1]["said"] or found[1]["before"] or ""):
            return Offer(f"{prefix}incognito once {' '.join(text.split())}", lazy("Answer this and keep none of it?"), found[0])
        return Offer(f"{prefix}incognito on", lazy("Keep nothing of what is said here from now on?"), found[0])
    if found := _matched(_ABOUT, words):
        topic = found[1]["topic"] or found[1]["own"]
        if "?" not in topic and len(topic.split()) <= _MOST_OF_A_TOPIC and topic.casefold() not in _NO_TOPIC:
            return Offer(f"{prefix}forget about:{topic}", lazy('Forget what I keep about "{topic}"?', topic=topic), found[0])
    return None


def asks_for_no_record(text: str) -> bool:
    """Return whether a message asks that it, or what follows, be kept nowhere."""
    return _matched(_OFF_RECORD, " ".join(text.split()).rstrip(" .!")) is not None


def asks_for_reminder(text: str) -> str:
    """Return the code of the language in which a line asks for a reminder, '' if it does not."""
    found = _matched(_REMINDER, " ".join(text.split()))
    return found[0] if found else ""


def _matched(patterns: Mapping[str, str], words: str) -> tuple[str, re.Match[str]] | None:
    tried = ((code, re.fullmatch(pattern, words, re.IGNORECASE)) for code, pattern in patterns.items())
    return next(((code, match) for code, match in tried if match), None)
