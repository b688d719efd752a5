"""The lexicon of time words: English in depth, and the commonest of six other languages.

The words are in vocabulary.txt, each row after its kind, a Code, and its value; an underscore is a space. For ambiguous words the first row
wins, and months win over everything.
"""

from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path

from memory.index.when.codes import Code
from memory.text.lexical import key_words, stem, unaccented
from memory.text.time.dates import MONTHS


class Unit(IntEnum):
    """A unit of time: the value of a UNIT."""

    MINUTE = 0
    HOUR = 1
    DAY = 2
    WEEK = 3
    MONTH = 4
    YEAR = 5
    WEEKEND = 6
    QUARTER = 7
    FORTNIGHT = 8


MORNING, AFTERNOON, EVENING, NIGHT, NOON = range(5)
KINDS_OF_DAY = (
    (0, EVENING),
    (0, NIGHT),
    (-1, EVENING),
    (-1, NIGHT),
    (0, MORNING),
    (0, AFTERNOON),
    (-1, MORNING),
    (1, MORNING),
)
"""The meaning of KIND_OF_DAY values: days from today, and the part of that day."""
PLURALS = (
    *((Code.WEEKDAY, day) for day in range(7)),
    *((Code.SEASON, first) for first in (3, 6, 9, 12)),
    (Code.FEAST, 6),
)
"""The meaning of SEVERAL values: the code and value of the singular."""
_PLURAL_WORDS = (
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays springs summers autumns winters christmases".split()
)
_PARTS_IN_ONE_WORD = {
    "morgen": MORNING,
    "früh": MORNING,
    "vormittag": MORNING,
    "mittag": NOON,
    "nachmittag": AFTERNOON,
    "abend": EVENING,
    "nacht": NIGHT,
}
_GERMAN_WEEKDAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()
_GERMAN_MONTHS = "januar februar märz april mai juni juli august september oktober november dezember".split()
_NEEDS_ACCENT = frozenset("há été à één".split())


def _lexicon() -> dict[str, tuple[Code, int]]:
    found: dict[str, tuple[Code, int]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
        code, value, *words = line.split()
        for word in words:
            found.setdefault(word, (Code[code.upper()], int(value)))
    found.update((word, (Code.SEVERAL, at)) for at, word in enumerate(_PLURAL_WORDS))
    found.update(
        (day + part, (Code.WEEKDAY_PART, 10 * number + value))
        for number, day in enumerate(_GERMAN_WEEKDAYS)
        for part, value in _PARTS_IN_ONE_WORD.items()
    )
    for number, month in enumerate(_GERMAN_MONTHS, 1):
        found[f"{month}woche"], found[f"{month}wochenende"] = (Code.MONTH_WEEK, number), (Code.MONTH_WEEK, 100 + number)
    found.update((word, (Code.MONTH, number)) for word, number in {**MONTHS, "sept": 9}.items())
    for word in [word for word in found if not word.isascii() and word not in _NEEDS_ACCENT]:
        found.setdefault(unaccented(word), found[word])
    return found


LEXICON: Mapping[str, tuple[Code, int]] = _lexicon()
PHRASES = sorted((word for word in LEXICON if "_" in word or "-" in word or word == "aujourd'hui"), key=len, reverse=True)
"""Phrases treated as one word; an underscore is a space."""

ENGLISH_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
WEEKDAYS_OR_WORDS = frozenset("mon wed sat sun".split())
MONTHS_OR_WORDS = frozenset("may march mar mai".split())
MONTHS_OR_NAMES = MONTHS_OR_WORDS | frozenset("april june august jan mars".split())
VAGUE = frozenset(
    """couple few several some paar einigen quelques algunos algunas unos unas pochi poche alcuni alcune alguns algumas
    enkele""".split()
)
TOLD = frozenset("have has i've we've habe hab haben hat hatte hatten war waren he hemos".split())
"""Words that, along with PAST, mark a question as being about the past."""
PAST = frozenset("did was were had didn't wasn't weren't hadn't".split())
"""Words that mark an English question as being about the past."""
LIGHT = frozenset("go went going gone get got getting happen happened spend spent far long often much many".split())
"""Light words, with next to no meaning next to others: "go climbing", "get a haircut", "how far"."""
_DOING = """
    happen spend spent go went on new life past part thing celebrate verbracht gemacht machte passiert geschehen los erlebt gefeiert hice hicimos pasó
    hecho fait passé tell told say said write wrote written talk talked mention mentioned erzählt gesagt geschrieben berichtet
    unternommen dije contado quest jai avons happens passiert plan plans planned planning mache machen machst macht tue tun vor geplant plane planen
    fais faisons faire ferai ferons vais allons aller prévu étais j'étais étions qu'avons qu'ai hago hacemos hacer haré haremos voy vamos planeado
    estuve estuvimos estaba tengo tenemos hay s'est ocurrió pasa planes free busy available frei libre libres ocupado ocupada
    libero libera occupato occupata livre ocupado vrij druk wolny wolna zajęta zajęty свободна свободен занята занят steht ansteht los
    faccio facciamo fare c'è succede faço fazemos fazer doe doen robię robimy robić będzie dzieje делаю делаем делать будет yapıyorum
    yapıyoruz yapacağım var olacak neyim müsait anything something irgendwas etwas
    done hablado hablamos hemos geredet gesprochen besprochen parlé parlato falamos conversamos gesproken rozmawialiśmy говорили konuştuk worüber
    """
DOINGS = frozenset(map(stem, _DOING.split())).union(key_words(_DOING).values())
"""Stems of words that ask for whatever was done or happened at a time."""
