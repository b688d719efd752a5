"""The forms of German words that the stemmer leaves apart: "singt" and "gesungen" of "singen", "Omas" of "Oma"."""

from collections.abc import Iterator, Mapping
from functools import cache

GERMAN = "german"
"""The language whose verbs these are, as the stemmer calls it."""
_STRONG = """
beginnen begann begonnen|bekommen bekam|bieten bot geboten|bitten bat gebeten|bleiben blieb geblieben|brechen bricht brach gebrochen
bringen brachte gebracht|denken dachte gedacht|essen isst aß gegessen|fahren fährt fuhr|fallen fällt fiel|fangen fängt fing
finden fand gefunden|fliegen flog geflogen|fressen frisst fraß|frieren fror gefroren|geben gibt gab|gehen ging gegangen
gewinnen gewann gewonnen|gießen goss gegossen|greifen griff gegriffen|halten hält hielt|hängen hing gehangen|heben hob gehoben
helfen hilft half geholfen|kennen kannte gekannt|kommen kam|laden lädt lud|lassen lässt ließ|laufen läuft lief|leiden litt gelitten
leihen lieh geliehen|lesen liest las|liegen lag gelegen|lügen log gelogen|nehmen nimmt nahm genommen|nennen nannte genannt
pfeifen pfiff gepfiffen|reiten ritt geritten|rennen rannte gerannt|rufen rief|schlafen schläft schlief|schlagen schlägt schlug
schließen schloss geschlossen|schneiden schnitt geschnitten|schreiben schrieb geschrieben|schwimmen schwamm geschwommen
sehen sieht sah|singen sang gesungen|sitzen saß gesessen|sprechen spricht sprach gesprochen|springen sprang gesprungen
stehen stand gestanden|stehlen stiehlt stahl gestohlen|steigen stieg gestiegen|sterben stirbt starb gestorben|streiten stritt gestritten
tragen trägt trug|treffen trifft traf getroffen|treten tritt trat|trinken trank getrunken|verbieten verbot verboten
vergessen vergisst vergaß|verlieren verlor verloren|verstehen verstand verstanden|wachsen wächst wuchs|waschen wäscht wusch
werfen wirft warf geworfen|ziehen zog gezogen
"""
_ENDINGS = ("test", "ten", "est", "et", "te", "en", "st", "t", "e")
_SHORTEST = 3
_T = ("d", "t")
_VOWELS = "aiouy"


@cache
def _strong() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _STRONG.replace("\n", "|").split("|"):
        forms = frozenset(line.split())
        for form in forms:
            found[form] = found.get(form, frozenset()) | forms
    return found


def verb_forms(word: str) -> frozenset[str]:
    """Return the other forms that a lower-case word may have, if it is a German verb; many that are no words are among them."""
    forms = {form for bare in _bare(word) for form in _regular(bare)}
    strong = [_strong()[form] for form in (word, *sorted(forms)) if form in _strong()]
    return frozenset(forms).union(*strong) - {word}


def with_s(word: str) -> list[str]:
    """Return a lower-case word that ends in a vowel with an s, or one that ends in a vowel and an s without it; else none.

    After a vowel the stemmer leaves the s of genitives and plurals: "Omas", "Autos".
    """
    if len(word) > _SHORTEST and word[-1] == "s" and word[-2] in _VOWELS:
        return [word[:-1]]
    return [f"{word}s"] if len(word) >= _SHORTEST and word[-1] in _VOWELS else []


def _bare(word: str) -> Iterator[str]:
    """Yield what may be left of a word without its ending, and without the "ge" of a participle."""
    for ending in _ENDINGS:
        bare = word.removesuffix(ending)
        if len(bare) >= _SHORTEST and bare != word:
            yield bare
            if ending in ("t", "et", "en") and bare.startswith("ge") and len(bare) > _SHORTEST + 1:
                yield bare[2:]


def _regular(bare: str) -> Iterator[str]:
    link = "e" if bare.endswith(_T) else ""
    yield from (f"{bare}en", f"{bare}{link}t", f"{bare}{link}st", f"ge{bare}{link}t", f"ge{bare}en")
