"""Manners that a speaker asks for: a closed list, recognized by rule in the speaker's own words.

Nothing said becomes an instruction verbatim: each wish is one of a few values, and a name is short. Taking a wish back ends
that wish, or any wish of its kind. Reporting what somebody else said is no wish.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory.text.display_names import LONGEST, display_name
from memory.text.sentence_splitting import sentences
from memory.text.wordings import read_wordings

_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|„[^“\n]*“|«[^»\n]*»|(?m:^>.*$)")
_REPORTED = re.compile(
    r"(?i)\b(?:said|says|told|tells|asked|asks|wrote|writes|shouted|sagte|sagt|meinte|fragte|schrieb|dijo|dice|a dit)\b"
)
_CLAUSE = re.compile(r"[,;]\s+|\s+(?:and|but|und|aber|y|pero|et|mais)\s+")
_MOST_CHARACTERS = 600
_NO_NAMES = frozenset(
    """back later tomorrow tonight today now again soon when if at on in a an the maybe what whatever something anything crazy by
    as not it that this mad nicht nie zu nennen mehr so before after up out any some mein meine my your and""".split()
)
_WHATEVER = frozenset("that this so it anything something das dies irgendwie irgendwas".split())
_FILLER = re.compile(r"\b(?:[Bb]itte|[Pp]lease|kindly|doch|mal|ruhig|einfach|simply)\b,? ?|,? (?:bitte|please)$")


@dataclass(frozen=True, slots=True)
class MannerRequest:
    """A request of one kind: a wish, or, if that is "", the end of wishes that match `ends` ("": any)."""

    wish: str = ""
    ends: str = ""

    def is_over(self, wish: str) -> bool:
        """Return whether this request, not being a wish itself, takes a wish back."""
        return not self.ends or bool(re.fullmatch(self.ends, wish, re.IGNORECASE))


def manner_requests(text: str) -> dict[str, MannerRequest]:
    """Return the last request of a message for each kind (name, language, length, tone, emoji, address).

    A wish completes "wants": "short answers", 'to be called "Adi"'. Long messages are not read.
    """
    if len(text) > _MOST_CHARACTERS or not (kinds := _hinted(text, _listed()["kinds"])):
        return {}
    found: dict[str, MannerRequest] = {}
    for sentence in sentences(_QUOTED.sub(" … ", text)):
        if not _REPORTED.search(sentence):
            for clause in (sentence, *_CLAUSE.split(sentence)):
                found.update(_clause_requests(clause.strip(" .!?;…"), kinds, casual=text == text.lower()))
    return found


def _clause_requests(clause: str, kinds: Sequence[str], *, casual: bool) -> dict[str, MannerRequest]:
    """Return the requests of these kinds in a clause; taking back wins over wishing."""
    # The hints are most of the work.
    if not (kinds := _hinted(clause, kinds)):
        return {}
    for said in dict.fromkeys((clause, _FILLER.sub("", clause))):
        rest = said[match.end() :] if (match := _lead().match(said)) else said
        for form in dict.fromkeys((rest, said)):
            if found := {**dict(_wished(form, kinds, casual=casual)), **dict(_ended(form, kinds))}:
                return found
    return {}


def _wished(clause: str, kinds: Sequence[str], *, casual: bool) -> Iterator[tuple[str, MannerRequest]]:
    for kind in kinds:
        for value, form in _forms(kind, ending=False):
            if m := form.fullmatch(clause):
                said = _wish_values(m)
                wish = _name_wish(said["name"], casual=casual) if kind == "name" else value.format(**said)
                if kind == "language":
                    wish = f"answers in {said['language']}"
                if wish:
                    yield kind, MannerRequest(wish)
                    return


def _ended(clause: str, kinds: Sequence[str]) -> Iterator[tuple[str, MannerRequest]]:
    for kind in kinds:
        for ends, form in _forms(kind, ending=True):
            if m := form.fullmatch(clause):
                said = _wish_values(m)
                name = said["name"]
                if "{name}" in ends and name.lower() in _WHATEVER:
                    ends = ""
                elif "{language}" in ends:
                    ends = f"answers in {said['language']}"
                ends = ends.replace("{name}", re.escape(display_name(name))).replace("{tone}", said["tone"])
                yield kind, MannerRequest(ends=ends)


def _wish_values(match: re.Match[str]) -> dict[str, str]:
    """Return the values matched by a form, as they appear in a wish."""
    groups = match.groupdict()
    tone = (groups.get("tone") or groups.get("to") or groups.get("other") or "").lower()
    return {
        "name": groups.get("name") or groups.get("other") or groups.get("to") or groups.get("language") or "",
        "language": _meanings("LANGUAGE").get(
            (groups.get("language") or groups.get("to") or groups.get("name") or "").lower(), ""
        ),
        "tone": _meanings("GERMAN_TONE").get(tone, tone),
        "pronouns": (groups.get("pronouns") or "").lower(),
    }


def _name_wish(name: str, *, casual: bool) -> str:
    """Return the wish to be called by a name, '' if it is none; lower-case names count only in an all lower-case message."""
    first, *more = name.split()
    if not _NO_NAMES.isdisjoint(word.lower() for word in (first, *more[-1:])) or len(name) > LONGEST:
        return ""
    if first[0].islower() and (more or not casual):
        return ""
    return f'to be called "{display_name(name)}"'


def _hinted(text: str, kinds: Iterable[str]) -> list[str]:
    """Return those of these kinds that a text may have a request of, in their order."""
    return [kind for kind in kinds if _hint(kind).search(text)]


@cache
def _hint(kind: str) -> re.Pattern[str]:
    return re.compile(_listed()["kinds"][kind]["hint"], re.IGNORECASE)


@cache
def _lead() -> re.Pattern[str]:
    return re.compile(_listed()["lead"], re.IGNORECASE)


@cache
def _forms(kind: str, *, ending: bool) -> Sequence[tuple[str, re.Pattern[str]]]:
    """Return the forms of a kind, each with the value that it sets or ends; compiled on first use, as that takes long."""
    forms, tail = _listed()["kinds"][kind]["ends" if ending else "wishes"], _listed()["tail"]
    return [(value, re.compile(rf"(?:{form}){tail}", re.IGNORECASE)) for value, form in forms]


@cache
def _meanings(part: str) -> Mapping[str, str]:
    """Return what each of the words of a part means."""
    return {word: meaning for meaning, words in _listed()["parts"][part].items() for word in words.split()}


def _listed() -> Mapping[str, Any]:
    return read_wordings(__file__)
