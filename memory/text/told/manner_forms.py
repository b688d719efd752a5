"""The forms in which somebody wishes something, of each kind with the value that it sets; `{tone}` and the like are read from it."""

from collections.abc import Mapping

from memory.text.told.manner_words import ANSWERS, LANGUAGE, NAME, SPRECHEN, TALK, TONE, TONES

FORMS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "name": (
        ("", rf"(?:(?:call|nenne?) (?:me|mich)|llámame|appelle[- ]moi|i go by|my name is|ich heiße|me llamo|je m['’]appelle) {NAME}"),
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
        ("", rf"(?:respónde|hábla|escríbe|contésta)me en (?P<language>{LANGUAGE})"),
        ("", rf"(?:réponds|parle|écris)[- ]moi en (?P<language>{LANGUAGE})"),
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
        ("short answers", r"sé (?:más )?breve|respuestas (?:más )?cortas|sois (?:plus )?br(?:ef|ève)|réponses (?:plus )?courtes"),
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
        ("no emojis", r"keine emojis?(?: mehr)?|ohne emojis?|lass (?:die |alle )?emojis? weg|sin emojis?|pas d['’]emojis?|sans emojis?"),
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
        ('to be addressed with "tú"', r"tutéame|trátame de tú"),
        ('to be addressed with "usted"', r"(?:trátame|háblame) de usted"),
        ('to be addressed with "tu"', r"tuto(?:ie|yez)[- ]moi"),
        ('to be addressed with "vous"', r"vouvo(?:ie|yez)[- ]moi"),
        ("{pronouns} as their pronouns", r"(?:my pronouns are|use) (?P<pronouns>she/her|he/him|they/them)(?: pronouns)?(?: for me)?"),
    ),
}  # fmt: skip
