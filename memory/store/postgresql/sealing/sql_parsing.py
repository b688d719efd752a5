"""A minimal SQL parser: which column of which table each word of a statement refers to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

Columns = Mapping[str, Sequence[str]]
"""The columns of every table, in order."""
_TOKEN = re.compile(r"\s+|'[^']*'|\"[^\"]*\"|:[a-z_]\w*|[A-Za-z_]\w*|\d+|<>|<=|>=|\|\||.", re.DOTALL)
_KEYWORDS = frozenset(
    "SELECT DISTINCT FROM WHERE GROUP ORDER BY HAVING LIMIT UNION ALL JOIN LEFT ON AND OR NOT IN IS NULL EXISTS CASE WHEN THEN ELSE END "
    "AS WITH RECURSIVE INSERT INTO VALUES CONFLICT DO NOTHING UPDATE SET DELETE RETURNING BETWEEN LIKE ESCAPE CAST DESC ASC TRUE FILTER "
    "TEXT BIGINT INTEGER FOR SKIP LOCKED".split()
)


class Clause(Enum):
    """A clause of a query."""

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
class SqlQuery:
    """A SELECT, or a writing statement: its tables by alias, the table it writes, and the query around it.

    The statement returns the rows of the `is_outer` one; another query selects from one that `is_source`.
    """

    around: "SqlQuery | None"
    is_outer: bool
    is_source: bool = False
    sources: dict[str, str] = field(default_factory=dict)
    target: str = ""


@dataclass(slots=True, eq=False)
class Word:
    """A token with its query and clause, and how many parentheses of that query it is in."""

    text: str
    query: SqlQuery
    clause: Clause
    depth: int

    @property
    def is_name(self) -> bool:
        """Whether it is the name of a table, column or function."""
        return (self.text[0].isalpha() or self.text[0] == "_") and self.text not in _KEYWORDS

    @property
    def is_parameter(self) -> bool:
        """Whether it is a named parameter."""
        return len(self.text) > 1 and self.text[0] == ":"


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a column: its words from `start` to before `end`, the alias of its table, the table, and its name."""

    start: int
    end: int
    alias: str
    table: str
    column: str


def words(sql: str) -> list[Word]:
    """Return the tokens of a statement, without white space."""
    texts = [text for text in _TOKEN.findall(sql) if not text.isspace()]
    query = SqlQuery(None, is_outer=True)
    found: list[Word] = []
    # For each open parenthesis: the query, clause and depth outside.
    outside: list[tuple[SqlQuery, Clause, int]] = []
    clause, depth = Clause.REST, 0
    for at, text in enumerate(texts):
        if text == "(":
            found.append(Word(text, query, clause, depth))
            outside.append((query, clause, depth))
            if texts[at + 1] in ("SELECT", "WITH"):
                is_source = at > 0 and texts[at - 1] in ("AS", "FROM", "JOIN")
                query, clause, depth = SqlQuery(query, is_outer=False, is_source=is_source), Clause.REST, 0
            else:
                depth += 1
            continue
        if text == ")":
            query, clause, depth = outside.pop()
        elif depth == 0 and text == "UNION":
            query = SqlQuery(query.around, query.is_outer, query.is_source)
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
    """Yield the references to columns of these tables."""
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


def _table(query: SqlQuery | None, alias: str) -> str:
    """Return the table of an alias, '' if it is a subquery."""
    around = query
    while around is not None:
        if alias in around.sources:
            return around.sources[alias]
        if around.target and alias in ("excluded", around.target):
            return around.target
        around = around.around
    return ""


def _bare(word: Word, columns: Columns) -> str:
    """Return the alias of the table that an unqualified column belongs to, '' if it is no column."""
    query: SqlQuery | None = word.query
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
"""The words that columns are set or compared to, by column."""


@dataclass(frozen=True, slots=True)
class StatementShape:
    """The words of one statement."""

    words: Sequence[Word]

    def text(self, at: int) -> str:
        """Return a word, '' outside of the statement."""
        return self.words[at].text if 0 <= at < len(self.words) else ""

    def inserted(self) -> list[Keys]:
        """Return the values of each inserted row, by column."""
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

    def equal(self, query: SqlQuery) -> Keys:
        """Return the parameters that a query compares its columns to with =."""
        found: dict[str, Sequence[int]] = {}
        for at, word in enumerate(self.words):
            if word.query is query and word.clause is Clause.WHERE and word.is_parameter and self.text(at - 1) == "=":
                found[self.text(at - 2)] = [at]
        return found

    def operands(self, at: int) -> list[int]:
        """Return the operands of the comparison that begins there, after its column."""
        while self.text(at) in COMPARED:
            at += 1
        if self.text(at) != "(":
            return [at]
        deep = self.words[at].depth
        ends = next(n for n in range(at, len(self.words)) if self.text(n) == ")" and self.words[n].depth == deep)
        return [] if self.text(at + 1) == "SELECT" else [n for n in range(at + 1, ends) if self.text(n) != ","]

    def behind_set(self, first: int) -> int:
        """Return the end of the value that a column is set to, which begins at `first`."""
        behind = range(first, len(self.words))
        ends = (at for at in behind if self.words[at].depth == 0 and self.text(at) in (",", "WHERE", "RETURNING"))
        return next(ends, len(self.words))

    def is_star(self, at: int) -> bool:
        """Return whether a word is the `*` of a select list."""
        word = self.words[at]
        return word.text == "*" and word.clause is Clause.SELECT and word.depth == 0

    def starred(self, at: int) -> tuple[str, str]:
        """Return the alias and the table of a `*`; the table is '' for a subquery."""
        sources = self.words[at].query.sources
        alias = self.text(at - 2) if self.text(at - 1) == "." else next(iter(sources), "")
        return alias, sources.get(alias, "")
