"""What the files of a home hold on the disk, page by page: deciphered, but read as bytes, so that nothing of it is left out."""

from collections.abc import Iterator
from pathlib import Path

from Crypto.Cipher import AES

_PAGE, _SALT, _IV, _TAIL = 4096, 16, 16, 80
_WAL_HEADER, _FRAME = 32, 24


def holding(folder: Path, key: bytes, word: str) -> list[str]:
    """Return the files of a home that hold a word, each as often as its pages do, also such pages as are not in use any more."""
    found = []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        pages = _pages(file, key) if "lyra.db" in file.name and not file.name.endswith("-shm") else iter([file.read_bytes()])
        found += [file.name for page in pages if word.encode() in page]
    return found


def _pages(file: Path, key: bytes) -> Iterator[bytes]:
    content = file.read_bytes()
    start, step, skip = (_WAL_HEADER, _FRAME + _PAGE, _FRAME) if file.name.endswith("-wal") else (0, _PAGE, 0)
    for at in range(start, len(content), step):
        page = content[at + skip : at + skip + _PAGE]
        if len(page) == _PAGE:
            yield _plain(page, key)
            yield _plain(page, key, first=True)


def _plain(page: bytes, key: bytes, *, first: bool = False) -> bytes:
    """Decipher a page as SQLCipher 4 writes it: the text, its start value, its authentication code; before the first, a salt."""
    iv = page[-_TAIL : -_TAIL + _IV]
    return AES.new(key, AES.MODE_CBC, iv).decrypt(page[_SALT if first else 0 : -_TAIL])
