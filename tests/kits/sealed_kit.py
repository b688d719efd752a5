"""What tests of sealed columns share: a life with a word in everything that is kept of it, and a look at all that a server holds."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from memory.journal.inbox import Event
from memory.journal.parts import Part
from memory.places import identities
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.sealing import converting, sealer
from memory.types import Identity, SessionRef
from tests.kits.dream_kit import Muse, days, forced
from tests.kits.ladder_kit import Teller
from tests.kits.memory_kit import Corner, said
from tests.kits.postgres import unguarded

CANARY = "Xylocanary"
"""A name, so that it comes up wherever names do."""


async def live(here: Corner) -> None:
    """Have a word in messages, names, digests, statements, the inbox, the outbox, a title and a preference."""
    memory = here.memory
    await here.say(f"my sister {CANARY} moved to {CANARY}ville, and {CANARY} keeps honey bees")
    await here.view.say(here.session, [said(f"I am called {CANARY}", "called so", here.clock.now(), CANARY)])
    await days(here, mark=CANARY)
    await forced(here, Teller(), Muse())
    await here.view.embed()
    await memory.read_names(here.domain)
    async with memory.db.transaction() as tx:
        await identities.upsert(tx, Identity("console", "somebody"), CANARY, here.clock.now())
    await here.view.sessions.get(SessionRef("console", f"another {here.domain.key}"), f"All about {CANARY}")
    await memory.journal.accept("console", [Event(f"event {here.domain.key}", "dm", f'{{"text": "{CANARY}"}}')])
    await here.reply("all right", [], parts=[Part(f"part {here.domain.key}", f"said {CANARY}", actions=f'["{CANARY}"]')])
    await memory.settings.set(f"person:{here.domain.key}", "language", CANARY)


def found(address: DatabaseAddress, word: str = CANARY) -> list[str]:
    """Return every column of every table in which a word stands: in its text, in its bytes, or in their base64."""
    asked = SQL(
        "SELECT EXISTS (SELECT 1 FROM (SELECT CAST(t.{0} AS TEXT) AS held FROM lyra.{1} t) AS one WHERE lower(held) LIKE {2} "
        "OR lower(held) LIKE {3})"
    )
    with psycopg.connect(unguarded(address)) as connection:
        columns = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'lyra' ORDER BY 1, 2"
        ).fetchall()
        return [
            f"{table}.{column}"
            for table, column in columns
            if connection.execute(
                asked.format(Identifier(column), Identifier(table), f"%{word.lower()}%", f"%{word.lower().encode().hex()}%")
            ).fetchone()
            == (True,)
        ]


@contextmanager
def unsealed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep everything as it is, for the block: what is sealed is what stands there."""
    with monkeypatch.context() as patch:
        for module in (sealer, converting):
            patch.setattr(
                module,
                "seal",
                lambda _key, _where, value: value if not isinstance(value, int) else value.to_bytes(8, signed=True),
            )
            patch.setattr(module, "hashed", lambda _keys, _table, _column, value: value)
        patch.setattr(sealer, "opened", _behind_its_place)
        patch.setattr(sealer, "unknown", lambda *_: set())
        yield


def _behind_its_place(_keys: object, value: object) -> object:
    if isinstance(value, str):
        return value.split("\x1f", 3)[-1]
    assert isinstance(value, bytes)
    *head, kept = value.split(b"\x1f", 3)
    return int.from_bytes(kept, signed=True) if head[0].endswith(b".fingerprint") else kept
