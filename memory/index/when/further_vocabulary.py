"""Regular expressions of time words in seven further languages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
SEASONS = "spring summer autumn winter".split()
UNITS = "day week month year".split()
_POLISH_UNITS = "tygodniu miesiącu roku".split()
HAN = "一二三四五六七八九"
NUMBERS: Mapping[str, Sequence[str]] = {
    "russian": "од(?:ин|на|ну|но) дв(?:а|е) три четыре пять шесть семь восемь девять десять".split(),
    "polish": "jed(?:en|ną|no) dw(?:a|ie) trzy cztery pięć sześć siedem osiem dziewięć dziesięć".split(),
    "turkish": "bir iki üç dört beş altı yedi sekiz dokuz on".split(),
    "arabic": "واحد اثنين ثلاث[ةه]? أربع[ةه]? خمس[ةه]? ست[ةه]? سبع[ةه]? ثماني?[ةه]? تسع[ةه]? عشر[ةه]?".split(),
    "korean": "(?:한|일) (?:두|이) (?:세|삼) (?:네|사) (?:다섯|오) (?:여섯|육) (?:일곱|칠) (?:여덟|팔) (?:아홉|구) (?:열|십)".split(),
}
TENS: Mapping[str, Sequence[str]] = {  # ten, twenty and so on, where another number may follow; '' where none may
    "russian": " двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто".split(" "),
    "polish": " dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt".split(
        " "
    ),
    "turkish": "on yirmi otuz kırk elli altmış yetmiş seksen doksan".split(),
    "korean": "(?:열|일?십) (?:스물|스무|이십) (?:서른|삼십) (?:마흔|사십) (?:쉰|오십) (?:예순|육십) (?:일흔|칠십) (?:여든|팔십) (?:아흔|구십)".split(),
}
DAYS: Mapping[str, str] = {  # the day before yesterday, the day after tomorrow, yesterday, today, tomorrow
    "russian": "позавчера | послезавтра | вчера | сегодня | завтра",
    "polish": "przedwczoraj | pojutrze | wczoraj | dzisiaj|dziś | jutro",
    "turkish": "(?:evvelsi|önceki) gün | (?:öbür|ertesi) gün|yarından sonraki gün | dün | bugün | yarın",
    "arabic": "أول (?:من )?أمس | بعد غد[اًا]* | أمس | اليوم(?! ال) | غد[اًا]+",
    "chinese": "前天 | [后後]天 | 昨[天晚日] | 今[天晚] | 明[天晚]",
    "japanese": "一昨日|おととい | 明後日|あさって | 昨日 | 今日 | 明日",
    "korean": "그저께|그제 | 모레 | 어제 | 오늘 | 내일",
}
DAYS_IN_ENGLISH = ("the day before yesterday", "the day after tomorrow", "yesterday", "today", "tomorrow")
LAST: Mapping[str, Sequence[str]] = {  # last week, last month, last year
    "russian": ("(?:на )?прошлой неделе", "(?:в )?прошлом месяце", "(?:в )?прошлом году"),
    "polish": [f"(?:w )?(?:zeszłym|ubiegłym) {unit}" for unit in _POLISH_UNITS],
    "turkish": ("geçen hafta", "geçen ay", "geçen (?:yıl|sene)"),
    "arabic": ("(?:في )?الأسبوع الماضي", "(?:في )?الشهر الماضي", "(?:في )?(?:العام الماضي|السنة الماضية)"),
    "chinese": ("上个?(?:周|星期|礼拜)|上週", "上个月|上個月", "去年"),
    "japanese": ("先週", "先月", "去年|昨年"),
    "korean": ("지난 ?주(?!말)", "지난 ?달", "작년|지난해"),
}
THIS: Mapping[str, Sequence[str]] = {
    "russian": ("на этой неделе", "в этом месяце", "в этом году"),
    "polish": [f"w tym {unit}" for unit in _POLISH_UNITS],
    "turkish": ("bu hafta", "bu ay", "bu (?:yıl|sene)"),
    "arabic": ("هذا الأسبوع", "هذا الشهر", "هذا العام|هذه السنة"),
    "chinese": ("[这這本]个?(?:周|星期|礼拜|週)", "[这這]个月|這個月|本月", "今年"),
    "japanese": ("今週", "今月", "今年"),
    "korean": ("이번 ?주(?!말)", "이번 ?달", "올해"),
}
NEXT: Mapping[str, Sequence[str]] = {
    "russian": (
        "(?:на )?(?:следующей|будущей) неделе",
        "(?:в )?(?:следующем|будущем) месяце",
        "(?:в )?(?:следующем|будущем) году",
    ),
    "polish": [f"(?:w )?(?:przyszłym|następnym) {unit}" for unit in _POLISH_UNITS],
    "turkish": (
        "(?:gelecek|önümüzdeki) hafta|haftaya",
        "(?:gelecek|önümüzdeki) ay",
        "(?:gelecek|önümüzdeki) (?:yıl|sene)|seneye",
    ),
    "arabic": (
        "(?:في )?الأسبوع (?:القادم|المقبل)",
        "(?:في )?الشهر (?:القادم|المقبل)",
        "(?:في )?(?:العام (?:القادم|المقبل)|السنة (?:القادمة|المقبلة))",
    ),
    "chinese": ("下个?(?:周|星期|礼拜)|下週", "下个月|下個月", "明年"),
    "japanese": ("来週", "来月", "来年"),
    "korean": ("다음 ?주(?!말)", "다음 ?달", "내년|다음 ?해"),
}
AGO: Mapping[str, tuple[str, Sequence[str]]] = {  # the form of "ago", and its units
    "russian": ("{counted} назад", ("(?:день|дня|дней)", "недел[яюиь]", "месяц(?:а|ев)?", "(?:год(?:а)?|лет)")),
    "polish": (
        "{counted} temu",
        ("(?:dzień|dni)", "(?:tydzień|tygodni(?:e)?)", "(?:miesiąc(?:e)?|miesięcy)", "(?:rok|lata?)"),
    ),
    "turkish": ("{counted} önce", ("gün", "hafta", "ay", "(?:yıl|sene)")),
    "arabic": (
        "(?:قبل|منذ) {counted}",
        ("(?:يوم|أيام)", "(?:أسبوع|أسابيع)(?!ي)", "(?:شهر|أشهر|شهور)(?!ي)", "(?:سنة|سنوات|عام|أعوام)(?!ي)"),
    ),
    "chinese": ("{counted}(?:之|以)?前", ("[天日]", "个?(?:星期|周|礼拜|週)", "[个個]月", "年")),
    "japanese": ("{counted}前", ("日", "週間", "[かカヶヵケ]月", "年")),
    "korean": ("{counted} ?전", ("일", "주일?", "(?:달|개월)", "년")),
}
ONE: Mapping[str, Sequence[str]] = {  # a day, a week, a month, a year, where the number one may be left out
    "russian": "день неделю месяц год".split(),
    "polish": "dzień tydzień miesiąc rok".split(),
    "arabic": "يوم أسبوع(?!ي) شهر(?!ي) (?:سنة|عام)(?!ي)".split(),
}
AHEAD: Mapping[str, str] = {  # the form of "from now"
    "russian": "через {counted}",
    "polish": "za {counted}",
    "turkish": "{counted} sonra",
    "arabic": "بعد {counted}",
    "chinese": "{counted}(?:之|以)?[后後]",
    "japanese": "{counted}後",
    "korean": "{counted} ?(?:후|뒤)",
}
_NO_WEEKDAY = "(?! ?の?[一二三四五六七日天月火水木金土월화수목금토일])"
"""Words that mean a week only where no day of it follows."""
FIXED: Mapping[str, Mapping[str, str]] = {
    "russian": {
        "(?:на|в) прошлы[ех] выходны[ех]": "last weekend", "(?:на|в) эт[иу]х? выходны[ех]": "this weekend",
        "(?:на|в) (?:следующи|будущи)[ех] выходны[ех]": "next weekend",
        "(?:на )?позапрошлой неделе": "the week before last", "(?:в )?позапрошлом месяце": "the month before last", "(?:в )?позапрошлом году": "the year before last",
        "на (?:следующую|будущую) неделю": "next week", "на (?:следующий|будущий) месяц": "next month", "на (?:следующий|будущий) год": "next year",
    },
    "polish": {
        "(?:w )?(?:zeszły|ubiegły) weekend": "last weekend", "(?:w )?ten weekend": "this weekend",
        "(?:w )?(?:przyszły|następny) weekend": "next weekend",
        "(?:w )?zaprzeszłym tygodniu": "the week before last", "(?:w )?zaprzeszłym miesiącu": "the month before last", "(?:w )?zaprzeszłym roku": "the year before last",
        "na (?:przyszły|następny) tydzień": "next week", "na (?:przyszły|następny) miesiąc": "next month",
        "na (?:przyszły|następny) rok": "next year",
    },
    "turkish": {
        "geçen hafta ?sonu": "last weekend", "bu hafta ?sonu": "this weekend", "(?:gelecek|önümüzdeki) hafta ?sonu": "next weekend",
        "evvelki hafta": "the week before last", "evvelki ay": "the month before last", "evvelki (?:yıl|sene)": "the year before last",
    },
    "arabic": {
        "(?:قبل|منذ) يومين": "2 days ago", "(?:قبل|منذ) أسبوعين": "2 weeks ago", "(?:قبل|منذ) شهرين": "2 months ago",
        "(?:قبل|منذ) (?:سنتين|عامين)": "2 years ago", "بعد يومين": "2 days from now", "بعد أسبوعين": "2 weeks from now",
        "بعد شهرين": "2 months from now", "بعد (?:سنتين|عامين)": "2 years from now",
        "(?:في )?(?:عطلة )?نهاية الأسبوع الماضي": "last weekend", "(?:في )?(?:عطلة )?نهاية (?:هذا الأسبوع|الأسبوع الحالي)": "this weekend",
        "(?:في )?(?:عطلة )?نهاية الأسبوع (?:القادم|المقبل)": "next weekend",
        "(?:في )?الأسبوع قبل الماضي": "the week before last", "(?:في )?الشهر قبل الماضي": "the month before last",
        "(?:في )?(?:العام قبل الماضي|السنة قبل الماضية)": "the year before last",
        "للأسبوع (?:القادم|المقبل)": "next week", "للشهر (?:القادم|المقبل)": "next month",
        "(?:للعام (?:القادم|المقبل)|للسنة (?:القادمة|المقبلة))": "next year",
    },
    "chinese": {
        "上个?周末|上週末": "last weekend", "[这這本]个?周末|[这這本]週末": "this weekend", "下个?周末|下週末": "next weekend",
        f"上上个?(?:周|星期|礼拜|週){_NO_WEEKDAY}": "the week before last", f"下下个?(?:周|星期|礼拜|週){_NO_WEEKDAY}": "2 weeks from now",
        "上上[个個]月": "the month before last", "下下[个個]月": "2 months from now", "大前天": "3 days ago", "大[后後]天": "3 days from now",
        "前年": "the year before last", "[后後]年": "2 years from now",
    },
    "japanese": {
        "先週末|先週の週末": "last weekend", "今週末|今週の週末": "this weekend", "来週末|来週の週末": "next weekend",
        f"先々週{_NO_WEEKDAY}": "the week before last", f"再来週{_NO_WEEKDAY}": "2 weeks from now", "先々月": "the month before last", "再来月": "2 months from now",
        "一昨年|おととし": "the year before last", "再来年": "2 years from now", "さきおととい": "3 days ago", "明々後日|しあさって": "3 days from now",
    },
    "korean": {
        "지난 ?주말": "last weekend", "이번 ?주말": "this weekend", "다음 ?주말": "next weekend",
        f"지지난 ?주{_NO_WEEKDAY}": "the week before last", f"다다음 ?주{_NO_WEEKDAY}": "2 weeks from now",
        "지지난 ?달": "the month before last", "다다음 ?달": "2 months from now", "재작년": "the year before last", "내후년": "2 years from now",
        "이틀 ?전": "2 days ago", "사흘 ?전": "3 days ago", "나흘 ?전": "4 days ago", "닷새 ?전": "5 days ago", "그끄저께": "3 days ago",
        "이틀 ?(?:후|뒤)": "2 days from now", "사흘 ?(?:후|뒤)|글피": "3 days from now", "나흘 ?(?:후|뒤)": "4 days from now",
        "닷새 ?(?:후|뒤)": "5 days from now",
    },
}  # fmt: skip
OF_MONTH: Mapping[str, Sequence[str]] = {
    "russian": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря".split(),
    "polish": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia".split(),
    "turkish": "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık".split(),
    "arabic": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر".split(),
}
IN_MONTH: Mapping[str, Sequence[str]] = {
    "russian": [f"в {month}" for month in "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре".split()],
    "polish": [f"we? {month}" for month in "styczniu lutym marcu kwietniu maju czerwcu lipcu sierpniu wrześniu październiku listopadzie grudniu".split()],
    "turkish": [f"{month}(?:{end}| ayında)" for month, end in zip(OF_MONTH["turkish"], "ta ta ta da ta da da ta de de da ta".split(), strict=True)],
    "arabic": [f"في (?:شهر )?{month}" for month in OF_MONTH["arabic"]],
}  # fmt: skip
WEEKDAY_OF: Mapping[str, Sequence[tuple[str, str]]] = {  # a weekday of last or next week, in the place of `{day}`
    "russian": (("во? прошл(?:ый|ую|ое) {day}", "last {day}"), ("во? (?:следующ|будущ)(?:ий|ую|ее) {day}", "next {day}")),
    "polish": (
        ("(?:we? )?(?:zeszł|ubiegł)[yąe] {day}", "last {day}"),
        ("(?:we? )?(?:przyszł[yąe]|następn[yąe]) {day}", "next {day}"),
    ),
    "turkish": (("geçen {day}", "last {day}"), ("(?:gelecek|önümüzdeki) {day}", "next {day}")),
    "arabic": (
        ("(?:يوم )?{day} (?:الماضي|الماضية)", "last {day}"),
        ("(?:يوم )?{day} (?:القادم|المقبل|القادمة|المقبلة)", "next {day}"),
    ),
    "chinese": (
        ("上上个?(?:周|星期|礼拜|週){day}", "2 weeks ago on {day}"),
        ("下下个?(?:周|星期|礼拜|週){day}", "2 weeks from now on {day}"),
        ("上个?(?:周|星期|礼拜|週){day}", "last week on {day}"),
        ("下个?(?:周|星期|礼拜|週){day}", "next week on {day}"),
        ("[这這本]个?(?:周|星期|礼拜|週){day}", "this week on {day}"),
    ),
    "japanese": (
        ("先々週の?{day}", "2 weeks ago on {day}"),
        ("再来週の?{day}", "2 weeks from now on {day}"),
        ("先週の?{day}", "last week on {day}"),
        ("来週の?{day}", "next week on {day}"),
        ("今週の?{day}", "this week on {day}"),
    ),
    "korean": (
        ("지지난 ?주 ?{day}", "2 weeks ago on {day}"),
        ("다다음 ?주 ?{day}", "2 weeks from now on {day}"),
        ("지난 ?주 ?{day}", "last week on {day}"),
        ("지난 ?{day}", "last {day}"),
        ("다음 ?주 ?{day}", "next week on {day}"),
        ("이번 ?주 ?{day}", "this week on {day}"),
    ),
}
DAY_NAMES: Mapping[str, Sequence[str]] = {
    "russian": "понедельник вторник среду четверг пятницу субботу воскресенье".split(),
    "polish": "poniedziałek wtorek środę czwartek piątek sobot[ęa] niedziel[ęa]".split(),
    "turkish": [f"{day}(?: günü)?" for day in "pazartesi salı çarşamba perşembe cuma cumartesi pazar".split()],
    "arabic": "ال[إا]ثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد".split(),
    "chinese": "一 二 三 四 五 六 [日天]".split(),
    "japanese": [f"{day}曜日?" for day in "月火水木金土日"],
    "korean": [f"{day}요일" for day in "월화수목금토일"],
}
ON: Mapping[str, Sequence[str]] = {
    "russian": [f"{before} {day}" for before, day in zip("в во? в в в в в".split(), DAY_NAMES["russian"], strict=True)],
    "polish": "w poniedziałek|we? wtorek|w środę|we? czwartek|w piątek|w sobotę|w niedzielę".split("|"),
    "turkish": "pazartesi(?: günü)?|salı(?: günü)|çarşamba(?: günü)?|perşembe(?: günü)?|cuma(?: günü)|cumartesi(?: günü)?|pazar günü".split("|"),
    "arabic": [f"يوم {day}" for day in DAY_NAMES["arabic"]],
    "chinese": [f"(?:星期|周|礼拜|週){day}" for day in DAY_NAMES["chinese"]],
    "japanese": DAY_NAMES["japanese"],
    "korean": DAY_NAMES["korean"],
}  # fmt: skip
IN_SEASON: Mapping[str, tuple[str, Sequence[str]]] = {  # a season of last year, and its name alone
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
DATES = {"chinese": ("年", "月份?", "[日号號]"), "japanese": ("年", "月", "日"), "korean": ("년", "월", "일")}


@dataclass(frozen=True, slots=True)
class TenseSigns:
    """What tells in a sentence whether its time is past, to come, or recurring (also "since", and questions)."""

    back: re.Pattern[str]
    ahead: re.Pattern[str]
    none: re.Pattern[str]


def _signs(back: str, ahead: str, none: str) -> TenseSigns:
    return TenseSigns(*(re.compile(one, re.IGNORECASE) for one in (back, ahead, none)))


_PAST_IN_KOREAN = "".join(chr(code) for code in range(0xAC00, 0xD7A4) if (code - 0xAC00) % 28 == 20 and chr(code) not in "있겠")
"""Syllables that end in the double consonant of a past tense."""
SIGNS: Mapping[str, TenseSigns] = {
    "russian": _signs(
        r"\b(?!(?:если|или|школа|дела|стол|стул|футбол|канал|журнал|сила|зеркало|масло|тело|дело|село|число)\b)\w{2,}(?:л|ла|ло|ли)(?:с[ья])?\b",
        r"\b(?:буд(?:у|ешь|ет|ем|ете|ут)|собираюсь|собираемся|планирую|планируем|(?:по|при|у|вы)(?:еду|едем|едет|едут|йду|йд[её]м|йд[её]т|йдут|летим|лечу|летит))\b",
        r"\b(?:кажд\w+|всегда|обычно|никогда|часто|с прошл\w+|по (?:понедельникам|вторникам|средам|четвергам|пятницам|субботам|воскресеньям))\b",
    ),
    "polish": _signs(
        r"\b(?!(?:szkoła|stół|artykuł|było by)\b)\w{2,}(?:łem|łam|łeś|łaś|liśmy|łyśmy|ł|ła|ło|li|ły)(?: się)?\b",
        r"\b(?:będ(?:ę|ziesz|zie|ziemy|ziecie|ą)|zamierza\w+|planuj\w+|ma(?:m|my|sz)?|(?:po|pó|przy|przyj|wy)(?:jadę|jedziemy|jedzie|jadą|lecę|lecimy|jdę|jdziemy|jdzie))\b",
        r"\b(?:każd\w+|zawsze|zwykle|nigdy|często|od (?:zeszł|ubiegł|wczoraj)\w*|co (?:dzień|tydzień|miesiąc|roku?))\b",
    ),
    "turkish": _signs(
        r"\b(?!(?:şimdi|kedi|hadi|kendi|yedi|haydi|ciddi|maddi)\b)\w{2,}[dt][ıiuü](?:m|n|k|n[ıiuü]z|l[ae]r)?(?=\s*(?:[.,;!…]|ve\b|$))",
        r"\b\w{2,}(?:acak|ecek|acağ|eceğ)\w*",
        r"\b(?:her(?! (?:şey|neyse|halde))|hep|genellikle|asla|genelde|sık sık|\w+[dt][ae]n beri)\b",
    ),
    "arabic": _signs(
        r"\b(?:و?كن(?:ت|ا)|و?كان(?:ت|وا)?|(?:ذهب|سافر|التقي|اشتري|زر|وصل|رأي|أكل|حضر|عد|بدأ|انتهي|لعب|شاهد|قابل|قرأ|شرب|فتح|حصل|وجد|فقد|كسر|ترك|دفع|رجع|سمع|نسي|غادر|تزوج|تخرج|بع|قم|قل|نم|است\w{2,5}(?<!ا))(?:ت|نا)|(?:كتب|عمل|درس)ت|انتقل(?:ت|نا)?)\b",
        r"\b(?:سوف|سأ\w{2,}|سن(?!ة|وات|ين)\w{3,}|سي(?!ار|د|اس|نما)\w{3,}|ست(?!ة|ين|ائر|اد)\w{3,})\b",
        r"\b(?:كل (?:يوم|أسبوع|شهر|سنة|عام|صباح|مساء|ليلة|مرة)|دائم\w+|عادة|أبدا|غالبا|منذ ال\w+|هل)\b",
    ),
    "chinese": _signs(
        r"^(?!.*(?:要|将|打算|准备|计划)).*(?:了|过(?!年)|是在)",
        r"要|将|打算|准备|计划|(?<![开聚晚机社大约])会(?![议员])",
        r"每|总是|一直|从来|通常|经常|平时|以来|自从|从.{1,6}(?:开始|起)|[吗呢][。.？]?$",
    ),
    "japanese": _signs(
        r"(?:まし|だっ|かっ|[いえきしちにりっんみびぎじけせてねれべめ])た(?!い|く|ち|め|ら)|[飲読遊呼頼進休住死込選]んだ",
        r"つもり|予定|でしょう|だろう|ます(?!か)|たいと",
        r"毎|いつも|普段|たいてい|以来|(?:年|月|週|日|曜日?)から|曜日?は[^。]{0,40}あります|か[。.]?$",
    ),
    "korean": _signs(
        f"[{_PAST_IN_KOREAN}]",
        r"겠|거(?:예요|에요|야|니까)|것(?:이다|입니다)|예정|[할갈볼올될]게|려고",
        r"매[주일달년월]|마다|항상|(?<!오)늘 |보통|부터",
    ),
}  # fmt: skip
