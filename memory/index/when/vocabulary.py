"""The lexicon of time words: English in depth, and the commonest of six other languages.

Each word has a kind, a Code, and a value. For ambiguous words the first row wins, and months win over everything.
"""

from collections.abc import Mapping

from memory.index.when.codes import Code
from memory.text.lexical import stem, unaccented
from memory.text.time.dates import MONTHS

MINUTE, HOUR, DAY, WEEK, MONTH, YEAR, WEEKEND, QUARTER, FORTNIGHT = range(9)
MORNING, AFTERNOON, EVENING, NIGHT, NOON = range(5)
KINDS_OF_DAY = (
    (0, EVENING),
    (0, NIGHT),
    (-1, EVENING),
    (-1, NIGHT),
    (0, MORNING),
    (0, AFTERNOON),
    (-1, MORNING),
    (1, MORNING),
)
"""The meaning of KIND_OF_DAY values: days from today, and the part of that day."""

_TABLE = """
unit 0 minute minutes minuten minutos minuti
unit 1 hour hours stunde stunden heure heures hora horas ora ore uur uren
unit 2 day days nights tag tage tagen jour jours día días giorno giorni dia dias dag dagen
unit 3 week weeks woche wochen semaine semaines semana semanas settimana settimane weken
unit 4 month months monat monate monaten monats mois mes meses mese mesi mês maand maanden
unit 5 year years jahr jahre jahren jahres année années l'an ans año años anno anni ano anos jaar jaren
unit 6 weekend weekends wochenende wochenenden week-end week_end finde findes fine_settimana fin_de_semana fim_de_semana
unit 7 quarter quarters quartal quartals trimestre
unit 8 fortnight fortnights quinze_jours
last 0 last letzte letzten letzter letztes letztem vergangene vergangenen vergangener vergangenes vorig vorige vorigen voriger voriges
last 0 afgelopen laatste
second_last 0 vorletzte vorletzten vorletzter vorletztes vorletztem
past 0 past último última últimos últimas ultimo ultima ultimi ultime
other_day 0 the_other_day
just_now 0 just_now a_moment_ago moments_ago vorhin soeben gerade_eben eben_gerade hace_un_momento
just_now 1 this_time_last_year this_day_last_year letztes_jahr_um_diese_zeit
last_behind 0 dernier dernière passé passée pasado pasada scorso scorsa passato passata passado passada
next 0 next coming upcoming nächste nächsten nächster nächstes kommende kommenden kommender kommendes volgende komende
next 0 próximos próximas prossimi prossime
next_behind 0 prochain prochaine pro que_viene q_viene qui_vient próximo próxima prossimo prossima
this 0 this diese diesen dieser dieses diesem ce cet cette esta este estos questo questa quest' deze dit
ago 0 ago geleden fa atrás
ago_before 0 vor il_y_a y_a y'a hace há faz
in 0 in im en nel em dans within dentro_de
during 0 during over throughout around whilst während pendant durante tijdens
on 0 on at am op upon zu na
the 0 the der die das den dem des le la les el los il lo gli l'
of 0 of de di del della du von vom van d' dell'
from 0 from ab
between 0 between zwischen entre tussen
to 0 to through thru à tot al
since 0 since seit depuis desde sinds
until 0 until till up_to bis bis_zum bis_zur jusqu'à hasta fino tot
before 0 before avant antes prima voor prior_to
after 0 after nach après después dopo depois
and 0 and or und oder et ou e o y en_ook
now 0 now
near 0 earlier later
near 1 shortly soon right just immediately directly
stage 0 early beginning start anfang début principios begin
stage 1 mid middle mitte mediados
stage 2 late end ende fin finales fine eind
half 0 half halben halbes
article 1 a an ein eine einen einem einer un une una uno um uma een one eén één
number 2 two zwei deux dos due dois duas twee
number 3 three drei trois tres tre três drie
number 4 four vier quatre cuatro quattro quatro
number 5 five fünf cinq cinco cinque vijf
number 6 six sechs seis sei zes
number 7 seven sieben siete sette sete zeven
number 8 eight acht huit ocho otto oito
number 9 nine neun neuf nueve nove negen
number 10 ten zehn dix diez dieci dez tien
number 11 eleven elf onze once undici
number 12 twelve zwölf douze doce dodici doze twaalf dozen
number 20 twenty zwanzig vingt veinte venti vinte twintig
number 30 thirty dreißig trente treinta trenta trinta dertig
number 2 couple
number 3 few several some paar einigen quelques algunos algunas unos unas pochi poche alcuni alcune alguns algumas enkele
ordinal 1 first erste ersten erster erstes
ordinal 2 second zweite zweiten zweiter zweites
ordinal 3 third dritte dritten dritter drittes
ordinal 4 fourth vierte vierten vierter viertes
ordinal 5 fifth fünfte fünften fünfter fünftes
ordinal 6 sixth
ordinal 7 seventh
ordinal 8 eighth
ordinal 9 ninth
ordinal 10 tenth
ordinal 11 eleventh
ordinal 12 twelfth
ordinal 20 twentieth
ordinal 30 thirtieth
part_of_day 0 morning vormittag matin mattina manhã ochtend
part_of_day 1 afternoon nachmittag après-midi tarde pomeriggio middag
part_of_day 2 evening abend soir sera avond
part_of_day 3 night nacht nuit noche notte noite
part_of_day 4 mittag
day_from_today -2 vorgestern avant-hier avant_hier anteayer antes_de_ayer l'altro_ieri altroieri anteontem eergisteren
day_from_today -1 yesterday gestern hier ayer ieri ontem gisteren
day_from_today 0 today heute aujourd'hui aujourdhui hoy oggi hoje vandaag
day_from_today 1 tomorrow morgen demain mañana domani amanhã
day_from_today 2 übermorgen après-demain après_demain pasado_mañana dopodomani depois_de_amanhã overmorgen
kind_of_day 0 stasera vanavond
kind_of_day 1 tonight stanotte
kind_of_day 2 gisteravond
kind_of_day 3 anoche
kind_of_day 4 heute_früh stamattina vanochtend vanmorgen
kind_of_day 5 vanmiddag
kind_of_day 6 gestern_früh
kind_of_day 7 morgen_früh
weekday 0 monday montag lundi lunes lunedì segunda-feira maandag
weekday 1 tuesday dienstag mardi martes martedì terça-feira dinsdag
weekday 2 wednesday mittwoch mercredi miércoles mercoledì quarta-feira woensdag
weekday 3 thursday donnerstag jeudi jueves giovedì quinta-feira donderdag
weekday 4 friday freitag vendredi viernes venerdì sexta-feira vrijdag
weekday 5 saturday samstag sonnabend samedi sábado sabato zaterdag
weekday 6 sunday sonntag dimanche domingo domenica zondag
short_weekday 0 mon
short_weekday 1 tue tues
short_weekday 2 wed weds
short_weekday 3 thu thur thurs
short_weekday 4 fri
short_weekday 5 sat
short_weekday 6 sun
season 3 spring frühling frühjahr printemps primavera voorjaar
season 6 summer sommer été verano verão zomer
season 9 autumn fall herbst automne otoño autunno outono
season 12 winter hiver invierno inverno
feast 0 valentine's_day valentines_day san_valentín valentine's valentines valentinstag
feast 1 easter easter_weekend osterwochenende ostern pâques pascua pasqua páscoa pasen
feast 2 independence_day
feast 3 halloween
feast 4 thanksgiving
feast 5 christmas_eve heiligabend nochebuena
feast 6 christmas xmas weihnachten noël navidad natale kerst
feast 7 christmas_day ersten_weihnachtstag ersten_weihnachtsfeiertag
feast 8 boxing_day zweiten_weihnachtstag zweiten_weihnachtsfeiertag
feast 9 new_year's_eve new_years_eve nye silvester nochevieja réveillon oudejaarsavond
feast 10 new_year's_day new_years_day neujahr neujahrstag año_nuevo
feast 11 new_year new_year's new_years
feast 12 good_friday karfreitag
feast 13 easter_sunday ostersonntag
feast 14 easter_monday ostermontag
feast 15 black_friday
feast 16 nikolaus nikolaustag st_nicholas_day
feast 17 pfingsten pentecost whitsun pentecôte pentecostés pinksteren
feast 18 pfingstsonntag whit_sunday
feast 19 pfingstmontag whit_monday
feast 20 himmelfahrt christi_himmelfahrt ascension_day
feast 21 fronleichnam corpus_christi
feast 22 rosenmontag
feast 23 aschermittwoch ash_wednesday
feast 24 gründonnerstag maundy_thursday
feast 25 allerheiligen all_saints'_day
feast 26 tag_der_deutschen_einheit
feast 27 mother's_day mothers_day muttertag
feast 28 memorial_day
feast 29 labor_day
feast 30 st_patrick's_day st_patricks_day st._patrick's_day
feast 33 weihnachtstage weihnachtstagen weihnachtsfeiertage weihnachtsfeiertagen
quarter 1 q1
quarter 2 q2
quarter 3 q3
quarter 4 q4
function 0 what what's where where's who who's whom whose which how how's when why was wer wo wann wie warum
function 0 i me my myself we us our ours you your yours he him his she her hers it its they them their theirs
function 0 do does did don't doesn't didn't is are were isn't aren't wasn't weren't be been being have has had haven't hasn't hadn't
function 0 will would can could shall should might must won't wouldn't can't couldn't i'm i've i'd i'll we've we'd we'll you've
function 0 that these those there here then than so as if because but nor not no yes by for with without about against
function 0 into onto off out up down again also too very only ever never always still already yet all any both each every
function 0 such own same other another more most much many per via versus besides towards across regards as than please
function 0 habe haben hatte ist sind waren ich du er sie es wir ihr mein mit für auf über und nicht
function 0 je tu nous vous elle j'ai ai as avons avez ont est suis qu' que qui quoi avec sur sous dans y
function 0 he has ha hemos han yo mi su por para sobre qué ho hai abbiamo che cosa io eu foi com wat ik heb heeft
"""


PLURALS = (
    *((Code.WEEKDAY, day) for day in range(7)),
    *((Code.SEASON, first) for first in (3, 6, 9, 12)),
    (Code.FEAST, 6),
)
"""The meaning of SEVERAL values: the code and value of the singular."""
_PLURAL_WORDS = (
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays springs summers autumns winters christmases".split()
)
_PARTS_IN_ONE_WORD = {
    "morgen": MORNING,
    "früh": MORNING,
    "vormittag": MORNING,
    "mittag": NOON,
    "nachmittag": AFTERNOON,
    "abend": EVENING,
    "nacht": NIGHT,
}
_GERMAN_WEEKDAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()
_GERMAN_MONTHS = "januar februar märz april mai juni juli august september oktober november dezember".split()
_NEEDS_ACCENT = frozenset("há été à één".split())


def _lexicon() -> dict[str, tuple[Code, int]]:
    found: dict[str, tuple[Code, int]] = {}
    for line in _TABLE.strip().split("\n"):
        code, value, *words = line.split()
        for word in words:
            found.setdefault(word, (Code[code.upper()], int(value)))
    found.update((word, (Code.SEVERAL, at)) for at, word in enumerate(_PLURAL_WORDS))
    found.update(
        (day + part, (Code.WEEKDAY_PART, 10 * number + value))
        for number, day in enumerate(_GERMAN_WEEKDAYS)
        for part, value in _PARTS_IN_ONE_WORD.items()
    )
    for number, month in enumerate(_GERMAN_MONTHS, 1):
        found[f"{month}woche"], found[f"{month}wochenende"] = (Code.MONTH_WEEK, number), (Code.MONTH_WEEK, 100 + number)
    found.update((word, (Code.MONTH, number)) for word, number in {**MONTHS, "sept": 9}.items())
    for word in [word for word in found if not word.isascii() and word not in _NEEDS_ACCENT]:
        found.setdefault(unaccented(word), found[word])
    return found


LEXICON: Mapping[str, tuple[Code, int]] = _lexicon()
PHRASES = sorted((word for word in LEXICON if "_" in word or "-" in word or word == "aujourd'hui"), key=len, reverse=True)
"""Phrases treated as one word; an underscore is a space."""

ENGLISH_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
WEEKDAYS_OR_WORDS = frozenset("mon wed sat sun".split())
MONTHS_OR_WORDS = frozenset("may march mar mai".split())
MONTHS_OR_NAMES = MONTHS_OR_WORDS | frozenset("april june august jan mars".split())
VAGUE = frozenset(
    """couple few several some paar einigen quelques algunos algunas unos unas pochi poche alcuni alcune alguns algumas
    enkele""".split()
)
TOLD = frozenset("have has i've we've habe hab haben hat hatte hatten war waren he hemos".split())
"""Words that, along with PAST, mark a question as being about the past."""
PAST = frozenset("did was were had didn't wasn't weren't hadn't".split())
"""Words that mark an English question as being about the past."""
LIGHT = frozenset("go went going gone get got getting happen happened spend spent far long often much many".split())
"""Light words, with next to no meaning next to others: "go climbing", "get a haircut", "how far"."""
DOINGS = frozenset(
    stem(word)
    for word in """
    happen spend spent go went on new life past part thing celebrate verbracht gemacht machte passiert geschehen los erlebt gefeiert hice hicimos pasó
    hecho fait passé tell told say said write wrote written talk talked mention mentioned erzählt gesagt geschrieben berichtet
    unternommen dije contado quest jai avons happens passiert plan plans planned planning mache machen machst macht tue tun vor geplant plane planen
    fais faisons faire ferai ferons vais allons aller prévu étais j'étais étions qu'avons qu'ai hago hacemos hacer haré haremos voy vamos planeado
    estuve estuvimos estaba tengo tenemos hay s'est ocurrió pasa planes
    """.split()
)
"""Stems of words that ask for whatever was done or happened at a time."""
