"""What somebody says of how they want to be talked to: a closed list, read by rule from their own words.

Nothing that is said of it becomes an instruction as it stands: each wish is one of a few values, and a name is a few letters.
Whoever tells what somebody else said wishes nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from memory.text.display_names import LONGEST, display_name

_LANGUAGES = {
    name: language
    for language, names in {
        "English": "english englisch inglés anglais", "German": "german deutsch alemán allemand", "Dutch": "dutch nederlands",
        "French": "french französisch francés français", "Spanish": "spanish spanisch español espagnol castellano",
        "Italian": "italian italienisch italiano italien", "Portuguese": "portuguese portugiesisch português portugués",
        "Polish": "polish polnisch polski", "Russian": "russian russisch ruso", "Turkish": "turkish türkisch türkçe",
        "Swedish": "swedish schwedisch svenska", "Danish": "danish dänisch dansk", "Norwegian": "norwegian norwegisch norsk",
        "Finnish": "finnish finnisch suomi", "Czech": "czech tschechisch", "Greek": "greek griechisch", "Arabic": "arabic arabisch",
        "Ukrainian": "ukrainian ukrainisch", "Japanese": "japanese japanisch", "Chinese": "chinese chinesisch mandarin",
    }.items()
    for name in names.split()
}  # fmt: skip
_LANGUAGE = "|".join(_LANGUAGES)
_TONES = {
    "locker": "casual", "förmlich": "formal", "direkt": "direct", "ernst": "serious", "freundlich": "friendly", "witzig": "funny",
    "sachlich": "matter-of-fact",
}  # fmt: skip
_TONE = "formal|informal|casual|friendly|serious|playful|funny|dry|direct|blunt|gentle|warm|professional|sarcastic|matter-of-fact"
_NAME = r"(?P<name>[^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){0,2})"
_TALK = "(?:talk|speak|write|answer|reply|respond|chat)"
_ANSWERS = "(?:answers|replies|messages)"

_FORMS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "name": (
        ("", rf"(?:(?:call|nenne?) (?:me|mich)|llámame|appelle[- ]moi|i go by|my name is|ich heiße|me llamo|je m['’]appelle) {_NAME}"),
        ("", rf"(?:mich )?{_NAME} nennen"),
    ),
    "language": (
        ("", rf"{_TALK}(?: back)?(?: (?:to|with) me| me)?(?: only)? in (?P<language>{_LANGUAGE})"),
        ("", rf"(?:speak|talk) (?P<language>{_LANGUAGE}) (?:with|to) me"),
        ("", rf"(?:antworte|sprich|schreibe?|rede)(?: mir| mit mir)?(?: bitte)?(?: auf)? (?P<language>{_LANGUAGE})"),
        ("", rf"(?:respónde|hábla|escríbe|contésta)me en (?P<language>{_LANGUAGE})"),
        ("", rf"(?:réponds|parle|écris)[- ]moi en (?P<language>{_LANGUAGE})"),
    ),
    "length": (
        ("short answers", rf"(?:keep|make) (?:it|them|(?:your )?{_ANSWERS}) (?:short|brief|concise)(?:er)?"),
        ("short answers", r"be (?:more )?(?:brief|concise)"),
        ("short answers", rf"{_TALK} (?:more )?(?:briefly|concisely)|(?:give me |only )?(?:short|brief|concise)(?:er)? {_ANSWERS}"),
        ("short answers", r"(?:don['’]t|do not) (?:write|say) so much"),
        ("short answers", r"fasse? dich (?:kurz|kürzer)|antworte (?:mir )?(?:kurz|kürzer|knapp)|(?:kurze|kürzere) antworten"),
        ("short answers", r"sé (?:más )?breve|respuestas (?:más )?cortas|sois (?:plus )?br(?:ef|ève)|réponses (?:plus )?courtes"),
        ("detailed answers", rf"(?:give me )?(?:long|longer|(?:more )?detailed) {_ANSWERS}|be more detailed"),
        ("detailed answers", rf"(?:{_TALK}|explain)(?: things)? in (?:more )?detail"),
        ("detailed answers", r"antworte (?:mir )?ausführlich(?:er)?|ausführliche(?:re)? antworten|respuestas (?:más )?largas"),
    ),
    "tone": (
        ("a more {tone} tone", rf"(?:be|sound|{_TALK})(?: (?:to|with) me)?(?: a (?:bit|little))? more (?P<tone>{_TONE})(?:ly)?"),
        ("a less {tone} tone", rf"(?:be|sound|{_TALK})(?: (?:to|with) me)?(?: a (?:bit|little))? less (?P<tone>{_TONE})(?:ly)?"),
        ("a less {tone} tone", rf"(?:don['’]t|do not) be (?:so|that|too) (?P<tone>{_TONE})"),
        ("a {tone} tone", rf"be (?P<tone>direct|blunt|formal|informal|casual)(?: with me)?|(?:use|take) an? (?P<other>{_TONE}) tone"),
        ("a more {tone} tone", rf"sei (?:etwas |ein bisschen )?(?P<tone>{'|'.join(_TONES)})er"),
        ("no jokes", r"no (?:more )?jokes|(?:don['’]t|do not) (?:joke|make jokes)|stop joking|keine witze(?: mehr)?|sin chistes"),
    ),
    "emoji": (
        ("no emojis", rf"(?:(?:{_TALK}|answers) )?(?:no|without)(?: any| more)? emojis?|(?:leave out|drop|skip)(?: the| all)? emojis?"),
        ("no emojis", r"(?:(?:don['’]t|do not|never) (?:use|send|add|write)|stop (?:using|sending|adding))(?: any)? emojis?"),
        ("no emojis", r"keine emojis?(?: mehr)?|ohne emojis?|lass die emojis? weg|sin emojis?|pas d['’]emojis?|sans emojis?"),
        ("fewer emojis", r"(?:use |send )?(?:fewer|less|not so many) emojis?|weniger emojis?|menos emojis?"),
        ("emojis", r"(?:use|send|add)(?: more| some)? emojis?(?: again)?|more emojis?|mehr emojis?|más emojis?"),
    ),
    "address": (
        ('to be addressed with "du"', r"duze? mich|mich (?:ruhig |gerne? )?duzen|sag (?:ruhig )?du zu mir|lass uns (?:uns )?duzen"),
        ('to be addressed with "Sie"', r"sieze? mich|siezen sie mich|mich (?:lieber )?siezen|sag(?:en sie)? sie zu mir"),
        ('to be addressed with "tú"', r"tutéame|trátame de tú"),
        ('to be addressed with "usted"', r"(?:trátame|háblame) de usted"),
        ('to be addressed with "tu"', r"tuto(?:ie|yez)[- ]moi"),
        ('to be addressed with "vous"', r"vouvo(?:ie|yez)[- ]moi"),
        ("{pronouns} as their pronouns", r"(?:my pronouns are|use) (?P<pronouns>she/her|he/him|they/them)(?: pronouns)?(?: for me)?"),
    ),
}  # fmt: skip
_LEAD = (
    r"(?:(?:please|@?lyra|hey|hi|hello|ok|okay|so|well|oh|and|but|just|from now on|always|bitte|ab jetzt|por favor|stp"
    r"|(?:can|could|would|will) you|you (?:can|may|should)|feel free to|i(?:['’]d| would) (?:like|prefer)(?: (?:it if )?you)?(?: to)?"
    r"|i (?:want|prefer)(?: you)?(?: to)?|kannst du|könntest du|du kannst|ich (?:möchte|hätte gerne?)|puedes|quiero|tu peux)[, ]+)*"
)
_TAIL = r"(?:,? (?:please|bitte|por favor|from now on|ab jetzt|always|instead|with me|to me|mit mir|conmigo|thanks|danke))*"
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|„[^“\n]*“|«[^»\n]*»|(?m:^>.*$)")
_REPORTED = re.compile(
    r"(?i)\b(?:said|says|told|tells|asked|asks|wrote|writes|shouted|sagte|sagt|meinte|fragte|schrieb|dijo|dice|a dit)\b"
)
_SENTENCE = re.compile(r"[.!?;…\n]+(?:\s|$)")
_CLAUSE = re.compile(r",\s+|\s+(?:and|but|und|aber|y|pero|et|mais)\s+")
_MOST_CHARACTERS = 600
_NO_NAMES = frozenset(
    """back later tomorrow tonight today now again soon when if at on in a an the maybe what whatever something anything crazy by
    as not it that this mad before after up out any some mein meine my your and""".split()
)


def wishes(text: str) -> dict[str, str]:
    """Return how a message asks to be talked to: of each kind (name, language, length, tone, emoji, address) the last wish.

    A wish completes "wants": "short answers", 'to be called "Adi"'. Of a long message nothing is read.
    """
    if len(text) > _MOST_CHARACTERS:
        return {}
    found: dict[str, str] = {}
    for sentence in _SENTENCE.split(_QUOTED.sub(" … ", text)):
        if not _REPORTED.search(sentence):
            found.update(wish for clause in (sentence, *_CLAUSE.split(sentence)) for wish in _of(clause.strip(), text))
    return found


def _of(clause: str, text: str) -> Iterator[tuple[str, str]]:
    for kind, value, form in _read():
        if m := form.fullmatch(clause):
            said = m.groupdict()
            if kind == "name":
                value = _called(said["name"], casual=text == text.lower())
            elif kind == "language":
                value = f"answers in {_LANGUAGES[said['language'].lower()]}"
            elif kind == "tone" and "{" in value:
                tone = (said["tone"] or said["other"]).lower()
                value = value.format(tone=_TONES.get(tone, tone))
            elif kind == "address":
                value = value.format(pronouns=(said.get("pronouns") or "").lower())
            if value:
                yield kind, value
                return


def _called(name: str, *, casual: bool) -> str:
    """Return the wish to be called so, '' for what is no name; who writes everything small writes names so, too."""
    first, *more = name.split()
    if first.lower() in _NO_NAMES or (first[0].islower() and (more or not casual)) or len(name) > LONGEST:
        return ""
    return f'to be called "{display_name(name)}"'


@cache
def _read() -> Sequence[tuple[str, str, re.Pattern[str]]]:
    """Return every form with the wish it is of; they are compiled when somebody's words are read, as that takes 30 ms."""
    return [
        (kind, value, re.compile(rf"(?i){_LEAD}(?:{form}){_TAIL}")) for kind, forms in _FORMS.items() for value, form in forms
    ]
