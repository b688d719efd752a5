"""What somebody types in plain words that only a command does: it is offered, not answered as if it were done."""

import re
from dataclasses import dataclass

from localization.sentences import _, lazy

_OF_THIS = r"(?:this|that|it|us|everything|our (?:talk|conversation|chat)|(?:this|the) (?:talk|conversation|chat)|what (?:we|i) (?:have )?said)"
_LAST = re.compile(
    r"(?:please )?(?:forget|delete|erase) (?:this|that|it|what i (?:just )?said|my last (?:message|words))(?: please| again)?"
    r"|(?:bitte )?(?:vergiss|lösch\w*) (?:das|es|dies|was ich (?:gerade |eben )?gesagt habe)(?: wieder| bitte)?",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"(?:please )?(?:forget|delete|erase) (?:all|everything)(?: (?:i|that i) (?:have )?(?:said|told you))?(?: please)?"
    r"|(?:bitte )?(?:vergiss|lösch\w*) alles(?:,? was ich (?:dir )?(?:gesagt|erzählt) habe)?(?: bitte)?",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    rf"(?:please )?(?:summari[sz]e|sum up)(?: {_OF_THIS})?(?: please)?|(?:please )?sum {_OF_THIS} up(?: please)?"
    r"|(?:bitte )?fass\w* (?:das|es|alles|unser gespräch) (?:bitte )?zusammen",
    re.IGNORECASE,
)
_REMINDER = re.compile(r"(?:please )?(?:can you |could you )?remind me\b|(?:bitte )?erinner\w* mich\b", re.IGNORECASE)
NO_REMINDER = lazy("(I cannot speak up at a time of your choosing. I keep this, and tell you when you ask.)")


@dataclass(frozen=True, slots=True)
class Offer:
    """A command that plain words may stand for, and how it is offered."""

    line: str
    question: str


def offered(text: str, prefix: str) -> Offer | None:
    """Return the command that a whole line asks for in plain words, None where it is something else."""
    words = " ".join(text.split()).rstrip(" .!?")
    if _LAST.fullmatch(words):
        return Offer(f"{prefix}forget last", _("Forget what you said last, for good?"))
    if _ALL.fullmatch(words):
        return Offer(f"{prefix}forget all", _("Forget all that you told me?"))
    if _SUMMARY.fullmatch(words):
        return Offer(f"{prefix}summarize", _("Sum up this conversation?"))
    return None


def asks_for_reminder(text: str) -> bool:
    """Say whether a line asks to be reminded of something."""
    return _REMINDER.match(text.strip()) is not None
