"""Plans: how a statement is rewritten for sealed columns, how its parameters are sealed, and which results must be decrypted.

A sealed column is returned with its place prefixed, so that it decrypts for that place only. Lookups compare keyed hashes. A
statement that would need the plain text on the server has no plan: AssertionError.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.store.postgresql.sealing.sql_parsing import (
    COMPARED,
    Clause,
    Columns,
    Keys,
    Reference,
    StatementShape,
    Word,
    references,
    words,
)
from memory.store.sealed import HASHED, TABLES, LookedUp

MARK, BETWEEN = "\x02", "\x1f"
"""The prefix of a value with its place, and the separator of its parts: column, domain, row, value."""
_LITERALS = ("''", "NULL")
Part = str | int
"""A parameter by its name, or a number."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A parameter `name` derived from the parameter `source`: sealed for a column, with domain and row taken from others, or hashed."""

    name: str
    source: str
    table: str
    column: str
    is_hash: bool = False
    domain: Part = 0
    row: Sequence[Part] = ()


@dataclass(frozen=True, slots=True)
class StatementPlan:
    """The rewritten statement, the derived parameters, and the result columns that may be sealed."""

    sql: str
    recipes: Sequence[Recipe] = ()
    opens: frozenset[int] = frozenset()


def plan(sql: str, columns: Columns) -> StatementPlan:
    """Return the plan of a statement. Raises AssertionError if it would need the plain text of a sealed column."""
    found = words(sql)
    if not any(word.text in TABLES for word in found):
        return StatementPlan(sql)
    return _Rewriting(sql, found, columns, StatementShape(found)).plan()


@dataclass(slots=True)
class _Rewriting:
    sql: str
    words: Sequence[Word]
    columns: Columns
    shape: StatementShape
    texts: dict[int, str] = field(default_factory=dict)
    recipes: dict[str, Recipe] = field(default_factory=dict)
    opens: set[int] = field(default_factory=set)
    inserted: Sequence[Keys] = ()
    copied: set[int] = field(default_factory=set)

    def plan(self) -> StatementPlan:
        self.inserted = self.shape.inserted()
        written = {at for row in self.inserted for item in row.values() for at in item}
        self._insert()
        for one in references(self.words, self.columns):
            if one.table in TABLES and one.column in TABLES[one.table].columns:
                self._require(one, one.start not in written)
                self._rewrite(one)
        self._stars()
        self._ask_by_hash()
        text = " ".join(self.texts.get(at, word.text) for at, word in enumerate(self.words) if self.texts.get(at, word.text))
        # The row of a sealed value may contain a hash.
        ordered = sorted(self.recipes.values(), key=lambda one: not one.is_hash)
        return StatementPlan(text, tuple(ordered), frozenset(self.opens))

    def _require(self, one: Reference, fits: object) -> None:
        assert fits, f"{one.table}.{one.column} is sealed: {self.sql}"

    def _insert(self) -> None:
        """Seal inserted values, and add the hashes of columns that are looked up."""
        target = next((word.query.target for word in self.words if word.query.target), "")
        if target not in TABLES or not self.inserted:
            return
        into = next(at for at, word in enumerate(self.words) if word.clause is Clause.INTO and word.depth == 1)
        hashed = [column for column in self.inserted[0] if column in TABLES[target].looked_up]
        self.texts[into] = "".join(f"{column}{HASHED}, " for column in hashed) + self.words[into].text
        for row in self.inserted:
            first = next(iter(row.values()))[0]
            hashes = [self._hash_inserted(target, column, row[column]) for column in hashed]
            for column in (column for column in row if column in TABLES[target].columns):
                (at,) = row[column]
                value = self.words[at]
                assert value.is_parameter or value.text in _LITERALS, f"{target}.{column} is sealed: {self.sql}"
                if value.is_parameter:
                    self.texts[at] = self._sealed(value.text[1:], target, column, row)
            self.texts[first] = "".join(f"{one}, " for one in hashes) + self.texts.get(first, self.words[first].text)

    def _hash_inserted(self, table: str, column: str, item: Sequence[int]) -> str:
        (at,) = item
        value = self.words[at]
        return self._hashed(value.text[1:], table, column) if value.is_parameter else value.text

    def _rewrite(self, one: Reference) -> None:
        word = self.words[one.start]
        if word.clause is Clause.INTO:
            return
        looked_up = TABLES[one.table].looked_up.get(one.column)
        if word.clause is Clause.CONFLICT:
            self._require(one, looked_up)
            self.texts[one.start] = f"{one.column}{HASHED}"
        elif word.clause is Clause.SET and word.depth == 0 and self.shape.text(one.start - 1) in ("SET", ","):
            self._set(one, looked_up)
        elif one.start not in self.copied and self._is_compared(one):
            self._compare(one, looked_up)
        elif word.clause is not Clause.SET:
            # Copied within its row as it is: `_set` has checked the target.
            self._value(one, word, looked_up)

    def _is_compared(self, one: Reference) -> bool:
        return self.shape.text(one.end) in COMPARED or self.shape.text(one.start - 1) in COMPARED

    def _value(self, one: Reference, word: Word, looked_up: LookedUp | None) -> None:
        """Prefix a returned column with its place; elsewhere use its hash."""
        is_result = (
            word.query.is_outer
            and word.clause in (Clause.SELECT, Clause.RETURNING)
            and not (word.clause is Clause.SELECT and word.query.target)
        )
        if is_result:
            self._require(one, word.depth == 0)
            before, after = self.shape.text(one.start - 1), self.shape.text(one.end)
            is_whole = before in ("SELECT", "DISTINCT", ",", "RETURNING") and after in (",", "FROM", "")
            self._replace(one, _wrapped(one) + (f" AS {one.column}" if is_whole else ""))
            self.opens.add(self._position(word))
            return
        in_function = word.depth > 0 and self.shape.text(one.start - 1) == "(" and self.words[one.start - 2].is_name
        self._require(one, not (word.query.is_source and word.clause is Clause.SELECT))
        self._require(one, looked_up and (not in_function or (looked_up.begins and self.shape.text(one.start - 2) == "substr")))
        self._replace(one, self._hash_of(one))

    def _compare(self, one: Reference, looked_up: LookedUp | None) -> None:
        after, before = self.shape.text(one.end), self.shape.text(one.start - 1)
        operands = self.shape.operands(one.end) if after in COMPARED else [one.start - 2] if before in COMPARED else []
        if looked_up is None:
            self._require(one, after == "IS" or (operands and all(self.words[at].text == "''" for at in operands)))
            return
        self._require(one, looked_up.begins or after != "LIKE")
        for at in operands:
            word = self.words[at]
            if word.is_parameter:
                self.texts[at] = self._hashed(word.text[1:], one.table, one.column)
            elif word.text[0] == "'":
                literal = word.text[1:-1]
                in_order = looked_up.begins and after[:1] in "<>" and after != "<>"
                self._require(one, looked_up.plain(literal) == len(literal) or in_order)
        self._replace(one, self._hash_of(one))

    def _set(self, one: Reference, looked_up: LookedUp | None) -> None:
        """Seal the value that a column is set to; a value copied within the row stays as it is."""
        first = one.end + 1
        last = self.shape.behind_set(first)
        value, ends = self.words[first], last - 1
        self.copied.add(first if last - first in (1, 3) else -1)
        hashed = ""
        if value.is_parameter and last == first + 1:
            keys = self.inserted[0] if self.inserted else self.shape.equal(value.query)
            self.texts[first] = self._sealed(value.text[1:], one.table, one.column, keys)
            hashed = self._hashed(value.text[1:], one.table, one.column) if looked_up else ""
        elif value.text in _LITERALS:
            hashed = value.text
        elif looked_up and last - first == 3:
            # From the same column: copy the hash, too.
            self._require(one, self.words[ends].text == one.column)
            hashed = f"{value.text}.{one.column}{HASHED}"
        elif looked_up:
            self._require(one, last == first + 1 and value.text in TABLES[one.table].row)
            hashed = value.text
        else:
            taken = self.words[first:last]
            of_row = taken[0].text == "CASE" and taken[-2].text in (one.column, "''")
            self._require(one, taken[-1].text == one.column or of_row)
        if looked_up:
            self.texts[ends] = f"{self.texts.get(ends, self.words[ends].text)}, {one.column}{HASHED} = {hashed}"

    def _sealed(self, source: str, table: str, column: str, keys: Keys) -> str:
        """Add a sealed parameter for the row identified by these keys; return it."""
        name = f"{source}__{table}_{column}"
        sealed = TABLES[table]
        row = () if column in sealed.loose else tuple(self._part(table, one, keys) for one in sealed.row)
        domain = self._part(table, sealed.domain, keys) if sealed.domain else 0
        self.recipes[name] = Recipe(name, source, table, column, domain=domain, row=row)
        return f":{name}"

    def _part(self, table: str, column: str, keys: Keys) -> Part:
        plain = column.removesuffix(HASHED)
        at = next(iter(keys.get(plain, ())), -1)
        word = self.words[at].text
        assert at >= 0 and len(keys[plain]) == 1 and (word[0] == ":" or word.isdecimal()), (
            f"{table}.{column} is not told: {self.sql}"
        )
        if word.isdecimal():
            return int(word)
        return self._hashed(word[1:], table, plain)[1:] if plain != column else word[1:]

    def _hashed(self, source: str, table: str, column: str) -> str:
        name = f"{source}__{table}_{column}{HASHED}"
        self.recipes[name] = Recipe(name, source, table, column, is_hash=True)
        return f":{name}"

    def _hash_of(self, one: Reference) -> str:
        return f"{one.column}{HASHED}" if one.end == one.start + 1 else f"{one.alias}.{one.column}{HASHED}"

    def _replace(self, one: Reference, text: str) -> None:
        for at in range(one.start, one.end):
            self.texts[at] = ""
        self.texts[one.start] = text

    def _ask_by_hash(self) -> None:
        """In a test whether a lookup parameter was given, use its hash, so that no plain text is sent."""
        for at, word in enumerate(self.words):
            hashes = [one for one in self.recipes.values() if one.is_hash and word.text == f":{one.source}"]
            if hashes and self.shape.text(at - 2) == "CAST" and self.shape.text(at + 5) == "''":
                self.texts[at] = f":{hashes[0].name}"

    def _stars(self) -> None:
        """Expand `*` for tables with sealed columns, leaving out the hashes."""
        for at, word in enumerate(self.words):
            if not self.shape.is_star(at):
                continue
            named = self.shape.text(at - 1) == "."
            alias, table = self.shape.starred(at)
            if table not in TABLES:
                continue
            assert word.query.is_outer and (named or len(word.query.sources) == 1), f"{table} has sealed columns: {self.sql}"
            first = self._position(word)
            parts = []
            for n, column in enumerate(self._shown(table)):
                is_sealed = column in TABLES[table].columns
                parts.append(
                    f"{_wrapped(Reference(0, 0, alias, table, column))} AS {column}" if is_sealed else f"{alias}.{column}"
                )
                if is_sealed:
                    self.opens.add(first + n)
            self.texts[at] = ", ".join(parts)
            if named:
                self.texts[at - 1] = self.texts[at - 2] = ""

    def _shown(self, table: str) -> list[str]:
        return [column for column in self.columns[table] if column.removesuffix(HASHED) not in TABLES[table].looked_up or
                not column.endswith(HASHED)]  # fmt: skip

    def _position(self, word: Word) -> int:
        """Return the index of the result column that a word belongs to."""
        position = 0
        for at, other in enumerate(self.words):
            if other is word:
                break
            if other.query is not word.query or other.clause is not word.clause or other.depth:
                continue
            if other.text == ",":
                position += 1
            elif self.shape.is_star(at):
                position += len(self._shown_of(at)) - 1
        return position

    def _shown_of(self, at: int) -> Sequence[str]:
        _, table = self.shape.starred(at)
        assert table in self.columns, f"what is returned is not known: {self.sql}"
        return self._shown(table) if table in TABLES else self.columns[table]


def _wrapped(one: Reference) -> str:
    """Return the expression for a sealed column prefixed with its place."""
    sealed = TABLES[one.table]
    row = () if one.column in sealed.loose else sealed.row
    domain = f"{one.alias}.{sealed.domain}" if sealed.domain else "'0'"
    parts = [f"'{MARK}{one.table}.{one.column}{BETWEEN}'", domain, f"'{BETWEEN}'"]
    for n, column in enumerate(row):
        parts += [*(["'/'"] if n else []), f"{one.alias}.{column}"]
    place = " || ".join([*parts, f"'{BETWEEN}'"])
    value = f"{one.alias}.{one.column}"
    if one.column in (*sealed.binary, *sealed.numbers):
        return f"(convert_to({place}, 'UTF8') || {value})"
    return f"({place} || {value})"
