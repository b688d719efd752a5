"""Talks with Lyra when no model is connected, written as a user would have them."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.candidates import MOST_LISTED
from bot.models.offline.message_kinds import MessageKind, hear
from bot.models.offline.phrases import Phrases
from bot.models.offline.question_analysis import MOST_PARTS
from bot.models.offline.voice import VoiceAnswer, VoiceQuestion
from memory.index.hits import Hit
from memory.text.lexical import key_words
from memory.types import Exchange, Kind
from tests.kits.tabled import tabled

NO_MODEL = "I am Lyra, and no model is connected: I keep, find and summarize what you tell me."

ZONE = "Europe/Berlin"


def at(local: str) -> int:
    return int(datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(ZONE)).timestamp()) * 1_000_000


NOW = at("2026-11-20T21:30")


def said(
    text: str,
    when: str = "2026-11-20T21:04",
    speaker: str = "ada",
    score: float = 1.0,
    *,
    kind: Kind = Kind.SAID,
    role: str = "user",
    echo: bool = False,
) -> Hit:
    exchange = Exchange(1, "x", 1, 1, kind, role, speaker, text, "s", at(when), at(when), echo)
    return Hit(exchange, "home", score, ("words",))


def ask(text: str, *hits: Hit, zone: str = ZONE, also_known: str = "") -> VoiceAnswer:
    stems = {stem for hit in hits for stem in key_words(hit.exchange.text).values()} | set(key_words(also_known).values())
    return VoiceQuestion(text, "ada", NOW, zone).answer(hits, stems.__contains__)


CAT = said("my cat is called Turing")


def test_the_conversation_that_the_readme_shows() -> None:
    assert ask("my cat is called Turing").text == "Kept."
    assert ask("what is the name of my cat?", CAT).text == 'You told me today at 21:04: "my cat is called Turing".'
    assert ask("and my sister's?", CAT).text == 'Nothing about "sister" yet.'


@pytest.mark.parametrize(
    ("question", "hit", "answer"),
    [
        ("what is my cat called", CAT, 'You told me today at 21:04: "my cat is called Turing".'),
        (
            "Where does the cat sleep?",
            said("the cat sleeps on the sofa", "2026-11-19T09:10", "Bo"),
            'Bo said yesterday at 09:10: "the cat sleeps on the sofa".',
        ),
        ("my cat?", said("My cat left.", "2026-03-03T21:04"), 'You told me on 3 March 2026 at 21:04: "My cat left."'),
        ("my job?", said('she said "yes" to\nthe job!'), 'You told me today at 21:04: "she said ‘yes’ to the job!"'),
        (
            "Wie heißt meine Katze?",
            said("meine Katze heißt Turing"),
            "Du hast mir heute um 21:04 gesagt: „meine Katze heißt Turing“.",
        ),
        (
            "Wann war Bo im Kino?",
            said("Ich war im Kino", "2026-03-03T21:04", "Bo"),
            "Bo hat am 3. März 2026 um 21:04 gesagt: „Ich war im Kino“.",
        ),
        ("¿Cómo se llama mi gato?", said("mi gato se llama Turing"), "Me dijiste hoy a las 21:04: «mi gato se llama Turing»."),
        (
            "私の猫の名前は何ですか？",
            said("私の猫はチューリングです"),
            "今日の21:04に話してくれたこと：「私の猫はチューリングです」。",
        ),
        ("what's my name?", said("my name is Ada"), 'You told me today at 21:04: "my name is Ada".'),
        ("what does Bo like?", said("I like chess", speaker="Bo"), 'Bo said today at 21:04: "I like chess".'),
        ("how old is my son?", said("my son is 7"), 'You told me today at 21:04: "my son is 7".'),
        ("who has a cat?", said("a cat for me", speaker=""), 'Someone said today at 21:04: "a cat for me".'),
    ],
)
def test_she_quotes_who_said_it_and_when(question: str, hit: Hit, answer: str) -> None:
    given = ask(question, hit)
    assert given.text == answer
    assert given.cites == (hit,)
    assert given.echo


def test_dates_are_told_in_the_asker_s_time_zone() -> None:
    assert ask("my cat?", CAT, zone="Asia/Tokyo").text.startswith("You told me today at 05:04")


@pytest.mark.parametrize(
    ("question", "admission"),
    [
        ("what colour is my cat?", 'Nothing about "colour" yet.'),
        ("what colour is my cat's collar?", 'Nothing about "colour" or "collar" yet.'),
        ("what did my cat do in Paris?", 'Nothing about "Paris" yet.'),
        ("did my cat eat in Rome, Paris?", 'Nothing about "Rome" or "Paris" yet.'),
    ],
)
def test_she_quotes_what_she_knows_and_admits_the_rest(question: str, admission: str) -> None:
    assert ask(question, CAT).text == f'You told me today at 21:04: "my cat is called Turing". {admission}'


@pytest.mark.parametrize("question", tabled("offline", "small_talk"))
def test_small_talk_gets_an_honest_answer(question: str) -> None:
    given = ask(question, CAT, said("I had a good time"))
    assert given == VoiceAnswer(NO_MODEL, (), echo=True)
    assert "no model is connected" in given.text
    silent = VoiceQuestion(question, "ada", NOW, ZONE, has_model=True).answer((), lambda stem: False)
    assert "My model gave no answer" in silent.text


@pytest.mark.parametrize(("message", "reply"), tabled("offline", "courtesies_and_statements"))
def test_courtesies_and_statements(message: str, reply: str) -> None:
    assert ask(message, CAT) == VoiceAnswer(reply, (), echo=True)


@pytest.mark.parametrize("message", tabled("offline", "questions"))
def test_questions_are_heard_with_or_without_their_mark(message: str) -> None:
    assert hear(message).act is MessageKind.QUESTION


@pytest.mark.parametrize("message", tabled("offline", "statements"))
def test_statements_are_not_mistaken_for_questions(message: str) -> None:
    assert hear(message).act is MessageKind.STATEMENT


def test_a_statement_followed_by_a_question_is_answered() -> None:
    assert ask("I saw Turing today. What is the name of my cat?", CAT).cites == (CAT,)


def test_earlier_questions_and_her_own_words_are_no_answer() -> None:
    asked = said("what is the name of my cat?")
    reply = said("your cat is called Tom", kind=Kind.REPLY, role="assistant", speaker="Lyra")
    imported = said("your cat is called Tim", role="assistant", speaker="Lyra")
    repeated = said("the cat is called Tum", echo=True)
    assert ask("what is the name of my cat?", asked, reply, imported, repeated, CAT).cites == (CAT,)
    only_asked = VoiceQuestion("and my cat's name?", "ada", NOW, ZONE).answer([asked, reply], lambda _: False)
    assert only_asked.text == 'Nothing about "cat" yet.'


@pytest.mark.parametrize("lately", ["again", "now", "atm", "currently", "again please"])
def test_what_stands_behind_the_thing_asked_for_is_no_part_of_it(lately: str) -> None:
    assert ask(f"what is my address {lately}?", said("my address is 5 Elm Street")).text.endswith('"my address is 5 Elm Street".')


def test_small_talk_is_not_listed_as_what_happened() -> None:
    told = ask("what happened today?", said("hi 👋"), said("we sold the boat"), said("thanks 😊"), said("good night"))
    assert [hit.exchange.text for hit in told.cites] == ["we sold the boat"]


def test_a_question_that_holds_more_is_better_than_nothing() -> None:
    assert ask("who is Vera?", said("Should I visit my sister Vera?")).text == (
        'You asked me today at 21:04: "Should I visit my sister Vera?"'
    )


def test_the_hit_that_covers_most_of_the_question_comes_first() -> None:
    both = said("my sister's cat is Tom")
    assert ask("what is my sister's cat called?", CAT, both).cites == (both,)


def test_of_equals_recall_s_order_decides() -> None:
    first, second = said("tea is fine", "2026-11-20T10:00"), said("tea again", "2026-11-01T10:00")
    assert ask("is there tea?", first, second).cites == (first,)


def test_the_newer_of_two_like_statements_tells_how_things_are_now() -> None:
    old, new = said("I live in Rome", "2025-01-01T10:00"), said("I live in Oslo", "2026-11-01T10:00", score=0.95)
    assert ask("where do I live?", old, new).cites == (new,)
    assert ask("where did I live first?", old, new).cites == (old,)
    weaker = said("I live in Oslo", "2026-11-01T10:00", score=0.5)
    assert ask("where do I live?", old, weaker).cites == (weaker,)
    chess, sea = said("chess is fun", "2025-01-01T10:00"), said("chess by the sea", "2026-11-01T10:00", score=0.5)
    assert ask("do I like chess?", chess, sea).cites == (chess,)


def test_a_newer_remark_does_not_displace_the_answer() -> None:
    remark = said("my cat likes fish", "2026-11-20T21:10")
    assert ask("what is the name of my cat?", CAT, remark).cites == (CAT,)
    assert ask("what is the name of my cat?", remark, CAT).cites == (CAT,)


def test_my_cat_is_the_asker_s_cat() -> None:
    other = said("my cat is called Tom", speaker="Bo", score=2.0)
    assert ask("what is my cat called?", other, CAT).cites == (CAT,)


def test_further_hits_that_cover_other_words_are_added() -> None:
    dog = said("the dog is called Bello", "2026-03-03T10:00")
    bird = said("the parrot sings", "2026-11-19T10:00", "Bo")
    given = ask("what do you know about the cat, the dog and the parrot?", CAT, dog, bird, said("a dog barked", score=0.5))
    assert given.text == (
        'You told me today at 21:04: "my cat is called Turing". Also, on 3 March 2026 at 10:00: "the dog is called Bello". '
        'Also, Bo said yesterday at 10:00: "the parrot sings".'
    )
    assert given.cites == (CAT, dog, bird)


def test_a_long_message_is_cut_around_what_was_asked() -> None:
    filler = "We walked along the river for a while and talked. " * 10
    given = ask("what is my cat called?", said(f"{filler}My cat is called Turing. {filler}"))
    quote = given.text.split('"')[1]
    assert "My cat is called Turing." in quote
    assert quote.startswith("… ") and quote.endswith(" …")
    assert len(quote) <= 300


def test_one_endless_sentence_is_cut_too() -> None:
    quote = ask("where is the cat?", said("word " * 200 + "cat " + "word " * 200)).text.split('"')[1]
    assert "cat" in quote and len(quote) <= 300


def test_what_is_known_but_not_found_is_not_denied() -> None:
    given = ask("what is my cat called?", also_known="cat")
    assert given.cites == ()
    assert "Nothing" not in given.text and '"cat"' in given.text


TEXTS = st.text() | st.lists(
    st.sampled_from("what is my cat 's name ? . ! \" hello thanks when Turing 猫 の 3 \n called".split(" "))
).map(" ".join)


@given(TEXTS, st.text(), st.lists(st.tuples(TEXTS, st.text(), st.sampled_from(Kind), st.floats(-1, 1))), st.booleans())
def test_she_always_has_an_answer(text: str, asker: str, told: list[tuple[str, str, Kind, float]], known: bool) -> None:
    hits = [said(message, speaker=speaker, kind=kind, score=score) for message, speaker, kind, score in told]
    given = VoiceQuestion(text, asker, NOW, "UTC").answer(hits, lambda _: known)
    assert given.text.strip()
    assert given.echo
    assert len(given.cites) <= MOST_PARTS * MOST_LISTED
    assert all(hit in hits and hit.exchange.kind is Kind.SAID for hit in given.cites)


@pytest.mark.parametrize("question", ["Кто ты?", "Kim jesteś?", "Что ты знаешь?"])
def test_words_that_only_ask_are_not_reported_as_unknown_in_further_languages(question: str) -> None:
    assert ask(question).text in [Phrases(code).framed(NO_MODEL) for code in ("en", "pl", "ru")]


@pytest.mark.parametrize(("question", "told", "exclaimed"), tabled("offline", "who_asks"))
def test_what_is_known_of_who_asks_is_told_in_ten_further_languages(question: str, told: str, exclaimed: str) -> None:
    given = ask(question, said(told), said("I am allergic to nuts"), said(exclaimed))
    assert told in given.text and exclaimed not in given.text and "\n- " in given.text
