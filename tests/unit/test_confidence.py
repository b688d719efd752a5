"""Words that ask for discretion: who is meant, whether what was said before is, and what asks for nothing."""

from functools import partial

import pytest

from memory.text.told.discretion import request_in
from memory.text.told.named_things import named
from memory.text.told.topics import count_held
from memory.types import NOBODY, Discretion, Identity, WithheldFrom
from tests.kits.size import few
from tests.kits.steps import steps


@pytest.mark.parametrize(
    ("text", "names", "back"),
    [
        ("never when Ben is around", ("Ben",), True),
        ("Please never mention it when Ben is around.", ("Ben",), True),
        ("Never say the word cake in front of Ben", ("Ben",), True),
        ("don't tell Ben that", ("Ben",), True),
        ("Dont tell ben", ("ben",), True),
        ("don't tell @Ben#abcd", ("Ben#abcd",), True),
        ("Don't tell Ben about the party on Friday.", ("Ben",), True),
        ("Don't tell Ben: I am leaving in May.", ("Ben",), False),
        ("I am leaving, but don't tell Ben or Cleo about it.", ("Ben", "Cleo"), False),
        ("Please keep it from Ben Miller and Cleo.", ("Ben Miller", "Cleo"), True),
        ("don't let my sister know", ("my sister",), True),
        ("We sell the boat. Ben mustn't find out!", ("Ben",), False),
        ("It's a surprise for Ben", ("Ben",), True),
        ("Not a word to Ben", ("Ben",), True),
        ("keep this between us", (), True),
        ("Keep this between us: the ring is in the blue box.", (), False),
        ("that's only between us two", (), True),
        ("between you and me, the boss is leaving", (), False),
        ("don't tell anyone", (), True),
        ("My locker number is 7713, I don't want Ben to know", ("Ben",), False),
        ("I wouldn't want Ben or my sister to find out.", ("Ben", "my sister"), True),
        ("I don't want anybody to know", (), True),
        ("I'd rather Ben didn't know about the party", ("Ben",), True),
        ("I would prefer that Cleo doesn't hear that", ("Cleo",), True),
        ("Ich will nicht, dass Ben das erfährt.", ("Ben",), True),
        ("my locker number is 7716 (confidential)", (), False),
        ("Confidential: the ring is in the blue box.", (), False),
        ("Can you keep this to yourself?", (), True),
        ("Sag es Ben bitte nicht.", ("Ben",), True),
        ("Ben darf das nicht wissen", ("Ben",), True),
        ("Ben and Cleo must not know", ("Ben", "Cleo"), True),
        ("Ben, Cleo or my sister mustn't find out", ("Ben", "Cleo", "my sister"), True),
        ("I met Cleo, Ben must not know", ("Ben",), False),
        ("Davon darf Ben nichts erfahren", ("Ben",), True),
        ("never tell Ben, my locker is open", ("Ben",), False),
        ("never tell Ben, my sister or Cleo", ("Ben", "my sister", "Cleo"), True),
        ("don't tell Ben, and not Cleo either", ("Ben", "Cleo"), True),
        ("Don't tell Ben (or Cleo).", ("Ben", "Cleo"), True),
        ("Ben must not know, and Cleo neither.", ("Ben", "Cleo"), True),
        ("ben must not know about the party, and cleo neither", ("ben", "cleo"), True),
        ("Ben must not know, nor must my sister.", ("Ben", "my sister"), True),
        ("I am leaving. Ben must not know. Cleo neither, and Tom neither.", ("Ben", "Cleo", "Tom"), False),
        ("Don't tell Ben about it. Or Cleo.", ("Ben", "Cleo"), True),
        ("Ben must not know, and Cleo mustn't either.", ("Ben", "Cleo"), True),
        ("Ben must not know, and the same goes for Cleo.", ("Ben", "Cleo"), True),
        ("Ben must not know, and nobody else either.", (), True),
        ("Keep it from Ben and from Cleo.", ("Ben", "Cleo"), True),
        ("Don't say it to Ben or to Cleo.", ("Ben", "Cleo"), True),
        ("Sag Ben nichts davon, und Cleo auch nicht.", ("Ben", "Cleo"), True),
        ("Ben soll das nicht erfahren, genauso wenig Cleo.", ("Ben", "Cleo"), True),
        ("Ben must not know, and me neither.", ("Ben",), False),
        ("Ben must not know. My car has no radio, and the bike neither.", ("Ben",), False),
        ("Don't tell Ben (he sleeps).", ("Ben",), True),
        ("Neither Ben nor Cleo may know", ("Ben", "Cleo"), True),
        ("Weder Ben noch Cleo dürfen davon erfahren.", ("Ben", "Cleo"), True),
        ("Sag es weder Ben noch Cleo!", ("Ben", "Cleo"), True),
        ("Don't tell Ben's wife.", (), True),
        ("Don't tell Ben I'm leaving", ("Ben",), True),
        ("Don't you dare tell Ben", ("Ben",), True),
        ("This must never reach Ben", ("Ben",), True),
        ("Das bleibt unter uns.", (), True),
        ("Nie, wenn Ben dabei ist", ("Ben",), True),
        ("ne dis rien à Ben", ("Ben",), True),
        ("no se lo digas a Ben", ("Ben",), True),
        ("non dirlo a Ben", ("Ben",), True),
        ("vertel het niet aan Ben", ("Ben",), True),
        ("não conte nada para Ben", ("Ben",), True),
    ],
)
def test_words_say_from_whom_what_is_kept(text: str, names: tuple[str, ...], back: bool) -> None:
    found = request_in(text)
    assert found == Discretion(names, back, topic=found.topic if found else frozenset())


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("oh, and never mention my bank pin when Ben is around", "bank pin"),
        ("don't tell Ben about the party on Friday", "party friday"),
        ("keep my address from Ben Miller and Cleo", "address"),
        ("My dog is ill. And never mention my bank pin when Ben is around!", "bank pin"),
        ("sag Ben nichts von meiner Bankkarte", "bankkarte"),
        ("never when Ben is around: my locker number is 7741", ""),
        ("Please don't tell Ben about that.", ""),
        ("Das bleibt unter uns.", ""),
        ("ne dis rien à Ben", ""),
        ("Can you keep this to yourself?", ""),
    ],
)
def test_words_name_what_is_to_be_kept(text: str, topic: str) -> None:
    found = request_in(text)
    assert found and found.topic == set(topic.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [("My PIN for the bank card is 8812", 2), ("my bank pins are secret", 2), ("the bank is closed", 1), ("hello", 0)],
)
def test_words_are_found_in_any_form(text: str, words: int) -> None:
    assert count_held({"bank", "pin"}, text) == words


@pytest.mark.parametrize(
    "text",
    [
        "I don't want to know", "I don't want you to know me like that", "I'd rather not know", "the confidential file is here",
        "I don't tell Ben everything", "Don't tell me what to do", "don't tell lies", "What did I tell you about Ben?",
        "I never tell Ben anything", "why didn't you tell Ben?", "I hope Ben is not around", "My cat never sleeps when Ben is around",
        "We keep the key from the old house", "the distance between us is 300 km", "Can I tell Ben now?", "Ben knows the way",
        "Neither Ben nor I knew it", "Neither Ben nor Cleo can know French", "Ich weiß weder ein noch aus",
    ],
)  # fmt: skip
def test_other_words_ask_for_nothing(text: str) -> None:
    assert request_in(text) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("You may tell Ben now.", ("Ben",)),
        ("you can now tell everyone", ()),
        ("It's no longer a secret.", ()),
        ("Du darfst es Ben jetzt sagen", ("Ben",)),
    ],
)
def test_words_say_that_it_may_be_told(text: str, names: tuple[str, ...]) -> None:
    assert request_in(text) == Discretion(names, ends=True)


ADA, BEN, CLEO = (Identity("discord", name) for name in ("ada", "ben", "cleo"))


def test_who_is_left_out_adds_up_and_is_let_in_again() -> None:
    ben, cleo = WithheldFrom(frozenset({BEN})), WithheldFrom(frozenset({CLEO}))
    only = WithheldFrom(frozenset({ADA, BEN}), others=True)
    assert ben.and_(cleo) == WithheldFrom(frozenset({BEN, CLEO}))
    assert only.and_(ben) == ben.and_(only) == WithheldFrom(frozenset({ADA}), others=True)
    assert only.and_(WithheldFrom(frozenset({ADA}), others=True)) == WithheldFrom(frozenset({ADA}), others=True)
    assert ben.and_(cleo).without(ben) == cleo and ben.without(ben) == NOBODY
    assert WithheldFrom(frozenset({ADA}), others=True).without(ben) == only
    assert only.without(WithheldFrom(frozenset({ADA}), others=True)) == NOBODY


HOSTILE = [
    "a ", "never mention when ", "Ben, ", "zu ", "x", "A", "never ", "don't tell ", "Ben Miller ", "keep this ", "Ben must not know ",
    "my dog ", "never say in front ", "i don't want ", "make sure ", "if Ben asks ", "disaster if ", "share my ", "das darf ",
    "sag das nicht ", "hoffe, dass das ", "kein wort ", "nicht wenn ", "das ist ", "please and but so just ", "(",
]  # fmt: skip


@pytest.mark.parametrize("words", few(HOSTILE, 3))
def test_reading_takes_steps_with_the_length_of_a_text_and_of_a_very_long_one_no_more(words: str) -> None:
    text = words * 40_000
    short = steps(partial(request_in, text[:2_000]))
    usual, long = (steps(partial(request_in, text[:n]), warm=True) for n in (8_000, 40_000))
    assert usual < 5 * short and long < 2.2 * usual
    few_names = steps(partial(named, text[:1_000]))
    assert steps(partial(named, text), warm=True) <= 10 * few_names


@pytest.mark.parametrize(
    "text", ["{much}{ask}", "{ask} {much}", "{long}{ask}", "{ask} {long}"], ids=["ends", "begins", "one long", "then long"]
)
def test_a_request_is_found_wherever_it_stands_in_a_long_text(text: str) -> None:
    much, long = "We walked along the river. " * 700, "and we walked along the river " * 25
    found = request_in(text.format(much=much, long=long, ask="please don't tell Ben about it"))
    assert found and found.names[:1] == ("Ben",)


def test_a_request_is_found_amid_a_long_text() -> None:
    much = "We walked along the river. " * 60
    assert request_in(f"{much}Please don't tell Ben about it. {much}") == Discretion(("Ben",))
