"""The format of a sealed value: the number of its key, a nonce, and its AES-256-GCM ciphertext, authenticated for its place."""

import os
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterable, Sequence

from cryptography.exceptions import InvalidTag

from memory.errors import WrongKey
from memory.store.postgresql.sealing.keyring import DataKey, Keyring
from memory.store.postgresql.sealing.plans import BETWEEN, MARK
from memory.store.sealed import TABLES

_SEALED = "="
"""The prefix of a sealed text; a plain text with this prefix is sealed, too."""
_NUMBER, _NONCE, _LONG = 6, 12, 8
_END = BETWEEN.encode()


def place(table: str, column: str, domain: object, row: Iterable[object]) -> str:
    """Return the place of a value: its associated data, and the prefix under which the server returns it."""
    return f"{MARK}{table}.{column}{BETWEEN}{domain}{BETWEEN}{'/'.join(map(str, row))}"


def seal(key: DataKey, where: str, value: object) -> object:
    """Return a text, bytes or a number sealed for its place; None, '' and texts without words stay as they are."""
    if value is None or value == "" or (isinstance(value, str) and _is_plain(where, value)):
        return value
    nonce = os.urandom(_NONCE)
    head = key.number.to_bytes(_NUMBER) + nonce
    if isinstance(value, str):
        plain = value.replace("\x00", "\ufffd").encode("utf-8", "replace")
        return _SEALED + b64encode(head + key.cipher.encrypt(nonce, plain, where.encode())).decode()
    plain = value.to_bytes(_LONG, signed=True) if isinstance(value, int) else value  # type: ignore[assignment]
    return head + key.cipher.encrypt(nonce, plain, where.encode())


def hashed(keys: Keyring, table: str, column: str, value: object) -> object:
    """Return the lookup value: the part of the value that may be plain, followed by its keyed hash."""
    if not isinstance(value, str) or not value:
        return value
    kept = 0 if value.startswith(_SEALED) else TABLES[table].looked_up[column].plain(value)
    return value if kept == len(value) else value[:kept] + keys.hashed(f"{table}.{column}", value)


def opened(keys: Keyring, value: object) -> object:
    """Decrypt a value that is prefixed with its place. Raises WrongKey if it was sealed for another place, or its key is gone."""
    if isinstance(value, str):
        where, _, kept = value.rpartition(BETWEEN)
        if not kept.startswith(_SEALED):
            plain_text = value.split(BETWEEN, 3)[-1]
            if plain_text and not _is_plain(where, plain_text):
                raise _refused(where)
            return plain_text
        try:
            return _decrypted(keys, where, b64decode(kept[1:], validate=True)).decode()
        except Error as error:
            raise _refused(where) from error
    assert isinstance(value, bytes)
    *parts, kept_bytes = value.split(_END, 3)
    where = BETWEEN.join(part.decode() for part in parts)
    plain = _decrypted(keys, where, kept_bytes)
    return int.from_bytes(plain, signed=True) if _column(where)[1] in TABLES[_column(where)[0]].numbers else plain


def unknown(keys: Keyring, rows: Iterable[Sequence[object]], sealed: Iterable[int]) -> set[int]:
    """Return the numbers of keys that are needed for these columns of some rows and not loaded."""
    found: set[str | bytes] = set()
    for values in rows:
        for at in sealed:
            value = values[at]
            if isinstance(value, str):
                kept = value[value.rfind(BETWEEN) + 1 :][:9]
                if kept.startswith(_SEALED):
                    found.add(kept)
            elif isinstance(value, bytes):
                found.add(value.split(_END, 3)[-1][:_NUMBER])
    numbers = {int.from_bytes(one if isinstance(one, bytes) else _head(one)) for one in found}
    return {number for number in numbers if keys.by_number(number) is None}


def is_sealed(value: object) -> bool:
    """Return whether a value is prefixed with its place."""
    return (isinstance(value, str) and value.startswith(MARK)) or (isinstance(value, bytes) and value.startswith(MARK.encode()))


def _head(text: str) -> bytes:
    try:
        return b64decode(text[1:])
    except Error:
        return b""


def _decrypted(keys: Keyring, where: str, kept: bytes) -> bytes:
    key = keys.by_number(int.from_bytes(kept[:_NUMBER]))
    nonce = kept[_NUMBER : _NUMBER + _NONCE]
    try:
        if key is None or len(nonce) < _NONCE:
            raise _refused(where)
        return key.cipher.decrypt(nonce, kept[_NUMBER + _NONCE :], where.encode())
    except InvalidTag as error:
        raise _refused(where) from error


def _column(where: str) -> tuple[str, str]:
    table, _, column = where[len(MARK) : where.index(BETWEEN)].partition(".")
    return table, column


def _is_plain(where: str, value: str) -> bool:
    table, column = _column(where)
    looked_up = TABLES[table].looked_up.get(column)
    return looked_up is not None and not value.startswith(_SEALED) and looked_up.plain(value) == len(value)


def _refused(where: str) -> WrongKey:
    table, column = _column(where)
    return WrongKey(
        "What stands in {table}.{column} of the database was not written there, or was changed. "
        "Restore your newest backup with: lyra restore FILE",
        table=table,
        column=column,
    )
