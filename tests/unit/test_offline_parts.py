"""What an answer without a model is made of: parts of a question, times, lists, whose something is."""

import time

import pytest

from bot.models.offline.voice import VoiceQuestion
from memory.index.hits import Hit
from memory.types import Kind, Statement
from tests.unit.test_offline_voice import NO_MODEL, NOW, ZONE, ask, said


def test_who_asks_where_somebody_lives_is_answered_by_who_moved() -> None:
    old, sister = said("I live in Rome", "2025-01-01T10:00"), said("my sister Eva lives in Bonn", "2026-11-02T10:00")
    moved = said("we moved to Oslo", "2026-11-01T10:00", score=0.4)
    assert ask("where do I live?", old, moved, sister).cites == (moved,)
    assert ask("where does my sister live?", old, moved, sister).cites == (sister,)


def test_a_thing_that_was_moved_is_no_home() -> None:
    home = said("we moved to Oslo", "2026-11-01T10:00")
    thing = said("they've moved it to room 9", "2026-11-02T10:00")
    assert ask("where do I live?", home, thing, said("we moved the sofa to the wall", "2026-11-03T10:00")).cites == (home,)
    assert ask("where was it moved to?", thing).cites == (thing,)


def test_what_somebody_else_has_is_not_the_asker_s() -> None:
    other = said("Bo's birthday was loud", score=2.0)
    assert ask("when is my birthday?", other, said("my birthday is in May")).cites[0].exchange.text == "my birthday is in May"
    assert ask("when is Bo's birthday?", other).cites == (other,)
    kids = said("my kids' doctor is Dr. Lang now", score=2.0)
    assert ask("who is my doctor?", kids, said("my doctor is Dr. Weiss")).cites[0].exchange.text == "my doctor is Dr. Weiss"


def test_a_question_about_mia_is_not_about_the_asker() -> None:
    mine, bos = said("Mia lives in Bonn", "2026-01-01T10:00"), said("Mia lives in Oslo", "2026-11-01T10:00", speaker="bo")
    assert ask("where does Mia live?", mine, bos).cites == (bos,)
    assert ask("dove vive mia sorella?", said("mia sorella vive a Lecce")).cites[0].exchange.text == "mia sorella vive a Lecce"


def test_a_thing_of_two_words_is_not_known_by_the_first_of_them() -> None:
    assert ask("what is my blood type?", said("the blood values of the cat are fine")).text == 'Nothing about "blood type" yet.'


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what did Juergen sell me?", "Jürgen sold me a kayak"),
        ("what did Jürgen sell me?", "Juergen sold me a kayak"),
        ("what does Lukasz bring?", "Łukasz brings the tent"),
        ("what is the wi-fi code?", "the wifi code is heron"),
        ("what is the wifi code?", "the wi-fi code is heron"),
    ],
)
def test_a_name_in_another_spelling_is_not_said_to_be_unknown(question: str, told: str) -> None:
    given = ask(question, said(told))
    assert [hit.exchange.text for hit in given.cites] == [told] and "Nothing" not in given.text


def test_a_name_that_is_another_one_is_said_to_be_unknown() -> None:
    assert 'Nothing about "Rafael"' in ask("what does Rafael bring?", said("Rafał brings the tent")).text


def test_the_parts_of_a_question_are_answered_one_after_the_other() -> None:
    lives, dog = said("Eva lives in Bonn"), said("my dog is called Bello", "2026-03-03T10:00")
    given = ask("where does Eva live, and what is my dog called?", dog, lives)
    assert given.cites == (lives, dog)
    other = said("the dog of Eva eats fish")
    assert ask("who is Eva and what does her dog eat?", dog, other, lives).cites[-1] == other


def test_a_time_alone_is_answered_with_what_was_said_then_in_order() -> None:
    hits = [
        said("we met Bo", "2026-11-19T20:00"),
        said("I fell ill", "2026-11-19T08:00"),
        said("all is well", "2026-11-18T08:00"),
    ]
    given = ask("what did I do yesterday?", *hits, said("and you?", "2026-11-19T09:00"))
    assert given.text == 'On 19 November 2026:\n- 19 November 2026: "I fell ill"\n- 19 November 2026: "we met Bo"'
    assert given.cites == (hits[1], hits[0]) and given.echo
    assert ask("what happened in May 2025?", *hits).text == "Nothing from 1 May 2025 to 31 May 2025 yet."


def test_a_distance_is_answered_with_the_day_itself_or_with_what_is_nearest() -> None:
    then = [said(f"note {n}", f"2025-11-20T{n:02}:00") for n in (8, 12, 20)]
    near = [said(f"day {n}", f"2025-11-{n:02}T10:00") for n in range(1, 31) if n != 20]
    given = ask("what did I do a year ago?", *near, *then)
    assert given.text.startswith("On 20 November 2025:\n") and given.cites == tuple(then)
    given = ask("what did I do a year ago?", *near)
    assert given.text.startswith("Around 20 November 2025:\n")
    assert [hit.exchange.text for hit in given.cites] == [f"day {n}" for n in range(14, 27) if n != 20]


def test_a_date_of_two_readings_is_the_one_on_which_something_was_said() -> None:
    march = said("we met Bo", "2026-03-04T20:00")
    assert ask("what did I do on 03/04/2026?", march).text == 'On 4 March 2026:\n- 4 March 2026: "we met Bo"'
    assert ask("what did I do on 03/04/2026?").text == "Nothing from 3 April 2026 yet."


TODAY = (
    said("I fed the cat", "2026-11-20T08:30"),
    said("we met Bo", "2026-11-20T14:00"),
    said("the bus was late", "2026-11-20T21:10"),
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what did I tell you today?", TODAY),
        ("What did I say today so far?", TODAY),
        ("what did I write to you today?", TODAY),
        ("Remind me what I told you today.", TODAY),
        ("Was habe ich dir heute erzählt?", TODAY),
        ("what have I been up to today?", TODAY),
        ("what did I tell you this morning?", TODAY[:1]),
        ("what was I telling you this afternoon?", TODAY[1:2]),
        ("what did I tell you just now?", TODAY[2:]),
        ("what did I just tell you?", TODAY[2:]),
        ("what did I tell you a moment ago?", TODAY[2:]),
        ("Was habe ich dir vorhin erzählt?", TODAY[2:]),
        ("what have I told you so far?", (said("I was away", "2026-11-18T08:00"), *TODAY)),
        ("Was habe ich dir bisher erzählt?", (said("I was away", "2026-11-18T08:00"), *TODAY)),
    ],
)
def test_what_was_told_at_a_time_is_listed_and_no_question_with_it(question: str, told: tuple[Hit, ...]) -> None:
    others = (
        said("I was away", "2026-11-18T08:00"),
        said(question, "2026-11-20T21:29"),
        said("Kept.", kind=Kind.REPLY, role="assistant"),
    )
    given = ask(question, *others, *TODAY)
    assert [hit.exchange.text for hit in given.cites] == [hit.exchange.text for hit in told]


def test_what_a_time_was_like_is_answered_with_what_was_said_then() -> None:
    friday = said("we dyed eggs", "2026-04-03T10:00")
    assert ask("what was Good Friday like?", friday, said("I like Fridays", "2026-05-03T10:00")).cites == (friday,)


def test_what_was_asked_today_is_listed_where_that_is_asked() -> None:
    asked = said("where is my key?", "2026-11-20T09:00")
    assert ask("what did I ask you today?", asked, *TODAY).cites == (asked,)


def test_what_has_no_beginning_begins_with_what_was_said_first() -> None:
    given = ask("what have I told you so far?", said("I was away", "2026-11-18T08:00"), *TODAY)
    assert given.text.startswith("From 18 November 2026 to 20 November 2026:\n")
    assert ask("what have I told you so far?").text == "Nothing until 20 November 2026 yet."


def test_what_she_did_is_no_list_of_what_was_said() -> None:
    assert ask("what did you do today?", *TODAY).text == NO_MODEL


def test_of_a_long_time_something_from_all_over_it_is_told() -> None:
    hits = [said(f"day {day}", f"2026-{month:02}-{day:02}T10:00") for month in (6, 7, 8) for day in range(1, 29)]
    given = ask("what happened last summer?", *hits)
    months = [line.split()[2] for line in given.text.splitlines()[1:]]
    assert given.text.startswith("From 1 June 2026 to 31 August 2026, among other things:\n")
    assert [months.count(month) for month in ("June", "July", "August")] == [4, 4, 4]


@pytest.mark.parametrize("told", ["my birthday is on 3 May", "my birthday! Bo came", "today is my birthday"])
def test_a_birthday_is_a_day_that_she_looks_up(told: str) -> None:
    hits = [said(told, "2025-05-03T08:00"), said("Bo's birthday is on 4 May"), said("we ate cake", "2026-05-03T15:00")]
    assert ask("what happened on my birthday?", *hits).text == 'On 3 May 2026:\n- 3 May 2026: "we ate cake"'


def test_what_is_known_of_the_asker_is_what_they_said_of_themselves_last() -> None:
    old, new = said("I live in Rome", "2025-01-01T10:00"), said("we moved to Oslo", "2026-11-01T10:00")
    fish, rain, other = said("I love fish", "2026-11-02T10:00"), said("it rains"), said("I hate fish", speaker="Bo")
    assert ask("what do you know about me?", old, new, fish, rain, other).cites == (new, fish)
    fact = Statement(9, "f", "profile", "", "said", "Ada lives in Oslo.", "model:x", 0, 0, 0)
    given = VoiceQuestion("who am I?", "ada", NOW, ZONE).answer([], lambda _: False, [fact])
    assert (given.text, given.above) == ("What I know of you:\n- Ada lives in Oslo.", (fact,))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("tell me about my family", "my sister plays the cello"),
        ("do I have children?", "our daughter Mia is three"),
        ("am I married?", "my wife Karla bakes"),
        ("which instrument do I play?", "I play the violin"),
        ("hab ich Kinder?", "meine Tochter heißt Lea"),
        ("welches Instrument spiele ich?", "ich spiele seit zwei Jahren Cello"),
    ],
)
def test_what_is_asked_for_by_its_kind_is_found_by_what_it_is(question: str, told: str) -> None:
    hit = said(told)
    given = ask(question, hit)
    assert given.cites == (hit,) and "Nothing" not in given.text and "Noch nichts" not in given.text


@pytest.mark.parametrize(
    ("question", "holds", "over"),
    [
        ("what do I drive?", "I drive a Fiat", "I used to drive a Saab"),
        ("where do I live?", "I live in Vienna", "I no longer live in Rome"),
        ("Wo wohne ich?", "Ich bin nach Graz gezogen", "Ich wohne nicht mehr in Rom"),
        ("what is my son called?", "My son is called Paul", "My son isn't called Peter"),
        ("what is my wife called?", "My wife is called Anna", "My ex-wife is called Berta"),
    ],
)
def test_what_is_so_is_told_and_not_what_is_over_or_denied_though_that_was_said_later(
    question: str, holds: str, over: str
) -> None:
    now, then = said(holds, "2026-01-03T10:00"), said(over, "2026-02-03T10:00")
    assert ask(question, now, then).cites == (now,)


@pytest.mark.parametrize("question", ["Que sais-tu de moi ?", "Qu'est-ce que tu sais sur moi ?"])
def test_in_french_as_well_one_is_told_what_is_known_of_oneself(question: str) -> None:
    hits = [said("Je travaille comme boulanger"), said("Je joue du violoncelle", "2026-03-03T10:00")]
    assert set(ask(question, *hits).cites) == set(hits)


@pytest.mark.parametrize(
    "request_",
    [
        "Erzähl mir einen Witz",
        "Kannst du mir einen Witz erzählen?",
        "Cuéntame un chiste",
        "Raconte-moi une blague",
        "Tell me a joke",
    ],
)
def test_a_request_to_talk_is_answered_with_what_she_can_do(request_: str) -> None:
    given = ask(request_)
    assert given.echo and given.text == VoiceQuestion(request_, "ada", NOW, ZONE).without_answer


def test_of_a_name_all_is_told_and_of_who_speaks_their_own_words() -> None:
    broke, own, other = said("Bo broke a leg", "2026-11-01T10:00"), said("I can walk again", speaker="Bo"), said("it rains")
    assert ask("what do you know about Bo?", other, own, broke).cites == (broke, own)
    assert ask("what did Bo say?", broke, own, other, said("soon I dance", speaker="Bo")).cites[0] == own


def test_of_what_is_asked_in_the_plural_there_is_a_list() -> None:
    one, other = said("I read Stoner", "2026-01-01T10:00"), said("Reading Walden now", "2026-02-01T10:00")
    assert ask("which books have I read?", other, said("my cat left"), one).cites == (one, other)


def test_what_was_said_to_another_assistant_is_quoted_with_where() -> None:
    hit = said("we booked the Miramar", "2024-05-03T10:00")
    reply = hit.exchange._replace(kind=Kind.REPLY, role="assistant", speaker="ChatGPT", text="A fine house.")
    given = ask("where did we stay?", hit._replace(session="Trip planning", after=reply))
    assert given.text == 'In "Trip planning", imported from ChatGPT, you wrote on 3 May 2024: "we booked the Miramar".'
    own = reply._replace(speaker="Lyra")
    assert ask("where did we stay?", hit._replace(after=own)).text.startswith("You told me on 3 May 2024")


def answered(text: str, before: str = "", speaker: str = "ChatGPT") -> Hit:
    """Return what another assistant answered in an imported conversation."""
    hit = said(text, "2024-05-03T10:00", speaker, kind=Kind.REPLY, role="assistant")
    return hit._replace(session="Boats", before=said(before, "2024-05-03T09:59").exchange if before else None)


def test_what_another_assistant_answered_is_quoted_with_where_it_was() -> None:
    asked = said("what is a good name for a boat?", "2024-05-03T09:59")
    name = answered("A good name for a boat is Seagull.", asked.exchange.text)
    told = 'In "Boats", imported from ChatGPT, ChatGPT wrote on 3 May 2024: "A good name for a boat is Seagull."'
    for question in ("what is a good name for a boat?", "what was the name for the boat?", "what is Seagull?", "Seagull?"):
        assert ask(question, asked, name).text == told
    assert ask("what is a good name for a boat?", asked, answered("Seagull.", asked.exchange.text)).text.endswith('"Seagull."')
    own = said("the name of my boat is Otter", speaker="ada")
    assert ask("what is the name of my boat?", name, own).cites == (own,), "what was told stands above an assistant's words"
    hers = answered("A good name for a boat is Seagull.", asked.exchange.text, "Lyra")
    assert hers not in ask("what is a good name for a boat?", asked, hers).cites


def test_what_others_tell_of_themselves_is_not_what_the_asker_does() -> None:
    bens, own = said("I live in Oslo", speaker="ben"), said("I live in Linz, it is quiet", "2026-01-01T10:00")
    assert ask("where do I live?", bens, own).cites == (own,)
    assert ask("where do I live?", bens).text == 'Nothing about "live" from you yet. ben said today at 21:04: "I live in Oslo".'
    assert ask("Wo wohne ich?", said("Ich wohne in Oslo", speaker="ben")).text == (
        "Von dir noch nichts über „wohne“. ben hat heute um 21:04 gesagt: „Ich wohne in Oslo“."
    )
    assert ask("where does ben live?", bens).text == 'ben said today at 21:04: "I live in Oslo".'
    assert ask("where do I live?", said("I live in Oslo", speaker="user")).text.startswith("user said")
    assert "from you" not in ask("where do we live?", bens).text
    bicycle = said("my bicycle is purple", speaker="ben")
    assert ask("what colour is my bicycle?", bicycle, said("Ben has a nice bicycle")).text == (
        'Nothing about "colour" or "bicycle" from you yet. ben said today at 21:04: "my bicycle is purple".'
    )


def test_where_somebody_else_lives_or_works_is_not_where_the_asker_does() -> None:
    given = ask("where do I live?", said("Bo lives in Rome"), said("she lives in Bonn"))
    assert given.cites == ()
    assert ask("where does Bo work?", said("I work in Sopot"), said("Bo is a nurse at the harbour")).text.count("harbour") == 1


def test_a_question_asked_before_tells_no_birthday() -> None:
    asked = said("what did Bo bring on my birthday?", "2026-11-20T21:00")
    day = said("today is my birthday", "2026-05-03T08:00")
    assert ask("what happened on my birthday?", asked, day).cites == (day,)


@pytest.mark.parametrize("question", ["what happened in may 2026", "what did I do in May 2026?", "how did I spend last spring?"])
def test_a_time_is_asked_for_in_many_words(question: str) -> None:
    day = said("we moved", "2026-05-03T08:00")
    assert ask(question, day, said("it rains")).cites == (day,)


@pytest.mark.parametrize(
    ("question", "told", "asked"),
    [
        ("what is my locker code?", "my locker code is 4812", "forget my locker code"),
        ("wie ist mein Spindcode?", "mein Spindcode ist 4812", "Vergiss bitte meinen Spindcode"),
    ],
)
def test_what_was_to_be_done_is_not_quoted_as_something_that_was_told(question: str, told: str, asked: str) -> None:
    fact, request = said(told, "2026-11-20T21:04"), said(asked, "2026-11-20T21:10", score=1.2)
    assert ask(question, request, fact).cites == (fact,)


def test_a_question_as_long_as_a_book_is_analysed_in_no_time_and_answered_by_its_end() -> None:
    boat, began_at = said("my boat is in Oslo", "2026-11-01T10:00"), time.thread_time()
    assert ask(f"{'know ' * 12_000} where is my boat?", boat).cites == (boat,)
    assert time.thread_time() - began_at < 2


@pytest.mark.parametrize(
    "request_",
    [
        "Remind me on Tuesday to call Ines", "Erinnere mich am Dienstag an den Zahnarzt", "Kannst du mich morgen daran erinnern, Milch zu kaufen?",
        "can you remind me tomorrow to buy milk?", "Rappelle-moi de payer Anna", "recuérdame llamar a Inés", "ricordami di chiamare Ines", "przypomnij mi o mleku", "напомни мне про молоко",
        "wake me up at 7", "ping me in ten minutes", "sag mir morgen Bescheid, wenn es regnet", "提醒我买牛奶", "明日リマインドして", "내일 상기시켜 줘",
    ],
)  # fmt: skip
def test_who_asks_to_be_reminded_is_told_that_she_will_not(request_: str) -> None:
    told = VoiceQuestion(request_, "ada", NOW, ZONE)
    assert ask(request_).text == told.phrases.framed("Kept. I cannot remind you by myself: ask me, and I will tell you.")


@pytest.mark.parametrize(
    "question",
    [
        "can you remind me who my dentist is?", "remind me again, who is my dentist?", "erinner mich mal, wer ist mein dentist?",
    ],
)  # fmt: skip
def test_who_asks_to_be_reminded_of_what_was_told_is_told_it(question: str) -> None:
    assert "Dr. Moss" in ask(question, said("my dentist is Dr. Moss")).text


@pytest.mark.parametrize("told", ["that song reminds me of Ines", "Das erinnert mich an Ines", "ich erinnere mich an Ines"])
def test_what_reminds_somebody_of_something_is_only_kept(told: str) -> None:
    assert ask(told).text == VoiceQuestion(told, "ada", NOW, ZONE).phrases.framed("Kept.")
