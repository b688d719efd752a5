"""The words in which people say how they want to be talked to, and in which they take it back."""

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
