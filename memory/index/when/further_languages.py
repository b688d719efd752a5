"""Times as they are told in seven further languages, put into English words, which the grammar reads.

Only what tells a time is put into other words. What says nothing but itself ("вчера", "三天前") is read in any text; Polish and
Turkish, whose words are also those of other languages written in Latin letters, only where a text is in them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from memory.text.languages import language
from memory.text.lexical import tokens

_MONTHS = "January February March April May June July August September October November December".split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_SEASONS = "spring summer autumn winter".split()
_UNITS = "day week month year".split()
_HAN = "一二三四五六七八九"
_NUMBERS: Mapping[str, Sequence[str]] = {
    "russian": "од(?:ин|на|ну|но) дв(?:а|е) три четыре пять шесть семь восемь девять десять".split(),
    "polish": "jed(?:en|ną|no) dw(?:a|ie) trzy cztery pięć sześć siedem osiem dziewięć dziesięć".split(),
    "turkish": "bir iki üç dört beş altı yedi sekiz dokuz on".split(),
    "arabic": "واحد اثنين ثلاث[ةه]? أربع[ةه]? خمس[ةه]? ست[ةه]? سبع[ةه]? ثماني?[ةه]? تسع[ةه]? عشر[ةه]?".split(),
    "korean": "(?:한|일) (?:두|이) (?:세|삼) (?:네|사) (?:다섯|오) (?:여섯|육) (?:일곱|칠) (?:여덟|팔) (?:아홉|구) (?:열|십)".split(),
}
_DAYS: Mapping[str, str] = {  # the day before yesterday, yesterday, today, tomorrow
    "russian": "позавчера | вчера | сегодня | завтра",
    "polish": "przedwczoraj | wczoraj | dzisiaj | jutro",
    "turkish": "(?:evvelsi|önceki) gün | dün | bugün | yarın",
    "arabic": "أول (?:من )?أمس | أمس | اليوم(?! ال) | غد[اًا]+",
    "chinese": "前天 | 昨[天晚] | 今天 | 明天",
    "japanese": "一昨日 | 昨日 | 今日 | 明日",
    "korean": "그저께 | 어제 | 오늘 | 내일",
}
_DAYS_IN_ENGLISH = ("the day before yesterday", "yesterday", "today", "tomorrow")
_LAST: Mapping[str, Sequence[str]] = {  # last week, last month, last year
    "russian": ("(?:на )?прошлой неделе", "(?:в )?прошлом месяце", "(?:в )?прошлом году"),
    "polish": (
        "(?:w )?(?:zeszłym|ubiegłym) tygodniu",
        "(?:w )?(?:zeszłym|ubiegłym) miesiącu",
        "(?:w )?(?:zeszłym|ubiegłym) roku",
    ),
    "turkish": ("geçen hafta", "geçen ay", "geçen (?:yıl|sene)"),
    "arabic": ("(?:في )?الأسبوع الماضي", "(?:في )?الشهر الماضي", "(?:في )?(?:العام الماضي|السنة الماضية)"),
    "chinese": ("上个?(?:周|星期|礼拜)|上週", "上个月|上個月", "去年"),
    "japanese": ("先週", "先月", "去年|昨年"),
    "korean": ("지난 ?주(?!말)", "지난 ?달", "작년|지난해"),
}
_THIS: Mapping[str, Sequence[str]] = {
    "russian": ("на этой неделе", "в этом месяце", "в этом году"),
    "polish": ("w tym tygodniu", "w tym miesiącu", "w tym roku"),
    "turkish": ("bu hafta", "bu ay", "bu (?:yıl|sene)"),
    "arabic": ("هذا الأسبوع", "هذا الشهر", "هذا العام|هذه السنة"),
    "chinese": ("[这這本]个?(?:周|星期|礼拜|週)", "[这這]个月|這個月|本月", "今年"),
    "japanese": ("今週", "今月", "今年"),
    "korean": ("이번 ?주(?!말)", "이번 ?달", "올해"),
}
_AGO: Mapping[str, tuple[str, Sequence[str]]] = {  # how a distance is told, and its units
    "russian": ("(?:{n} )?{unit} назад", ("(?:день|дня|дней)", "недел[яюиь]", "месяц(?:а|ев)?", "(?:год(?:а)?|лет)")),
    "polish": (
        "(?:{n} )?{unit} temu",
        ("(?:dzień|dni)", "(?:tydzień|tygodni(?:e)?)", "(?:miesiąc(?:e)?|miesięcy)", "(?:rok|lata?)"),
    ),
    "turkish": ("{n} {unit} önce", ("gün", "hafta", "ay", "(?:yıl|sene)")),
    "arabic": (
        "(?:قبل|منذ) (?:{n} )?{unit}",
        ("(?:يوم|أيام)", "(?:أسبوع|أسابيع)(?!ي)", "(?:شهر|أشهر|شهور)(?!ي)", "(?:سنة|سنوات|عام|أعوام)(?!ي)"),
    ),
    "chinese": ("{n} ?{unit}(?:之|以)?前", ("[天日]", "个?(?:星期|周|礼拜|週)", "[个個]月", "年")),
    "japanese": ("{n} ?{unit}前", ("日", "週間", "[かカヶヵケ]月", "年")),
    "korean": ("{n} ?{unit} ?전", ("일", "주일?", "(?:달|개월)", "년")),
}
_FIXED: Mapping[str, Mapping[str, str]] = {
    "russian": {"(?:на|в) прошлы[ех] выходны[ех]": "last weekend"},
    "polish": {"(?:w )?(?:zeszły|ubiegły) weekend": "last weekend"},
    "turkish": {"geçen hafta ?sonu": "last weekend"},
    "arabic": {"(?:قبل|منذ) يومين": "2 days ago", "(?:قبل|منذ) أسبوعين": "2 weeks ago", "(?:قبل|منذ) شهرين": "2 months ago",
               "(?:قبل|منذ) (?:سنتين|عامين)": "2 years ago", "(?:في )?(?:عطلة )?نهاية الأسبوع الماضي": "last weekend"},
    "chinese": {"上个?周末|上週末": "last weekend"},
    "japanese": {"先週末|先週の週末": "last weekend"},
    "korean": {"지난 ?주말": "last weekend", "이틀 ?전": "2 days ago", "사흘 ?전": "3 days ago", "나흘 ?전": "4 days ago", "닷새 ?전": "5 days ago"},
}  # fmt: skip
_IN_MONTH: Mapping[str, tuple[str, str]] = {  # a month, in which or from which day, and what comes before and behind it
    "russian": ("в ", "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре"),
    "polish": ("we? ", "styczniu lutym marcu kwietniu maju czerwcu lipcu sierpniu wrześniu październiku listopadzie grudniu"),
    "turkish": ("", r"ocak(?:ta|\ ayında) şubat(?:ta|\ ayında) mart(?:ta|\ ayında) nisan(?:da|\ ayında) mayıs(?:ta|\ ayında) haziran(?:da|\ ayında)"
                r" temmuz(?:da|\ ayında) ağustos(?:ta|\ ayında) eylül(?:de|\ ayında) ekim(?:de|\ ayında) kasım(?:da|\ ayında) aralık(?:ta|\ ayında)"),
    "arabic": ("في (?:شهر )?", "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"),
}  # fmt: skip
_OF_MONTH: Mapping[str, str] = {
    "russian": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "polish": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "turkish": "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
    "arabic": _IN_MONTH["arabic"][1],
}
_ON: Mapping[str, str] = {
    "russian": "в\\ понедельник во?\\ вторник в\\ среду в\\ четверг в\\ пятницу в\\ субботу в\\ воскресенье",
    "polish": "w\\ poniedziałek we?\\ wtorek w\\ środę we?\\ czwartek w\\ piątek w\\ sobotę w\\ niedzielę",
    "turkish": "pazartesi(?:\\ günü)? salı(?:\\ günü) çarşamba(?:\\ günü)? perşembe(?:\\ günü)? cuma(?:\\ günü) cumartesi(?:\\ günü)? pazar\\ günü",
    "arabic": "يوم\\ ال[إا]ثنين يوم\\ الثلاثاء يوم\\ الأربعاء يوم\\ الخميس يوم\\ الجمعة يوم\\ السبت يوم\\ الأحد",
    "chinese": " ".join(f"(?:星期|周|礼拜|週){day}" for day in "一 二 三 四 五 六 [日天]".split()),
    "japanese": " ".join(f"{day}曜日?" for day in "月火水木金土日"),
    "korean": " ".join(f"{day}요일" for day in "월화수목금토일"),
}
_IN_SEASON: Mapping[str, tuple[str, Sequence[str]]] = {  # of last year, and by itself
    "russian": ("{season} прошлого года", ("весной", "летом", "осенью", "зимой")),
    "polish": ("{season} (?:zeszłego|ubiegłego) roku", ("wiosną", "latem", "jesienią", "zimą")),
    "turkish": (
        "geçen (?:yılın?|sene(?:nin)?) {season}",
        ("baharın(?:da)?", "yazın(?:da)?", "sonbaharın?(?:da)?", "kışın(?:da)?"),
    ),
    "arabic": ("(?:في )?{season} (?:العام الماضي|السنة الماضية)", ("ربيع", "صيف", "خريف", "شتاء")),
    "chinese": ("去年的?{season}", ("春[天季]", "夏[天季]", "秋[天季]", "冬[天季]")),
    "japanese": ("(?:去年|昨年)の{season}", ("春", "夏", "秋", "冬")),
    "korean": ("(?:작년|지난해) {season}", ("봄", "여름", "가을", "겨울")),
}
_DATES = {"chinese": ("年", "月份?", "[日号號]"), "japanese": ("年", "月", "日"), "korean": ("년", "월", "일")}
_LATIN = ("polish", "turkish")
_LETTERS = {
    "russian": re.compile("[\u0400-\u04ff]"),
    "arabic": re.compile("[\u0600-\u06ff]"),
    "japanese": re.compile("[\u3040-\u30ff]"),
    "chinese": re.compile("[\u4e00-\u9fff]"),
    "korean": re.compile("[\uac00-\ud7a3]"),
}
"""What is written in which scripts; what has kana is Japanese before its other signs are read as Chinese."""
_PARTICLES = {"korean": "(?:에는|에|은|는|의)?", "chinese": "", "japanese": ""}
_Said = Callable[[re.Match[str]], str]


def in_english(text: str) -> str:
    """Return a text with the times that it tells in one of these languages in English; as it is where it tells none."""
    told = language(tokens(text))
    if text.isascii() and told not in _LATIN:
        return text
    for name in [*(name for name in _LATIN if told in (name, None)), *(name for name, of in _LETTERS.items() if of.search(text))]:
        for pattern, said in _read(name):
            text = pattern.sub(said, text)
    return text


@cache
def _read(name: str) -> list[tuple[re.Pattern[str], _Said]]:
    """Return what tells a time in a language, the longer before what is part of it, each with what it is in English."""
    number = rf"(?P<n>\d+|{'|'.join(_NUMBERS.get(name, (f'[{_HAN}两兩十]+',)))})"
    found: list[tuple[str, _Said]] = []
    if name in _DATES:
        found += _in_figures(name, number)
    else:
        for month, of in zip(_MONTHS, _OF_MONTH[name].split(), strict=True):
            found.append((rf"(?P<day>\d\d?)\.? {of}(?: (?P<year>\d{{4}}))?", _date(month)))
    form, seasons = _IN_SEASON[name]
    for season, word in zip(_SEASONS, seasons, strict=True):
        found.append((form.format(season=word), _always(f"in {season} of last year")))
    found += [(pattern, _always(said)) for pattern, said in _FIXED[name].items()]
    ago, units = _AGO[name]
    for unit, word in zip(_UNITS, units, strict=True):
        found.append((ago.format(n=number, unit=word), _distance(name, unit)))
    for which, words in (("last", _LAST), ("this", _THIS)):
        found += [(word, _always(f"{which} {unit}")) for unit, word in zip(_UNITS[1:], words[name], strict=True)]
    found += [(word, _always(said)) for word, said in zip(_DAYS[name].split(" | "), _DAYS_IN_ENGLISH, strict=True)]
    found += [
        (word.replace("\\ ", " "), _always(f"on {day}"))
        for day, word in zip(_WEEKDAYS, re.split(r"(?<!\\) ", _ON[name]), strict=True)
    ]
    if name in _IN_MONTH:
        before, in_months = _IN_MONTH[name]
        for month, word in zip(_MONTHS, re.split(r"(?<!\\) ", in_months), strict=True):
            found.append((rf"{before}{word}(?: (?P<year>\d{{4}}))?".replace("\\ ", " "), _month(month)))
    return [(_whole(name, pattern), said) for pattern, said in found]


def _whole(name: str, pattern: str) -> re.Pattern[str]:
    if name in _DATES:
        return re.compile(rf"(?:{pattern}){_PARTICLES[name]}")
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)


def _in_figures(name: str, number: str) -> list[tuple[str, _Said]]:
    """Return dates in figures, each with the sign of what it counts behind it."""
    year, month, day = _DATES[name]
    count = number if name != "korean" else r"(?P<n>\d+)"

    def told(found: re.Match[str]) -> str:
        groups = found.groupdict()
        at = _value(name, groups["n"])
        if not 1 <= at <= 12:
            return found[0]
        return _spaced(
            " ".join(filter(None, ("" if groups.get("day") else "in", groups.get("day"), _MONTHS[at - 1], groups.get("year"))))
        )

    return [(rf"(?:(?P<year>\d{{4}}){year} ?)?{count}{month}(?: ?(?P<day>\d\d?){day})?(?![前전])", told)]


def _always(said: str) -> _Said:
    return lambda _: _spaced(said)


def _spaced(said: str) -> str:
    return f" {said} "


def _month(month: str) -> _Said:
    return lambda found: _spaced(f"in {month} {found['year'] or ''}".strip())


def _date(month: str) -> _Said:
    return lambda found: _spaced(f"{found['day']} {month} {found['year'] or ''}".strip())


def _distance(name: str, unit: str) -> _Said:
    return lambda found: _spaced(f"{_value(name, found['n'] or '1')} {unit}s ago")


def _value(name: str, said: str) -> int:
    if said.isdecimal():
        return int(said)
    if name not in _NUMBERS:
        tens, ten, ones = said.replace("两", "二").replace("兩", "二").rpartition("十")
        return 10 * (_HAN.find(tens) + 1 if tens else len(ten)) + (_HAN.find(ones) + 1 if ones else 0)
    return next(at for at, word in enumerate(_NUMBERS[name], 1) if re.fullmatch(word, said, re.IGNORECASE))
