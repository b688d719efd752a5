"""Names in another alphabet: "Ольга" is typed "Olga", "Natasha" is "Наташа". Cyrillic and Latin letters are read, in either direction."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, product

from memory.text.lexical import stem

_CYRILLIC = re.compile("[а-яё]")


def _table(letters: str) -> Mapping[str, Sequence[str]]:
    """Read a line of letters, each with its spellings: "-" is none."""
    return {one: [way.replace("-", "") for way in ways.split("|")] for one, ways in (pair.split(":") for pair in letters.split())}


_TO_LATIN = _table(
    "а:a б:b в:v г:g д:d е:e ё:e|yo ж:zh|j з:z и:i й:y|i|j к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh|h ц:ts|c ч:ch ш:sh щ:shch ъ:- ы:y ь:- э:e"
    " ю:yu|ju|iu я:ya|ja|ia кс:ks|x ий:y|iy|i|ij ей:ei|ey|ej ай:ai|ay дж:j|dzh ио:io|yo ия:ia|iya|ija ья:ya|ja|ia ье:ie|ye ьо:io|yo"
)
_TO_CYRILLIC = _table(
    "a:а b:б c:к|ц d:д e:е f:ф g:г h:х i:и j:й|дж k:к l:л|ль m:м n:н o:о p:п q:к r:р s:с t:т u:у v:в w:в x:кс y:и|ий|й z:з ck:к ch:ч|х sh:ш sch:ш shch:щ zh:ж"
    " kh:х ph:ф th:т ts:ц tz:ц ya:я ja:я ia:ия|иа yu:ю ju:ю ey:ей ei:ей iy:ий ye:е yo:ё|ио ^e:э|е ^ye:е ^j:дж|й|я ^y:й"
)
_ENDINGS = ("", "а", "я", "ия")
"""What a name in Russian may end in where the question inflects it."""
_MOST = 16


def is_cyrillic(word: str) -> bool:
    """Return whether a lower-case word has Cyrillic letters."""
    return _CYRILLIC.search(word) is not None


@lru_cache(maxsize=1_000)
def transliterated(name: str) -> frozenset[str]:
    """Return how a lower-case name in one of the alphabets may be spelled in the other, in some dozens of ways at most."""
    if not is_cyrillic(name):
        return frozenset(_ways(name, _TO_CYRILLIC))
    bare = stem(name, "russian")
    return frozenset(way for form in {name, *(bare + ending for ending in _ENDINGS)} for way in _ways(form, _TO_LATIN))


def _ways(name: str, letters: Mapping[str, Sequence[str]]) -> Iterator[str]:
    pieces = [letters.get(piece, (piece,)) for piece in _cut(f"^{name}", letters)]
    return ("".join(way).removeprefix("^") for way in islice(product(*pieces), _MOST))


def _cut(name: str, letters: Mapping[str, Sequence[str]]) -> Iterator[str]:
    longest = max(map(len, letters))
    at = 0
    while at < len(name):
        size = next((n for n in range(longest, 1, -1) if name[at : at + n] in letters), 1)
        yield name[at : at + size]
        at += size
