"""The forms in which somebody takes back how they want to be talked to: of each the kind, and which wishes of it that ends.

Which ones is a pattern of what is wished: `{name}` and the like are read from the form, "" is whatever stands of the kind.
"""

from collections.abc import Sequence

from memory.text.told.manner_words import ANSWERS, LANGUAGE, NAME, SPRECHEN, TALK, TONE, TONES

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
