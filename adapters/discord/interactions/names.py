"""Localized names of commands and parameters."""

from collections.abc import Mapping

from localization.languages import ENGLISH, LANGUAGES
from localization.sentences import Sentence, lazy

NAMES: Mapping[str, Sentence] = {
    "recall": lazy("recall"),
    "summarize": lazy("summarize"),
    "new": lazy("new"),
    "sessions": lazy("sessions"),
    "again": lazy("again"),
    "dislike": lazy("dislike"),
    "like": lazy("like"),
    "feedback": lazy("feedback"),
    "ask": lazy("ask"),
    "stop": lazy("stop"),
    "memory": lazy("memory"),
    "confide": lazy("confide"),
    "incognito": lazy("incognito"),
    "export": lazy("export"),
    "link": lazy("link"),
    "unlink": lazy("unlink"),
    "forget": lazy("forget"),
    "reflection": lazy("reflection"),
    "privacy": lazy("privacy"),
    "settings": lazy("settings"),
    "status": lazy("status"),
    "help": lazy("help"),
    "model": lazy("model"),
    "persona": lazy("persona"),
    "dream": lazy("dream"),
    "view": lazy("view"),
    "profile": lazy("profile"),
    "eras": lazy("eras"),
    "narrative": lazy("narrative"),
    "self": lazy("self"),
    "bank": lazy("bank"),
    "correct": lazy("correct"),
    "reset": lazy("reset"),
    "why": lazy("why"),
    "less": lazy("less"),
    "delete": lazy("delete"),
    "about": lazy("about"),
    "choice": lazy("choice"),
    "code": lazy("code"),
    "fact": lazy("fact"),
    "force": lazy("force"),
    "id": lazy("id"),
    "last": lazy("last"),
    "message": lazy("message"),
    "name": lazy("name"),
    "of": lazy("of"),
    "page": lazy("page"),
    "part": lazy("part"),
    "past": lazy("past"),
    "public": lazy("public"),
    "query": lazy("query"),
    "session": lazy("session"),
    "setting": lazy("setting"),
    "since": lazy("since"),
    "text": lazy("text"),
    "until": lazy("until"),
    "value": lazy("value"),
    "what": lazy("what"),
    "who": lazy("who"),
    "Remember this": lazy("Remember this"),
    "Forget this": lazy("Forget this"),
    "Answer again": lazy("Answer again"),
    "Not good": lazy("Not good"),
}


def localized(name: str) -> dict[str, dict[str, str]]:
    """Return a name's localizations as Discord takes them; {} if there are none."""
    known = NAMES.get(name)
    others = {code: known.read_in(code) for code in LANGUAGES if code != ENGLISH} if known else {}
    found = {code: other for code, other in others.items() if other != name}
    return {"name_localizations": found} if found else {}
