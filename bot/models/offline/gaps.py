"""What a question asks for that its answers do not hold, and which of them then tell nothing of it."""

from collections.abc import Callable, Collection, Sequence

from bot.models.offline.candidates import Candidate
from bot.models.offline.question_analysis import QuestionPart, compound, people, things
from memory.index.hits import Certainty
from memory.text.lexical import all_stems


def missing(part: QuestionPart, chosen: Sequence[Candidate], known: Callable[[str], bool]) -> list[str]:
    """Return the words of a question about which nothing is known; beside an answer, names and things alone.

    Where all that was chosen only names whom the question is about, that is every other word of it, whoever else it was used of.
    """
    whole = compound(part.text)
    covered = frozenset().union(*(one.covers | one.near for one in chosen))
    lacking = [stemmed for stemmed in part.about.admit if stemmed not in covered]
    if lacking and chosen and all(_only_names(part, one) for one in chosen):
        return [part.about.admit[stemmed] for stemmed in lacking]
    named = things(part.text)
    if chosen or any(stemmed in named for stemmed in lacking):
        lacking = [stemmed for stemmed in lacking if stemmed in named]
    if whole and (whole.stems | {whole.head}) & set(lacking):
        rest = [part.about.admit[one] for one in lacking if one not in whole.stems | {whole.head} and not known(one)]
        return [*rest, whole.written]
    return [part.about.admit[stemmed] for stemmed in lacking if not known(stemmed)]


def telling(part: QuestionPart, chosen: Sequence[Candidate], lacks: Collection[str]) -> list[Candidate]:
    """Return those of the chosen that are quoted: the best, and what adds to it in its own words.

    Where something is lacking, what barely relates would only mislead.
    """
    if not lacks:
        return [*chosen[:1], *(one for one in chosen[1:] if not _is_small_talk(one))]
    return [one for one in chosen if one.hit.certainty is not Certainty.WEAK and not _only_names(part, one)]


def _only_names(part: QuestionPart, one: Candidate) -> bool:
    """Return whether an answer covers nothing but the name of whom a question is about.

    Nearness in meaning is no excuse: the name alone draws the vector of a message to that of the question.
    """
    return one.covers <= people(part.text) and not one.shaped


def _is_small_talk(one: Candidate) -> bool:
    """Return whether a weak hit has nothing of a question but its speaker's name."""
    weak = one.hit.certainty is Certainty.WEAK
    return weak and bool(one.covers) and one.covers.isdisjoint(all_stems(one.hit.exchange.text))
