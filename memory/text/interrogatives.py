"""Sentences that ask although no question mark says so, in ten languages: by question words, particles and endings.

Italian, Portuguese, Dutch, Polish, Russian and Arabic put the question word first, or behind the subject ("e mio fratello cosa
studia"); Turkish, Chinese, Japanese and Korean leave it where the answer stands, or close with a particle. Everywhere the same words
also open clauses ("quando ero piccola"), and stand for anybody and anything ("什么都没有", "누군가"): those state.
"""

import re
from dataclasses import dataclass

_LONGEST = 80
"""Characters. A longer sentence without a question mark is a story."""


@dataclass(frozen=True, slots=True)
class _Asking:
    """What a sentence of one language holds when it asks, and what it holds when it states all the same."""

    asks: re.Pattern[str]
    states: re.Pattern[str]


def _asking(asks: str, states: str) -> _Asking:
    return _Asking(re.compile(rf"(?ix){asks}"), re.compile(rf"(?ix){states}"))


_ITALIAN = _asking(
    r"""^(?:
      (?:dov|cos|com|qual|quand|quant|chi)['’](?!ero\b|eravamo\b)\w+\s+\w | come\s+(?:si\s+(?:chiam|fa|scriv)\w*|stai?|stanno|state|va|vanno|è|era|sono|mi\s+chiamo|faccio|posso)\b
      | quando\s+(?!\w+[aei]v(?:o|i|a|amo|ate|ano)\b)(?:è|era|sarà|ho|hai|ha|abbiamo|hanno|devo|vado|va|andiamo|parte|part\w+|arriva|torna|inizia|comincia|finisce|apre|chiude|nasce|viene|vengono|si\s+sposa\w*|compi\w+|scade|mi\s+\w+|ci\s+\w+)\b
      | dove\s+(?:abit\w+|viv[eio]|vivono|lavor\w+|studi\w+|è|era|sono|sta|ho|hai|ha|abbiamo|hanno|va|vado|vanno|andiamo|si\s+trov\w+|mi\s+\w+|ci\s+\w+|eravamo|eri|compr\w+|mett\w+|teng\w+|parcheggi\w+|pass\w+)\b
      | (?:(?:a|con|da|di|per|su)\s+)?chi\s+(?:è|era|sono|ha|hai|ho|mi|ci|ti|gli|le|viene|va|vado|vive|abita|lavora|fa|faceva|suona|esco|ceno)\b
      | (?:da\s+|per\s+|in\s+)?quant[oaie]\s+(?!(?:mi|ti)\s+(?:piac|vogli|manc)\w+|(?:è|sei|sono)\s+(?:bell|buon|brav|brutt|stanc|felic)\w+|prima|meno|più|a\b)\w+\s+\w+
      | (?:a|di|in|con|da|per)\s+(?:che|cosa|quale?|quali)\s+\w+ | da\s+quando(?:\s+\w+){1,4}$
      | (?:che\s+)?cosa\s+(?!che\b|bella\b|brutta\b|strana\b)(?:\w+\s+)?\w+ | che\s+(?:or[ae]|giorno|lavoro|mestiere|tipo|colore|età|anno|mese|numero|taglia|marca|strumento|macchina)\s+\w+
      | qual(?:e|i)?\s+(?:è|era|sono|\w+\s+\w+)\b
      | (?:il|la|lo|mi[oa]|l['’]|tu[oa]|nostr[oa])\s*\w+\s+(?:cosa|dove|quando|come|quanto|chi|che\s+lavoro)\s+(?:(?:si|mi|ti|ha|è)\s+)?\w+$
    )""",
    r"""\b(?:piove|nevica|c['’]è|fa\s+(?:freddo|caldo)|ti\s+(?:racconto|chiamo|scrivo|dico|faccio)|vi\s+\w+o)\b
      | \bdove\s+\w+\s+(?:io|noi)\b | ^come\s+(?:è|era)\s+bell | ^chi\s.*\s(?:è|era)\s+(?:un|una|il|lo|la)\b | ^chi\s+(?:va|fa|è|ha)\s+\S+\s+(?:va|fa|è|ha|non)\b""",
)
_PORTUGUESE = _asking(
    r"""^(?:
      (?:(?:de|para|por|até|desde)\s+)?a?onde\s+(?:(?!eu\b|nós\b|a\s+gente\b|quer\b)\w+|eu\s+\w+$) | cadê\s+\w
      | desde\s+quando(?:\s+\w+){1,4}$ | quando\s+(?:é|foi|será|vai|vou|vamos|tenho|temos|tem|começa|começou|chega|parte|sai|faz|faço|fazem|nasceu|casou|casam\w*|volta|acaba|abre|fecha|tomo|comecei|toco)\b
      | como\s+(?:eu\s+\w+|é\s+(?:que|[oa]|meu|minha)\b|se\s+(?:cham|diz|faz|escrev)\w*|está|estás|estão|vai|vão|foi|correu|anda|posso|faço|chama\w*)\b
      | quem\s+(?!me\s+dera)(?:é|era|são|foi|me|te|lhe|nos|vai|vem|veio|disse|deu|fez|ganhou|mora|trabalha|tem|tinha|ficou|cuida)\b
      | (?:a|com|de|para|por|em)\s+(?:quem|qual|quais|que\s+(?:horas?|dia|mês|ano|cidade|rua|andar|autocarro|ônibus|sala|idade|cor|tamanho|é\s+que))\b
      | por\s+que\s+(?:é\s+que|não|o|a|os|as|eu|você|me|te)\b | para\s+que\s+(?:é|serve\w*)\b | qua(?:l|is)\s+(?:é|era|são|foi|\w+\s+\w+)\b
      | (?:há\s+)?quant[oa]s?\s+(?!mais\b|menos\b|a\b|antes\b|mi\b|ti\b)\w+
      | o\s+qu[eê]\s+(?!(?:eu\s+)?mais\b|importa\b|vale\b|eu\s+(?:gosto|quero|preciso)\b)\w+ | que\s+\w+\s+(?:é|são|tem|tenho|foi|era|eu|você|ele|ela|tu|faz|sai|uso|toco|tomo|leio|li|dei|deu|estou|está|vai|vou)\b
      | (?:[oa]s?|[om]eu|minha|a\s+minha|o\s+meu)\s+(?:\w+\s+){1,2}(?:onde|quando|como|o\s+que)\s+(?:é\s+que\s+)?\w+$
      | .*\s(?:em|de|com|para|a|por)\s+(?:quê|quem)$
    )""",
    r"\b(?:chove|neva|conto-te|ligo-te|te\s+(?:conto|ligo|digo))\b | ^como\s+(?:é|foi)\s+(?:bom|óbvio|lógico)\b | ^quem\s+\w+\s.*\sé\b",
)
_DUTCH = _asking(
    r"""^(?:(?:met|van|voor|aan|bij|op|in|sinds|tot|naar|over|door|uit)\s+)?(?:
      (?:waar(?:heen|voor|aan|mee|om|over|van|op|door|bij|in)?|wanneer|wat|hoe(?:\s+(?:laat|oud|lang|duur|vaak|ver|groot|veel|heet|hoog|zwaar|snel))?|hoeveel|hoelang)
        \s+(?!(?:ik|je|jij|we|wij|hij|ze|zij|u|het|de|een|mijn|m['’]n|jouw|onze?|hun|haar|zijn\s+(?!mijn|de|het|onze)|die|dat|dit|mij|me|dan|ook|er|betreft|anders
          |leuk|mooi|fijn|gek|jammer|lekker|lief|goed|erg|stom|raar|vervelend|naar\s+voor|grappig|zielig|ouder|meer|minder|langer|vroeger|later)\b)\w+\s+\w
      | hoe\s+(?:gaat|is)\s+\w | (?:welke?|wiens)\s+\w+\s+\w
      | (?<=\s)wie\s+\w+\s+\w | wie\s+(?:is|zijn|was|waren|heeft|had|hebben|gaf|gaat|ga|komt|kwam|woont|werkt|belde|zei|kan|moet|wil|maakte?|kocht|won|vertelde|stuurde|past|doet)\b
    )
    | ^(?:mijn|m['’]n|onze?)\s+\w+\s+(?:wat|waar|wanneer|hoe)\s+\w+ | ^(?:heb|ben|moet|kan|mag|ga|had|was|woon|werk)\s+ik\s+\w | ^weet\s+(?:je|jij)\s+(?:nog|wat|waar|wie|wanneer|hoe)\b""",
    r"\b(?:hoe\s+dan\s+ook|zoals|regent|sneeuwt)\b | ^(?:hoe|wat)\s+\w+\s+(?:ik|je|we|hij|ze)\s+\w+$",
)
_POLISH = _asking(
    r"""^(?:(?:do|z|ze|u|o|od|na|w|we|dla|za|po|przez)\s+)?(?:
      (?:gdzie|skąd|dokąd)\s+(?!nie\b|indziej\b|tylko\b)\w
      | kiedy\s+(?!by(?:łam|łem|liśmy|łyśmy|ł|ła)\s+(?:mał|młod)|\w+(?:łam|łem|liśmy|łyśmy)\s+\w+\s+\w+\s+\w|tylko\b|ja\b|wróc|przyjd|będę\b|skończ)\w
      | (?:kto|kogo|komu|kim)\s+(?!rano\b|pyta\b|wie\b|by\b|nie\b)\w
      | (?:na\s+|po\s+)?co\s+(?!roku|dzień|dzienn|drug|tydzień|miesiąc|noc|rano|wieczór|chwil|do|za|prawda|więcej|gorsza|ciekaw|jakiś|rusz|by|nie|najmniej|worker|\w+author)\w+\s+\w
      | czego\s+\w+ | jak\s+(?:ma|masz|mam|się|nazywa\w*|idzie|było|poszł\w+|długo|często|daleko|dojech\w+|zrobić|czuje\w*|duż\w+|wysok\w+)\b
      | (?:jak(?:i|a|ie|iego|iej|im|ich)|któr(?:y|a|e|ego|ej|ym|ą))\s+(?!(?:pi[eę]kn|ładn|fajn|dobr|mił|cudown|śliczn|sam|spos)\w*)\w+\s+\w
      | której\s+\w+ | ile\s+(?!razy\s+mam\b|można\b|się\s+da\b)\w | dlaczego\s+\w | czemu\s+\w | czyj[ae]?\s+\w | czy\s+\w+\s+\w
    )
    | ^(?:mój|moja|moje|nasz|nasza)\s+\w+\s+(?:gdzie|kiedy|co|jak|ile)\s+\w+$
    | ^(?:\w+\s+){1,3}(?:gdzie|kiedy)\s+(?:pracuj\w+|mieszka\w*|jest|ma)$""",
    r"\b(?:to\s+(?:przyjd|zadzwon|powi)\w+|ci\s+opowiem|zawsze\s+pada)\b | ^jak\s+się\s+\w+\s+to\b | ^(?:nie\s+wiem|nie\s+pamiętam)\b",
)
_TURKISH = _asking(
    r"""(?:^|\s)(?:(?<=\s)m[ıiuü](?:y[ıiuü]m|s[ıiuü]n|y[ıiuü]z|yd[ıiuü]m?|d[ıiuü]r)?$ | kim\s+\w+[dt][ıiuü]$
      | (?:nere(?:de|ye|den|li|si\w*)|(?-i:kim)$|kim(?:e|in|i|le|inle|den|di)|ka[çc](?:ta|tan|a|t[ıi]|ınc[ıi])?|hangi(?:si)?|nas[ıi]l|niye|neden|niçin|ne\s+zaman(?:dan|d[ıi]r)?)\b
      | ne(?:ydi|dir)?$ | ne\s+(?:dedi|diyor|bil[ei]\w*|yapt\w*|yap[ıi]yor\w*|oldu|al\w+|renk\w*|i[şs]\b|demek|içiyor\w*|yiyor\w*|yedi\w*|seviyor\w*|söyle\w*|okuyor\w*|çal[ıi]yor\w*|kadar(?:a|d[ıi]|\s+\w+d[ıiuü]$)?)\b)""",
    r"""bilm(?:iyor|em) | hat[ıi]rlam | unuttum | anlatamam | \b(?:\w+s[ae](?:m|n|k|n[ıi]z|lar|ler)?)\b(?<!sa)(?<!nerelisen)\s+\w
      | \bne\s+derse\b | \bne\s+\w+\s+ne\b | ^ne\s+(?:güzel|tatl|kötü|yazık|iyi)\w* | \bnas[ıi]l\s+(?:olsa|da)\b | \bher\s+nas[ıi]l | ne\s+kadar\s+\w+(?:um|üm|ım|im)\b""",
)
_RUSSIAN = _asking(
    r"""^(?:(?:с|со|у|о|об|от|до|для|к|на|в|во|из|за|по)\s+)?(?:
      (?:где|куда|откуда)\s+(?!бы\b|угодно\b|ни\b)\w
      | когда\s+(?!(?:я|мы|он|она|они)\s+(?:был|была|были|верн|прид|приед|буд|закон|жил)\w*|верн|прид|приед|буд\w+\s+время|закон|угодно\b)\w
      | (?:кто|кого|кому|кем|ком)\s+(?:(?:мне|нам|меня|нас|его|её|ей|ему|это|я|мы|у|не|ещё)\s+){0,2}(?:такой|такая|такие|это|\w+л[аи]?|\w+(?:ет|ит|ёт|ут|ят|ю|у)|\w+лся|\w+лась)\b(?!\s+тому)
      | что\s+(?!касается\b|ни\b|бы\b|за\b|же\b|угодно\b|поделаешь\b|значит\b.*\b)\w | (?:чего|чем|чём)\s+(?!бы\b|больше\b|раньше\b|дальше\b)\w
      | как\s+(?:зовут|звали|называ\w+|дела|пожива\w+|прош\w+|сделать|доехать|пройти|фамилия|имя|чувству\w+|его\s+зовут|её\s+зовут|долго|часто|далеко|давно)\b
      | (?:как(?:ой|ая|ое|ие|ого|ую|ом|им|их))\s+(?!\w+(?:ый|ий|ая|ое|ее|ые|ие|ую)\b)\w+\s+\w | каких\s+пор
      | (?:чей|чья|чьё|чьи)\s+\w | сколько\s+(?!можно\b|угодно\b|лет\s+сколько\b)\w | почему\s+(?!бы\b|-)\w | зачем\s+\w
    )
    | ^(?:\w+\s+){1,2}(?:где|когда|что|куда|как|кем)\s+(?:\w+ет|\w+ит|\w+ут|зовут)$""",
    r"-(?:то|нибудь|либо)\b | ^кто\s+рано\b | \b(?:расскажу|позвоню|напишу|покажу)\b | ^(?:не\s+(?:знаю|помню))\b | ^кто\s+\w+\s+тот\b",
)
_ARABIC = _asking(
    r"""^(?:و\s?)?(?:(?:مع|إلى|الى|من|منذ|في|على|عن|حتى|ب|ل)\s*)?(?:
      (?:أين|اين|وين|فين)\s+(?!ما\b)\S | (?:متى|امتى|إمتى)\s+(?!ما\b)\S | كيف\s+(?!لا\b|ما\b)\S | (?:لماذا|ليش|ليه|لمن|ماذا|شو|ايش|إيش|هل|مين)\s+\S | أي[ّة]?\s+\S+\s+\S
      | كم\s+(?!أحب|احب|هو\s+جميل|أنا\b|اشتقت|هي\s+جميلة|أتمنى)\S
      | ما\s+(?:اسم|لون|هو|هي|رقم|عنوان|موعد|سبب|عمل|مهنة|نوع|تاريخ|وظيفة|حجم|مقاس)\S*\b
      | من\s+(?:أعطا|اعطا|قال|هو|هي|اتصل|زار|جاء|اشترى|كان|يعمل|يسكن|أهدا|اهدا|أخبر|سيأتي|طبخ|كسر|علم)\S*
    )
    | ^مع\s+من\s+\S | ^و?\S+\s+(?:\S+\s+)?(?:أين|متى|كيف|ماذا|كم|وين|شو)\s+\S+$ """,
    r"لا\s+(?:أعرف|اعرف|أذكر|أدري|ادري) | ^من\s+هو\s+\S+\s+فهو",
)
_CHINESE = _asking(
    r"吗$ | 呢$ | (?:谁|哪|什么|为什么|怎么|多少|多大|多久|多长|多远|第几|几(?:点|号|岁|月|路|楼|时|口|度|级)) | 几[个只次年天本位]\w{0,4}$ | 是不是 | 有没有 | 对不对",
    r"""都 | [谁哪里儿么]也 | 不知道 | 不记得 | 忘了 | 不管 | 无论 | 随便 | 没什么 | 什么的 | 多么 | 多少有点 | 就好$ | 就行$ | 再[聊说见]$ | (?:哪怕|怎么也)
      | 什么时候.{1,6}(?:再|就) | 几[个只次年天位](?:前|后|朋友|同事|小时) | 想不出 | 不想 | 好像.*什么 | 怪不得 | 哪.*就""",
)
_JAPANESE = _asking(
    r"""(?:(?<!と)(?<!いつ)(?<!誰)(?<!何)(?<!どこ)か|っけ|かしら)$
      | (?:何|なに|なん(?:で(?!す)|だ|の|じ|て言)|誰|だれ|どこ|いつ|いくら|いくつ|どれ|どの|どんな|どちら|どっち|なぜ|どうして|どうやって)""",
    r"""(?:何|なに|誰|だれ|どこ|いつ|どれ|いくつ|どちら)(?:か(?![らな]|に行く)|も|でも|とも|[にへでとの]も|かの)|いつも|いつか(?![らな])|いつの間|何[度回年日人時]も|何[度回人年日時本]か(?!ら)|なぜか(?!な)|[てで]も|どうしても|どうでも
      | なんて(?!言|いう|い) | なんと | わから | 分から | か決め | 知らない | 覚えてない | 忘れ | かも | なんか""",
)
_KOREAN = _asking(
    r"""(?:나요|습니까|입니까|인가요|은가요|는가요|던가요|(?<!니)까요?|[했었았였있없하가오되이살맞알]니|았지|었지|했지)$
      | (?:뭐|뭘|무엇|무슨|누구|누가|어디|언제|얼마|몇|왜|어떻게|어느|어떤)""",
    r"""언젠가|언제나|누군가|어딘가|아무|뭐든|무엇이든|뭔가|얼마나.*(?:몰라|는지)|몇\s?번이나|몇\s?명이|어디에도|어디든|왠지|모르|몰라|는지|은지|누구나|어디나|보다|누구든|언제든|왜냐|왜인지|어떻게든
      | 몇\s?(?:년|달|번|시간|일)\s?(?:전|동안|째) | 기억(?:이)?\s?안 | 어쩐지 | (?:누구|어디|무엇|뭐|언제)(?:에|에서|를|한테)?도(?:\s|$) | (?:누구|어디|무엇|뭐|언제|어느).{0,5}든(?:\s|$)""",
)
_LEAD = re.compile(
    r"(?i)^(?:(?:ciao|ehi|senti|scusa|allora|e|ma|oi|olá|olha|então|mas|hoi|hallo|hé|hey|en|maar|dus|hej|cześć|no|ale|a|i|selam|merhaba|peki|ya"
    r"|привет|слушай|ну|а|и|но|مرحبا|طيب|lyra)[,،\s]+){1,2}|^(?:你好|嗨|那|おはよう|こんにちは|ねえ|ところで|안녕|저기|그런데)[,，、\s]*"
)
"""Greetings and conjunctions before the question."""
_LATIN = (_ITALIAN, _PORTUGUESE, _DUTCH, _POLISH, _TURKISH)
_SCRIPTS = (
    (re.compile(r"[\u3040-\u30ff]"), _JAPANESE),
    (re.compile(r"[\uac00-\ud7af]"), _KOREAN),
    (re.compile(r"[\u4e00-\u9fff]"), _CHINESE),
    (re.compile(r"[\u0400-\u04ff]"), _RUSSIAN),
    (re.compile(r"[\u0600-\u06ff]"), _ARABIC),
)


def asks_by_its_words(sentence: str) -> bool:
    """Return whether a sentence of one of the ten languages asks; one of more than 80 characters or with a comma does not."""
    if len(sentence) > _LONGEST:
        return False
    sentence = _LEAD.sub("", " ".join(sentence.split()).rstrip(".。…"))
    if re.search("[,，、،]", sentence):
        return False
    for letters, asking in _SCRIPTS:
        if letters.search(sentence):
            return _asks(asking, sentence)
    return any(_asks(asking, sentence) for asking in _LATIN)


def _asks(asking: _Asking, sentence: str) -> bool:
    return bool(asking.asks.search(sentence)) and not asking.states.search(sentence)
