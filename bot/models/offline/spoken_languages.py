"""The offline voice's language: requested, that of the question, that of earlier messages, or the current one."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from bot.models.offline.phrases import FORMAL, Phrases
from bot.models.offline.spoken_manner import Manner
from localization.current_language import ENGLISH, LANGUAGES, current
from memory.text.language_detection import first_names, function_words, language
from memory.text.lexical import tokens

SPOKEN: Mapping[str, str] = {
    "english": "en", "german": "de", "spanish": "es", "french": "fr", "italian": "it", "portuguese": "pt", "dutch": "nl",
    "polish": "pl", "russian": "ru", "turkish": "tr", "arabic": "ar", "chinese": "zh", "japanese": "ja", "korean": "ko",
}  # fmt: skip
"""The languages of the voice: name to code."""
_FORMAL = frozenset({"de"})
_TELLING: Mapping[str, str] = {
    "english": """hello hi thanks bye what who when where why how i i'm i've i'll my mine you your we our the is are have
        don't today tomorrow yesterday morning night good come man men die male sole due van ten pan sun son brother sister
        mother father mom dad friend new year day work live time cat dog said told name please okay yes no never always still
        off long big old want need like love last next every two three four one home house school red blue got made went came
        chat soon stay safe hey later see great nice sure well really thank hope so much enjoy fun let know cool wow miss care
        os com var non fa ci sin dir meta plus sa todo img te la per back can't sent ya yup ton tons doing door in is am met war film tag mon short quality qual tonight ben pair nada""",
    "german": """hallo moin servus guten gute nacht danke tschüss wer wann wie warum wieso wo über weißt geht geht's machst ich wir
        nicht kein keine mein meine meinen meinem meiner dein deine unser mir mich dir dich und ist bist habe hab heute
        gestern morgen heißt wohne mag magst kannst hast denkst schläfst bruder schwester mutter vater freund neu neue arbeite
        jahr tag haus katze hund immer schon sehr gut ging aus gab soll überall papa mama ja nein""",
    "spanish": """hola hasta nos vemos buenos buenas gracias adiós qué quién cuándo dónde cómo cuál cuánto cuántos tengo soy
        estoy eres gusta mi mis hoy ayer mañana hermano hermana hijo hija madre padre amigo amiga nuevo nueva año años día
        noche trabajo vivo vive casa gato perro llamo llama hice hizo fui tiene tienes hemos hay un una unos unas las los el
        del al con por para sin poco mucho otro otra está están muy siempre nunca algo nada todo lunes martes miércoles jueves
        viernes sábado domingo menos horas necesito necesita quiero queremos puedo olvidé compré comí juntos encuentro verde
        coche""",
    "french": """t'es t'aimes salut coucou nuit bientôt demain c'est bonjour bonsoir merci où quand pourquoi combien quel
        quelle quoi s'appelle je j'ai aujourd'hui hier soir matin frère sœur mère père ami amie fils fille nouveau nouvelle an
        ans jour travail travaille habite maison chat chien encore toujours jamais rien tout ma mon mes ta ton tes notre nos
        il elle est sont a ai as un une des les dans avec faut fait papa maman""",
    "italian": """ciao salve grazie buongiorno buonasera buonanotte arrivederci domani ieri oggi stasera mattina chi che cosa
        dove quando perché quale quali quanto quanti quanta mio mia miei mie ho hai abbiamo sono sei siamo era ero vivo vive
        abito abita lavoro lavora dello degli delle nel nella nei nelle alle ai sulla un uno una è più molto poco anche non
        sorella fratello figlia figlio moglie marito mamma papà nonna nonno amico amica ha hanno fatto detto visto fa fai sto
        sta piace chiama chiamo sai dal dalla anni giorno sera notte nuovo nuova casa gatto cane comprato domenica sabato
        qualcuno dopo prima sempre mai devo tiene male madre padre ancora dobbiamo insieme c'era dormito qualcosa favore niente
        nessuno autobus""",
    "portuguese": """olá oi obrigado obrigada tchau adeus boa noite amanhã ontem hoje quem onde quando quê qual quais quanto
        quantos quanta meu minha meus minhas nosso nossa teu tua eu você tenho tem temos sou é está estou são foi não nem um
        uma nas nos à às ao aos em pelo pela sem muito pouco também mais filho filha irmão irmã mãe pai avó avô tia tio amigo
        amiga moro mora trabalho trabalha chamo chama gosto fiz fui fez anos dia tarde novo nova casa gato cão cachorro até já
        desde vou vai ter como bom sai horas faço toco sempre nunca verde menos alguém depois antes comprei esqueci vamos
        estava juntos papai numa queremos custou quebrado jogo tá comprar segunda terça quarta quinta sexta sábado domingo""",
    "dutch": """hoi doei bedankt dankjewel welterusten goedemorgen goedenavond wie wat waar wanneer waarom hoe welke
        welk hoeveel ik mijn jij jouw wij ons onze het een niet geen heb hebt heeft ben bent zijn woon woont werk werkt heet
        vandaag gisteren morgen vanavond dochter zoon zus broer moeder vader vrouw oma opa vriend vriendin naar bij ook nog
        weer nieuw nieuwe jaar jaren dag huis kat hond zullen samen buiten hebben was mag moet gaat ging kocht altijd nooit
        iemand iets niets willen staat wil overal bijna ja nee""",
    "polish": """cześć hej dzień dobry dzięki dziękuję dobranoc kto co gdzie kiedy dlaczego jak jaki jaka jakie który która
        ile mój moja moje mojego mojej moją moim mam masz ma mamy jestem jesteś jest są był była było mieszkam mieszka pracuję
        pracuje się we przez jutro wczoraj dziś dzisiaj lat lata rok roku siostra siostry brat córka syn mąż żona mama tata
        babcia dziadek ciocia kolega mnie mną lubię wiem będę dom kot pies nowy nowa nowe zawsze nigdy ktoś coś idę muszę
        kupiłem kupiłam czyj czego czym pożyczył""",
    "turkish": """merhaba selam günaydın teşekkürler teşekkür sağol görüşürüz kim nerede nereye nereden neden nasıl hangi kaç
        zaman sana bir çok değil musun için dün bugün yarın akşam sabah gece adım adı annem babam ablam abim kardeşim kızım
        oğlum eşim dedem anneannem arkadaşım patronum komşum yaşıyorum oturuyorum çalışıyorum seviyorum evde evim yeni yıl gün
        saat kedi kedim köpek köpeğim aldım oldu verdi geldi gitti geçen hafta her biraz hiç birlikte önce sonra gerek lazım
        edildi etti ediyor iyi kötü güzel işe beri bozuk sevdiğim olacak akşamı""",
}  # fmt: skip
"""Words that tell the language of texts too short for function words alone."""
_LOOKED_AT = 2_000
"""How many characters of a text are examined; more add nothing."""
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
_KANA, _HANGUL = re.compile("[\u3040-\u30ff]"), re.compile("[\uac00-\ud7a3]")
_CHINESE = re.compile(
    "[你您妳她吗呢很吧啊哪嗎麼們這說誰還沒給]|我(?![慢々儘])|[晚早]安|[今明昨]天|真[好的是]|好的|了(?:[一。，！]|$)|在(?![宅庫住籍職任来日中])"
)
_JAPANESE = "cp932"
"""The encoding of the characters that Japanese writes."""
_SURELY_CHINESE = 12
"""From how many characters on a text without kana is not Japanese."""
_OTHER_CYRILLIC = re.compile(
    r"[іїєґўјљњћџђѓќѕәғқңөұүһ]|\b(?:съм|това|какво|къде|аз|ще|беше|няма|много|защо|кога|благодаря|здравей|той|тя|имам)\b"
)
_LETTERS = {
    name: re.compile(rf"\b[^\W\d_A-ZÇĞİÖŞÜŁŚŻŹĆÓÉÁÍ]*[{letters}]\w*")
    for name, letters in {"polish": "łżźśńęą", "portuguese": "ãõ", "german": "ß"}.items()
} | {
    "spanish": re.compile(r"[¿¡]|\b[a-záéíóú]*ñ\w*"),
    "turkish": re.compile(r"\b[a-zçöü]*(?:[ğış]|[iuü]yor(?:um|sun|uz|lar)?\b|[iuü]d[iuü]m\b)\w*"),
}
"""Words, written small as names are not, with letters that few other languages have."""
_FEW, _SHORT = 3, 0.5
"""How many letters a short word has, and what it weighs beside others: any text may have it."""
_LETTER, _SURER = 0.5, 1.5
"""What a word with such a letter weighs, and by how much other words must outweigh those of the language that function words tell."""
_TIED = 1e-6


@cache
def _votes() -> Mapping[str, Sequence[str]]:
    """Return the languages that each word tells: where there are several, it tells each the less."""
    having: dict[str, list[str]] = {}
    for name, telling in _TELLING.items():
        for word in {token for one in telling.split() for token in tokens(one)} | function_words()[name]:
            having.setdefault(word, []).append(name)
    return having


def detect_language(text: str) -> str:
    """Return the language of a text by its words; '' if unclear."""
    looked_at = text[:_LOOKED_AT]
    words = tokens(looked_at)
    if unspaced := _unspaced_language(looked_at):
        return unspaced
    found = language(words)
    if found == "russian" and _OTHER_CYRILLIC.search(looked_at.casefold()):
        return ""
    votes = dict.fromkeys(_TELLING, 0.0)
    told_by = dict.fromkeys(words) if len(words) > 1 else set(words) - first_names(words, "")
    for word in told_by:
        short = len(words) > 1 and len(word) <= _FEW and word.isascii()
        for name in (told := _votes().get(word, ())):
            votes[name] += (_SHORT if short else 1) / len(told)
    for name, letters in _LETTERS.items():
        votes[name] += _LETTER * len(set(letters.findall(looked_at)))
    (first, most), (_, second) = sorted(votes.items(), key=lambda vote: -vote[1])[:2]
    overruled = found in _TELLING and first not in ("english", found) and most >= _SURER * max(votes[found or first], _LETTER)
    if found and not overruled:
        return "" if found != "english" and len(words) <= _FEW and votes["english"] >= votes.get(found, _LETTER) else found
    return first if most - second > _TIED else ""


def _unspaced_language(text: str) -> str:
    """Return the language of a text that is mostly Chinese, Japanese or Korean; '' for any other, and where it may be either."""
    unspaced = _UNSPACED.findall(text)
    if not unspaced or len(unspaced) < 2 * len(re.findall("[^\\W\\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+", text)):
        return ""
    if _HANGUL.search(text):
        return "korean"
    if _KANA.search(text):
        return "japanese"
    written = "".join(unspaced)
    foreign = written != written.encode(_JAPANESE, "ignore").decode(_JAPANESE)
    return "chinese" if foreign or len(unspaced) >= _SURELY_CHINESE or _CHINESE.search(text) else ""


def spoken_language(text: str) -> str:
    """Return the language of a text if she speaks it; '' if not, or if it is unclear: a short text is easily taken for another."""
    found = detect_language(text)
    return found if found in SPOKEN else ""


def newest_language(texts: Sequence[str]) -> str:
    """Return the language of a person's newest identifiable message, given oldest first, if she speaks it; else ''."""
    return next((name for text in reversed(texts) if (name := spoken_language(text))), "")


def phrases(manner: Manner, text: str, written: str) -> Phrases:
    """Return the sentences for an answer: in the requested language, the text's, the one written before, or the current one."""
    spoken = manner.language or spoken_language(text) or written or LANGUAGES[current()]
    code = SPOKEN.get(spoken, ENGLISH)
    return Phrases(f"{code}{FORMAL}" if manner.formal and code in _FORMAL else code)
