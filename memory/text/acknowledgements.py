"""Acknowledgements: what only takes note of a statement, judges it or greets, by closed lists for each language that
she speaks, judgements for seven.

Such a reply reads the same whatever else was known when it was given. So does an exclamation of joy or pity where the statement
explains it: pity where that tells of something hard, joy where it neither does nor mentions news without telling them.
What confirms ("Exactly."), agrees ("Okay."), approves ("Good idea."), congratulates or wishes is not listed, as the reason for it
may be anything.
"""

import re
from collections.abc import Collection, Mapping
from functools import cache

from memory.text.questions import asks
from memory.text.wordings import read_wordings

_LEAD = re.compile(
    r"(?:ah|oh|ach)?(?: ?(?:okay|ok|alright|all right|well|alles klar|in ordnung|gut|bueno|vale|de acuerdo|d'accord|bien|bon))?"
)
"""What may stand beside a receipt; alone it agrees."""
_BETWEEN_CLAUSES = re.compile(r"[.!,;:…¡。！，、،؛\n]+")
_NEVER = "(?!)"
_SMILES = str.maketrans("", "", "🙂😊🙏\ufe0f")


@cache
def acknowledging_words() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    """Return the patterns of each language ("english") by their meaning, as acknowledgements.toml explains them."""
    return {
        name: {"receipts": re.compile("|".join(said["receipts"]))}
        | {one: re.compile(said.get(one, _NEVER)) for one in ("joy", "pity")}
        | {one: re.compile(rf"\b(?:{said.get(one, _NEVER)})\b") for one in ("hard", "news")}
        for name, said in read_wordings(__file__).items()
    }


def only_acknowledges(reply: str, answered: Collection[str], speakers: Collection[str] = ()) -> bool:
    """Return whether a reply only takes note of the statements it answers, judges or greets, by their speakers' names or none.

    The same words in answer to a question may tell.
    """
    clauses = _clauses(reply)
    if not answered or any(asks(text) for text in answered):
        return False
    names = {name for speaker in speakers for name in _clauses(speaker)}
    beside = [clause for clause in clauses if not _acknowledges(clause, answered)]
    return len(beside) < len(clauses) and all(clause in names or _LEAD.fullmatch(clause) for clause in beside)


def _acknowledges(clause: str, answered: Collection[str]) -> bool:
    """Return whether a clause, folded and without punctuation, is a receipt, or exclaims what the statements it answers explain."""
    told = "\n".join(answered).casefold().replace("’", "'")
    return any(
        words["receipts"].fullmatch(clause)
        or (
            words["pity"].fullmatch(clause)
            if words["hard"].search(told)
            else words["joy"].fullmatch(clause) and not words["news"].search(told)
        )
        for words in acknowledging_words().values()
    )


def _clauses(text: str) -> list[str]:
    plain = text.casefold().replace("’", "'").translate(_SMILES)
    return [clause for part in _BETWEEN_CLAUSES.split(plain) if (clause := " ".join(part.split()))]
