"""The words in which people say how they want to be talked to, and in which they take it back."""

from collections.abc import Mapping

LANGUAGES = {
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
    r"|eigentlich|nein(?=,)|gerne?|lieber|jetzt|por favor|stp|(?:can|could|would|will|shall|should) (?:you|we)|let['’]s|lass uns|können wir|you (?:can|may|should|are (?:free|allowed) to)"
    r"|you['’]re (?:free|allowed) to|feel free to|it['’]s (?:ok|okay|fine) (?:to|if you)"
    r"|i(?:['’]d| would) (?:like|prefer)(?: (?:it if )?you)?(?: to)?|i (?:want|prefer)(?: you)?(?: to)?|kannst du|könntest du"
    r"|du (?:kannst|darfst|sollst)|sie (?:können|dürfen)|ich (?:möchte|hätte gerne?)|puedes|quiero|tu peux)[, ]+)*"
)
TAIL = (
    r"(?:,? (?:please|bitte|por favor|from now on|ab jetzt|ab sofort|always|instead|with me|to me|mit mir|conmigo|thanks|thank you|danke"
    r"|again|now|too|for me|any ?more|any longer|wieder|jetzt|auch|mehr))*"
)

_TALKING = "talk|speak|write|answer|reply|respond|chat|sound|rede|sprich|schreib|antwort|sprech"
HINTS: Mapping[str, str] = {
    "name": (
        r"call(?:ing)? me|be called|llámame|appelle|go by|my (?:\w+ )?name|nick ?name|that ?name|namen|heiße|me llamo|nenn|genannt"
        r"|zu mir|no more|(?:stop|enough) (?:it )?with|i(?:['’]m| am) (?:not|no longer)|(?:drop|forget|skip) the|lass das|schluss mit"
        r"|no longer go|sprich mich"
    ),
    "language": rf"{LANGUAGE}|language|sprache",
    "length": (
        r"short|brief|concise|terse|curt|verbose|wordy|detail|length|long|so much|so viel|kurz|kürz|knapp|lang|läng|wieder mehr"
        rf"|ausführlich|brev|br[eè]ve|bref|corta|larga|courte|{_TALKING}"
    ),
    "tone": rf"{TONE}|{'|'.join(TONES)}|jok|witz|chiste|scherz|lustig|tone|yourself|be normal|be as|sei wieder|{_TALKING}",
    "emoji": rf"emoji|{_TALKING}",
    "address": (
        r"duz|siez|zu mir|beim (?:du|sie)|wieder (?:per |das )?(?:du|sie)|(?:du|sie) wieder|tut(?:é|o)|trátame|háblame|vouvo"
        r"|pronouns|she/her|he/him|they/them"
    ),
}
"""Of each kind what stands in whatever wishes it or takes it back: its forms take a while to compile, and most words are of no kind."""
