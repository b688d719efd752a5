"""By which forms of a name somebody is named, in scripts with spaces and without."""

import pytest

from memory.text.word_forms.name_forms import forms, mentions

NAMED = [
    ("Cleo Marsh", "Cleo'd love a boat", "Cleo"),
    ("Cleo Marsh", "Cleos Boot ist rot", "Cleos"),
    ("小明", "我昨天看到小明在买红色的船", "小明"),
    ("王小明", "小明有一条红色的船。", "小明"),
    ("田中太郎", "田中さんは赤いボートを持っている", "田中"),
    ("さくら", "昨日さくらちゃんに会った", "さくら"),
    ("マリア", "マリアが来た", "マリア"),
    ("김민수", "어제 민수가 빨간 배를 샀어요", "민수"),
    ("민수", "김민수는 배를 샀다", "민수"),
    ("สมชาย", "เมื่อวานสมชายซื้อเรือ", "สมชาย"),
    ("Иван Петров", "я видел Ивана вчера на рынке", "Ивана"),
    ("Анна", "мы были у Анны в гостях", "Анны"),
    ("Мария", "мы говорили с Марией о лодке", "Марией"),
    ("Anna Kowalska", "wczoraj byliśmy u Anny w domu i było miło", "Anny"),
    ("Mikko", "tapasin Mikkon eilen kaupungilla ja se oli mukavaa, minä olin", "Mikkon"),
    ("Anna", "tegnap Annával voltam és nem volt jó, de ez van", "Annával"),
    ("Γιώργος", "είδα τον Γιώργο χθες και ήταν καλά", "Γιώργο"),
    ("علي", "رأيت وعلي في السوق", "وعلي"),
    ("דנה", "דיברתי עם ודנה אתמול", "ודנה"),
]
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
