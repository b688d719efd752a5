"""Forms of words that no stemmer finds: in English "broke" of "break", in German "singt" and "gesungen" of "singen", "Omas" of "Oma"."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from memory.text.lexical import stem

_VERBS = """
become became|begin began begun|bend bent|bite bit bitten|bleed bled|blow blew blown|break broke broken|bring brought|build built
burn burnt|buy bought|catch caught|choose chose chosen|come came|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk
drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|fly flew flown|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|hang hung|hear heard
hide hid hidden|hold held|keep kept|know knew known|lead led|learn learnt|leave left|lend lent|lie lay lain|light lit|lose lost
make made|mean meant|meet met|pay paid|read|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|sell sold
send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|sing sang sung|sink sank sunk|sit sat|sleep slept
speak spoke spoken|spend spent|stand stood|steal stole stolen|stick stuck|sting stung|sweep swept|swim swam swum|swing swung
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood|wake woke woken
wear wore worn|weep wept|win won|write wrote written
"""
PAST_FORMS: Mapping[str, Sequence[str]] = {
    verb: forms for verb, *forms in (line.split() for line in _VERBS.replace("\n", "|").split("|") if line) if forms
}
"""The past forms of each verb."""


_PASTS = frozenset(form for forms in PAST_FORMS.values() for form in forms)


def is_past(word: str) -> bool:
    """Return whether a lower-case word looks like a past form of an English verb, irregular or in -ed."""
    return word in _PASTS or word.endswith("ed")


def past_stems(stemmed: str) -> frozenset[str]:
    """Return the stems of the past forms of a verb, given its stem; none for another word."""
    return _stems().get(stemmed, frozenset())


@cache
def _stems() -> Mapping[str, frozenset[str]]:
    return {stem(verb): frozenset(map(stem, forms)) for verb, forms in PAST_FORMS.items()}


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
