"""The forms of a name: by which somebody is named in a text, in scripts with spaces and without, declined or not; and in another alphabet."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice, product

from memory.text import lexical
from memory.text.display_names import likeness, untagged
from memory.text.language_detection import SCRIPTS, language
from memory.text.lazy_patterns import lazy_pattern
from memory.text.lexical import stem

LONGEST = 3
"""The maximum number of words of a name that count."""

_SHORTEST = 3
_WORD = lazy_pattern(r"\w+(?:['’.-]\w+)*")
_PART = lazy_pattern(r"[^\W_]+")
"""A part of a word: "Bob'd" and "Bob-Ben" name Bob, too."""
_UNSPACED_LENGTHS = range(6, 1, -1)
"""How many characters in a row are tried in a script without spaces; names of one character are too many words."""
_HAN_OR_HANGUL = lazy_pattern(f"[{SCRIPTS['han']}]+|[{SCRIPTS['hangul']}]+")
_GIVEN, _FAMILY_OF_JAPAN = 2, 4
_PROCLITICS = ("وفبلك", "ובלמהשכ")
"""What Arabic and Hebrew write together with the name after it: "and", "to", "with" and the like."""
_CASES = {
    "cyrillic": ("а я у ю е и ы і ї ой ей ою ею єю ом ем єм ём ии ию ией ові еві", "а я ия ія й ь о"),
    "polish": ("a y i u e ę ą o ie owi em iem", "a o"),
    "czech": ("a y i u e ě o ů ou ovi em ou", "a o e"),
    "serbian": ("a e i u o om em", "a o"),
    "lithuanian": ("o ui ą e ai io iui į yje ės ei ę", "as is us a ė"),
    "finnish": ("n a ä lla llä lle lta ltä ssa ssä sta stä an en in on kin ksi", ""),
    "estonian": ("l le t ga s st i e u a", ""),
    "hungarian": ("t ot et at nak nek val vel ban ben ra re ról ről hoz hez tól től é ék", ""),
    "greek": ("υ ου η α ο ε", "ς ος ης ας α η"),
}
"""The endings that a language adds to names, and those that names have by themselves."""
_ENDINGS = {
    name: (tuple(sorted(endings.split(), key=len, reverse=True)), ("", *bare.split())) for name, (endings, bare) in _CASES.items()
}
_SUFFIXES = {
    "turkish": "a e ı i u ü ya ye yı yi yu yü da de ta te dan den tan ten la le yla yle ın in un ün nın nin nun nün",
    "arabic": "",
}
"""What languages write at the end of a name as it is."""
_PREFIXES = {"arabic": "و ف ب ل ك ول وب".split()}
_SHIFTS = {
    "cyrillic": "ев:ьв ел:л ок:к ек:к ёк:ьк ец:ц ір:ор",
    "polish": "ek:k eł:ł iec:c k:c g:dz r:rz t:ci d:dzi",
    "czech": "ek:k el:l ec:c k:c g:z h:z r:ř",
    "turkish": "p:b t:d ç:c k:ğ",
}
"""How the end of a name may change before an ending."""
_SHORTEST_ROOT = 2
_OPEN = frozenset("aeouyąęěůаеёоуыэюяєї")
_VOWELS = _OPEN - {"y"} | frozenset("iıüöиі")
"""With what no ending goes on behind an open vowel; "i" may stand before another: "Kasia", "Kasię"."""
_NO_NAMES = frozenset(map(likeness, (
    *("the", "der", "die", "das", "ein", "eine", "mein", "meine", "los", "las"),
    *("just", "not", "your", "our", "this", "that", "all"),
)))  # fmt: skip
"""Words that names of several words may begin with, and that stand for nobody by themselves."""
_CYRILLIC = lazy_pattern("[а-яё]")
_DATIVES_OF_A, _DATIVES_OF_OTHERS = tuple("eěiyеиії"), tuple("owi ovi evi ові еві єві u у ю".split())
"""How the datives of names in "a" end in Slavic languages, and those of other names."""


def forms(name: str) -> set[str]:
    """Return the forms by which somebody is named: the full name, its first word, and in Han and Hangul the given name."""
    words = _WORD.findall(untagged(name))
    found = {likeness(" ".join(words[:LONGEST]))}
    if words and len(words[0]) >= _SHORTEST:
        found.add(likeness(words[0]))
    if len(words) == 1 and len(words[0]) > _GIVEN and _HAN_OR_HANGUL.fullmatch(words[0]):
        found.add(likeness(words[0][-_GIVEN:]))
        if len(words[0]) >= _FAMILY_OF_JAPAN:
            found.add(likeness(words[0][:_GIVEN]))
    return found - {""}


def mentions(text: str, is_name: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text whose form is a name, the longest of each place first."""
    tongue = language(lexical.tokens(text)) or ""

    @cache
    def names(said: str) -> bool:
        return any(form not in _NO_NAMES and is_name(form) for form in _bare(said, tongue))

    for pattern in (_WORD, _PART):
        words = list(pattern.finditer(text))
        for length in range(LONGEST, 0, -1):
            for some in (words[at : at + length] for at in range(len(words) - length + 1)):
                if names(" ".join(one[0] for one in some)):
                    yield some[0].start(), some[-1].end()
    for begin, end in lexical.unspaced_spans(text):
        alike = [likeness(char) if char.isalnum() else "" for char in text[begin:end]]
        for length in _UNSPACED_LENGTHS:
            for at in range(len(alike) - length + 1):
                if is_name("".join(alike[at : at + length])):
                    yield begin + at, begin + at + length


def _bare(said: str, tongue: str) -> Iterator[str]:
    """Yield the forms that words may be of, without what a language adds to a name."""
    form = likeness(said.removesuffix("'s").removesuffix("’s"))
    yield form
    # "Bobs" may be the German genitive.
    if len(form) > _SHORTEST and form.endswith("s"):
        yield form[:-1]
    if said[:1] in _PROCLITICS[0] or said[:1] in _PROCLITICS[1]:
        yield from (likeness(said[cut:]) for cut in (1, 2) if len(said) - cut >= _SHORTEST)
    if said[:1].isupper() and " " not in said:
        endings, bare = _ENDINGS.get("cyrillic" if "\u0400" <= said[0] < "\u0500" else tongue, ((), ()))
        for ending in endings:
            if said.endswith(ending) and len(said) - len(ending) >= _GIVEN:
                yield from (likeness(said.removesuffix(ending) + one) for one in bare)


@lru_cache(maxsize=1_000)
def declined(name: str, tongue: str) -> frozenset[str]:
    """Return the other forms that a lower-case name may have in a language that declines names; many that are none are among them.

    Of a language that does not, none.
    """
    whole, _, behind = name.partition("'")
    own = "cyrillic" if is_cyrillic(name) else "turkish" if behind in _SUFFIXES["turkish"].split() else tongue
    endings, bare = _ENDINGS.get(own, (tuple(_SUFFIXES.get(own, "").split()), ("",)))
    every = {*endings, *bare} if own in _ENDINGS or own in _SUFFIXES else set[str]()
    roots = {whole.removesuffix(one) for one in every if whole.endswith(one)}
    for here, there in (pair.split(":") for pair in _SHIFTS.get(own, "").split()):
        roots |= {
            root.removesuffix(one) + other
            for root in roots
            for one, other in ((here, there), (there, here))
            if root.endswith(one)
        }
    plain = {whole.removeprefix(one) for one in _PREFIXES.get(own, ())} if len(whole) > _SHORTEST else {whole}
    long = {*roots, *(one for one in plain if own in _PREFIXES)}
    forms = {
        root + ending
        for root in long
        if len(root) >= _SHORTEST_ROOT
        for ending in every
        if not (root[-1] in _OPEN and ending[:1] in _VOWELS)
    }
    return frozenset(forms | {one + form for form in forms for one in _PREFIXES.get(own, ())}) - {name}


def may_be_dative(said: str, name: str) -> bool:
    """Return whether a word may be the dative of a name in a language that declines names: "Benowi" of "Ben", "Janie" of "Jana", not "Jan"."""
    lower, first = said.lower(), _WORD.search(untagged(name).lower())
    of_others = lower.endswith(_DATIVES_OF_OTHERS)
    if not (of_others or lower.endswith(_DATIVES_OF_A)) or not first or first[0].endswith(("a", "а", "я")) is of_others:
        return False
    every = {likeness(said)}.union(*(map(likeness, declined(lower, tongue)) for tongue in _CASES))
    return not every.isdisjoint(forms(name))


def _table(letters: str) -> Mapping[str, Sequence[str]]:
    """Read a line of letters, each with its spellings: "-" is none."""
    return {one: [way.replace("-", "") for way in ways.split("|")] for one, ways in (pair.split(":") for pair in letters.split())}


_TO_LATIN = _table(
    "а:a б:b в:v г:g д:d е:e ё:e|yo ж:zh|j з:z и:i й:y|i|j к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh|h ц:ts|c ч:ch ш:sh щ:shch ъ:- ы:y ь:- э:e"
    " ю:yu|ju|iu я:ya|ja|ia кс:ks|x ий:y|iy|i|ij ей:ei|ey|ej ай:ai|ay дж:j|dzh ио:io|yo ия:ia|iya|ija ья:ya|ja|ia ье:ie|ye ьо:io|yo"
)
_TO_CYRILLIC = _table(
    "a:а b:б c:к|ц d:д e:е f:ф g:г h:х i:и j:й|дж k:к l:л|ль m:м n:н o:о p:п q:к r:р s:с t:т u:у v:в w:в x:кс y:и|ий|й z:з ck:к ch:ч|х sh:ш sch:ш shch:щ zh:ж"
    " kh:х ph:ф th:т ts:ц tz:ц ya:я ja:я ia:ия|иа yu:ю ju:ю ey:ей ei:ей iy:ий ye:е yo:ё|ио ^e:э|е ^ye:е ^j:дж|й|я ^y:й"
)
_RUSSIAN_ENDINGS = ("", "а", "я", "ия")
"""What a name in Russian may end in where the question inflects it."""
_MOST = 16


def is_cyrillic(word: str) -> bool:
    """Return whether a lower-case word has Cyrillic letters."""
    return _CYRILLIC.search(word) is not None


@lru_cache(maxsize=1_000)
def transliterated(name: str) -> frozenset[str]:
    """Return how a lower-case name in one of the alphabets may be spelled in the other, in some dozens of ways at most."""
    if not is_cyrillic(name):
        return frozenset(_ways(name, _TO_CYRILLIC))
    bare = stem(name, "russian")
    return frozenset(way for form in {name, *(bare + ending for ending in _RUSSIAN_ENDINGS)} for way in _ways(form, _TO_LATIN))


def _ways(name: str, letters: Mapping[str, Sequence[str]]) -> Iterator[str]:
    pieces = [letters.get(piece, (piece,)) for piece in _cut(f"^{name}", letters)]
    return ("".join(way).removeprefix("^") for way in islice(product(*pieces), _MOST))


def _cut(name: str, letters: Mapping[str, Sequence[str]]) -> Iterator[str]:
    longest = max(map(len, letters))
    at = 0
    while at < len(name):
        size = next((n for n in range(longest, 1, -1) if name[at : at + n] in letters), 1)
        yield name[at : at + size]
        at += size
