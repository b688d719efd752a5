"""What a database holds tells no words to who has it without the key, and opens only where it was written."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from memory.core import Memory, Ports
from memory.errors import DatabaseBusy, WrongKey
from memory.store.bounds import Bounds
from memory.store.database import Parameters
from memory.store.postgresql.connecting import connect
from memory.store.postgresql.copying import copy, tables
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.dialect import numbered, translated
from memory.store.postgresql.migrating import _LEDGER, make_sequences
from memory.store.postgresql.sealing import envelope, sealer
from memory.store.postgresql.sealing.rewrapping import rewrap
from memory.store.postgresql.transaction import PostgresTransaction
from memory.store.schema import migrations
from memory.store.sqlite.database import SqliteDatabase
from memory.tiers.messages.storing import reword
from tests.kits.fresh import server
from tests.kits.memory_kit import KEY, BagOfWords, Clock, Corner, Ids, corner
from tests.kits.postgres import KEEPER, ROLE, unguarded
from tests.kits.sealed_kit import CANARY, found, live, unsealed

pytest_plugins = ["tests.kits.postgres_fixtures"]

OTHER_KEY = bytes(reversed(KEY))
EVERYWHERE = {
    "digests.text", "entities.name", "entities.name_key", "exchanges.speaker", "exchanges.text", "identities.name", "inbox.payload",
    "outbox.actions", "outbox.text", "sessions.name", "settings.value", "statements.text", "terms.speaker",
}  # fmt: skip


@asynccontextmanager
async def at_home(address: DatabaseAddress, folder: Path, key: bytes = KEY) -> AsyncIterator[Corner]:
    """Open a memory on a server, for the block, with somebody's own corner of it."""
    clock = Clock()
    path = folder / "lyra.db"
    async with await Memory.open(path, key, Ports(clock, Ids(), BagOfWords()), address=address) as memory:
        yield await corner(memory, clock, "ada")


def asked(address: DatabaseAddress, statement: str) -> list[tuple[Any, ...]]:
    """Have whoever owns the server ask it something."""
    with psycopg.connect(unguarded(address), options="-c search_path=lyra", autocommit=True) as other:
        done = other.execute(statement.encode())
        return done.fetchall() if done.description else []


async def test_no_column_of_any_table_tells_a_word_and_all_of_it_reads_as_it_was(
    address: DatabaseAddress, tmp_path: Path
) -> None:
    async with at_home(address, tmp_path) as here:
        await live(here)
        assert found(address) == []
        assert len([one for one in await here.found(CANARY) if CANARY in one]) > 8
        await here.memory.db.verify()


@pytest.mark.torture
async def test_without_sealing_the_look_finds_it_everywhere(
    address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with unsealed(monkeypatch):
        async with at_home(address, tmp_path) as here:
            await live(here)
    assert set(found(address)) >= EVERYWHERE


async def test_no_word_is_sent_to_the_server(address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    values = sealer.Sealer.values

    def heard(self: sealer.Sealer, prepared: sealer.Prepared, given: Parameters) -> list[object]:
        sent.extend(found := values(self, prepared, given))
        return found

    monkeypatch.setattr(sealer.Sealer, "values", heard)
    async with at_home(address, tmp_path) as here:
        await live(here)
        assert await here.view.pages.about(CANARY, CANARY)
        await here.view.recall.messages(f"what does {CANARY} keep?", 5)
    told = [one for one in sent if CANARY.lower() in (one.decode("latin-1") if isinstance(one, bytes) else str(one)).lower()]
    assert len(sent) > 1000 and told == []


async def test_who_knows_words_finds_none_of_them_by_their_hashes(address: DatabaseAddress, tmp_path: Path) -> None:
    async with at_home(address, tmp_path) as here:
        await here.say("honey bees")
        rows = await here.memory.db.all("SELECT hashes, fingerprint FROM terms WHERE domain = :d", {"d": here.domain.key})
    told = {row["hashes"][at : at + 8] for row in rows for at in range(0, len(row["hashes"]), 8)}
    assert told, "the words have terms"
    stored = b"".join(bytes(one) for row in asked(address, "SELECT hashes, fingerprint FROM terms") for one in row)
    assert not any(term in stored for term in told)


async def test_another_key_is_refused(address: DatabaseAddress, tmp_path: Path) -> None:
    async with at_home(address, tmp_path) as here:
        await here.say("honey bees")
    with pytest.raises(WrongKey, match="does not fit this database"):
        await PostgresDatabase.open(address, OTHER_KEY)


SWAPS = {
    "row to row": "UPDATE exchanges SET text = (SELECT o.text FROM exchanges o WHERE o.item <> exchanges.item AND o.domain = 1 LIMIT 1)",
    "column to column": "UPDATE exchanges SET text = speaker",
    "table to table": "UPDATE exchanges SET text = (SELECT payload FROM inbox LIMIT 1)",
    "domain to domain": "UPDATE exchanges SET domain = 3 - domain",
    "in words": "UPDATE exchanges SET text = 'made up'",
    "cut short": "UPDATE exchanges SET text = substr(text, 1, 20)",
    "no longer base64": "UPDATE exchanges SET text = '=!' || text",
    "a bit of it": "UPDATE exchanges SET text = overlay(text placing CASE substr(text, 60, 1) WHEN 'A' THEN 'B' ELSE 'A' END from 60)",
}


async def swapped(address: DatabaseAddress, folder: Path, how: str) -> list[str]:
    """Keep a few messages in two domains, have somebody else change the rows, and return what reads."""
    async with at_home(address, folder) as here:
        other = await corner(here.memory, here.clock, "bob", place="elsewhere")
        await here.memory.journal.accept("console", [])
        for one in (here, other):
            await one.say("the first words of a message that is long enough")
            await one.say("the second words of a message that is long enough")
        await here.memory.settings.set("somewhere", "language", "de")
        asked(
            address,
            "INSERT INTO inbox (platform, place, event_id, payload, received_at) SELECT 'a', 'b', 'c', value, 0 FROM settings LIMIT 1",
        )
        asked(address, how)
        rows = await here.memory.db.all("SELECT text FROM exchanges ORDER BY item")
        return [row["text"] for row in rows]


@pytest.mark.each
@pytest.mark.parametrize("how", SWAPS.values(), ids=SWAPS)
async def test_what_stands_where_it_was_not_written_is_refused(address: DatabaseAddress, tmp_path: Path, how: str) -> None:
    with pytest.raises(WrongKey, match="was not written there"):
        await swapped(address, tmp_path, how)


async def test_without_its_place_a_value_reads_in_another_row(
    address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound, opened = envelope.seal, envelope._decrypted
    monkeypatch.setattr(sealer, "seal", lambda key, _where, value: bound(key, "\x02exchanges.text\x1f", value))
    monkeypatch.setattr(envelope, "_decrypted", lambda keys, _where, kept: opened(keys, "\x02exchanges.text\x1f", kept))
    assert len(set(await swapped(address, tmp_path, SWAPS["row to row"]))) < 4


async def before(address: DatabaseAddress) -> None:
    """Have a database hold what an earlier version wrote, in words."""
    async with await connect(address) as connection:
        await connection.execute(f"SET ROLE {KEEPER}; DROP SCHEMA lyra CASCADE; CREATE SCHEMA lyra; {_LEDGER}")
        for step in migrations():
            await connection.execute(";\n".join(map(translated, step.statements())))
            await connection.execute(
                "INSERT INTO migrations (version, name, digest) VALUES ($1, $2, $3)", [step.version, step.name, step.digest]
            )
        await make_sequences(connection)
        await connection.execute(f"GRANT USAGE ON SCHEMA lyra TO {ROLE}; GRANT SELECT ON ALL TABLES IN SCHEMA lyra TO {ROLE}")


async def test_what_an_earlier_version_wrote_is_sealed_when_it_is_opened(
    address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_home(address, tmp_path) as here:
        await live(here)
        await here.memory.backup(tmp_path / "backup")
    await before(address)
    with monkeypatch.context() as patch, unsealed(patch):
        # A copy of the same life, in words, in the tables as they were.
        await _fill_in_words(address, tmp_path / "backup")
    assert set(found(address)) >= EVERYWHERE - {"inbox.payload"}
    async with await PostgresDatabase.open(address, KEY) as db:
        assert found(address) == []
        assert await db.one("SELECT 1 AS yes FROM exchanges WHERE speaker = :name", {"name": "Ada"})
        await db.verify()
    server().ask("CHECKPOINT")
    # The data of the tables, not the log of what was written once.
    number = asked(address, "SELECT oid FROM pg_database WHERE datname = current_database()")[0][0]
    files = [*(server().folder / "data" / "base" / str(number)).iterdir()]
    assert files and [file.name for file in files if CANARY.encode() in file.read_bytes()] == []


async def _fill_in_words(address: DatabaseAddress, file: Path) -> None:
    async with await SqliteDatabase.open(file, KEY) as source, await connect(address) as connection:
        await connection.execute(f"SET ROLE {KEEPER}")

        async def write(insert: str, page: list[dict[str, object]]) -> None:
            sql, names = numbered(insert)
            await connection.cursor().executemany(sql, [[row[name] for name in names] for row in page])

        await copy(source, await tables(source), write, lambda *_: None)  # type: ignore[arg-type]


async def test_a_domain_that_is_forgotten_whole_has_another_key_and_what_was_said_since_reads(
    address: DatabaseAddress, tmp_path: Path
) -> None:
    async with at_home(address, tmp_path) as here:
        await live(here)
    which = f"SELECT number FROM data_keys WHERE domain = {here.domain.key}"
    was = asked(address, which)
    copy = server().make(f"older{os.getpid()}", like=address.url.split("/")[3].split("?")[0])
    async with at_home(address, tmp_path) as here:
        await here.view.forget_all()
        assert asked(address, which) != was
        await here.say("something new", source="new")
        assert await here.found("something new") == ["something new"]
        await here.memory.db.verify()
    try:
        # An older copy in its place has the old key again, until it is opened beside the log of what was forgotten.
        assert asked(copy, which) == was
        async with at_home(copy, tmp_path) as back:
            assert asked(copy, which) != was
            assert await back.found(CANARY) == []
            await back.memory.db.verify()
    finally:
        server().drop(f"older{os.getpid()}")


async def _destroy_key(address: DatabaseAddress, domain: int) -> None:
    """Give a domain another key, as another process does."""
    async with await PostgresDatabase.open(address, KEY) as other, other.transaction() as tx:
        await tx.renew_key(domain)


async def _seal_before_it_begins(here: Corner, item: int, text: str) -> None:
    async with here.memory.db.transaction(bounds=Bounds.of(here.domain.key)) as tx:
        await reword(tx, here.domain, item, text, 0)


async def test_a_key_that_is_destroyed_meanwhile_seals_nothing_any_more(address: DatabaseAddress, tmp_path: Path) -> None:
    async with at_home(address, tmp_path) as here:
        asked = await here.say("one")
        await _destroy_key(address, here.domain.key)
        await here.say("two", source="two")
        await _destroy_key(address, here.domain.key)
        with pytest.raises(DatabaseBusy):
            await _seal_before_it_begins(here, asked.key, "three")
        await here.memory.db.verify()
        await _seal_before_it_begins(here, asked.key, "three")
        await here.memory.db.verify()


async def test_without_the_guard_what_it_seals_opens_nowhere(
    address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PostgresTransaction, "_require_held", lambda *_: None)
    async with at_home(address, tmp_path) as here:
        asked = await here.say("one")
        await _destroy_key(address, here.domain.key)
        await _seal_before_it_begins(here, asked.key, "three")
    async with await PostgresDatabase.open(address, KEY) as db:
        with pytest.raises(WrongKey):
            await db.verify()


async def test_a_new_master_key_opens_what_the_old_one_sealed_and_the_old_one_opens_nothing(
    address: DatabaseAddress, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text(KEY.hex())
    async with at_home(address, tmp_path) as here:
        await here.say("honey bees")
    done = await rewrap(address, tmp_path / "key")
    new = bytes.fromhex((tmp_path / "key").read_text())
    assert done.messages == 1 and done.old.read_text().strip() == KEY.hex() and new != KEY
    with pytest.raises(WrongKey):
        await PostgresDatabase.open(address, KEY)
    async with at_home(address, tmp_path, new) as here:
        assert await here.found("honey") == ["honey bees"]


@pytest.mark.parametrize("key", [KEY, OTHER_KEY], ids=["before the file was changed", "after it"])
async def test_a_change_of_the_key_that_is_cut_off_opens_with_the_key_that_is_there(
    address: DatabaseAddress, tmp_path: Path, key: bytes
) -> None:
    async with at_home(address, tmp_path) as here:
        await here.say("honey bees")
        assert isinstance(here.memory.db, PostgresDatabase)
        await here.memory.db.wrap_next(OTHER_KEY)
    async with at_home(address, tmp_path, key) as here:
        assert await here.found("honey") == ["honey bees"]
    with pytest.raises(WrongKey):
        await PostgresDatabase.open(address, OTHER_KEY if key == KEY else KEY)
