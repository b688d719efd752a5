"""Reads a statement as far as it takes to know of which column of which table each word in it speaks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

Columns = Mapping[str, Sequence[str]]
"""The columns of every table, in their order."""
_TOKEN = re.compile(r"\s+|'[^']*'|\"[^\"]*\"|:[a-z_]\w*|[A-Za-z_]\w*|\d+|<>|<=|>=|\|\||.", re.DOTALL)
_KEYWORDS = frozenset(
    "SELECT DISTINCT FROM WHERE GROUP ORDER BY HAVING LIMIT UNION ALL JOIN LEFT ON AND OR NOT IN IS NULL EXISTS CASE WHEN THEN ELSE END "
    "AS WITH RECURSIVE INSERT INTO VALUES CONFLICT DO NOTHING UPDATE SET DELETE RETURNING BETWEEN LIKE ESCAPE CAST DESC ASC TRUE FILTER "
    "TEXT BIGINT INTEGER FOR SKIP LOCKED".split()
)


class Clause(Enum):
    """The part of a query that a word stands in."""

    SELECT = auto()
    FROM = auto()
    WHERE = auto()
    GROUP = auto()
    INTO = auto()
    VALUES = auto()
    CONFLICT = auto()
    SET = auto()
    RETURNING = auto()
    REST = auto()


_CLAUSES = {
    "SELECT": Clause.SELECT, "FROM": Clause.FROM, "JOIN": Clause.FROM, "UPDATE": Clause.FROM, "WHERE": Clause.WHERE, "ON": Clause.WHERE,
    "GROUP": Clause.GROUP, "ORDER": Clause.GROUP, "HAVING": Clause.WHERE, "INTO": Clause.INTO, "VALUES": Clause.VALUES, "SET": Clause.SET,
    "CONFLICT": Clause.CONFLICT, "RETURNING": Clause.RETURNING, "LIMIT": Clause.REST,
}  # fmt: skip


@dataclass(slots=True, eq=False)
class SealedQuery:
    """One SELECT, or what writes: what its rows come from by their names, the table that it writes, and the query around it.

    `is_outer` says that its rows are what the statement returns, `is_source` that another query reads them by their columns.
    """

    around: "SealedQuery | None"
    is_outer: bool
    is_source: bool = False
    sources: dict[str, str] = field(default_factory=dict)
    target: str = ""


@dataclass(slots=True, eq=False)
class Word:
    """A token of a statement: what it is, in which query and clause, and within how many parentheses of that query."""

    text: str
    query: SealedQuery
    clause: Clause
    depth: int

    @property
    def is_name(self) -> bool:
        """Whether it names a table, a column or a function."""
        return (self.text[0].isalpha() or self.text[0] == "_") and self.text not in _KEYWORDS

    @property
    def is_parameter(self) -> bool:
        """Whether it stands for a value."""
        return len(self.text) > 1 and self.text[0] == ":"


@dataclass(frozen=True, slots=True)
class Reference:
    """A column that is spoken of: the words from `start` to before `end`, how its row is called there, its table and its name."""

    start: int
    end: int
    alias: str
    table: str
    column: str


def words(sql: str) -> list[Word]:
    """Return the words of a statement without the spaces between them, each with where it stands."""
    texts = [text for text in _TOKEN.findall(sql) if not text.isspace()]
    query = SealedQuery(None, is_outer=True)
    found: list[Word] = []
    # Of each parenthesis that is open: the query and clause outside, and how deep that was.
    outside: list[tuple[SealedQuery, Clause, int]] = []
    clause, depth = Clause.REST, 0
    for at, text in enumerate(texts):
        if text == "(":
            found.append(Word(text, query, clause, depth))
            outside.append((query, clause, depth))
            if texts[at + 1] in ("SELECT", "WITH"):
                is_source = at > 0 and texts[at - 1] in ("AS", "FROM", "JOIN")
                query, clause, depth = SealedQuery(query, is_outer=False, is_source=is_source), Clause.REST, 0
            else:
                depth += 1
            continue
        if text == ")":
            query, clause, depth = outside.pop()
        elif depth == 0 and text == "UNION":
            query = SealedQuery(query.around, query.is_outer, query.is_source)
        elif depth == 0 and text in _CLAUSES:
            clause = Clause.CONFLICT if text == "ON" and texts[at + 1] == "CONFLICT" else _CLAUSES[text]
        found.append(Word(text, query, clause, depth))
    _name_sources(found)
    return found


def _name_sources(found: Sequence[Word]) -> None:
    for at, word in enumerate(found):
        if word.text == "INTO" or (word.text == "UPDATE" and found[at - 1].text != "DO"):
            word.query.target = found[at + 1].text
            word.query.sources.setdefault(found[at + 1].text, found[at + 1].text)
        elif word.text in ("FROM", "JOIN") and at + 1 < len(found) and found[at + 1].is_name:
            table, after = found[at + 1].text, found[at + 2 : at + 4]
            named = next((one for one in after if one.text != "AS"), None)
            alias = named.text if named is not None and named.is_name and named.query is word.query else table
            word.query.sources[alias] = table


def references(found: Sequence[Word], columns: Columns) -> Iterator[Reference]:
    """Yield every column of these tables that a statement speaks of."""
    at = 0
    while at < len(found):
        word = found[at]
        after = found[at + 1].text if at + 1 < len(found) else ""
        if word.is_name and after == "." and at + 2 < len(found):
            table = _table(word.query, word.text)
            if table in columns and found[at + 2].text in columns[table]:
                yield Reference(at, at + 3, word.text, table, found[at + 2].text)
            at += 3
            continue
        before = found[at - 1].text if at else ""
        if word.is_name and after != "(" and before not in ("AS", "FROM", "JOIN", "INTO", "UPDATE"):
            alias = _bare(word, columns)
            if alias:
                yield Reference(at, at + 1, alias, _table(word.query, alias), word.text)
        at += 1


def _table(query: SealedQuery | None, alias: str) -> str:
    """Return the table that a name of rows means, '' where it means what another query made."""
    around = query
    while around is not None:
        if alias in around.sources:
            return around.sources[alias]
        if around.target and alias in ("excluded", around.target):
            return around.target
        around = around.around
    return ""


def _bare(word: Word, columns: Columns) -> str:
    """Return how the rows are called of which a name without theirs is a column, '' where it is none."""
    query: SealedQuery | None = word.query
    if word.clause in (Clause.INTO, Clause.CONFLICT) or (word.clause is Clause.SET and word.query.target):
        target = word.query.target
        return target if word.text in columns.get(target, ()) else ""
    while query is not None:
        for alias, table in query.sources.items():
            if word.text in columns.get(table, ()):
                return alias
        query = query.around
    return ""


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
