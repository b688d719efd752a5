"""The wordings with which people ask for manners, and with which they take them back.

Forms are grouped by kind, each with the value that it sets or ends: placeholders such as `{tone}` are filled from the match; an
ended value is a pattern of wishes, "" for any wish of that kind.
"""

from collections.abc import Mapping, Sequence

LANGUAGES = {
    name: language
    for language, names in {
        "English": "english englisch inglés anglais inglese inglês engels angielsku английском английски ingilizce الإنجليزية 英文 英语 英語 영어",
        "German": "german deutsch alemán allemand tedesco alemão duits niemiecku немецком немецки almanca الألمانية 德文 德语 ドイツ語 독일어",
        "Dutch": "dutch nederlands niederländisch holandés néerlandais olandese holandês niderlandzku голландском felemenkçe الهولندية 荷兰语 オランダ語 네덜란드어",
        "French": "french französisch francés français francese francês frans francusku французском французски fransızca الفرنسية 法文 法语 フランス語 프랑스어",
        "Spanish": "spanish spanisch español espagnol castellano spagnolo espanhol spaans hiszpańsku испанском испански ispanyolca الإسبانية 西班牙语 スペイン語 스페인어",
        "Italian": "italian italienisch italiano italien italiaans włosku итальянском итальянски italyanca الإيطالية 意大利语 イタリア語 이탈리아어",
        "Portuguese": "portuguese portugiesisch português portugués portugais portoghese portugees portugalsku португальском portekizce البرتغالية 葡萄牙语 ポルトガル語 포르투갈어",
        "Polish": "polish polnisch polski polaco polonais polacco polonês pools polsku польском польски lehçe البولندية 波兰语 ポーランド語 폴란드어",
        "Russian": "russian russisch ruso russe russo rosyjsku русском русски rusça الروسية 俄文 俄语 ロシア語 러시아어",
        "Turkish": "turkish türkisch türkçe turco turc turks turecku турецком турецки التركية 土耳其语 トルコ語 터키어",
        "Swedish": "swedish schwedisch svenska", "Danish": "danish dänisch dansk", "Norwegian": "norwegian norwegisch norsk",
        "Finnish": "finnish finnisch suomi", "Czech": "czech tschechisch", "Greek": "greek griechisch",
        "Arabic": "arabic arabisch árabe arabe arabo arabsku арабском arapça العربية 阿拉伯语 アラビア語 아랍어",
        "Ukrainian": "ukrainian ukrainisch",
        "Japanese": "japanese japanisch japonés japonais giapponese japonês japans japońsku японском японски japonca اليابانية 日文 日语 日本語 일본어",
        "Chinese": "chinese chinesisch mandarin chino chinois cinese chinês chinees chińsku китайском китайски çince الصينية 中文 汉语 中国語 중국어",
        "Korean": "korean koreanisch coreano coréen koreaans koreańsku корейском корейски korece الكورية 韩文 韩语 韓国語 한국어",
    }.items()
    for name in names.split()
}  # fmt: skip
LANGUAGE = "|".join(LANGUAGES)
TONES = {
    "locker": "casual", "förmlich": "formal", "direkt": "direct", "ernst": "serious", "freundlich": "friendly", "witzig": "funny",
    "sachlich": "matter-of-fact",
}  # fmt: skip
TONE = "formal|informal|casual|friendly|serious|playful|funny|dry|direct|blunt|gentle|warm|professional|sarcastic|matter-of-fact"
NAME = r"(?P<name>[^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){0,2}?)"
TALK = "(?:talk|speak|write|answer|reply|respond|chat)"
ANSWERS = "(?:answers|replies|messages)"
SPRECHEN = "(?:reden|sprechen|schreiben|antworten)"
LEAD = (
    r"(?:(?:please|@?lyra|hey|hi|hello|ok|okay|so|well|oh|and|but|just|now|actually|no(?=,)|sorry|from now on|always|bitte|ab jetzt|ab sofort"
    r"|eigentlich|nein(?=,)|gerne?|lieber|jetzt|por favor|porfa|stp|svp|désormais|maintenant|(?:can|could|would|will|shall|should) (?:you|we)|let['’]s|lass uns|können wir|you (?:can|may|should|are (?:free|allowed) to)"
    r"|you['’]re (?:free|allowed) to|feel free to|it['’]s (?:ok|okay|fine) (?:to|if you)"
    r"|i(?:['’]d| would) (?:like|prefer)(?: (?:it if )?you)?(?: to)?|i (?:want|prefer)(?: you)?(?: to)?|kannst du|könntest du"
    r"|du (?:kannst|darfst|sollst)|sie (?:können|dürfen)|ich (?:möchte|hätte gerne?)|puedes|quiero|tu peux)[, ]+)*"
)
TAIL = (
    r"(?:,? (?:please|pls|bitte|por favor|porfa|per favore|alsjeblieft|proszę|пожалуйста|lütfen|من فضلك|stp|svp|s['’]il (?:te|vous) pla[iî]t|maintenant|désormais|ahora|a partir de ahora|from now on|ab jetzt|ab sofort|always|instead|with me|to me|mit mir|conmigo|thanks|thank you|danke"
    r"|again|now|too|for me|any ?more|any longer|wieder|jetzt|auch|mehr))*"
)

_TALKING = "talk|speak|write|answer|reply|respond|chat|sound|rede|sprich|schreib|antwort|sprech"
HINTS: Mapping[str, str] = {
    "name": (
        r"call(?:ing)? me|be called|ll[áa]ma?me|llames|appel|go by|my (?:\w+ )?name|nick ?name|that ?name|namen|heiße|me llamo|nenn|genannt"
        r"|zu mir|no more|(?:stop|enough) (?:it )?with|i(?:['’]m| am) (?:not|no longer)|(?:drop|forget|skip) the|lass das|schluss mit"
        r"|no longer go|sprich mich"
    ),
    "language": rf"{LANGUAGE}|language|sprache",
    "length": (
        r"short|brief|concise|terse|curt|verbose|wordy|detail|length|long|so much|so viel|kurz|kürz|knapp|lang|läng|wieder mehr"
        rf"|ausführlich|brev|br[eè]ve|bref|concis|cort[ao]|largo|larga|court|{_TALKING}"
    ),
    "tone": rf"{TONE}|{'|'.join(TONES)}|jok|witz|chiste|scherz|lustig|tone|yourself|be normal|be as|sei wieder|{_TALKING}",
    "emoji": rf"emoji|{_TALKING}",
    "address": (
        r"duz|siez|zu mir|beim (?:du|sie)|wieder (?:per |das )?(?:du|sie)|(?:du|sie) wieder|tut(?:é|o|ea)|tr[áa]tame|h[áa]blame|vouvo"
        r"|pronouns|she/her|he/him|they/them"
    ),
}
"""A quick filter for each kind: its forms take a while to compile, and most texts ask for nothing."""


_NOT_TO = (
    r"(?:(?:please )?(?:do not|don['’]t|never|not)|no need to|there(?:['’]s| is) no need to"
    r"|you (?:(?:do not|don['’]t) (?:have|need) to|needn['’]t|no longer (?:have|need) to|can stop|should not|shouldn['’]t|must not|mustn['’]t))"
)
_STOP = r"(?:you (?:can|may) )?(?:stop|quit)"
_MUST_NOT = r"du (?:musst|brauchst|sollst|solltest)"
_NOT_MORE = r"nicht (?:mehr |länger |immer )?"
_MY_NAME = r"my (?:(?:real|normal|own|usual|actual|old|first|given|proper) )?name"
_MEIN_NAME = r"meinem (?:(?:richtigen|echten|normalen|eigenen|alten) )?(?:vor)?namen"
_ONES_OWN = r"(?:my(?: own)? language|(?:the|whatever|whichever|any) (?:same )?language (?:that )?i (?:(?:write|speak|use|talk|ask|am using)(?: to you)?(?: in)?))"
_FINE = r"(?:fine|ok|okay|welcome|allowed|alright|all right|good)"
_GUT = r"(?:ok|okay|erlaubt|in ordnung|willkommen|gut|fein)"
_NORMALLY = (
    r"(?:normally|normal|naturally|as usual|as (?:you did )?before|like before|the way you (?:did|used to|like|want)"
    r"|as you (?:like|want|please|used to|did before)|however you (?:like|want))"
)
_NORMAL = r"(?:ganz )?(?:normal|wie (?:immer|früher|vorher|sonst|zuvor|du (?:willst|magst)))"

CALLED, ANY = 'to be called "{name}"', ""
_SHORT, _LONG, _NO_EMOJI, _EMOJI, _NO_JOKES = "short answers", "detailed answers", "(?:no|fewer) emojis", "emojis", "no jokes"
_TONED = "an? (?:more )?{tone} tone"

ENDS: Sequence[tuple[str, str, str]] = (
    ("name", CALLED, rf"{_STOP} calling me {NAME}|{_NOT_TO} call me {NAME.replace('name', 'other')}"),
    ("name", CALLED, rf"i(?: (?:do not|don['’]t) want (?:you to call me|to be called)|(?:['’]d| would) (?:rather|prefer)(?: (?:that|it if))? you (?:did not|didn['’]t|do not|don['’]t) call me| no longer go by| (?:do not|don['’]t) go by) {NAME}"),
    ("name", CALLED, rf"no more {NAME}|(?:stop (?:it )?|enough )with (?:the |that )?{NAME.replace('name', 'to')}|i(?:['’]m| am) (?:not|no longer) {NAME.replace('name', 'language')}|(?:drop|forget|skip) the {NAME.replace('name', 'other')}"),
    ("name", ANY, rf"(?:call me by|use|go back to|call me) {_MY_NAME}|{_NOT_TO} use (?:that|my nick) ?name|(?:drop|forget) (?:that|the|my) (?:nick)?name"),
    ("name", CALLED, rf"nenne? mich (?:nicht|nie)(?: mehr| wieder| länger)? {NAME}|(?:lass das|schluss) mit (?:dem |der )?{NAME.replace('name', 'to')}|(?:sage?) nicht (?:mehr )?{NAME.replace('name', 'other')} zu mir"),
    ("name", CALLED, rf"höre? auf,? mich {NAME} zu nennen|{_MUST_NOT} mich {_NOT_MORE}{NAME.replace('name', 'other')} (?:zu )?nennen"),
    ("name", CALLED, rf"mich {_NOT_MORE}{NAME} nennen|ich (?:will|möchte|mag) {_NOT_MORE}{NAME.replace('name', 'other')} genannt werden"),
    ("name", ANY, rf"(?:nenne? mich|sprich mich)(?: wieder)? (?:(?:bei|mit) {_MEIN_NAME}|{_NORMAL})(?: an)?"),
    ("name", ANY, rf"mich (?:wieder )?(?:bei|mit) {_MEIN_NAME} (?:nennen|anreden|ansprechen)|(?:benutze?|nimm|verwende) (?:wieder )?meinen (?:richtigen|echten|normalen) namen"),
    ("name", CALLED, rf"arrête de m['’]appeler {NAME}|(?:ne )?m['’]appelle (?:plus|pas) {NAME.replace('name', 'other')}|(?:ya )?no me llames(?: más)? {NAME.replace('name', 'to')}|deja de llamarme {NAME.replace('name', 'language')}"),
    ("language", "{language}", rf"{_STOP} (?:{TALK}ing|writing)(?: (?:to|with) me| me)? in (?P<language>{LANGUAGE})|(?:no more|enough|stop the) (?P<to>{LANGUAGE})"),
    ("language", "{language}", rf"{_NOT_TO} (?:always )?{TALK}(?: back)?(?: (?:to|with) me| me)? in (?P<language>{LANGUAGE})"),
    ("language", ANY, rf"{TALK}(?: (?:to|with) me| me)? in {_ONES_OWN}|use {_ONES_OWN}"),
    ("language", "{language}", rf"(?:antworte|sprich|schreibe?|rede) (?:mir |mit mir )?{_NOT_MORE}(?:auf )?(?P<language>{LANGUAGE})"),
    ("language", "{language}", rf"{_MUST_NOT} (?:mir |mit mir )?{_NOT_MORE}(?:auf )?(?P<language>{LANGUAGE}) (?:mit mir )?(?:zu )?{SPRECHEN}"),
    ("language", "{language}", rf"kein (?P<language>{LANGUAGE}) mehr|höre? auf,? (?:mir |mit mir )?(?:auf )?(?P<to>{LANGUAGE}) zu {SPRECHEN}"),
    ("language", ANY, r"(?:antworte|sprich|schreibe?|rede)(?: mir| mit mir)?(?: wieder)? in (?:meiner sprache|der(?:selben)? sprache,? in der ich (?:dir |dich |mit dir )?\w+)"),
    ("length", _SHORT, rf"{TALK}(?: me)?(?: a (?:bit|little))? (?:longer|more|at length|in (?:more )?detail|as (?:much|long) as you (?:like|want))(?: {ANSWERS})? again"),
    ("length", _SHORT, rf"(?:be (?:more detailed|longer|more verbose)|(?:(?:give|write)(?: me)? )?(?:longer|(?:more )?detailed) {ANSWERS}(?: are {_FINE})?|(?:(?:your|the) )?{ANSWERS} (?:can|may|should) be (?:longer|more detailed)) again"),
    ("length", _SHORT, rf"(?:{_NOT_TO} (?:be|keep (?:it|(?:your )?{ANSWERS})|{TALK})|{_STOP} (?:being|keeping (?:it|(?:your )?{ANSWERS})|{TALK}ing|writing)) (?:so |that |too |quite so |always )*(?:brief|short|concise|briefly|concisely|tersely|terse|curt)"),
    ("length", _SHORT, rf"(?:your |the )?{ANSWERS} (?:do not|don['’]t|no longer) (?:have|need) to be (?:so |that |as )?(?:short|brief|concise)"),
    ("length", _LONG, rf"(?:your |the )?{ANSWERS} (?:do not|don['’]t|no longer) (?:have|need) to be (?:so |that |as )?(?:long|detailed)"),
    ("length", _LONG, rf"(?:{TALK} shorter|be shorter) again|you (?:do not|don['’]t) (?:have|need) to (?:be|write|answer|reply) (?:so |that )?(?:long|detailed|much|verbose)"),
    ("length", ANY, rf"(?:(?:normal|usual|regular|any) length|{ANSWERS} of (?:normal|usual|any) length)(?: (?:is|are) {_FINE})?"),
    ("length", _SHORT, r"(?:mir )?wieder (?:länger|mehr|ausführlicher|ausführlich|längere (?:antworten|texte|nachrichten))(?: antworten| schreiben| sein| werden| geben)?|nicht mehr so (?:kurz|knapp)"),
    ("length", _SHORT, rf"(?:antworte|schreibe?)(?: mir)? wieder (?:länger|mehr|ausführlicher|ausführlich)|{_MUST_NOT} dich {_NOT_MORE}(?:so )?(?:kurz|kürzer) (?:zu )?fassen"),
    ("length", _SHORT, rf"{_MUST_NOT} {_NOT_MORE}so (?:kurz|knapp) (?:zu )?(?:antworten|schreiben|sein)|(?:fasse? dich|sei|antworte|schreibe?|dich)(?: mir)? {_NOT_MORE}so (?:kurz|knapp)(?: angebunden| fassen)?"),
    ("length", _LONG, rf"{_MUST_NOT} (?:mir )?{_NOT_MORE}so (?:lang|lange|ausführlich|viel) (?:zu )?(?:antworten|schreiben|sein)|wieder kürzer(?: antworten| schreiben)?"),
    ("tone", _NO_JOKES, rf"(?:joke|make jokes|tell (?:me )?jokes|crack jokes|be funny) again|jokes are {_FINE}"),
    ("tone", _NO_JOKES, rf"wieder (?:witze (?:machen|erzählen)|scherzen|lustig sein)|witze sind (?:jetzt )?wieder {_GUT}|(?:mache?|erzähle?) (?:mir )?wieder witze"),
    ("tone", _TONED, rf"(?:no need to|you (?:(?:do not|don['’]t) (?:have|need) to|needn['’]t)) be (?:so |that |too )?(?P<tone>{TONE})|{_STOP} being (?:so |that |too )?(?P<to>{TONE})"),
    ("tone", _TONED, rf"{_MUST_NOT} {_NOT_MORE}so (?P<tone>{'|'.join(TONES)}) (?:zu )?sein"),
    ("tone", ANY, r"(?:use|take|go back to) your (?:normal|usual|old) tone|be (?:yourself|normal|as you were|as before) again|sei wieder (?:normal|wie (?:früher|immer))"),
    ("emoji", _NO_EMOJI, rf"emojis? are {_FINE}|emojis? sind (?:jetzt |für mich )?(?:wieder )?{_GUT}|emojis? (?:darfst|kannst) du (?:gerne? |jetzt |nun |auch )*wieder (?:benutzen|verwenden|nutzen|schicken|machen)"),
    ("emoji", _EMOJI, rf"(?:no need to|you (?:(?:do not|don['’]t) (?:have|need) to|needn['’]t)) use (?:emojis?|so many emojis?|that many emojis?)|{_MUST_NOT} {_NOT_MORE}(?:so viele )?emojis? (?:zu )?(?:benutzen|verwenden|nutzen|schicken)|keine emojis? nötig"),
    *(
        (kind, ANY, rf"(?:{TALK}|sound)(?: (?:to|with) me)? {_NORMALLY}|(?:rede|sprich|schreibe?|antworte)(?: mit mir| mir)?(?: wieder)? {_NORMAL}|(?:wieder )?(?:mit mir )?{_NORMAL} (?:mit mir )?{SPRECHEN}")
        for kind in ("length", "tone", "emoji")
    ),
)  # fmt: skip


FORMS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "name": (
        ("", rf"(?:(?:call|nenne?) (?:me|mich)|ll[áa]mame|appelle[- ]moi|i go by|my name is|ich heiße|me llamo|je m['’]appelle) {NAME}"),
        ("", rf"(?:mich )?{NAME} nennen"),
        ("", rf"(?:sage?|sagst?|sagt) {NAME} zu mir"),
    ),
    "language": (
        ("", rf"{TALK}(?: back)?(?: (?:to|with) me| me)?(?: only)? in (?P<language>{LANGUAGE})"),
        ("", rf"(?:speak|talk) (?P<language>{LANGUAGE}) (?:with|to) me|speak (?P<to>{LANGUAGE}) again"),
        ("", rf"(?:antworte|sprich|schreibe?|rede)(?: (?:mir|mit mir|wieder|immer|lieber|nur|auf))* (?P<language>{LANGUAGE})"),
        ("", rf"(?:kannst|könntest|würdest|magst|darfst) du (?:(?:mir|mit mir|wieder|auf) )*(?P<language>{LANGUAGE})(?: mit mir)? {SPRECHEN}"),
        ("", rf"wieder (?:auf )?(?P<language>{LANGUAGE})(?: mit mir)? {SPRECHEN}"),
        ("", rf"(?:(?:let['’]s )?(?:switch|go|change|come) )?back to (?P<language>{LANGUAGE})|(?:switch|change)(?: back)? to (?P<to>{LANGUAGE})"),
        ("", rf"(?:in )?(?P<language>{LANGUAGE}) again|(?:in |auf )?(?P<name>{LANGUAGE}),? (?:please|bitte)|(?:wieder|zurück zu[mr]?)(?: auf)? (?P<to>{LANGUAGE})"),
        ("", rf"(?:(?:resp[óo]nde|h[áa]bla|escr[íi]be|cont[ée]sta)me|responde|habla|escribe|contesta) en (?P<language>{LANGUAGE})"),
        ("", rf"(?:r[ée]ponds?|parle|[ée]cris)(?:[- ]moi)? en (?P<language>{LANGUAGE})"),
        ("", rf"en (?P<language>{LANGUAGE}),? (?:stp|svp|s['’]il (?:te|vous) pla[iî]t|por favor|porfa)"),
        ("", rf"(?:rispondi(?:mi)?|parlami|parla con me|scrivi(?:mi)?) in (?P<language>{LANGUAGE})|(?:respond[ae](?:[ -]me)?|fale|fala comigo|escreva)(?: comigo| para mim)? em (?P<to>{LANGUAGE})"),
        ("", rf"(?:antwoord|praat|schrijf)(?: me| met me)? in het (?P<language>{LANGUAGE})|(?:odpowiadaj|odpowiedz|mów|pisz)(?: mi| do mnie| ze mną)? po (?P<to>{LANGUAGE})"),
        ("", rf"(?:отвечай|ответь|говори|пиши)(?: мне| со мной)?(?: по[- ]| на )(?P<language>{LANGUAGE})|(?:benimle |bana )?(?P<to>{LANGUAGE}) (?:cevap ver|yanıtla|konuş|yaz)(?:ır mısın)?"),
        ("", rf"(?:أجب|أجيبي|أجبني|أجيبيني|رد|ردي|تكلم|تكلمي|تحدث|تحدثي|اكتب|اكتبي)(?: معي| لي| علي)? ب(?:اللغة )?(?P<language>{LANGUAGE})"),
        ("", rf"请?[用说](?P<language>{LANGUAGE})(?:来?(?:回答|回复|跟我说|和我说|说|聊|写)(?:我|话)?)?(?:吧|好吗)?|(?P<to>{LANGUAGE})で(?:答えて|返事して|話して|書いて|お願い)(?:ください|ね|します|くれる)?"),
        ("", rf"(?P<language>{LANGUAGE})로 (?:대답|답|말|이야기|얘기)해(?: ?줘| ?주세요| ?줄래)?"),
    ),
    "length": (
        ("short answers", rf"(?:keep|make) (?:it|them|(?:your )?{ANSWERS}) (?:short|brief|concise)(?:er)?"),
        ("short answers", r"be (?:more )?(?:brief|concise)|not so long"),
        ("short answers", rf"{TALK} (?:more )?(?:briefly|concisely)|(?:give me |only )?(?:short|brief|concise)(?:er)? {ANSWERS}"),
        ("short answers", r"(?:don['’]t|do not) (?:write|say) so much|(?:don['’]t|do not|stop) be(?:ing)? so (?:long|verbose|wordy|detailed)"),
        ("short answers", rf"{TALK} shorter|please (?:be )?shorter|(?:be )?shorter please"),
        ("short answers", r"fasse? dich (?:etwas |ein bisschen )?(?:kurz|kürzer)|dich (?:etwas |ein bisschen )?(?:kürzer|kurz) fassen"),
        ("short answers", r"antworte (?:mir )?(?:kurz|kürzer|knapp)|(?:kurze|kürzere) antworten|nicht so (?:lang|viel)"),
        ("short answers", r"(?:bitte|gerne?|lieber) (?:etwas )?kürzer(?: bitte)?|(?:etwas )?kürzer bitte"),
        ("short answers", r"sé (?:más )?breve|respuestas (?:más )?cortas|(?:resp[óo]nde(?:me)?|h[áa]bla(?:me)?|escr[íi]be(?:me)?|cont[ée]sta(?:me)?) (?:más )?(?:corto|breve)|más corto"),
        ("short answers", r"sois (?:plus )?(?:br(?:ef|ève)|concise?)|(?:fais )?(?:des )?réponses plus courtes|(?:fais|réponds?|[ée]cris)(?:[- ]moi)? (?:plus )?(?:court|brièvement)|plus court"),
        ("detailed answers", rf"(?:give me )?(?:long|longer|(?:more )?detailed) {ANSWERS}|be (?:more )?detailed"),
        ("detailed answers", rf"(?:write|give)(?: me)? (?:long|longer|(?:more )?detailed) {ANSWERS}|(?:your |the )?{ANSWERS} (?:can|may|should) be (?:longer|more detailed)"),
        ("detailed answers", rf"(?:{TALK}|explain)(?: things)? in (?:more )?detail"),
        ("detailed answers", r"(?:bitte|gerne?|lieber) (?:etwas )?(?:ausführlicher|länger)(?: bitte)?|(?:etwas )?(?:ausführlicher|länger) bitte"),
        ("detailed answers", r"antworte (?:mir )?ausführlich(?:er)?|ausführliche(?:re)? antworten|respuestas (?:más )?largas"),
    ),
    "tone": (
        ("a more {tone} tone", rf"(?:be|sound|{TALK})(?: (?:to|with) me)?(?: a (?:bit|little))? more (?P<tone>{TONE})(?:ly)?"),
        ("a less {tone} tone", rf"(?:be|sound|{TALK})(?: (?:to|with) me)?(?: a (?:bit|little))? less (?P<tone>{TONE})(?:ly)?"),
        ("a less {tone} tone", rf"(?:don['’]t|do not) be (?:so|that|too) (?P<tone>{TONE})"),
        ("a {tone} tone", rf"be (?P<tone>direct|blunt|formal|informal|casual)(?: with me)?|be (?P<to>{TONE}) (?:with|to) me|(?:use|take) an? (?P<other>{TONE}) tone"),
        ("a more {tone} tone", rf"(?:a (?:bit|little) )?more (?P<tone>{TONE}) please|please (?:a (?:bit|little) )?more (?P<to>{TONE})"),
        ("a less {tone} tone", rf"(?:a (?:bit|little) )?less (?P<tone>{TONE}) please|please (?:a (?:bit|little) )?less (?P<to>{TONE})"),
        ("a less {tone} tone", rf"sei nicht (?:immer )?so (?P<tone>{'|'.join(TONES)})"),
        ("a more {tone} tone", rf"sei (?:etwas |ein bisschen )?(?P<tone>{'|'.join(TONES)})er"),
        ("no jokes", r"no (?:more )?jokes|(?:don['’]t|do not) (?:joke|make jokes)|stop joking|(?:mache?|erzähle?) keine witze(?: mehr)?|keine witze(?: mehr)?|sin chistes"),
    ),
    "emoji": (
        ("no emojis", rf"(?:(?:{TALK}|answers) )?(?:no|without)(?: any| more)? emojis?|(?:leave out|drop|skip)(?: the| all)? emojis?"),
        ("no emojis", r"(?:(?:don['’]t|do not|never) (?:use|send|add|write)|stop (?:using|sending|adding))(?: any)? emojis?"),
        ("no emojis", r"keine emojis?(?: mehr)?|ohne emojis?|lass (?:die |alle )?emojis? weg|sin emojis?|(?:(?:ne )?(?:mets?|utilise) )?(?:pas|plus) d['’]emojis?|sans emojis?|arrête (?:avec )?les emojis?|(?:no (?:uses|pongas) )(?:más )?emojis?"),
        ("fewer emojis", r"(?:use |send )?(?:fewer|less|not so many) emojis?|weniger emojis?|(?:stop using|don['’]t use|do not use|nicht) so (?:many|viele) emojis?|menos emojis?"),
        ("emojis", r"(?:use|send|add)(?: more| some)? emojis?(?: again)?|more emojis?|mehr emojis?|más emojis?"),
        ("emojis", r"(?:wieder |mehr )+emojis? (?:benutzen|verwenden|nutzen|schicken|machen)"),
    ),
    "address": (
        ('to be addressed with "du"', r"duze? mich(?: wieder)?|mich (?:gerne? |wieder )*duzen|sag (?:wieder )?du zu mir|lass uns (?:uns )?(?:wieder )?duzen"),
        ('to be addressed with "du"', r"wir (?:können|dürfen|sollten) uns (?:gerne? |auch |wieder |lieber )*duzen|(?:wieder (?:per |das )?du|du wieder)|(?:bleiben wir (?:lieber )?beim du|(?:lieber )?beim du bleiben)"),
        ('to be addressed with "du"', r"sieze? mich nicht(?: mehr| länger)?|siezen sie mich nicht(?: mehr| länger)?|mich nicht (?:mehr |länger )?(?:zu )?siezen"),
        ('to be addressed with "du"', r"(?:du (?:musst|brauchst)|sie (?:müssen|brauchen)) mich nicht (?:mehr |länger )?(?:zu )?siezen"),
        ('to be addressed with "Sie"', r"sieze? mich(?: wieder)?|siezen sie mich(?: wieder)?|mich (?:lieber |wieder )*siezen|sag(?:en sie)? (?:wieder )?sie zu mir"),
        ('to be addressed with "Sie"', r"duze? mich nicht(?: mehr| länger)?|mich nicht (?:mehr |länger )?duzen|(?:höre?|hören sie) auf,? mich zu duzen"),
        ('to be addressed with "Sie"', r"(?:wir (?:können|dürfen|sollten)|lass uns|lassen sie uns) uns (?:gerne? |wieder |lieber )*siezen|(?:wieder (?:per |das )?sie|sie wieder)|(?:bleiben wir (?:lieber )?beim sie|(?:lieber )?beim sie bleiben)"),
        ('to be addressed with "tú"', r"tut[ée]ame|tr[áa]tame de tú|no me (?:trates|hables) de usted"),
        ('to be addressed with "usted"', r"(?:trátame|háblame) de usted"),
        ('to be addressed with "tu"', r"tuto(?:ie|yez)[- ]moi|(?:ne )?me vouvoie (?:pas|plus)|on (?:peut )?se tuto(?:ie|yer)"),
        ('to be addressed with "vous"', r"vouvo(?:ie|yez)[- ]moi"),
        ("{pronouns} as their pronouns", r"(?:my pronouns are|use) (?P<pronouns>she/her|he/him|they/them)(?: pronouns)?(?: for me)?"),
    ),
}  # fmt: skip
