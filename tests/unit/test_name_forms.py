"""By which forms of a name somebody is named, in scripts with spaces and without."""

import pytest

from memory.text.word_forms.name_forms import forms, mentions
from tests.kits.tabled import tabled

NAMED = tabled("names", "forms")
NOT_NAMED = [
    ("Cleo Marsh", "the clover is cut"),
    ("Tim", "Time flies, and the timber is cut"),
    ("The Gardener", "the pear tree bears fruit"),
    ("王小明", "王先生来了，今天的天气很好"),
    ("明", "明天下雨"),
    ("Мария", "Марта пришла, и мы говорили"),
    ("Марк", "Марта пришла, и мы говорили"),
    ("Anna Kowalska", "wczoraj był Antoni w domu i nie było go"),
    ("Anna", "Anno 1900 and the Annals of the town, which are long"),
    ("สมชาย", "วันนี้ฝนตก"),
]


def named(name: str, text: str) -> list[str]:
    known = forms(name)
    return [text[begin:end] for begin, end in mentions(text, known.__contains__)]


@pytest.mark.parametrize(("name", "text", "mention"), NAMED)
def test_a_name_is_found_as_a_language_writes_it(name: str, text: str, mention: str) -> None:
    assert mention in named(name, text)


@pytest.mark.parametrize(("name", "text"), NOT_NAMED)
def test_a_word_that_only_resembles_a_name_is_none(name: str, text: str) -> None:
    assert not named(name, text)
