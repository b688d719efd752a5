"""Without a model she frames what she quotes in the language of the question, and knows whom somebody saw."""

import json
from collections import Counter
from pathlib import Path

import pytest

from bot.models.offline.phrases import Phrases
from bot.models.offline.spoken_languages import SPOKEN, spoken_language
from bot.models.offline.voice import VoiceQuestion
from localization.current_language import reading
from tests.kits.lyra_kit import REPO
from tests.kits.memory_kit import BagOfWords, Clock, cornered, said, utc
from tests.kits.tabled import tabled
from tests.unit.test_told_later import answer

LANGUAGES = REPO / "tests" / "sets" / "languages"
NOW = utc("2026-11-26T20:00")


def spoken(text: str, written: str = "") -> str:
    """Return what she says to something that asks nothing of memory."""
    return VoiceQuestion(text, "Ada", NOW, "UTC", written=written).answer([], lambda _: False).text


@pytest.mark.parametrize(
    "text",
    ["ça va ?", "coucou ça va ?", "t'es qui", "tu peux faire quoi", "comment ça va", "hola qué tal", "cómo estás", "quién eres"],
)
def test_who_asks_after_her_in_french_or_spanish_is_told_what_she_is(text: str) -> None:
    assert spoken(text).startswith(("Je suis Lyra", "Soy Lyra"))


@pytest.mark.parametrize(
    "text",
    ["Bist du ein Roboter?", "Was magst du?", "Magst du Musik?", "Kannst du tanzen?", "Wie alt bist du?", "Wo wohnst du?", "Hast du Gefühle?",
     "Schläfst du?", "Was denkst du darüber?", "Kannst du mir helfen?", "Wie war dein Tag?", "t'es un robot ?", "tu habites où ?", "t'aimes la musique ?",
     "eres un robot?", "cuántos años tienes?", "dónde vives?", "te gusta la música?"],
)  # fmt: skip
def test_who_asks_what_she_likes_or_does_is_told_what_she_is(text: str) -> None:
    assert spoken(text).startswith(("Ich bin Lyra", "Je suis Lyra", "Soy Lyra"))


@pytest.mark.parametrize(("text", "lacks"), tabled("offline", "asks_for_nothing"))
def test_who_asks_her_for_what_was_told_is_told_that_there_is_nothing(text: str, lacks: str) -> None:
    assert lacks in spoken(text)


@pytest.mark.parametrize(("text", "answered"), tabled("offline", "spoken_to"))
def test_she_speaks_the_language_that_she_is_spoken_to_in(text: str, answered: str) -> None:
    assert spoken(text) == answered


def test_what_looks_like_a_language_that_she_does_not_speak_is_answered_in_the_one_that_was_written_before() -> None:
    assert spoken("Klara hat am 3. Mai Geburtstag", written="german") == "Gemerkt."
    with reading("de"):
        assert spoken("Klara hat am 3. Mai Geburtstag") == "Gemerkt."
    assert spoken("Kutyám neve Rex, és velem lakik") == "Kept."


def test_words_that_tell_no_language_are_answered_in_the_one_that_was_written_before_or_else_is_read() -> None:
    assert [spoken("Pizza!"), spoken("Pizza!", written="german"), spoken("Pizza!", written="hungarian")] == [
        "Kept.",
        "Gemerkt.",
        "Kept.",
    ]
    with reading("de"):
        assert [spoken("Pizza!"), spoken("Pizza!", written="english"), spoken("I live in Graz.")] == [
            "Gemerkt.",
            "Kept.",
            "Kept.",
        ]


DIARY = {
    "2026-06-20T18:00": "Swam in the quarry lake until dark.",
    "2026-07-04T18:00": "Dinner with Nora and Farid on the roof.",
    "2026-08-09T18:00": "My brother came over for a week.",
    "2026-10-02T18:00": "Met Wenke at the harbour.",
    "2026-07-11T18:00": "Ayer comí paella con Lucía en la playa.",
}


@pytest.mark.parametrize(
    ("question", "quoted", "framed"),
    [
        ("who did I see last summer?", ["Nora and Farid", "My brother"], "From 1 June 2026"),
        ("Who did we meet in October?", ["Wenke"], "From 1 October 2026"),
        ("Wen habe ich im Oktober getroffen?", ["Wenke"], "Vom 1. Oktober 2026"),
        ("¿A quién vi en octubre?", ["Wenke"], "Del 1 de octubre de 2026 al 31 de octubre de 2026:"),
        ("Qui est-ce que j'ai vu en octobre ?", ["Wenke"], "Du 1er octobre 2026 au 31 octobre 2026\u00a0:"),
        ("¿Qué comí con Lucía?", ["paella"], "Me dijiste el 11 de julio de 2026 a las 18:00"),
    ],
)
async def test_whom_somebody_saw_is_told_without_a_word_of_seeing(
    tmp_path: Path, question: str, quoted: list[str], framed: str
) -> None:
    clock = Clock(NOW)
    async with cornered(tmp_path / "lyra.db", None, clock=clock) as here:
        await here.view.say(here.session, [said(text, at, utc(at)) for at, text in DIARY.items()])
        told = await answer(here, question)
    assert told.startswith(framed) and "Nothing" not in told and "quarry" not in told
    assert all(name in told for name in quoted)


OWN = {
    "2024-05-02T10:00": "j'habite à metz avec léa",
    "2024-05-03T10:00": "vivo en bilbao con nuria",
    "2025-02-01T10:00": "on a emménagé à dijon, 4 rue berbisey",
    "2025-03-01T10:00": "nouveau poste au lycée carnot",
    "2025-04-01T10:00": "ma mère s'appelle odile",
    "2025-05-01T10:00": "l'appart a coûté 6200 euros",
    "2026-11-01T10:00": "mon portable c'est le 06 11 22",
}


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("on habite où maintenant", "dijon"),
        ("je bosse où", "carnot"),
        ("c'est quoi mon métier", "carnot"),
        ("comment s'appelle maman", "odile"),
        ("c'est quoi le prix de l'appart", "6200"),
        ("j'ai combien d'enfants", "Je n’ai encore rien sur «\u00a0enfants\u00a0»."),
        ("mi hermana cómo se llama", "Todavía nada sobre «hermana»."),
    ],
)
async def test_french_and_spanish_are_answered_by_what_is_meant_and_not_by_their_little_words(
    tmp_path: Path, question: str, quoted: str
) -> None:
    clock = Clock(NOW)
    async with cornered(tmp_path / "lyra.db", None, clock=clock) as here:
        await here.view.say(here.session, [said(text, at, utc(at)) for at, text in OWN.items()])
        assert quoted in await answer(here, question)


@pytest.mark.parametrize(
    ("text", "quoted"), [("The dog is afraid of thunderstorms", True), ("Der Kater ist nicht mehr scheu", False)]
)
async def test_what_is_near_in_meaning_is_quoted_for_nouns_that_look_like_names_if_told_in_another_language(
    tmp_path: Path, text: str, quoted: bool
) -> None:
    meanings = {"der": "the", "hund": "dog", "angst": "afraid", "kater": "dog", "scheu": "afraid"}
    clock = Clock(NOW)
    async with cornered(tmp_path / "lyra.db", None, clock=clock, embedder=BagOfWords(meanings=meanings)) as here:
        await here.say(text)
        await here.view.embed()
        told = await answer(here, "Wovor hat der Hund Angst?")
        assert (text in told) is quoted, told


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("we had a long chat about the roof", "Do I have any pets?"),
        ("I posted the letter on Monday", "Where do I work?"),
        ("I live in Graz", "What is my worst habit?"),
    ],
)
async def test_what_has_the_stem_of_a_french_word_answers_nothing_in_english(tmp_path: Path, told: str, question: str) -> None:
    clock = Clock(NOW)
    async with cornered(tmp_path / "lyra.db", None, clock=clock) as here:
        await here.say(told)
        assert (await answer(here, question)).startswith("Nothing about ")


@pytest.mark.parametrize(("told", "question"), tabled("offline", "without_mark"))
async def test_a_question_without_its_mark_is_answered_in_ten_further_languages(tmp_path: Path, told: str, question: str) -> None:
    clock = Clock(NOW)
    async with cornered(tmp_path / "memory.db", None, clock=clock) as here:
        await here.view.say(here.session, [said(told, "told", NOW)])
        assert told in await answer(here, question)


@pytest.mark.parametrize(
    ("question", "lacks"),
    [("chi è Marco", "Ancora niente su «Marco»."), ("quem é a Inês", "Ainda nada sobre “Inês”."),
     ("hoe heet mijn hond", "Nog niets over “hond”."), ("kim jest Marek", "Na temat „Marek” jeszcze nic nie mam."),
     ("кто такой Игорь", "На тему «Игорь» пока ничего нет."), ("Ali kim", "“Ali” hakkında henüz bir şey yok."),
     ("من هو سامي", "لا شيء عن «سامي» بعد."), ("동생은 어디서 일해", "“동생은” 또는 “일해”에 대해서는 아직 들은 게 없어.")],
)  # fmt: skip
def test_what_was_never_told_is_admitted_in_whole_words_without_those_of_asking(question: str, lacks: str) -> None:
    assert spoken(question) == lacks


@pytest.mark.parametrize(
    ("question", "nothing"),
    [("cosa ti ho detto ieri", "Ancora niente per il 25 novembre 2026."), ("o que eu te disse ontem", "De 25 de novembro de 2026 ainda nada."),
     ("wat heb ik gisteren gezegd", "Nog niets van 25 november 2026."), ("co ci dziś powiedziałam", "Z 26 listopada 2026 jeszcze nic nie mam."),
     ("что я говорила вчера", "За 25 ноября 2026\u202fг. пока ничего нет."), ("dün sana ne söyledim", "25 Kasım 2026 için henüz bir şey yok."),
     ("ماذا قلت لك أمس", "لا شيء عن يوم 25 نوفمبر 2026 بعد."), ("我昨天说了什么", "2026年11月25日还什么都没有。"),
     ("昨日何を話したっけ", "2026年11月25日のことは、まだ何も聞いていないよ。"), ("내가 어제 뭐라고 했지", "2026년 11월 25일에 대해서는 아직 들은 게 없어.")],
)  # fmt: skip
def test_who_asks_what_was_told_on_a_day_is_told_of_that_day(question: str, nothing: str) -> None:
    assert spoken(question) == nothing


@pytest.mark.parametrize(("thanks", "farewell", "greeting", "answers"), tabled("offline", "courtesies"))
def test_courtesies_are_returned_in_their_language_and_not_kept_as_something_told(
    thanks: str, farewell: str, greeting: str, answers: tuple[str, ...]
) -> None:
    assert tuple(spoken(one) for one in (thanks, farewell, greeting)) == answers


@pytest.mark.parametrize(
    "text", ["dzieki", "vlw", "obg!", "спс", "tesekkurler", "cok tesekkurler", "gorusuruz", "nara", "잘자", "cya", "tysm"]
)
def test_courtesies_are_heard_as_they_are_typed(text: str) -> None:
    assert spoken(text) not in {spoken("Pizza!", written=language) for language in SPOKEN}


@pytest.mark.parametrize(
    "text",
    ["door is open", "Ben is in Rome", "met Ann", "war film tonight", "mon 5pm vet", "qual is a short for quality", "Kim", "Ola!", "Ali", "Łukasz", "Pizza!", "Hans", "了解", "Аз съм Иван", "import os"],
)  # fmt: skip
def test_a_name_or_a_word_of_many_languages_is_taken_for_none(text: str) -> None:
    assert spoken(text) == "Kept."


def test_most_of_what_people_write_is_told_by_its_language_and_next_to_nothing_taken_for_another() -> None:
    told = Counter[str]()
    for file in sorted(LANGUAGES.glob("*.jsonl")):
        texts = [text for line in file.read_text("utf-8").splitlines() for text in json.loads(line).values()]
        found = [SPOKEN.get(spoken_language(text), "") for text in texts]
        told["others"] += sum(code not in ("", file.stem) for code in found)
        assert found.count(file.stem) >= 0.85 * len(texts), file.stem
    assert told["others"] <= 5


def test_two_sentences_stand_as_their_language_writes_them() -> None:
    assert Phrases("zh").joined(["记下了。", "不客气。"]) == "记下了。不客气。"
    assert Phrases("it").joined(["Prego.", "Ciao."]) == "Prego. Ciao."
    assert Phrases("ja").introduced("昨日に話してくれたこと", "「雨です。」") == "昨日に話してくれたこと：「雨です。」"


async def test_what_another_language_says_of_somebody_is_quoted_in_words_unsure_and_not_called_missing(tmp_path: Path) -> None:
    clock = Clock(NOW)
    meanings = {"mag": "like", "pilze": "mushrooms"}
    async with cornered(tmp_path / "lyra.db", None, clock=clock, embedder=BagOfWords(meanings=meanings)) as here:
        await here.say("Lena mag Pilze und Zwiebeln")
        await here.view.embed()
        told = await answer(here, "what does Lena like?")
    assert told.startswith("I am not sure that this is what you mean.") and "Lena mag Pilze und Zwiebeln" in told
