"""Words: how text becomes index terms.

A term is the 64-bit hash of a stem, so that the index holds no words. Query text is cut by the same function and is never
syntax. Scripts written without spaces are cut into overlapping character pairs.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import Stemmer
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Counts = NDArray[np.uint16]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_UNSPACED = re.compile(
    "["
    "\u0e00-\u0e7f"  # Thai
    "\u0e80-\u0eff"  # Lao
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3040-\u30ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003134f"
    "]+"
)

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are aren't as at be because been before being below between
    both but by can cannot can't could couldn't did didn't do does doesn't doing don't down during each few for from
    further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself hey hi him himself
    his how how's i i'd i'll i'm i've if in into is isn't it it's its itself just let's me more most my myself no nor not
    of off oh ok okay on once only or other our ours ourselves out over own really same shall she she'd she'll she's
    should shouldn't so some such than that that's the their theirs them themselves then there there's these they they'd
    they'll they're they've this those through to too under until up us very was wasn't we we'd we'll we're we've were
    weren't what what's when when's where where's which while who who's whom whose why why's will with won't would
    wouldn't yeah yes you you'd you'll you're you've your yours yourself yourselves
    """.split()
)


def tokens(text: str) -> list[str]:
    """Cut text into lower-case words and, where a script has no spaces, into characters and pairs of them."""
    found: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold().replace("’", "'")):
        found.extend(_cut(match.group()))
    return found


def _cut(word: str) -> list[str]:
    if not _UNSPACED.search(word):
        return [word]
    pieces: list[str] = []
    at = 0
    for run in _UNSPACED.finditer(word):
        pieces.extend(p for p in [word[at : run.start()]] if p)
        characters = run.group()
        pieces.extend(characters[i : i + 2] for i in range(len(characters) - 1))
        pieces.extend(characters)
        at = run.end()
    pieces.extend(p for p in [word[at:]] if p)
    return pieces


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word (Snowball English), without its possessive and its accents."""
    bare = word.removesuffix("'s").replace("'", "")
    plain = "".join(c for c in unicodedata.normalize("NFD", bare) if not unicodedata.combining(c))
    return str(_english().stemWord(plain))


@lru_cache(maxsize=1)
def _english() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english", 0)


@lru_cache(maxsize=100_000)
def term(stemmed: str) -> int:
    """Return the 64-bit hash of a stem."""
    return int.from_bytes(blake2b(stemmed.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def key_words(text: str) -> dict[str, str]:
    """Return the words of text that carry meaning, in order: {word as written, lower case: its stem}."""
    return {word: stem(word) for word in tokens(text) if word not in STOP_WORDS}


def terms(text: str) -> tuple[Hashes, Counts, int]:
    """Return the distinct terms of text, ascending, how often each occurs (at most 65,535), and the number of words."""
    counted = Counter(term(stem(word)) for word in tokens(text) if word not in STOP_WORDS)
    ordered = sorted(counted)
    hashes = np.fromiter(ordered, dtype=np.uint64, count=len(ordered))
    counts = np.fromiter((min(counted[h], 65_535) for h in ordered), dtype=np.uint16, count=len(ordered))
    return hashes, counts, counted.total()
