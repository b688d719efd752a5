"""Words about the same everyday thing: "where does she live" is answered by "I moved"."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from memory.text.lexical import stem


@dataclass(frozen=True, slots=True)
class _WordGroup:
    """Stems that ask and stems that answer. If `single`, a person has one value at a time: the newest holds."""

    asks: frozenset[str]
    tells: frozenset[str]
    single: bool


_WORDS = (
    (
        "live lives lived living address home wohne wohnst wohnt wohnen gewohnt adresse vivo vive vives vivimos vivía vivíamos dirección",
        "live lives moved moving address flat apartment wohne wohnt wohnen gezogen umgezogen adresse wohnung vivo vivía mudé mudado piso dirección",
        True,
    ),
    # French stands apart where its stems are English ones: "habit", "post", "chat".
    (
        "habite habites habitons habitais j'habite j'habitais vis vivais adresse",
        "habite j'habite appart appartement emménagé déménagé",
        True,
    ),
    (
        "work works working job employer employed profession occupation arbeite arbeitest arbeitet arbeiten gearbeitet arbeit beruf trabajo trabajas trabajaba",
        "work works working job hired employed contract boss company arbeit arbeite stelle trabajo trabaja trabajaba empleo contrato",
        True,
    ),
    (
        "travaille travailles travaillais travail boulot métier",
        "travaille travail boulot poste bosse contrat embauché embauchée",
        True,
    ),
    (
        "phone telephone mobile smartphone telefon telefonnummer handy handynummer teléfono móvil téléphone portable",
        "phone telephone mobile smartphone number telefon telefonnummer handy nummer teléfono móvil número téléphone portable numéro",
        True,
    ),
    (
        "wedding marry married hochzeit heiraten heirate boda casamos mariage",
        "wedding marry married hochzeit heiraten boda casamos mariage",
        True,
    ),
    (
        "cost costs price pay paid kostet gekostet preis bezahlt cuesta costó precio pagué coûte coûté prix payé",
        "cost price paid pay euro euros dollar dollars pound pounds franken kostet bezahlt cuesta pagué coûte coûté prix payé",
        False,
    ),
    (
        "heavy weigh weight schwer wiegt wiegen gewicht",
        "weigh weighs weighed weight kilo kilos kg wiegt wog gewicht",
        False,
    ),
    (
        "book books novel novels buch bücher libro libros",
        "read reading book novel gelesen lese buch leído leo libro",
        False,
    ),
    ("film films movie movies películas filme", "watched seen film movie cinema gesehen kino película cine", False),
    (
        "pet pets animal animals haustier haustiere tier tiere mascota mascotas animales",
        "cat dog tortoise turtle rabbit hamster parrot budgie bird horse pony kitten puppy goldfish snake katze kater hund "
        "schildkröte kaninchen vogel pferd gato gata perro perra tortuga conejo pájaro caballo",
        False,
    ),
    ("animaux", "chat chatte chien chienne lapin tortue oiseau cheval", False),
    (
        "family relatives familie verwandte familia familiares famille",
        "wife husband mother father mum mom dad parents sister brother siblings son daughter children kids aunt uncle cousin "
        "grandmother grandfather grandma grandpa ehefrau ehemann mutter vater mama papa eltern schwester bruder geschwister sohn "
        "tochter kinder tante onkel oma opa esposa marido madre padre padres hermana hermano hijo hija hijos tía tío abuela abuelo "
        "épouse mari mère père parents sœur frère fils fille enfants tante oncle",
        False,
    ),
    (
        "child children kid kids kind kinder hijo hija hijos enfant enfants",
        "son sons daughter daughters baby twins sohn söhne tochter töchter zwillinge hijo hija hijos fils fille filles jumeaux",
        False,
    ),
    (
        "sibling siblings geschwister hermanos fratrie frère frères sœur soeur sœurs soeurs",
        "sister sisters brother brothers schwester schwestern bruder brüder hermana hermanas hermano hermanos sœur sœurs soeur soeurs frère frères",
        False,
    ),
    (
        "parent parents eltern padres",
        "mother father mum mom dad mutter vater mama papa madre padre mère père",
        False,
    ),
    ("mother mum mom mummy mutter mama maman mère madre mamá", "mother mum mom mummy mutter mama maman mère madre mamá", False),
    ("father dad daddy vater papa père padre papá", "father dad daddy vater papa père padre papá", False),
    (
        "grandmother grandma granny nan großmutter oma mamie abuela",
        "grandmother grandma granny nan großmutter oma mamie abuela",
        False,
    ),
    ("grandfather grandpa granddad großvater opa papi abuelo", "grandfather grandpa granddad großvater opa papi abuelo", False),
    (
        "husband ehemann mann marido esposo mari",
        "husband ehemann mann marido esposo mari",
        False,
    ),
    (
        "wife ehefrau frau esposa épouse femme",
        "wife ehefrau frau esposa épouse femme",
        False,
    ),
    (
        "married verheiratet casado casada marié mariée",
        "wife husband ehefrau ehemann esposa esposo marido épouse",
        False,
    ),
    (
        "instrument instruments instrumento",
        "piano guitar violin viola cello drums flute trumpet saxophone clarinet accordion ukulele harp klavier gitarre geige "
        "bratsche schlagzeug flöte trompete saxophon klarinette akkordeon harfe guitarra violín batería flauta trompeta guitare "
        "violon batterie flûte trompette",
        False,
    ),
    (
        "sport sports deporte deportes",
        "football soccer tennis basketball volleyball handball swimming running climbing cycling rowing yoga judo fußball schwimmen "
        "laufen klettern rudern fútbol natación correr escalada natation course escalade",
        False,
    ),
    (
        "colour color farbe couleur",
        "red green blue yellow black white grey gray brown orange purple pink silver rot grün blau gelb schwarz weiß grau braun "
        "rojo verde azul amarillo negro blanco gris marrón rouge vert verte bleu bleue jaune noir noire blanc blanche",
        False,
    ),
    (
        "stay stayed staying sleep slept übernachtet alojamos dormimos",
        "booked hotel hostel pension guesthouse airbnb campsite unterkunft alojamiento",
        False,
    ),
)


@cache
def _groups() -> tuple[_WordGroup, ...]:
    return tuple(_WordGroup(_stems(asks), _stems(tells), single) for asks, tells, single in _WORDS)


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.casefold().split()))


def telling(asked: str) -> frozenset[str]:
    """Return the stems that answer what a stem asks for, without itself."""
    return frozenset().union(*(kin.tells for kin in _groups() if asked in kin.asks)) - {asked}


def singles(stems: Iterable[str]) -> frozenset[int]:
    """Return the numbers of the single-valued groups that any of these stems ask for or answer."""
    there = frozenset(stems)
    return frozenset(at for at, kin in enumerate(_groups()) if kin.single and there & (kin.asks | kin.tells))


def asked_singles(stemmed: str) -> frozenset[str]:
    """Return a name for each single-valued group that a stem asks for; stems of a group share it."""
    return frozenset(f"#{at}" for at, kin in enumerate(_groups()) if kin.single and stemmed in kin.asks)


def beside(asked: Iterable[str]) -> str:
    """Return the words that answer what any of these stems ask for, to extend a search."""
    there = frozenset(asked)
    return " ".join(tells for (_, tells, _), kin in zip(_WORDS, _groups(), strict=True) if there & kin.asks)
