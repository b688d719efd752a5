"""Random talk and random vectors in bulk, to measure how recall scales."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import numpy as np
from sqlcipher3 import dbapi2 as sqlcipher

from bot.app import RandomIds
from memory.core import Memory, Ports
from memory.ports import Vectors
from memory.text.time.times import SystemClock
from memory.types import DomainKind, DomainRef, Kind, NewExchange, SessionRef
from memory.view.view import View

DIMENSION = 384
KEY = b"k" * 32
_VOCABULARY = 30_000
_LENGTH = 14
_MINUTE = 60_000_000


class Talk:
    """Words whose frequencies fall as those of a language do without its stop words: 1 / (rank + 20), after Mandelbrot 1953."""

    def __init__(self, seed: int) -> None:
        # The words are always the same, so that questions hold some of what was said.
        letters = np.random.default_rng(0)
        self._words = ["".join(map(chr, 97 + letters.integers(0, 26, 6))) for _ in range(_VOCABULARY)]
        self._chance = np.random.default_rng(seed)
        frequency = 1 / (np.arange(_VOCABULARY) + 20.0)
        self._cumulated = np.cumsum(frequency / frequency.sum())

    def texts(self, n: int, length: int = _LENGTH) -> list[str]:
        """Return so many texts of so many words."""
        drawn = np.searchsorted(self._cumulated, self._chance.random((n, length))).clip(max=_VOCABULARY - 1)
        return [" ".join(self._words[word] for word in row) for row in drawn]

    def messages(self, n: int) -> list[str]:
        """Return so many texts, three of four in two sentences: two and a half vectors each, as among friends (LoCoMo)."""
        texts = self.texts(n)
        return [text if at % 4 == 3 else _halved(text) for at, text in enumerate(texts)]


def _halved(text: str) -> str:
    words = text.split()
    return f"{' '.join(words[: _LENGTH // 2])}. {' '.join(words[_LENGTH // 2 :])}."


class Directions:
    """An embedder that gives each text a random direction: what a vector costs does not depend on what it means."""

    name = "random"

    def __init__(self) -> None:
        self._chance = np.random.default_rng(0)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text."""
        rows = self._chance.standard_normal((len(texts), DIMENSION), np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


async def crowd(folder: Path, domains: int, turns: int, embedder: Directions | None) -> tuple[Memory, list[View]]:
    """Return a memory of so many domains with so many turns each, two speakers in sessions of 500."""
    clock = SystemClock()
    memory = await Memory.open(folder / "lyra.db", KEY, Ports(clock, RandomIds(), embedder))
    talk = Talk(turns)
    views = []
    for n in range(domains):
        ref = DomainRef(DomainKind.DM, "console", f"person {n}")
        view = memory.view(await memory.places.domain(ref, "UTC", clock.now()))
        views.append(view)
        for start in range(0, turns, 500):
            session = await view.sessions.get(SessionRef("console", f"s{n}-{start}"), f"s{start}")
            texts = talk.messages(min(500, turns - start))
            await view.say(session, [_said(text, start + at) for at, text in enumerate(texts)])
        await view.embed()
    return memory, views


def _said(text: str, at: int) -> NewExchange:
    return NewExchange(Kind.SAID, text, str(at), at * _MINUTE, "ada" if at % 2 else "bob")


def plain(folder: Path, turns: int, *, encrypted: bool) -> Callable[[], object]:
    """Return the plain way to find the nearest ten: load all blobs from SQLite, stack them, cosine, sort.

    At rest they are encrypted as hers are, or not.
    """
    chance = np.random.default_rng(1)
    rows = chance.standard_normal((turns, DIMENSION), np.float32)
    asked = rows[turns // 2]
    stored = encrypted_file(folder / "sealed.db") if encrypted else sqlite3.connect(folder / "plain.db")
    stored.execute("CREATE TABLE v (id INTEGER PRIMARY KEY, vector BLOB)")
    stored.executemany("INSERT INTO v (vector) VALUES (?)", ((row.tobytes(),) for row in rows))
    stored.commit()

    def find() -> object:
        matrix = np.stack([np.frombuffer(row[0], np.float32) for row in stored.execute("SELECT vector FROM v").fetchall()])
        cosine = matrix @ asked / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(asked))
        return np.argsort(-cosine)[:10]

    return find


def encrypted_file(path: Path) -> sqlite3.Connection:
    """Return a file that is encrypted as hers are, past everything that watches over those."""
    stored = sqlcipher.connect(str(path))
    stored.execute(f"PRAGMA key=\"x'{KEY.hex()}'\"")
    return cast(sqlite3.Connection, stored)
