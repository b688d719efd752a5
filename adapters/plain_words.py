"""Plain words that ask for what only a command does: the command is offered, instead of an answer that pretends it was done."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from localization.sentences import Sentence, lazy

_EN, _DE, _ES, _FR, _IT, _PT, _NL = "en", "de", "es", "fr", "it", "pt", "nl"
_PL, _RU, _TR, _AR, _ZH, _JA, _KO = "pl", "ru", "tr", "ar", "zh", "ja", "ko"
_OF_THIS = (
    r"(?:this|that|it|us|everything|(?:our|this|the|my) (?:talk|conversation|chat|dialog(?:ue)?|discussion)"
    r"|what (?:we|i) (?:have )?(?:said|talked about)|what was said)(?: so far| today)?"
)
_UNSER = (
    r"(?:das|dies|es|alles|(?:das|unser|dieses|mein) (?:bisherige )?(?:gespräch|chat)|(?:die|unsere|diese) (?:bisherige )?unterhaltung"
    r"|was (?:wir|ich) (?:bisher )?(?:besprochen|gesagt) (?:haben|habe))(?: bisher| mal| bitte)*"
)
_FORGET = {
    _EN: r"(?:forget|delete|erase)",
    _DE: r"(?:vergiss|vergessen sie|lösch(?:e|en sie)?)(?: (?:bitte|mal|einfach))*",
    _ES: r"(?:olvida(?:te de|rte de|r)?|olvídate de|borrar?|eliminar?)",
    _FR: r"(?:oublie[zsr]?|efface[zsr]?|supprime[zsr]?)",
    _IT: r"(?:dimentica(?:ti)?|cancella|elimina)",
    _PT: r"(?:esque[cç][ae](?:-te de)?|apag(?:a|ue)|elimin[ae])",
    _NL: r"(?:vergeet|verwijder|wis)",
    _PL: r"(?:zapomnij|usuń|skasuj)",
    _RU: r"(?:забудь|удали|сотри)",
    _TR: r"(?:unut|sil)",
    _AR: r"(?:انس[يَ]?|انسى|احذفي?|امحي?)",
    _ZH: r"(?:忘[掉了记]?|删[掉除了]|忘記|刪[掉除])",
    _JA: r"(?:忘れて|消して|削除して)(?:ください|ね|くれる|ほしい)?",
    _KO: r"(?:잊어|지워|삭제해)(?: ?줘| ?주세요| ?줄래)?",
}
_LAST = {
    _EN: rf"{_FORGET[_EN]} (?:about )?(?:this|that|it|what i(?:['’]ve| have)? (?:just )?(?:said|told you)|(?:my|that) last (?:message|words|one|thing)|the last message)(?: again)?"
    r"|forget the last (?:one|thing)",
    _DE: rf"{_FORGET[_DE]} (?:das|es|dies|was ich (?:dir |ihnen )?(?:gerade |eben )?(?:gesagt|erzählt) habe|meine letzte nachricht)(?: wieder| mal| bitte)*"
    r"|(?:kannst|könntest) du (?:das|es|dies)(?: bitte| wieder| mal)* (?:vergessen|löschen)\??",
    _ES: rf"{_FORGET[_ES]} (?:eso|esto|lo (?:que|último(?: que)?)(?: te)? (?:acabo de (?:decir|contar)(?:te)?|he dicho|dije)|lo último|(?:mi|el) último mensaje)"
    r"|(?:olv[ií]da|b[oó]rra)lo",
    _FR: rf"{_FORGET[_FR]} (?:[çc]a|cela|ce que je viens de (?:te |vous )?dire|ce que (?:j['’]|je t['’]|je vous )ai dit|(?:mon|le) dernier message)",
    _IT: rf"{_FORGET[_IT]} (?:questo|quello|quello che ho (?:appena )?detto|il mio ultimo messaggio)",
    _PT: rf"{_FORGET[_PT]} (?:isso|isto|o que (?:eu )?(?:acabei de dizer|disse)|(?:a )?minha última mensagem)",
    _NL: rf"{_FORGET[_NL]} (?:dat|dit|wat ik (?:net |zojuist )?(?:zei|heb gezegd)|mijn laatste bericht)",
    _PL: rf"{_FORGET[_PL]},? (?:o )?(?:to|tym|co (?:właśnie )?(?:powiedział[ae]m|napisał[ae]m)|moją ostatnią wiadomość)",
    _RU: rf"{_FORGET[_RU]},? (?:об? )?(?:это|этом|то,? что я (?:только что )?(?:сказала?|написала?)|мо[её] последнее сообщение)",
    _TR: rf"(?:bunu|şunu|onu|(?:az önce )?söylediğimi|son mesajımı) {_FORGET[_TR]}",
    _AR: rf"{_FORGET[_AR]} (?:هذا|ذلك|ما قلته(?: للتو)?|رسالتي الأخيرة)",
    _ZH: rf"{_FORGET[_ZH]}(?:这个|这件事|它|我刚才?说的(?:话)?|上一条)(?:吧)?|把(?:这个|这件事|我刚才?说的(?:话)?|上一条){_FORGET[_ZH]}(?:吧)?",
    _JA: rf"(?:今の|それ|これ|今言ったこと|さっき(?:言ったこと|のメッセージ))(?:は|を)?{_FORGET[_JA]}",
    _KO: rf"(?:이거|그거|그것|방금 한 말|방금 말한 거|마지막 메시지)(?:는|를|을)? {_FORGET[_KO]}",
}
_ALL = {
    _EN: rf"{_FORGET[_EN]} (?:all|everything)(?: (?:i|that i) (?:have )?(?:said|told you))?",
    _DE: rf"{_FORGET[_DE]} alles(?:,? was ich (?:dir |ihnen )?(?:gesagt|erzählt) habe)?",
    _ES: rf"{_FORGET[_ES]} todo(?: lo que te (?:he dicho|dije|conté|he contado))?",
    _FR: rf"{_FORGET[_FR]} tout(?: ce que je (?:t['’]|vous )ai (?:dit|raconté))?",
    _IT: rf"{_FORGET[_IT]} tutto(?: quello che ti ho (?:detto|raccontato))?",
    _PT: rf"{_FORGET[_PT]} tudo(?: o que (?:eu )?(?:te|lhe) (?:disse|contei))?",
    _NL: rf"{_FORGET[_NL]} alles(?: wat ik (?:je )?(?:heb )?(?:gezegd|verteld)(?: heb)?)?",
    _PL: rf"{_FORGET[_PL]} (?:o )?wszystk(?:o|im)(?:,? co (?:ci )?(?:powiedział[ae]m|mówił[ae]m))?",
    _RU: rf"{_FORGET[_RU]} (?:обо )?(?:вс[её]|всём|всем)(?:,? что я (?:тебе )?(?:говорила?|сказала?|рассказывала?))?",
    _TR: rf"(?:sana (?:söylediğim|anlattığım) )?her şeyi {_FORGET[_TR]}",
    _AR: rf"{_FORGET[_AR]} كل (?:شيء|ما قلته(?: لك)?)",
    _ZH: rf"{_FORGET[_ZH]}(?:一切|所有(?:的事|的一切)?|全部|我(?:跟你|对你|和你)?说(?:过)?的(?:一切|所有(?:的)?话))(?:吧)?",
    _JA: rf"(?:全部|すべて|(?:私が)?(?:言った|話した)ことを?(?:全部|すべて))(?:を)?{_FORGET[_JA]}",
    _KO: rf"(?:내가 (?:한 말|말한 것|말한 거)(?:을|를)? )?(?:전부|모두|다) {_FORGET[_KO]}",
}
_ABOUT = {
    _EN: rf"{_FORGET[_EN]} (?:all|everything|anything|what(?:ever)?)(?: (?:that )?(?:i|we)(?:['’]ve| have)? (?:said|told you|mentioned)| you know)? about (?P<topic>[^,]+?)"
    r"|forget (?:the|that) (?:thing|stuff|part|story) (?:about|with) (?P<thing>[^,]+?)"
    r"|(?-i:[Ff]orget about (?P<name>(?:my |our )?[^\W\d_a-z][^\s,]*(?: [^\W\d_a-z][^\s,]*)?|(?:my|our) [^,]+?))"
    r"|forget (?:that )?(?P<own>(?:my|our) [^,]+?)"
    r"|forget (?:what|when|where|who|how (?:much|many|old|long)) (?P<fact>(?:my|our|the) [^,]+?)",
    _DE: rf"{_FORGET[_DE]} (?:alles|(?:alles |das )?was ich (?:dir |ihnen )?) ?(?:über|von|zu) (?P<topic>.+?)(?: (?:gesagt|erzählt) habe?)?"
    r"|(?:vergiss|vergessen sie) (?:(?:bitte|mal|einfach) )*das (?:mit|über|von) (?P<name>.+?)"
    r"|(?:vergiss|vergessen sie) (?:bitte )?(?P<own>(?:mein|unser)\w* [^,]+?)"
    r"|(?:vergiss|vergessen sie) (?:(?:bitte|mal|einfach) )*(?:was|wann|wo|wer|wie ?(?:viel|alt|lange)) (?P<fact>(?:(?:mein|unser)\w*|der|die|das) [^,]+?)",
    _ES: rf"{_FORGET[_ES]} (?:(?:todo )?lo que (?:te |le )?(?:he dicho|dije|conté|he contado) (?:sobre|del?)|(?:lo|todo(?: lo)?) sobre|todo lo del?) (?P<topic>.+?)"
    r"|(?:olvida(?:te de|rte de|r)?|olvídate de) lo del? (?P<thing>.+?)"
    r"|(?:olvida(?:te de)?|olvídate de) (?P<own>(?:mis?|nuestr[oa]s?) [^,]+?)"
    r"|(?:olvida|olvídate de) (?:lo que|cu[aá]ndo|d[oó]nde|cu[aá]nto) (?P<fact>(?:mis?|nuestr[oa]s?|el|la|los|las) [^,]+?)",
    _FR: rf"{_FORGET[_FR]} (?:(?:tout )?ce que (?:je (?:t['’]|vous )ai|j['’]ai) (?:dit|raconté) (?:de|sur|à propos de|au sujet de)|tout (?:sur|à propos de|au sujet de)|(?:tout )?ce que tu sais (?:de|sur)) (?P<topic>.+?)"
    r"|oublie[zsr]? (?:l['’]histoire|le truc) (?:du|de|avec|sur) (?P<thing>.+?)"
    r"|oublie[zs]? (?P<own>(?:mon|ma|mes|notre|nos) [^,]+?)"
    r"|oublie[zs]? (?:ce que|quand|où|combien) (?P<fact>(?:mon|ma|mes|notre|nos|le|la|les) [^,]+?)",
    _IT: rf"{_FORGET[_IT]} (?:(?:tutto )?(?:quello|ciò) che (?:ti )?ho (?:detto|raccontato) (?:su|di)|tutto su) (?P<topic>.+?)"
    r"|dimentica(?:ti)? (?:del(?:la|le)? )?(?P<own>(?:il mio|la mia|i miei|le mie|mi[oa]) [^,]+?)",
    _PT: rf"{_FORGET[_PT]} (?:(?:tudo )?o que (?:eu )?(?:te |lhe )?(?:disse|contei|falei) (?:sobre(?: [oa])?|d[eao])|tudo sobre(?: [oa])?) (?P<topic>.+?)"
    r"|esque[cç]e(?:-te d[eao])? (?P<own>(?:o meu|a minha|meus?|minhas?) [^,]+?)",
    _NL: rf"{_FORGET[_NL]} (?:(?:alles )?wat ik (?:je )?(?:heb )?(?:gezegd|verteld|zei) over (?P<topic>.+?)|(?:alles|(?:alles )?wat ik(?: je)?) over (?P<name>.+?)(?: heb verteld| heb gezegd| zei)?)"
    r"|vergeet (?P<own>(?:mijn|onze?) [^,]+?)",
    _PL: rf"{_FORGET[_PL]},? (?:(?:o )?wszystk(?:o|im),? )?(?:o tym,? )?co (?:ci )?(?:powiedział[ae]m|mówił[ae]m|wiesz)(?: ci)? o (?P<topic>[^,]+?)"
    rf"|{_FORGET[_PL]} wszystko o (?P<thing>[^,]+?)|{_FORGET[_PL]} o (?P<name>(?-i:[A-ZĆŁŚŹŻ])\w+)",
    _RU: rf"{_FORGET[_RU]},? (?:вс[её],? )?(?:то,? )?что (?:я (?:тебе )?(?:говорила?|сказала?|рассказывала?|рассказала?)|ты знаешь)(?: тебе)? (?:про|об?) (?P<topic>[^,]+?)"
    rf"|{_FORGET[_RU]} вс[её] (?:про|об?) (?P<thing>[^,]+?)|{_FORGET[_RU]} (?:про|об?) (?P<name>(?-i:[А-ЯЁ])\w+)",
    _TR: rf"(?P<topic>[^,]+?) (?:hakkında|ile ilgili) (?:(?:sana )?(?:söylediklerimi|anlattıklarımı|söylediğim her şeyi|her şeyi|bildiklerini) )?{_FORGET[_TR]}",
    _AR: rf"{_FORGET[_AR]} (?:كل )?(?:ما قلته|ما قلت|ما أخبرتك به|ما تعرفينه|شيء)(?: لك)? عن (?P<topic>[^,،]+?)",
    _ZH: rf"{_FORGET[_ZH]}(?:我(?:跟你|对你|和你|告诉你)?(?:说(?:过)?|讲(?:过)?)?的?)?(?:关于|有关)(?P<topic>[^，,]+?)(?:的(?:事情?|一切|话|所有事?|内容))(?:吧)?"
    rf"|{_FORGET[_ZH]}(?P<own>[^，,的]+?)的事情?(?:吧)?"
    rf"|把(?:我(?:跟你|对你)?说(?:过)?的)?(?:关于|有关)(?P<thing>[^，,]+?)(?:的(?:事情?|一切|话))(?:都)?{_FORGET[_ZH]}(?:吧)?",
    _JA: rf"(?P<topic>[^、,]+?)(?:について|に関して)(?:(?:私が)?(?:言った|話した|教えた)こと)?(?:は|を)?(?:全部|すべて)?{_FORGET[_JA]}"
    rf"|(?P<thing>[^、,]+?)のこと(?:は|を)?(?:全部|すべて)?{_FORGET[_JA]}",
    _KO: rf"(?P<topic>[^,]+?)에 ?(?:대해|대해서|관해|관해서)(?: 내가)?(?: (?:한|말한|했던) (?:말|것|거|이야기))?(?:은|는|을|를)?(?: (?:다|전부|모두))? {_FORGET[_KO]}",
}
_SUMMARY = {
    _EN: rf"(?:summari[sz]e|sum up)(?: {_OF_THIS})?|sum {_OF_THIS} up|(?:give me )?a summary(?: of {_OF_THIS})?",
    _DE: rf"(?:fass\w* (?:(?:bitte|mal|mir) )*{_UNSER} ?(?:(?:bitte|mal) )*zusammen"
    rf"|(?:kannst|könntest) du (?:(?:bitte|mal|mir) )*{_UNSER} ?(?:(?:bitte|mal) )*zusammenfassen\??)"
    r"|(?:gib mir )?eine zusammenfassung|zusammenfassen",
}
_HELP = {_EN: "help", _DE: "hilfe"}
_REMINDER = {
    _EN: r"(?:please )?(?:can you |could you )?remind me\b.*",
    _DE: r"(?:bitte )?erinner\w* mich\b.*|(?:kannst|könntest) du mich .*\berinnern",
}
_ASKS = r"(?:can|could|would|will) you|tu (?:peux|pourrais)|(?:peux|pourrais)[ -]tu|puedes|podrías|i(?:['’]d| would) like you to|i want you to"
_PLEASE = r"(?:please|pls|bitte|por favor|porfa|stp|svp|s['’]il (?:te|vous) pla[iî]t|per favore|alsjeblieft|alstublieft|proszę|пожалуйста|lütfen|من فضلك|请|thanks|thank you|danke|merci|gracias)"
_BEFORE = re.compile(rf"(?i)(?:(?P<asks>{_ASKS})\s+|(?:@?lyra|hey|hi|ok(?:ay)?|actually|sorry|{_PLEASE})[\s,:!]+|[¡¿])*")
_AFTER = re.compile(rf"(?i)(?:[\s,]+(?:for me|lyra|{_PLEASE}))*[\s.!]*$")
_VERB_COMMA = re.compile(r"^((?:\S+ ){0,2}\S+), (was|wann|wo|wer|wie|wat)\b", re.IGNORECASE)
_MOST_AFTER = 60
"""How many of the last characters are looked at for courtesy: looking through all takes the square of them."""
_NO_RECORD = {
    _EN: (
        r"(?:(?:strictly|completely|this (?:is|stays)|that['’]?s|that is|it['’]s|all (?:of )?this is|keep (?:this|it|that)) )*off the record(?! [a-z])",
        r"(?:please )?(?:do not|don['’]?t|never) (?:keep|save|store|record|log|write down) (?:any of )?(?:this|that)(?= ?(?:\W |$))",
    ),
    _DE: (
        r"(?:(?:ganz|streng|das (?:ist|bleibt)|dies ist|alles) )*off the record",
        r"(?:bitte )?(?:merke? dir|speicher\w*|behalte?|notier\w*) (?:das|dies|es)(?: bitte| jetzt)* nicht(?= ?(?:\W |$))",
    ),
    _FR: (
        r"(?:c['’]est |ça reste )?(?:off the record|hors micro)(?! [a-z])",
        r"(?:(?:ne |n['’])?(?:garde|enregistre|note|retiens|mémorise)[sz]? pas [çc]a|(?:n['’]enregistre|ne (?:garde|note|retiens)) rien)(?= ?(?:\W |$))",
    ),
    _ES: (
        r"(?:esto es )?(?:off the record|en off)(?! [a-z])",
        r"(?:por favor )?no (?:guardes|grabes|apuntes|anotes|registres) (?:esto|eso|nada)(?= ?(?:\W |$))",
    ),
}
_OFF_RECORD = {
    code: rf"(?:(?:ok(?:ay)?|so|now|please|but|well|also|bitte),? )*(?:{'|'.join(asked)})(?P<said>.*)"
    rf"|(?P<before>.+?) ?[,;:.!?(–—-] ?(?:{'|'.join(asked)})\)?"
    for code, asked in _NO_RECORD.items()
}
_MOST_OF_A_TOPIC, _LONGEST_TOPIC = 8, 100
"""In words and in characters: anything longer tells something rather than naming it."""
_ELSE = re.compile(r"(?i)\?|\b(?:not|never|nicht|niet|nooit|pas|nunca|non|nie|не)\b")
"""What a topic does not hold: "vergiss unseren Termin nicht" asks for the contrary."""
_NO_TOPIC = frozenset({"him", "her", "them", "me", "you", "us", "ihn", "sie", "ihm", "mich", "dich", "uns"})
NO_REMINDER = lazy("(I cannot remind you at a set time. I keep this, and tell you when you ask.)")


@dataclass(frozen=True, slots=True)
class Offer:
    """A command that plain words may stand for, the question offering it (None: the command asks itself), and the language.

    `forgets` says that it is one that forgets.
    """

    line: str
    question: Sentence | None
    language: str
    forgets: bool = True


def offered(text: str, prefix: str) -> Offer | None:
    """Return the command that a whole line asks for in plain words, or None."""
    words = _VERB_COMMA.sub(r"\1 \2", _without_courtesy(" ".join(text.split())))
    if found := _matched(_LAST, words):
        return Offer(f"{prefix}forget that", None, found[0])
    if found := _matched(_ALL, words):
        return Offer(f"{prefix}forget all", lazy("Forget all that you told me?"), found[0])
    if found := _matched(_SUMMARY, words):
        return Offer(f"{prefix}summarize", lazy("Summarize this conversation?"), found[0], forgets=False)
    if found := _matched(_HELP, words):
        return Offer(f"{prefix}help", lazy("Show what you can say here?"), found[0], forgets=False)
    if found := _matched(_OFF_RECORD, words):
        if re.search(r"\w", found[1]["said"] or found[1]["before"] or ""):
            return Offer(
                f"{prefix}incognito once {' '.join(text.split())}",
                lazy("Answer this and keep none of it?"),
                found[0],
                forgets=False,
            )
        return Offer(f"{prefix}incognito on", lazy("Keep nothing of what is said here from now on?"), found[0], forgets=False)
    if found := _matched(_ABOUT, words):
        topic = next(filter(None, found[1].groupdict().values()))
        short = len(topic) <= _LONGEST_TOPIC and len(topic.split()) <= _MOST_OF_A_TOPIC
        if short and not _ELSE.search(topic) and topic.casefold() not in _NO_TOPIC:
            return Offer(f"{prefix}forget about:{topic}", lazy('Forget what I keep about "{topic}"?', topic=topic), found[0])
    return None


def _without_courtesy(words: str) -> str:
    """Return words without "please", "Lyra, could you" and the like around them."""
    before = _BEFORE.match(words)
    assert before is not None, "it matches nothing as well"
    words = (words.rstrip("?") if before["asks"] else words)[before.end() :]
    return words[:-_MOST_AFTER] + _AFTER.sub("", words[-_MOST_AFTER:])


def asks_for_no_record(text: str) -> bool:
    """Return whether a message asks that it, or what follows, be kept nowhere."""
    return _matched(_OFF_RECORD, " ".join(text.split()).rstrip(" .!")) is not None


def asks_for_reminder(text: str) -> str:
    """Return the code of the language in which a line asks for a reminder, '' if it does not."""
    found = _matched(_REMINDER, " ".join(text.split()))
    return found[0] if found else ""


def _matched(patterns: Mapping[str, str], words: str) -> tuple[str, re.Match[str]] | None:
    tried = ((code, re.fullmatch(pattern, words, re.IGNORECASE)) for code, pattern in patterns.items())
    return next(((code, match) for code, match in tried if match), None)
