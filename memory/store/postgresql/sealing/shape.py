"""The shape of a statement: where in it stands what it inserts, sets, compares and returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.store.postgresql.sealing.reading import Clause, SealedQuery, Word

COMPARED = ("=", "<>", "<", ">", "<=", ">=", "IN", "NOT", "LIKE", "IS")
Keys = Mapping[str, Sequence[int]]
"""Where what columns are equal to stands, by their names."""


@dataclass(frozen=True, slots=True)
class StatementShape:
    """The words of one statement."""

    words: Sequence[Word]

    def text(self, at: int) -> str:
        """Return a word, '' before the first and behind the last."""
        return self.words[at].text if 0 <= at < len(self.words) else ""

    def inserted(self) -> list[Keys]:
        """Return where what each column is given stands, of every row that is inserted."""
        if not any(word.text == "INSERT" for word in self.words):
            return []
        names = [word.text for word in self.words if word.clause is Clause.INTO and word.depth == 1 and word.text not in ",()"]
        rows: list[list[list[int]]] = []
        for at, word in enumerate(self.words):
            is_value = word.query.target and word.clause is Clause.VALUES
            if (is_value and word.text == "(" and word.depth == 0) or (word.query.target and word.text == "SELECT"):
                rows.append([[]])
            elif rows and word.query.target and (word.clause is Clause.SELECT or (is_value and word.depth)):
                if word.text == "," and word.depth == int(bool(is_value)):
                    rows[-1].append([])
                elif word.text != "DISTINCT":
                    rows[-1][-1].append(at)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def equal(self, query: SealedQuery) -> Keys:
        """Return where a query says what the columns of its rows are equal to."""
        found: dict[str, Sequence[int]] = {}
        for at, word in enumerate(self.words):
            if word.query is query and word.clause is Clause.WHERE and word.is_parameter and self.text(at - 1) == "=":
                found[self.text(at - 2)] = [at]
        return found

    def operands(self, at: int) -> list[int]:
        """Return where what is compared stands, behind the column at which the comparison begins."""
        while self.text(at) in COMPARED:
            at += 1
        if self.text(at) != "(":
            return [at]
        deep = self.words[at].depth
        ends = next(n for n in range(at, len(self.words)) if self.text(n) == ")" and self.words[n].depth == deep)
        return [] if self.text(at + 1) == "SELECT" else [n for n in range(at + 1, ends) if self.text(n) != ","]

    def behind_set(self, first: int) -> int:
        """Return where what a column is set to ends, which begins there."""
        behind = range(first, len(self.words))
        ends = (at for at in behind if self.words[at].depth == 0 and self.text(at) in (",", "WHERE", "RETURNING"))
        return next(ends, len(self.words))

    def is_star(self, at: int) -> bool:
        """Say whether a word stands for all columns of something."""
        word = self.words[at]
        return word.text == "*" and word.clause is Clause.SELECT and word.depth == 0

    def starred(self, at: int) -> tuple[str, str]:
        """Return of what a star stands for all columns: how its rows are called, and its table, '' for what a query made."""
        sources = self.words[at].query.sources
        alias = self.text(at - 2) if self.text(at - 1) == "." else next(iter(sources), "")
        return alias, sources.get(alias, "")
