"""The words of time, in English thoroughly, and the commonest of six other languages.

Every word has a code of one letter, so that the grammar of time is regular expressions over codes, and a value:

    M month (1 to 12)   W weekday (Monday is 0)   w its short form       S season (its first month)   H feast
    R days from today   K part of such a day      P part of a day        U unit of time               Q quarter
    D date in digits    Y year                    d number in digits     o ordinal                    n number word
    r days as in 5-9    y date without a century  J half                 a a, an                      E early, mid, late
    A ago, behind       B ago, before             L last                 p past                       N next
    l last, behind      j next, behind            T this                 V the other day              c now
    h the               O of                      i in                   v during, over               t on, at
    F from              z between                 g to                   s since                      u until
    b before            e after                   k and, or              ~ earlier, right             f function word
    - hyphen            . period                  , other mark           X capitalized              x any other word

Where a word has two meanings, the row that stands first decides, and months decide over all.
"""

import unicodedata
from collections.abc import Mapping

from memory.text.dates import MONTHS

MINUTE, HOUR, DAY, WEEK, MONTH, YEAR, WEEKEND, QUARTER, FORTNIGHT = range(9)
MORNING, AFTERNOON, EVENING, NIGHT = range(4)
KINDS_OF_DAY = ((0, EVENING), (0, NIGHT), (-1, EVENING), (-1, NIGHT), (0, MORNING), (0, AFTERNOON))
"""What the values of code K stand for: days from today, and the part of that day."""

_TABLE = """
U 0 minute minutes minuten minutos minuti
U 1 hour hours stunde stunden heure heures hora horas ora ore uur uren
U 2 day days nights tag tage tagen jour jours día días giorno giorni dia dias dag dagen
U 3 week weeks woche wochen semaine semaines semana semanas settimana settimane weken
U 4 month months monat monate monaten monats mois mes meses mese mesi mês maand maanden
U 5 year years jahr jahre jahren jahres année années l'an ans año años anno anni ano anos jaar jaren
U 6 weekend weekends wochenende wochenenden week-end fine_settimana fin_de_semana fim_de_semana
U 7 quarter quarters quartal quartals trimestre
U 8 fortnight fortnights quinze_jours
L 0 last letzte letzten letzter letztes letztem vergangene vergangenen vergangener vergangenes vorig vorige vorigen voriger voriges
L 0 afgelopen laatste
p 0 past último última últimos últimas ultimo ultima ultimi ultime
V 0 the_other_day
l 0 dernier dernière passé passée pasado pasada scorso scorsa passato passata passado passada
N 0 next coming upcoming nächste nächsten nächster nächstes kommende kommenden kommender kommendes volgende komende
N 0 próximos próximas prossimi prossime
j 0 prochain prochaine próximo próxima prossimo prossima
T 0 this diese diesen dieser dieses diesem ce cet cette esta este estos questo questa quest' deze dit
A 0 ago geleden fa atrás
B 0 vor il_y_a hace há faz
i 0 in im en nel em dans within
v 0 during over throughout around whilst während pendant durante tijdens
t 0 on at am op upon zu na
h 0 the der die das den dem des le la les el los il lo gli l'
O 0 of de di del della du von vom van d' dell'
F 0 from ab
z 0 between zwischen entre tussen
g 0 to through thru à tot al
s 0 since seit depuis desde sinds
u 0 until till up_to bis jusqu'à hasta fino tot
b 0 before avant antes prima voor prior_to
e 0 after nach après después dopo depois
k 0 and or und oder et ou e o y en_ook
c 0 now
~ 0 earlier later
~ 1 shortly soon right just immediately directly
E 0 early beginning start anfang début principios begin
E 1 mid middle mitte mediados
E 2 late end ende fin finales fine eind
J 0 half halben halbes
a 1 a an ein eine einen einem einer un une una uno um uma een one eén één
n 2 two zwei deux dos due dois duas twee
n 3 three drei trois tres tre três drie
n 4 four vier quatre cuatro quattro quatro
n 5 five fünf cinq cinco cinque vijf
n 6 six sechs seis sei zes
n 7 seven sieben siete sette sete zeven
n 8 eight acht huit ocho otto oito
n 9 nine neun neuf nueve nove negen
n 10 ten zehn dix diez dieci dez tien
n 11 eleven elf onze once undici
n 12 twelve zwölf douze doce dodici doze twaalf dozen
n 20 twenty zwanzig vingt veinte venti vinte twintig
n 30 thirty dreißig trente treinta trenta trinta dertig
n 2 couple
n 3 few several some paar einigen quelques algunos algunas unos unas pochi poche alcuni alcune alguns algumas enkele
o 1 first
o 2 second
o 3 third
o 4 fourth
o 5 fifth
o 6 sixth
o 7 seventh
o 8 eighth
o 9 ninth
o 10 tenth
o 11 eleventh
o 12 twelfth
o 20 twentieth
o 30 thirtieth
P 0 morning vormittag matin mattina manhã ochtend
P 1 afternoon nachmittag après-midi tarde pomeriggio middag
P 2 evening abend soir sera avond
P 3 night nacht nuit noche notte noite
R -2 vorgestern avant-hier anteayer antes_de_ayer l'altro_ieri altroieri anteontem eergisteren
R -1 yesterday gestern hier ayer ieri ontem gisteren
R 0 today heute aujourd'hui hoy oggi hoje vandaag
R 1 tomorrow morgen demain mañana domani amanhã
R 2 übermorgen après-demain pasado_mañana dopodomani depois_de_amanhã overmorgen
K 0 stasera vanavond
K 1 tonight stanotte
K 2 gisteravond
K 3 anoche
K 4 stamattina vanochtend vanmorgen
K 5 vanmiddag
W 0 monday montag lundi lunes lunedì segunda-feira maandag
W 1 tuesday dienstag mardi martes martedì terça-feira dinsdag
W 2 wednesday mittwoch mercredi miércoles mercoledì quarta-feira woensdag
W 3 thursday donnerstag jeudi jueves giovedì quinta-feira donderdag
W 4 friday freitag vendredi viernes venerdì sexta-feira vrijdag
W 5 saturday samstag sonnabend samedi sábado sabato zaterdag
W 6 sunday sonntag dimanche domingo domenica zondag
w 0 mon
w 1 tue tues
w 2 wed weds
w 3 thu thur thurs
w 4 fri
w 5 sat
w 6 sun
S 3 spring frühling frühjahr printemps primavera voorjaar
S 6 summer sommer été verano verão zomer
S 9 autumn fall herbst automne otoño autunno outono
S 12 winter hiver invierno inverno
H 0 valentine's_day valentine's valentines
H 1 easter ostern pâques pascua pasqua páscoa pasen
H 2 independence_day
H 3 halloween
H 4 thanksgiving
H 5 christmas_eve heiligabend nochebuena
H 6 christmas xmas weihnachten noël navidad natale kerst
H 7 christmas_day
H 8 boxing_day
H 9 new_year's_eve silvester nochevieja réveillon oudejaarsavond
H 10 new_year's_day neujahr
H 11 new_year new_year's new_years
H 12 good_friday karfreitag
H 13 easter_sunday ostersonntag
H 14 easter_monday ostermontag
H 15 black_friday
Q 1 q1
Q 2 q2
Q 3 q3
Q 4 q4
f 0 what what's where where's who who's whom whose which how how's when why was wer wo wann wie warum
f 0 i me my myself we us our ours you your yours he him his she her hers it its they them their theirs
f 0 do does did don't doesn't didn't is are were isn't aren't wasn't weren't be been being have has had haven't hasn't hadn't
f 0 will would can could shall should might must won't wouldn't can't couldn't i'm i've i'd i'll we've we'd we'll you've
f 0 that these those there here then than so as if because but nor not no yes by for with without about against
f 0 into onto off out up down again also too very only ever never always still already yet all any both each every
f 0 such own same other another more most much many per via versus besides towards across regards as than please
f 0 habe haben hatte ist sind waren ich du er sie es wir ihr mein mit für auf über und nicht
f 0 je tu nous vous elle j'ai ai as avons avez ont est suis qu' que qui quoi avec sur sous dans y
f 0 he has ha hemos han yo mi su por para sobre qué ho hai abbiamo che cosa io eu foi com wat ik heb heeft
"""


def plain(word: str) -> str:
    """Return a word without its accents."""
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


_NEEDS_ACCENT = frozenset("há été à één".split())


def _lexicon() -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for line in _TABLE.strip().split("\n"):
        code, value, *words = line.split()
        for word in words:
            found.setdefault(word, (code, int(value)))
    found.update((word, ("M", number)) for word, number in {**MONTHS, "sept": 9}.items())
    for word in [word for word in found if not word.isascii() and word not in _NEEDS_ACCENT]:
        found.setdefault(plain(word), found[word])
    return found


LEXICON: Mapping[str, tuple[str, int]] = _lexicon()
PHRASES = sorted((word for word in LEXICON if "_" in word or "-" in word or word == "aujourd'hui"), key=len, reverse=True)
"""What is one word here and several in a text; an underscore is a space."""

ENGLISH_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
WEEKDAYS_OR_WORDS = frozenset("mon wed sat sun".split())
MONTHS_OR_WORDS = frozenset("may march mar mai".split())
MONTHS_OR_NAMES = MONTHS_OR_WORDS | frozenset("april june august jan mars".split())
VAGUE = frozenset(
    """couple few several some paar einigen quelques algunos algunas unos unas pochi poche alcuni alcune alguns algumas
    enkele""".split()
)
PAST = frozenset("did was were had didn't wasn't weren't hadn't".split())
"""Words that tell that an English question is about the past."""
