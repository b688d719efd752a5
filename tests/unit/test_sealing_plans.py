"""What a statement becomes where columns are sealed, and which ask of them what nobody can say."""

import re

import pytest

from memory.store.postgresql.sealing.plans import StatementPlan, plan
from memory.store.schema import migrations
from memory.store.sealed import HASHED, TABLES
from memory.store.sqlite.database import SqliteDatabase
from tests.kits.fresh import columns
from tests.kits.tabled import tabled

COLUMNS = {
    "exchanges": ["item", "domain", "speaker", "text", "source_id", "kind", "speaker_h", "source_id_h"],
    "statements": ["item", "domain", "tier", "period", "text", "period_h"],
    "sessions": ["id", "public_id", "domain", "name", "name_h"],
    "settings": ["scope", "key", "value"],
    "outbox": ["id", "domain", "key", "text", "actions", "state"],
    "domains": ["id", "kind"],
}


def planned(sql: str) -> StatementPlan:
    """Return what becomes of a statement."""
    return plan(sql, COLUMNS)


def shown(sql: str) -> str:
    """Return the text that it becomes, readable, with what comes back with its place in brackets."""
    text = re.sub(r"\('\x02(\S+?)\x1f'.*? \|\| '\x1f' \|\| (\S+?)\)", r"[\2]", planned(sql).sql)
    return re.sub(r" ?([.(),]) ?", r"\1", text).replace(",", ", ")


@pytest.mark.parametrize(
    ("sql", "becomes", "opens"),
    [
        ("SELECT text FROM exchanges WHERE item = :i", "SELECT [exchanges.text] AS text FROM exchanges WHERE item = :i", {0}),
        ("SELECT d.id, e.text AS said FROM domains d JOIN exchanges e ON e.domain = d.id",
         "SELECT d.id, [e.text] AS said FROM domains d JOIN exchanges e ON e.domain = d.id", {1}),
        ("SELECT * FROM settings", "SELECT settings.scope, settings.key, [settings.value] AS value FROM settings", {2}),
        ("SELECT d.*, o.text FROM domains d JOIN outbox o ON o.domain = d.id",
         "SELECT d.*, [o.text] AS text FROM domains d JOIN outbox o ON o.domain = d.id", {2}),
        ("SELECT item FROM exchanges WHERE speaker IN (:a, :b) AND kind = 'said'",
         "SELECT item FROM exchanges WHERE speaker_h IN(:a__exchanges_speaker_h, :b__exchanges_speaker_h)AND kind = 'said'", set()),
        ("SELECT name FROM sessions WHERE name <> public_id", "SELECT [sessions.name] AS name FROM sessions WHERE name_h <> public_id", {0}),
        ("UPDATE sessions SET name = public_id WHERE id = :i", "UPDATE sessions SET name = public_id, name_h = public_id WHERE id = :i", set()),
        ("SELECT item FROM statements WHERE period LIKE :p", "SELECT item FROM statements WHERE period_h LIKE :p__statements_period_h", set()),
        ("SELECT id FROM outbox WHERE text <> ''", "SELECT id FROM outbox WHERE text <> ''", set()),
        ("SELECT 1 AS left FROM domains", "SELECT 1 AS left FROM domains", set()),
        ("DELETE FROM settings WHERE key = :k RETURNING value", "DELETE FROM settings WHERE key = :k RETURNING [settings.value] AS value", {0}),
    ],
)  # fmt: skip
def test_what_a_statement_becomes(sql: str, becomes: str, opens: set[int]) -> None:
    assert shown(sql) == becomes and planned(sql).opens == opens


def test_what_is_written_is_sealed_for_its_domain_and_row() -> None:
    found = planned("INSERT INTO exchanges (item, domain, speaker, text) VALUES (:i, :d, :who, :said)")
    told = {(one.column, one.is_hash): (one.source, one.domain, tuple(one.row)) for one in found.recipes}
    assert told == {
        ("speaker", True): ("who", 0, ()),
        ("speaker", False): ("who", "d", ("i",)),
        ("text", False): ("said", "d", ("i",)),
    }
    (recipe,) = planned("UPDATE exchanges SET text = :said WHERE domain = :d AND item = :i").recipes
    assert (recipe.source, recipe.domain, tuple(recipe.row)) == ("said", "d", ("i",))


def test_rows_inserted_together_are_sealed_each_for_itself() -> None:
    found = planned("INSERT INTO settings (scope, key, value) VALUES (:s, :k0, :v0), (:s, :k1, :v1)")
    assert [(one.source, tuple(one.row)) for one in found.recipes] == [("v0", ("s", "k0")), ("v1", ("s", "k1"))]


@pytest.mark.parametrize("sql", tabled("sealing", "refused"))
def test_what_only_the_words_could_tell_is_refused(sql: str) -> None:
    with pytest.raises(AssertionError, match="is sealed|is not told|has sealed columns"):
        planned(sql)


READABLE = {
    # Ids that platforms give, and keyed hashes.
    "active_sessions.place", "active_sessions.platform", "asides.place", "asides.platform", "asides.source_id", "cursors.platform",
    "cursors.stream", "cursors.value", "domains.native_id", "domains.platform", "doubts.platform", "doubts.prefix", "exchanges.origin",
    "feedback.source_id", "identities.native_id", "identities.platform", "inbox.event_id", "inbox.place", "inbox.platform",
    "items.public_id", "link_codes.code", "link_codes.native_id", "link_codes.other_id", "link_codes.other_place",
    "link_codes.other_platform", "link_codes.place", "link_codes.platform", "link_codes.consents", "link_tries.account",
    "outbox.also", "outbox.answers", "outbox.key", "outbox.place", "outbox.platform", "outbox.remote_id", "outbox.target",
    "confidences.excepted", "reflections.place", "reflections.platform", "sessions.place", "sessions.platform",
    "sessions.public_id", "shown_names.likeness", "tombstones.public_id", "unwanted.mark", "vanished.platform", "vanished.prefix",
    "verified.place", "verified.platform",
    # Numbers of items, and how often something is in them.
    "derivations.inputs", "gone.items", "refusals.inputs", "refusals.slot", "seen.asides", "seen.items", "terms.counts",
    # Times.
    "derivations.period", "domains.time_zone", "dreams.slot", "episodes.month", "terms.tells", "statements.holds_to",
    # Which of a few it is, and the names of models, purposes and settings.
    "activity.kind", "changes.op", "claims.holder", "claims.name", "claims.slot", "counters.name", "derivations.tier", "digests.tier",
    "digests.writer", "domains.kind", "dreams.kind", "dreams.outcome", "episodes.closed_by", "exchanges.kind", "exchanges.role",
    "feedback.given_by", "inbox.state", "install.key", "items.kind", "mentions.kind", "outbox.form", "outbox.operation",
    "outbox.state", "reflections.state", "refusals.tier", "refusals.writer", "settings.key", "settings.scope", "spaces.embedder",
    "spaces.name", "statements.kind", "statements.tier", "statements.writer", "terms.language", "usage.backend", "usage.purpose",
    # Of the store itself.
    "migrations.digest", "migrations.name",
}  # fmt: skip


@pytest.mark.file
async def test_a_column_that_can_hold_words_is_sealed_or_said_to_be_readable(tmp_path: object) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", None) as db:  # type: ignore[operator]
        rows = await db.all(
            "SELECT m.name || '.' || c.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
            "WHERE m.type = 'table' AND c.type IN ('TEXT', 'BLOB')"
        )
        there = {row["name"] for row in rows}
        known = set(await columns(db))
    sealed = {f"{table}.{column}" for table, told in TABLES.items() for column in told.columns}
    assert there - sealed == READABLE
    told = {(table, column.removesuffix(HASHED)) for table, one in TABLES.items() for column in (*one.columns, *one.row)}
    assert told <= known


def test_no_step_of_the_schema_measures_or_dissects_what_a_server_holds_sealed() -> None:
    names = "|".join({column for told in TABLES.values() for column in told.columns})
    asks = re.compile(rf"\b(?:length|substr|lower|upper|instr)\((?:\w+\.)?(?:{names})\b")
    assert [step.name for step in migrations() if asks.search(step.text)] == []
