"""Language detection by script and function words, among the languages that can be stemmed.

Languages go by their Snowball names. Function words are folded like tokens: NFKC, case-folded, without joiners.
"""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

_LATIN = {
    "basque": """eta da ez ni zu gu dira naiz dut dute nire zure bere bat hau hori zer non nor nola baina ere oso izan zen
        ziren egin dago daude dugu baino edo bai beste nik zuk ditu nuen zuen gure""",
    "catalan": """el la els les de del dels i en un una que és no es per amb meu meva teu jo ell ella nosaltres però com més
        molt també què on quan està sóc són hi ha va aquest aquesta al als seu seva tinc em et ho d'un d'una l'he m'agrada o
        això si us sobre entre pot ser perquè ens fer""",
    "czech": """a v na je se že to s z do jak ale co já ty on ona my můj moje moji tvůj za od po pro kde kdy jsou byl byla už
        jen jsem jsi si i o ten ta tak velmi mě mi jeho nebo když který ne není také ve ke být jako pokud proto tento tato ani""",
    "danish": """jeg du han hun vi de det den er ikke og i at en et på til med for af som har var min mit mine din også hvor
        hvad hvem hvornår når fra om så kan skal vil blev være meget sig noget mig dig os der efter eller bare nu ud op ind
        denne dette må blive""",
    "dutch": """de het een en van ik je jij hij zij we is niet in op te met voor dat die er aan om mijn zijn was ben bent heb
        heeft hebben maar ook waar wat wie hoe naar bij uit als dan nog wel geen deze dit ze mij jou ons onze door over zo zou
        kan hun""",
    "english": """the of and to a in that is was it for with on as you i are be this have has had from not but they what your my at
        he she we his her our their by an so if or do did can would could should about been were which there when where who how why
        me us them him just all some more than then too very into out up off go get got take let's i'm i've it's don't didn't
        that's i'll you're over because after only these""",
    "esperanto": """la kaj estas mi vi li ŝi ĝi ni ili ne en de al por kun kiu kio kie kiam kiel mia via lia ŝia sed ankaŭ tiu
        tio estis ĉu el pri tre ol aŭ jam nur miaj mian estos se pli povas iu ĉi""",
    "estonian": """ja on ei see ta ma sa me te nad mina sina olen oled oli olla et aga kui ka siis mis kus kes kuidas minu
        sinu tema oma ning või mul sul seda selle väga juba veel kas pole ole võib kõik mitte saa siin ise""",
    "finnish": """ja on ei se hän minä sinä me te he en et olen olet oli olla että mutta kun kuin myös tämä mikä missä mitä
        kuka minun sinun hänen joka jos niin ovat vain nyt sitten mun mä sä ole vielä kanssa minulla olemme ollut eivät voi tai sen siitä
        kaikki sitä meidän mitään oma tässä""",
    "french": """le la les de des du et est un une je tu il elle nous vous ils on ne pas que qui dans pour sur avec au aux mon
        ma mes ton ta son sa ses ce cette mais où sont suis j'ai c'est n'est d'un d'une qu'il s'est très aussi plus était ça à
        en ou par y si leur tout même être ont sans chez fait""",
    "german": """der die das und ist nicht ich du er sie wir ihr ein eine einen einem mein meine meinen dein mit auf für von
        zu im den dem des sich auch wie aber noch nur war hat habe bin bist sind wo was wenn kein keine mir mich dir dich nach
        bei oder dass als uns vom zum sein an man mehr diese dieser werden wird wer wen wem wann warum wieso welche welcher
        welches welchen welchem unser unsere unseren unserem haben""",
    "hungarian": """a az és egy nem hogy is van volt vagyok én te ő mi ez ezt azt de ha meg már csak még mint vagy hol mit ki
        mikor nagyon sem nincs ami aki lesz nekem neki kell lehet ezek volna így mert itt ott után minden egyik""",
    "indonesian": """yang dan di ke dari ini itu saya aku kamu dia kami kita mereka tidak bukan adalah untuk dengan pada ada
        akan sudah belum apa mana siapa bagaimana sangat juga atau karena tapi bisa seperti saja lagi telah ya sedang jika
        oleh para harus anda""",
    "irish": """an na is agus ar i tá níl ní mé tú sé sí muid sibh siad mo do a le go ag bhí raibh atá cá cad conas ach nó seo
        sin féin ó faoi leis agam agat aige den ann nach bhfuil mar chun gach faoin liom duit""",
    "italian": """il lo la i gli le di del della dei delle e è un una che non si per con in nel nella mio mia tuo sono ho hai
        ha ma come più anche questo questa io lui lei noi dove dov'è c'è quando era mi ti ci al alla da perché l'ho o su sul
        alle tutti se""",
    "lithuanian": """ir yra aš tu jis ji mes jūs jie ne į iš su kad bet kaip kas kur kada mano tavo jo jos šis ši tai buvo esu
        nėra ar už apie per nuo iki labai dar jau taip kai man tau kuris tik gali po arba kurie""",
    "norwegian": """jeg du han hun vi de det den er ikke og i å en et på til med for av som har var min mitt mine din også
        hvor hva hvem hvordan når fra om så kan skal vil ble være veldig seg noe meg deg oss der etter ikkje eg eller bare nå
        ut opp inn denne dette må bli""",
    "polish": """i w z na nie się jest to że do jak ale co ja ty on ona my mój moja moje twój za od po dla czy gdzie kiedy są
        był była już tylko mam ma jestem przez tak o ten ta bardzo mnie mi lub oraz być jeśli ze tego tej pod""",
    "portuguese": """o a os as de do da dos das e em no na um uma que é não se por com para seu sua meu minha eu ele ela você
        mais mas como está estou quando muito também foi são isso este esta ao à me te já onde tem ou sobre pelo pela sem ser
        era nos às depois então""",
    "romanian": """și în la de pe cu un o nu este e că sunt eu tu el ea noi voi mea meu mai ce unde când cum dar din pentru să
        se am are au lui foarte care acest această fost prin ca mă te îmi sau dacă ale fi doar""",
    "serbian": """i u na je se da ne su sam si smo za od do sa što šta gde gdje kako ali ili moj moja moje tvoj ja ti on ona
        mi vi nije bio bila samo kada koji koja ovo taj već još mene ću će kao ovaj ova li iz biti ako koje nego""",
    "sesotho": """ke le ho ea ka e ha ba o se ne na sa la tsa wa ya re hore empa haholo kapa mme eo bona rona lona wena nna hae tseo
        moo kae mang joang neng oa jwang""",
    "spanish": """el la los las de del y en un una que es no se por con para su mi tu yo lo le me te al más pero como está
        estoy qué dónde cuando cuándo muy también hay fue ha mis nos ya sin este esta soy o e desde sobre entre sus ser
        tiene les todo si porque era nuestro pues""",
    "swedish": """jag du han hon vi de det den är inte och i att en ett på till med för av som har var min mitt mina din också
        vad vem när från om så kan ska vill blev vara mycket sig något mig dig oss där hur efter eller bara nu ut upp in denna
        detta måste bli ha""",
    "turkish": """ve bir bu şu o ben sen biz siz onlar benim senin bizim da de mi mı için ile çok değil var yok ne nerede kim
        nasıl gibi daha ama her kadar sonra beni bana sana olarak olan ki veya ise göre bunu""",
}
_SCRIPTS = {
    "greek": {
        "greek": """και το η ο τα οι της του των την τον στο στη στην στον με για από δεν να που είναι ήταν μου σου μας σας εγώ εσύ θα
            πού τι πώς ποιος όταν αλλά ένα μια ένας ή πολύ έχω έχει ότι αυτό"""
    },
    "cyrillic": {
        "russian": """и в не на я что он она оно мы вы ты с как это по но за у от из мой моя моё мне меня был была было есть так же к о
            где кто когда его её для то все если уже или очень нет да ещё бы только""",
        "serbian": """је сам си смо су се да не на у и за од са шта што где како али или мој моја моје твој ја ти он она ми ви није био
            била само када који ово већ још ће""",
    },
    "armenian": {
        "armenian": """և է եմ ես եք են ու իմ քո նա նրա մենք դու չէ որ որտեղ ինչ ով երբ բայց այս այդ մեջ հետ համար շատ էր մի ինչպես նաև
            կամ"""
    },
    "hebrew": {
        "yiddish": """און איז די דער דאס דאָס א אַ אין נישט ניט איך דו ער זי מיר איר זיי מיין מײַן מיט אויף צו פון פֿון וואס וואָס װאָס וואו ווען
            אבער אָבער אויך האט האָט האב האָב זענען געווען געװען אן אַן דעם וועט""",
    },
    "arabic": {
        "arabic": """في من على إلى أن لا ما هذا هذه هو هي أنا أنت نحن مع عن كان كانت هل أين كيف متى لكن أو و التي الذي كل لم لن قد بعد
            قبل عند ليس""",
        "persian": """و در به از که این آن را با است من تو او ما شما برای تا هم نیست بود یک کجا چه چرا کی اما یا هر بر می خیلی نه های
            شده دارم""",
    },
    "devanagari": {
        "hindi": """है हैं में का की के को से और यह वह नहीं मैं तुम आप हम मेरा मेरी मेरे पर था थी थे कि भी क्या कहाँ कहां कौन कब कैसे ने तो
            ही एक बहुत हूँ हूं लिए लेकिन या अपने""",
        "nepali": """छ छन् हो मा को का की ले लाई र यो त्यो म तिमी तपाईं हामी मेरो मेरी तिम्रो छैन थियो पनि के कहाँ कसरी तर भने धेरै अनि
            छु हुन्छ बाट सँग थिए होइन एक""",
    },
    "tamil": {
        "tamil": """என் நான் நீ அது இது ஒரு அவர் அவன் அவள் எங்கே என்ன யார் எப்படி மற்றும் என்று இல்லை இருந்து உள்ள ஆனால் மிகவும் அந்த
            இந்த நாங்கள் எனது உன் தான் உங்கள்"""
    },
}
# Hebrew has no stemmer, and would be mistaken for Yiddish.
_HEBREW = frozenset("של את לא על הוא היא אני זה זאת עם מה אתה כי גם יש אין איפה אבל רק הם שלי שלך לי די".split())

# The code points of each script, divided by sixteen.
_BLOCKS = {
    "greek": (*range(0x37, 0x40), *range(0x1F0, 0x200)),
    "cyrillic": range(0x40, 0x53),
    "armenian": range(0x53, 0x59),
    "hebrew": range(0x59, 0x60),
    "arabic": (*range(0x60, 0x70), 0x75, 0x76, 0x77, *range(0x8A, 0x90)),
    "devanagari": range(0x90, 0x98),
    "tamil": range(0xB8, 0xC0),
}
_SERBIAN = frozenset("ђјљњћџ")
_PERSIAN = "پچژگکی"
_ARABIC = "ةىيكأإؤئ"
_URDU = frozenset("ٹڈڑےںہھ")
_NEPALI = ("हरू", "हरु", "लाई", "न्छ", "छन्", "एको", "होस्")  # written as suffixes in Nepali, as separate words in Hindi

# Letters specific to few of the languages in Latin script.
_LETTERS = {
    "basque": "ñ", "catalan": "çàèòï", "czech": "řěůďťňčšžýáíúé", "danish": "åøæ", "dutch": "ëï", "esperanto": "ĉĝĥĵŝŭ",
    "estonian": "õäöü", "finnish": "äö", "french": "çàèêëîïôûùâœé", "german": "äöü", "hungarian": "őűöüáíóúé", "irish": "áíóúé",
    "italian": "àèìòù", "lithuanian": "ėųįūąęčšž", "norwegian": "åøæ", "polish": "łżźśńęąćó", "portuguese": "ãõçàâêôáíóúé",
    "romanian": "țșăâîşţ", "serbian": "đćčšž", "spanish": "ñáíóúé", "swedish": "åäö", "turkish": "ğışçöü",
}  # fmt: skip

# Languages often typed without accents.
_UNACCENTED = "catalan czech french italian lithuanian polish portuguese romanian serbian spanish turkish".split()
# First names tell nothing about the language around them and must be found in any.
_NAMES = frozenset(
    """ali al ann ben dan dina don ela ella elle han jen jim jo jos kai kim lei lia lui mai mia mina min mo nik noa ole ona per sam
    sen sina son tai ty uma una van via""".split()
)

_WHOLE = 27720  # the weight of a word of one language; divisible by many numbers
_ENOUGH = _WHOLE * 5 // 4
_LONG = 5
_UNDECIDED = 0.75  # English wins with this share of the best score


def _folded(words: str) -> list[str]:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", words).casefold()).split()


def _plain(word: str) -> str:
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).replace("ı", "i").replace("ł", "l")


@cache
def _listed() -> Mapping[str, frozenset[str]]:
    listed = {name: _folded(words) for name, words in _LATIN.items()}
    for name in _UNACCENTED:
        listed[name] += [plain for word in listed[name] if not word.isascii() and len(plain := _plain(word)) > 2]
    for languages in _SCRIPTS.values():
        for name, words in languages.items():
            listed[name] = listed.get(name, []) + _folded(words)
    return {name: frozenset(words) for name, words in listed.items()}


@cache
def function_words() -> Mapping[str, frozenset[str]]:
    """Return the function words of each language."""
    return {name: words - _NAMES for name, words in _listed().items()}


def first_names(words: Iterable[str], spoken: str) -> frozenset[str]:
    """Return those of some words that are first names, and function words only in other languages than the one spoken."""
    return _NAMES.intersection(words) - _listed().get(spoken, frozenset())


def _votes(said: Mapping[str, Iterable[str]]) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Return a mapping from each word or letter to its weight and the languages that have it."""
    having: dict[str, list[str]] = {}
    for name, words in said.items():
        for word in words:
            having.setdefault(word, []).append(name)
    return {word: (_weight(word, len(names)), tuple(names)) for word, names in having.items()}


def _weight(word: str, languages: int) -> int:
    telling = languages == 1 and (len(word) >= _LONG or not word.isascii()) and len(word) > 1
    return _WHOLE * (1 if word in _NAMES else 4 if telling else 2) // (languages + 1)


@cache
def _word_votes() -> dict[str, tuple[int, tuple[str, ...]]]:
    return _votes({name: _listed()[name] for name in _LATIN})


_LETTER_VOTES = _votes(_LETTERS)
_LETTERS_TOLD = frozenset(_LETTER_VOTES)
_SCRIPT_OF = {block: script for script, blocks in _BLOCKS.items() for block in blocks}
_WRITTEN = {name: script for script, languages in _SCRIPTS.items() for name in languages}


def language(words: Sequence[str]) -> str | None:
    """Return the language of a text given as `lexical.tokens`, None if it cannot be told.

    Ties go to English, then to the first language by name.
    """
    distinct = dict.fromkeys(words)
    votes: dict[str, int] = {}
    known = _word_votes()
    for word in distinct:
        if vote := known.get(word):
            weight, names = vote
            for name in names:
                votes[name] = votes.get(name, 0) + weight
    letters = "".join(distinct)
    if not letters.isascii():
        _by_letters(letters, votes)
        _by_scripts(distinct, votes)
    most = max(votes.values(), default=0)
    if most < _ENOUGH:
        return None
    if votes.get("english", 0) >= _UNDECIDED * most:
        return "english"
    return min(name for name, vote in votes.items() if vote == most)


def _by_letters(letters: str, votes: dict[str, int]) -> None:
    """Add votes for letters, capped at the weight of one word, so that a name alone decides nothing."""
    seen: dict[str, int] = {}
    for letter in _LETTERS_TOLD.intersection(letters):
        weight, names = _LETTER_VOTES[letter]
        for name in names:
            seen[name] = min(_WHOLE, seen.get(name, 0) + weight)
    for name, weight in seen.items():
        votes[name] = votes.get(name, 0) + weight


def _by_scripts(words: Collection[str], votes: dict[str, int]) -> None:
    written: dict[str, list[str]] = {}
    for word in words:
        if word >= "\u0370" and (script := _SCRIPT_OF.get(ord(word[0]) >> 4)):
            written.setdefault(script, []).append(word)
    for script, some in written.items():
        # A single word among others may be a name.
        if (len(some) > 1 or len(words) == 1) and (told := _of_script(script, some)):
            votes[told] = votes.get(told, 0) + 2 * _WHOLE * len(some)


def _of_script(script: str, words: Sequence[str]) -> str | None:
    """Return the language of words in a script; None if it is more likely one without a stemmer."""
    told = {name: sum(map(_listed()[name].__contains__, words)) for name in _SCRIPTS[script]}
    letters = "".join(words)
    if script == "hebrew":
        return "yiddish" if told["yiddish"] > sum(map(_HEBREW.__contains__, words)) else None
    if script == "cyrillic":
        return "serbian" if not _SERBIAN.isdisjoint(letters) or told["serbian"] > told["russian"] else "russian"
    if script == "arabic":
        if not _URDU.isdisjoint(letters):
            return None
        told["arabic"] += sum(map(letters.count, _ARABIC))
        told["persian"] += sum(map(letters.count, _PERSIAN))
    if script == "devanagari":
        told["nepali"] += sum(word.endswith(_NEPALI) for word in words)
    return min(told, key=lambda name: (-told[name], name))


def stemmed_as(word: str, name: str) -> str:
    """Return the language to stem a word in within a text: the text's, or English for a word in another script.

    So a number or foreign word is the same term in every text.
    """
    script = _SCRIPT_OF.get(ord(word[0]) >> 4) if word else None
    own = _WRITTEN.get(name)
    if script:
        return name if own == script else "english"
    latin = bool(word) and word[0].isalpha() and (word < "\u0370" or "\u1e00" <= word < "\u1f00")
    return name if latin and name in _LATIN else "english"
