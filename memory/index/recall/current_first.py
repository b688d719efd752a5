"""Rank what holds now above what it superseded, in the order that suits a question about how something is.

Both functions return the very hits that they were given if none of them superseded another.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from memory.index.hits import FAR_BELOW, Certainty, Hit
from memory.index.indexing import ENGLISH
from memory.text.language_detection import language as language_of
from memory.text.lexical import all_stems, query_stems, tokens
from memory.text.told.claims import Claims, asks_for_older, claims, superseded
from memory.text.told.correction_wordings import Correction, correction
from memory.text.told.named_values import correctable
from memory.text.told.replacements import replacements, replaces
from memory.types import DAY, Kind

_Told = tuple[int, Hit, Claims]
"""A hit with its key and its claims."""
_SUREST = tuple(Certainty)
_SOON = 2 * DAY
"""Within which what only seems to correct ("sorry, dinner with Tom is at 6") does."""
_MINE = {
    ENGLISH: re.compile(r"(?i)\b(?:i|my|me|mine)\b"),
    "german": re.compile(r"(?i)\b(?:ich|mein\w*|mir|mich)\b"),
}


def newest_claims_first(question: str, hits: Mapping[int, Hit], asker: str = "") -> Mapping[int, Hit]:
    """Return hits with each message directly after the one that superseded it, or before it if the question asks for older.

    If the question is about the `asker`, others' claims about themselves rank after the asker's own on the same subject.
    """
    told = [(key, hit, _claimed(hit)) for key, hit in hits.items()]
    older_first = asks_for_older(question)
    replaced = _instead(question, told, older_first=older_first)
    instead = _past_instead(question, told, replaced, older_first=older_first)
    if asker and _asks_of_oneself(question):
        instead = {**_own_instead(hits, asker), **instead}
    if not instead:
        return hits
    placed: dict[int, Hit] = {}
    for key in hits:
        _place(key, hits[key].score, hits, instead, placed)
    if not older_first:
        _mark(replaced, placed)
    return placed


def _mark(replaced: Mapping[int, int], placed: dict[int, Hit]) -> None:
    """Mark hits as corrected by those that replaced them, which are as certain as they are."""
    for key, newer in replaced.items():
        if not placed[key].correction:
            placed[key] = placed[key].corrected_by(placed[newer])
        if _SUREST.index(placed[key].certainty) < _SUREST.index(placed[newer].certainty):
            placed[newer] = placed[newer]._replace(certainty=placed[key].certainty)


def _place(key: int, score: float, hits: Mapping[int, Hit], instead: Mapping[int, int], placed: dict[int, Hit]) -> None:
    """Place a hit, after the one preferred to it, which takes over its score if that is higher. Preferences have no cycles."""
    if key in placed:
        return
    if key in instead:
        _place(instead[key], score, hits, instead, placed)
    placed[key] = hits[key]._replace(score=max(score, hits[key].score)) if score > hits[key].score else hits[key]


def _instead(question: str, every: Sequence[_Told], *, older_first: bool) -> dict[int, int]:
    """Map each hit to the one preferred to it, if any: its newest successor or, if `older_first`, its last predecessor."""
    told = sorted((one for one in every if one[2] is not _NOTHING), key=lambda one: (one[1].exchange.said_at, one[0]))
    place = {key: at for at, (key, _, _) in enumerate(told)}
    pairs = [*_superseded(question, [one for one in told if one[2].every]), *_replaced(told)]
    instead: dict[int, int] = {}
    for key, other in sorted(pairs, key=lambda pair: (place[pair[0]], place[pair[1]])):
        older, wanted = (other, key) if older_first else (key, other)
        instead[older] = wanted
    return instead


def _superseded(question: str, told: Sequence[_Told]) -> list[tuple[int, int]]:
    """Return each hit whose claim a later one superseded, with that one."""
    asked: frozenset[str] | None = None
    found = []
    for (key, hit, said), (other, later, newer) in _on_the_same(told):
        asked = frozenset(query_stems(question)) if asked is None else asked
        if hit.exchange.said_at < later.exchange.said_at and superseded(said, newer, asked):
            found.append((key, other))
    return found


def _replaced(told: Sequence[_Told]) -> list[tuple[int, int]]:
    """Return each hit that a later one tells is no longer so, with that one; few tell of it at all."""
    return [
        (key, newer)
        for at, (newer, later, _) in enumerate(told)
        if replacements(later.exchange.text)
        for key, hit, _ in told[:at]
        if hit.exchange.speaker == later.exchange.speaker
        and hit.exchange.said_at < later.exchange.said_at
        and replaces(hit.exchange.text, later.exchange.text)
    ]


def _past_instead(question: str, told: Sequence[_Told], instead: dict[int, int], *, older_first: bool) -> dict[int, int]:
    """Return `instead` with what is told to be over, if the same person says what is so and that is nearly as good an answer.

    When each was said does not matter: "I used to drive a Saab" is often said after "I drive a Fiat".
    """
    past = {key: hit for key, hit, said in told if said.past and hit.certainty is not Certainty.WEAK}
    if not past:
        return instead
    asked = query_stems(question)
    more = {**instead}
    for key, hit in past.items():
        stems = claims(hit.exchange.text).past
        for other, present, said in told:
            if other in past or said is _NOTHING or not _is_as_good(present, hit):
                continue
            now = all_stems(present.exchange.text)
            if stems & asked <= now and stems - asked - now:
                behind, before = (other, key) if older_first else (key, other)
                if not _leads(before, behind, more):
                    more.setdefault(behind, before)
                break
    return more


def _is_as_good(present: Hit, past: Hit) -> bool:
    same = present.exchange.speaker == past.exchange.speaker
    return same and present.certainty is not Certainty.WEAK and present.score >= past.score * FAR_BELOW


def _leads(start: int, end: int, instead: Mapping[int, int]) -> bool:
    """Return whether the preferences lead from one hit to another, or in a circle."""
    seen: set[int] = set()
    while start in instead and start not in seen:
        seen.add(start)
        start = instead[start]
    return start == end or end in seen


def _on_the_same(told: Sequence[_Told]) -> list[tuple[_Told, _Told]]:
    """Return the pairs of hits, each with a later one that may supersede it: by one speaker, about the same subject."""
    claiming: defaultdict[tuple[str, frozenset[str]], list[int]] = defaultdict(list)
    pairs: list[tuple[_Told, _Told]] = []
    # Backwards, so that only what is later is known.
    for at in reversed(range(len(told))):
        _, hit, said = told[at]
        subjects = [(hit.exchange.speaker, claim.about) for claim in said.every]
        if known := {later for subject in subjects if subject in claiming for later in claiming[subject]}:
            pairs += [(told[at], told[later]) for later in sorted(known, reverse=True)]
        if said.supersedes:
            for subject in subjects:
                claiming[subject].append(at)
    return pairs[::-1]


def _asks_of_oneself(question: str) -> bool:
    mine = _MINE.get(language_of(tokens(question)) or ENGLISH)
    return mine is not None and mine.search(question) is not None


def _own_instead(hits: Mapping[int, Hit], asker: str) -> dict[int, int]:
    """Map each hit with someone else's claim to the asker's newest claim on the same subject."""
    told = [(key, hit, said) for key, hit in hits.items() if (said := _claimed(hit)).every]
    own = [one for one in told if one[1].exchange.speaker.casefold() == asker.casefold()]
    own.sort(key=lambda one: one[1].exchange.said_at)
    of = {claim.about: key for key, _, said in own for claim in said.every}
    others = [one for one in told if one[1].exchange.speaker.casefold() != asker.casefold()]
    return {key: of[claim.about] for key, _, said in others for claim in said.every if claim.about in of}


def _claimed(hit: Hit) -> Claims:
    return claims(hit.exchange.text) if _is_told(hit) else _NOTHING


_NOTHING = claims("")


def with_corrections(hits: Mapping[int, Hit]) -> Mapping[int, Hit]:
    """Return hits with each marked that was corrected by another one, which is as certain as what it puts right."""
    hits = _corrected_by_name(hits)
    corrected = _corrected(hits)
    if not corrected:
        return hits
    marked = {**hits, **{key: hits[key].corrected_by(hits[newer]) for key, newer in corrected.items()}}
    of = {key: hits[hit.corrects.key].certainty for key, hit in hits.items() if hit.corrects and hit.corrects.key in hits}
    return {
        key: hit._replace(certainty=min(hit.certainty, of[key], key=_SUREST.index)) if key in of else hit
        for key, hit in marked.items()
    }


def _corrected_by_name(hits: Mapping[int, Hit]) -> Mapping[int, Hit]:
    """Return hits, those among them tied to each other of which one says what it puts right of the other, however long before.

    Where it says that it corrects, a name that both have is enough, but where it opens what was told: "Tom's party" is not his surgery.
    What puts something right stands no lower than that did, since both are told together, the newer first: hits that tell neither
    would come before them.
    """
    tied: dict[int, Hit] = {}
    place = {key: at for at, key in enumerate(hits)}
    for key, hit in hits.items():
        found = correction(hit.exchange.text) if hit.corrects is None and _is_told(hit) else None
        if not (found and found.about):
            continue
        before = {other: correctable(older.exchange.text) for other, older in hits.items() if _is_of_one(older, hit, found)}
        names = correctable(hit.exchange.text).names if found.certain and not found.topical else frozenset()
        of = [other for other, told in before.items() if found.names(told)] or [
            other
            for other, told in before.items()
            if found.kinds & told.kinds and told.names & names and (found.about <= told.stems or not told.opens_with(names))
        ]
        if of:
            last = max(of, key=lambda other: (hits[other].exchange.said_at, other))
            score = max(hit.score, *(hits[other].score for other in of))
            tied[key] = tied.get(key, hit)._replace(corrects=hits[last].exchange, score=score)
            place[key] = min(place[key], *(place[other] for other in of))
            older = {other: tied.get(other, hits[other]) for other in of}
            tied |= {other: one._replace(corrected=key) for other, one in older.items() if one.corrected is None}
    return {key: tied.get(key, hits[key]) for key in sorted(hits, key=place.__getitem__)} if tied else hits


def _is_of_one(older: Hit, newer: Hit, found: Correction) -> bool:
    """Return whether one person said both to the same people, first what the other corrects: soon after, if that is not certain."""
    one, other = older.exchange, newer.exchange
    alike = (one.speaker, one.domain) == (other.speaker, other.domain) and _is_told(older)
    since = 0 if found.certain else other.said_at - _SOON
    return alike and since < one.said_at < other.said_at and found.is_of(correctable(one.text))


def _is_told(hit: Hit) -> bool:
    return hit.exchange.kind is Kind.SAID and hit.exchange.role == "user"


def newest_first(hits: Mapping[int, Hit], *, slips_alone: bool = False) -> Mapping[int, Hit]:
    """Return hits with each message after its correction, if that is among them, and scored no higher.

    With `slips_alone`, only where what was told was never so: "no wait, at 6".
    """
    waits: dict[int, set[int]] = {}
    for key, newer in _corrected(hits).items():
        if not slips_alone or hits[newer].corrects:
            waits.setdefault(key, set()).add(newer)
    for key, hit in hits.items():
        if hit.corrects and hit.corrects.key in hits:
            waits.setdefault(hit.corrects.key, set()).add(key)
    if not waits:
        return hits
    placed: dict[int, Hit] = {}

    def place(key: int, score: float) -> None:
        placed[key] = hits[key]._replace(score=min(score, hits[key].score))
        for older in [one for one in passed if key in waits[one]]:
            if older not in placed and waits[older] <= placed.keys():
                place(older, placed[key].score)

    passed: list[int] = []
    for key, hit in hits.items():
        if waits.get(key, set()) <= placed.keys():
            place(key, hit.score)
        else:
            passed.append(key)
    # Hits that correct one another in a cycle have no newest: they come last.
    for key in passed:
        placed.setdefault(key, hits[key])
    return placed


def _corrected(hits: Mapping[int, Hit]) -> dict[int, int]:
    """Map each of the hits that another one corrected to that one."""
    return {key: newer for key, hit in hits.items() if (newer := hit.corrected) is not None and newer in hits}
