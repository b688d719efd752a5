"""A text is known by its language: a sentence of each, short talk in none, and nothing by a name alone."""

import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.text.language_detection import function_words, language, languages_by_script
from memory.text.lexical import tokens
from tests.kits.size import examples

SENTENCES = {
    "arabic": ["ذهبت أمس إلى السوق مع أختي لأن الخبز نفد من البيت", "أين قطتي؟", "كتاب"],
    "armenian": ["Իմ կատուն քնած է բազմոցի վրա և չի ուզում ուտել", "Որտե՞ղ է իմ գիրքը"],
    "basque": ["Nire katua sofan lo dago eta ez du jan nahi", "Non dago nire liburua?"],
    "catalan": ["El meu gat es diu Turing i dorm al sofà amb la meva germana", "On és el meu llibre?"],
    "czech": ["Moje kočka spí na gauči a nechce jíst, protože je líná", "Kde je můj klíč?"],
    "danish": ["Min kat sover på sofaen, og jeg ved ikke hvad den vil have", "Hvor har du været i dag?"],
    "dutch": ["Mijn kat slaapt op de bank en wil niet eten", "Waar is mijn boek?"],
    "english": ["My cat is asleep on the sofa and does not want to eat", "Where is my book?"],
    "esperanto": ["Mia kato dormas sur la sofo kaj ne volas manĝi", "Kie estas mia libro?"],
    "estonian": ["Minu kass magab diivanil ja ei taha süüa", "Kus on minu raamat?"],
    "finnish": ["Kissani nukkuu sohvalla eikä se halua syödä mitään", "Missä minun kirjani on?"],
    "french": ["Mon chat dort sur le canapé et il ne veut pas manger", "Où est mon livre ?", "C'est très beau"],
    "german": ["Meine Katze schläft auf dem Sofa und will nicht fressen", "Wo ist mein Buch?"],
    "greek": ["Η γάτα μου κοιμάται στον καναπέ και δεν θέλει να φάει", "Πού είναι το βιβλίο μου;", "Καλημέρα"],
    "hindi": ["मेरी बिल्ली सोफे पर सो रही है और खाना नहीं चाहती", "मेरी किताब कहाँ है?"],
    "hungarian": ["A macskám a kanapén alszik, és nem akar enni", "Hol van a könyvem?"],
    "indonesian": ["Kucing saya tidur di sofa dan tidak mau makan", "Di mana buku saya?"],
    "irish": ["Tá mo chat ina chodladh ar an tolg agus níl ocras air", "Cá bhfuil mo leabhar?"],
    "italian": ["Il mio gatto dorme sul divano e non vuole mangiare", "Dov'è il mio libro?", "Dove sono le chiavi?"],
    "lithuanian": ["Mano katė miega ant sofos ir nenori valgyti", "Kur yra mano knyga?"],
    "nepali": ["मेरो बिरालो सोफामा सुतेको छ र खाना खान चाहँदैन", "मेरो किताब कहाँ छ?"],
    "norwegian": ["Katten min sover på sofaen, og jeg vet ikke hva den vil ha", "Hva har du gjort, og hvordan har du det nå?"],
    "persian": ["گربهٔ من روی مبل خوابیده است و نمی‌خواهد غذا بخورد", "کتاب من کجاست؟"],
    "polish": ["Mój kot śpi na kanapie i nie chce jeść", "Gdzie jest moja książka?"],
    "portuguese": ["O meu gato dorme no sofá e não quer comer", "Onde está o meu livro?", "voce nao tem tempo"],
    "romanian": ["Pisica mea doarme pe canapea și nu vrea să mănânce", "Unde este cartea mea?"],
    "russian": ["Моя кошка спит на диване и не хочет есть", "Где моя книга?", "Спасибо"],
    "serbian": ["Моја мачка спава на каучу и неће да једе", "Moja mačka spava na kauču i neće da jede", "Gde je moja knjiga?"],
    "sesotho": ["Katse ea ka e robetse holim'a sofa 'me ha e batle ho ja", "Buka ea ka e hokae? Ke ne ke re e mona"],
    "spanish": ["Mi gato duerme en el sofá y no quiere comer", "¿Dónde está mi libro?", "donde esta mi hermano"],
    "swedish": ["Min katt sover i soffan och jag vet inte vad den vill ha", "Var är min bok?"],
    "tamil": ["என் பூனை சோபாவில் தூங்குகிறது, அது சாப்பிட விரும்பவில்லை", "என் புத்தகம் எங்கே?"],
    "turkish": ["Kedim kanepede uyuyor ve yemek istemiyor, neden bilmiyorum ama çok tembel", "Benim kitabım nerede?"],
    "yiddish": ["מײַן קאַץ שלאָפֿט אויף דער סאָפֿע און זי וויל נישט עסן", "וווּ איז מיין בוך?"],
}


def told(text: str) -> str | None:
    return language(tokens(text))


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in SENTENCES.items() for text in texts])
def test_a_sentence_is_known_by_its_language(name: str, text: str) -> None:
    assert told(text) == name


def test_every_language_whose_words_can_be_stemmed_has_its_function_words() -> None:
    assert set(SENTENCES) == set(function_words()) == set(Stemmer.algorithms()) - {"porter", "dutch_porter"}
    assert all(len(words) >= 25 for words in function_words().values())
    assert all(tokens(word) == [word] for words in function_words().values() for word in words)


@pytest.mark.parametrize(
    "text",
    [
        "ok", "lol", "hello there", "hi!", "no", "yes please", "haha", "brb", "thanks", "good night", "so cute", "omg no way",
        "on it", "me too", "not now", "done and done", "wow, nice", "ok so what now", "pizza?", "see you", "la la la", "ja",
        "take a look!", "we bond over stories", "just something nice to take my mind off things", "i am so done", "",
        "Tuesday 03 March 2026 Ada: ok", "42", "https://example.org/a/b?c=d",
    ],
)  # fmt: skip
def test_short_talk_is_english_or_nothing(text: str) -> None:
    assert told(text) in (None, "english")


@pytest.mark.parametrize(
    "names",
    [
        "Ben, Kim", "Dan Jim", "Mia", "Leonardo da Vinci", "Vincent van Gogh", "Maria de la Cruz", "Jürgen Müller", "Łukasz Dąbrowski",
        "José Muñoz", "Per Olsen", "Ole", "Uma", "Sam Han", "Mai Sen", "Björn Åkesson", "Đorđe Petrović", "Ali", "Ona Ella",
    ],
)  # fmt: skip
def test_names_decide_nothing(names: str) -> None:
    assert told(names) is None
    assert told(f"{names} and I went to the sea with our friends") == "english"
    assert told(f"Gestern war ich mit {names} am Meer, und es war nicht kalt") == "german"
    assert told(f"вчера мы были на море с {names}") == "russian"


@pytest.mark.parametrize("text", ["Tuesday 03 March 2026 Ελένη: ok", "I learned the word кошка today", "my friend 山田 is here"])
def test_one_foreign_word_is_not_the_language_of_a_text(text: str) -> None:
    assert told(text) in (None, "english")


@pytest.mark.parametrize(
    "text",
    ["我的猫叫图灵，它不想吃东西", "私の猫はチューリングです", "แมวของฉันชื่อทัวริง", "내 고양이는 튜링이에요", "החתול שלי ישן על הספה והוא לא רוצה לאכול", "میری بلی صوفے پر سو رہی ہے"],
)  # fmt: skip
def test_what_cannot_be_stemmed_is_no_language(text: str) -> None:
    assert told(text) is None


@pytest.mark.parametrize(("name", "sentence"), [(name, texts[0]) for name, texts in SENTENCES.items()])
def test_the_date_and_the_speaker_before_a_sentence_do_not_hide_its_language(name: str, sentence: str) -> None:
    assert told(f"Tuesday 03 March 2026 Ada: {sentence}") == name


@settings(max_examples=examples(100))
@given(st.lists(st.sampled_from([word for texts in SENTENCES.values() for word in tokens(texts[0])]) | st.text(), max_size=30))
def test_the_order_and_the_repetition_of_words_change_nothing(words: list[str]) -> None:
    once = language(words)
    assert once is None or once in function_words()
    assert language([*reversed(words), *words]) == once


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("すし는 어디서 먹어", "korean"),
        ("漢字는 뭐라고 읽어", "korean"),
        ("昨日、寿司を食べた", "japanese"),
        ("Машаはどこ", "japanese"),
        ("我的Наташа叫什么", "chinese"),
        ("где мой كتاب", "russian"),
        ("أين Lyra", "arabic"),
    ],
)
def test_a_text_in_several_scripts_is_in_the_one_that_tells_its_language_best(text: str, name: str) -> None:
    assert languages_by_script(text)[0] == name


@pytest.mark.parametrize("text", ["where is it", "où est-il", "πού είναι", "איפה הספר"])
def test_scripts_of_several_languages_tell_none(text: str) -> None:
    assert languages_by_script(text) == []
