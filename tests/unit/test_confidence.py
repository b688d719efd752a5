"""Words that ask for discretion: who is meant, whether what was said before is, and what asks for nothing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from memory.places import confidences
from memory.store.database import DatabaseAccess, Row
from memory.text.told import discretion
from memory.text.told.announced_secrets import announced_by
from memory.text.told.discretion import request_in
from memory.text.told.named_things import named
from memory.text.told.retellings import retells
from memory.text.told.topics import count_held
from memory.text.wordings import read_wordings
from memory.types import (
    DAY,
    MINUTE,
    NOBODY,
    SECOND,
    Discretion,
    DomainKind,
    DomainRef,
    Exchange,
    Identity,
    Kind,
    NewExchange,
    Session,
    SessionRef,
    WithheldFrom,
)
from tests.kits.memory_kit import Corner, among
from tests.kits.size import TORTURE, few
from tests.kits.steps import steps
from tests.kits.tabled import tabled


@pytest.mark.parametrize(("text", "names", "back"), tabled("confidence", "kept_from"))
def test_words_say_from_whom_what_is_kept(text: str, names: tuple[str, ...], back: bool) -> None:
    found = request_in(text)
    assert found and found == Discretion(names, back, topic=found.topic, but=found.but)


@pytest.mark.parametrize(("text", "names", "but"), tabled("confidence_typed", "kept_from"))
def test_a_request_is_heard_however_it_is_typed(text: str, names: tuple[str, ...], but: tuple[str, ...]) -> None:
    found = request_in(text)
    assert found and (found.ends, found.names, found.but) == (False, names, but)


@pytest.mark.parametrize("text", tabled("confidence_typed", "asks_nothing"))
def test_what_is_typed_like_a_request_asks_for_nothing(text: str) -> None:
    found = request_in(text)
    assert found is None or found.ends


@pytest.mark.parametrize(
    ("text", "but"),
    [
        ("Only Cleo may know this", "Cleo"), ("no one but Cleo may know", "Cleo"), ("Das darf nur Cleo wissen", "Cleo"),
        ("nur Cleo und Tom dürfen das wissen", "Cleo Tom"), ("personne sauf Cleo ne doit le savoir", "Cleo"),
        ("solo Cleo puede saberlo", "Cleo"), ("only you and Cleo may know", "Cleo"), ("Only Cleo may know, don't tell Ben", "Cleo"),
        ("only you and I may know", ""), ("nobody must know", ""),
    ],
)  # fmt: skip
def test_words_say_who_alone_may_know(text: str, but: str) -> None:
    found = request_in(text)
    assert found and (found.names, found.but) == ((), tuple(but.split()))


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("don't tell Ben and co", ""), ("don't tell Ben & co.", ""), ("don't tell Ben, Cleo and the rest", ""), ("don't tell Ben's wife", ""),
        ("keep this from Ben and his friends", ""), ("sag Ben und Konsorten nichts", ""),
        ("don't tell Ben and co about my surgery", "surgery"), ("don't tell Ben's wife about my surgery", "surgery"),
    ],
)  # fmt: skip
def test_whose_company_must_not_know_is_not_what_is_kept(text: str, topic: str) -> None:
    found = request_in(text)
    assert found and not found.names and found.topic == set(topic.split())


@pytest.mark.parametrize(("text", "topic"), tabled("confidence", "what_is_kept"))
def test_words_name_what_is_to_be_kept(text: str, topic: str) -> None:
    found = request_in(text)
    assert found and found.topic == set(topic.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("My PIN for the bank card is 8812", 2), ("my bank pins are secret", 2), ("the bank is closed", 1), ("hello", 0),
        ("операция в понедельник", 1), ("ameliyatım pazartesi", 1), ("опера в понедельник", 0), ("手術は月曜日です", 1),
    ],
)  # fmt: skip
def test_words_are_found_in_any_form(text: str, words: int) -> None:
    assert count_held({"bank", "pin", "операцию", "ameliyatımı", "手術"}, text) == words


@pytest.mark.parametrize(
    "text",
    [
        "I don't want to know", "I don't want you to know me like that", "I'd rather not know", "the confidential file is here",
        "I don't tell Ben everything", "Don't tell me what to do", "don't tell lies", "What did I tell you about Ben?",
        "I never tell Ben anything", "why didn't you tell Ben?", "I hope Ben is not around", "My cat never sleeps when Ben is around",
        "We keep the key from the old house", "the distance between us is 300 km", "Can I tell Ben now?", "Ben knows the way",
        "Neither Ben nor I knew it", "Neither Ben nor Cleo can know French", "Ich weiß weder ein noch aus",
        "Ben ne doit pas savoir nager", "pas un mot sur la grève", "je ne veux pas que Ben vienne", "Ben no debe saber cocinar",
        "que Ben lo sepa todo me da igual", "no quiero que Ben se vaya", *tabled("confidence", "asks_nothing"),
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
    ],
)
def test_words_say_that_it_may_be_told(text: str, names: tuple[str, ...]) -> None:
    assert request_in(text) == Discretion(names, ends=True)


@pytest.mark.parametrize(
    "text",
    ["Du darfst Ben jetzt alles sagen", "you can tell Ben everything", "tu peux tout dire à Ben", "Ben may know everything"],
)
def test_words_say_that_everything_may_be_told(text: str) -> None:
    assert request_in(text) == Discretion(("Ben",), ends=True, every=True)


@pytest.mark.parametrize(
    "text",
    ["you can tell Ben that now", "you can now tell Ben about this", "Ben may know it now", "you can tell Ben that anyway"],
)
def test_what_may_be_told_now_is_that_one_thing_where_it_is_meant(text: str) -> None:
    assert request_in(text) == Discretion(("Ben",), ends=True, back=True)


@pytest.mark.parametrize(
    "text",
    [
        "careful, Ben can hear that", "Ben can hear this now", "she said you can tell Ben that", "Nobody said you can tell Ben that",
        "Mia says Ben may know it", "er sagt, du kannst das Ben ruhig erzählen", "elle dit que tu peux le dire à Ben",
        "dice que puedes contarlo a Ben", "она сказала, что можешь рассказать это Бену",
    ],
)  # fmt: skip
def test_what_warns_of_somebody_or_tells_what_another_one_permits_permits_nothing(text: str) -> None:
    found = request_in(text)
    assert found is None or found.told


ADA, BEN, CLEO = (Identity("discord", name) for name in ("ada", "ben", "cleo"))
ADA_HERE = Identity("console", "ada")


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
    "you can tell Ben that, ", "my dog ", "never say in front ", "i don't want ", "make sure ", "if Ben asks ", "disaster if ", "share my ", "das darf ",
    "sag das nicht ", "hoffe, dass das ", "kein wort ", "nicht wenn ", "das ist ", "please and but so just ", "(", "*a ", "Ben may know, ",
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
    ("begins", "again", "ends"),
    [
        ("sag Ben ", "bitte ", "geheim"), ("sag es dem ", "bitte ", "geheim"), ("weder Ben darf ", "was davon ", "geheim"),
        ("ne dis ", "n'en ", "secret"), ("Benにもう言っていい ", "ですよ", "x"),
    ],
)  # fmt: skip
def test_a_little_word_again_and_again_holds_up_nobody(begins: str, again: str, ends: str) -> None:
    request_in(begins + again + ends)
    before = process_time()
    request_in(begins + again * 24 + ends)
    # Read in every way that it can be taken apart, it took twice as long with each of them: seconds, and years in a long message.
    assert process_time() - before < 0.2


def test_whether_a_text_tells_another_one_anew_takes_steps_with_their_length_only() -> None:
    words = [f"{a}{b}{end}" for a in "bcdfgh" for b in ("ar", "el", "io", "us") for end in "qxzv"]
    texts = [("now " + " ".join(words[:n]), " ".join(f"{one}k" for one in words[:n])) for n in (22, 88)]
    short, long = (steps(partial(retells, *pair)) for pair in texts)
    assert long < 6 * short


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


async def test_what_is_said_and_corrected_in_one_breath_with_the_request_is_kept_whole(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        ada = Identity("console", "ada")
        texts = ("dinner with Tom is on Friday at 7", "no wait, at 6", "don't tell Ben that")
        burst = [
            NewExchange(Kind.SAID, text, f"a{n}", here.clock.now() + n, "Ada", "user", ada, discretion=request_in(text))
            for n, text in enumerate(texts)
        ]
        kept = await here.view.say(here.session, burst)
        assert {one.exchange.text for one in await here.view.confidences.told_by(ada)} == {*texts}
        assert [one.earlier for one in kept.covered.values()] == [2]


async def test_what_asks_for_discretion_since_an_edit_is_kept_with_its_correction(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        ada = Identity("console", "ada")
        for n, text in enumerate(("dinner with Tom is on Friday at 7", "no wait, at 6", "I fed the cat")):
            new = NewExchange(Kind.SAID, text, f"a{n}", here.clock.now() + n, "Ada", "user", ada)
            await here.view.say(here.session, [new])
        edited = "don't tell Ben, but dinner with Tom is on Friday at 7"
        assert await here.memory.kept.revise("console", "dm", "a0", edited, 5)
        assert {one.exchange.text for one in await here.view.confidences.told_by(ada)} == {edited, "no wait, at 6"}


@pytest.mark.parametrize("asks", ["don't tell Ben that", "don't tell Ben about the dinner with Tom"])
async def test_what_is_kept_from_somebody_is_kept_with_its_corrections_whichever_came_first(tmp_path: Path, asks: str) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        ada, dinner = Identity("console", "ada"), "dinner with Tom is on Friday at 7"
        texts = (dinner, "no wait, at 6", asks, "sorry, I meant at 5:30", "I fed the cat")
        for n, text in enumerate(texts):
            new = NewExchange(Kind.SAID, text, f"a{n}", here.clock.now() + n, "Ada", "user", ada, discretion=request_in(text))
            await here.view.say(here.session, [new])
        assert await here.memory.kept.revise("console", "dm", "a4", "wait, it's at 8", 5)
        kept = {one.exchange.text for one in await here.view.confidences.told_by(ada)}
        assert kept == {dinner, "no wait, at 6", asks, "sorry, I meant at 5:30", "wait, it's at 8"}
        assert await here.found("when is dinner with Tom?") == []


@pytest.mark.parametrize("star", ["*{}", "{}*"])
async def test_what_a_star_puts_right_in_what_is_kept_from_somebody_is_kept_as_well(tmp_path: Path, star: str) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        ada = Identity("console", "ada")
        number, name = "don't tell Ben, but my locker number is 4411", "don't tell Ben, but I will visit Tom"
        texts = (
            number,
            star.format("4412"),
            "I fed the cat",
            name,
            star.format("Tim"),
            star.format("smiles"),
            "*waves*",
            "4413 * 2",
        )
        for n, text in enumerate(texts):
            new = NewExchange(Kind.SAID, text, f"a{n}", here.clock.now() + n, "Ada", "user", ada, discretion=request_in(text))
            await here.view.say(here.session, [new])
        kept = {one.exchange.text for one in await here.view.confidences.told_by(ada)}
        assert kept == {number, star.format("4412"), name, star.format("Tim")}


async def says(here: Corner, text: str, session: Session | None = None, after: int = MINUTE) -> Exchange:
    """Say something as Ada a while after the last message, with the request for discretion that it makes."""
    here.said += 1
    here.clock.forward(after)
    ask, at = request_in(text), here.clock.now()
    new = NewExchange(Kind.SAID, text, f"a{here.said}", at, "Ada", "user", Identity("console", "ada"), discretion=ask)
    (kept,) = (await here.view.say(session or here.session, [new])).stored
    return kept


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
async def test_what_tells_anew_what_is_kept_from_somebody_is_kept_as_well(tmp_path: Path, *, elsewhere: bool) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        there = await here.view.sessions.get(SessionRef("console", "other"), "other") if elsewhere else here.session
        asked = ("the dinner with Tom is at 7 - don't tell Ben", "my locker is 4187, don't tell Ben")
        news = ("it's at 6 now", "my locker is 4412 now")
        for text in (*asked, "I fed the cat"):
            await says(here, text)
        for text in (*news, "my desk is in room 12 now", "it's Monday now"):
            await says(here, text, there)
        kept = {one.exchange.text for one in await here.view.confidences.told_by(Identity("console", "ada"))}
        assert kept == {*asked, *news}


ANNOUNCED = (
    "don't tell Ben", "don't tell Ben this:", "don't tell Ben, but", "nobody may know the following:",
    "I have something to tell you but don't tell Ben", "I'm going to tell you something Ben must not know",
    "promise not to tell Ben?", "this is a secret", "please keep the next one from Ben", "never tell Ben anything about me",
    "te voy a contar un secreto", "Ben darf das Folgende nicht wissen:", "sag das nicht Ben:", "no le digas esto a Ben:",
    "I'll tell you a secret", "je vais te confier un secret",
)  # fmt: skip


@pytest.mark.parametrize("announced", ANNOUNCED)
async def test_a_secret_that_is_announced_is_kept_when_it_is_told_and_nothing_after_it(tmp_path: Path, announced: str) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        for text in ("good morning", announced, "thanks", "my locker code is 4187", "I fed the cat"):
            last = await says(here, text)
        kept = {one.exchange.text for one in await here.view.confidences.told_by(ADA_HERE)}
        assert {announced, "my locker code is 4187"} <= kept and last.text not in kept


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (("I fed the cat", "..", "pls dont tell ben", ".", "my locker code is", ".", "4187"), "I pls my 4187"),
        (("I fed the cat", "..", "my locker code is 4187", ".", "and my pin is 7777", ".", "don't tell Ben"), "my and don't"),
        (("my locker code is 4187", "..", "don't tell Ben that", ".", "I fed the cat"), "my don't"),
        (("my locker code is 4187", "..", "don't tell Ben", "..", "I fed the cat"), "my don't"),
        (("don't tell Ben about my locker", "..", "I fed the cat", "..", "the locker code is 4187"), "don't the"),
        (("what is on today?", ".", "my locker code is 4187", ".", "don't tell Ben that"), "my don't"),
    ],
)  # fmt: skip
async def test_a_request_means_what_is_said_in_one_breath_with_it(tmp_path: Path, texts: tuple[str, ...], kept: str) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        for text in texts:
            if set(text) == {"."}:
                here.clock.forward(5_000_000 if text == "." else MINUTE)
            else:
                await says(here, text, after=0)
        told = await here.view.confidences.told_by(ADA_HERE)
        assert " ".join(one.exchange.text.split()[0] for one in told) == kept


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("you can tell Jana that", False),
        ("du kannst das Jana ruhig sagen", False),
        ("możesz to powiedzieć Janie", False),
        ("możesz to powiedzieć Janowi", True),
        ("you can tell Jan that", True),
    ],
)
async def test_what_may_be_told_to_somebody_unknown_is_not_told_to_whoever_has_a_name_like_it(
    tmp_path: Path, text: str, *, told: bool
) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        jan = Identity("console", "jan")
        await here.view.say(here.session, [NewExchange(Kind.SAID, "hello", "j1", here.clock.now(), "Jan", "user", jan)])
        secret = await says(here, "my locker is 4187, don't tell Jan")
        await says(here, text)
        assert (secret.key not in await confidences.by_item(here.memory.db, [secret.key])) is told


async def test_what_only_one_may_know_is_kept_from_all_but_that_one(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        for name in ("Ben", "Cleo"):
            who = Identity("console", name.lower())
            await here.view.say(here.session, [NewExchange(Kind.SAID, "hello", name, here.clock.now(), name, "user", who)])
        for text in ("my locker is 4187, only Cleo may know", "my pin is 9911, nobody but Zacharias may know"):
            await says(here, text)
        locker, pin = await here.view.confidences.told_by(ADA_HERE)
        assert (locker.names, locker.but, pin.names, pin.but) == ([], ["Cleo"], [], [])
        kept = [
            one.excepted for one in (await confidences.by_item(here.memory.db, [locker.exchange.key, pin.exchange.key])).values()
        ]
        alone = frozenset({ADA_HERE})
        assert kept == [WithheldFrom(alone | {Identity("console", "cleo")}, others=True), WithheldFrom(alone, others=True)]


async def test_a_permission_that_answers_something_told_openly_permits_nothing_else(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        ben, ada = (Identity("console", name) for name in ("ben", "ada"))
        await here.view.say(here.session, [NewExchange(Kind.SAID, "hello", "b1", here.clock.now(), "Ben", "user", ben)])
        openly = await says(here, "the boat is green")
        secret = await says(here, "my locker is 4187, don't tell Ben")
        ask = request_in(text := "you can tell Ben that")
        assert ask is not None
        for n, about in enumerate((openly.source_id, "what somebody else said")):
            asked = replace(ask, about=about)
            said = NewExchange(Kind.SAID, text, f"p{n}", here.clock.now() + n, "Ada", "user", ada, discretion=asked)
            await here.view.say(here.session, [said])
            assert secret.key in await confidences.by_item(here.memory.db, [secret.key])


async def test_what_is_told_anew_beside_a_permission_stays_kept(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        there = await here.view.sessions.get(SessionRef("console", "other"), "other")
        await says(here, "my locker is 4187, don't tell Ben", there)
        told = await says(here, "you can tell Ben now. My locker is 4412 now")
        assert told.key in await confidences.by_item(here.memory.db, [told.key])


async def test_a_correction_that_asks_for_discretion_keeps_what_it_corrects_with_the_answer_to_it(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        fair = await says(here, "the fair is in Paris")
        reply = await here.reply("So the fair is in Paris.", [fair.key])
        asks = "no wait, Lyon, but don't tell Ben"
        await says(here, asks)
        kept = {one.exchange.text for one in await here.view.confidences.told_by(Identity("console", "ada"))}
        assert kept == {fair.text, asks}
        assert reply.key in await confidences.by_item(here.memory.db, [reply.key])
        assert await here.found("where is the fair?") == []


@pytest.mark.parametrize("permits", ["you can tell Ada about my locker", "you can tell Ada that", "you may tell Ada now"])
@pytest.mark.parametrize("becomes", ["", "I fed the cat"], ids=["deleted", "edited"])
async def test_what_somebody_permitted_is_kept_again_as_the_permission_goes(tmp_path: Path, permits: str, becomes: str) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        hers = await says(here, "hello")
        bob = Identity("console", "bob")
        for n, text in enumerate(("my locker is 4187, don't tell Ada", permits, "the soup was good")):
            here.clock.forward(MINUTE)
            new = NewExchange(Kind.SAID, text, f"b{n}", here.clock.now(), "Bob", "user", bob, discretion=request_in(text))
            await here.view.say(here.session, [new])
        assert hers.identity and await here.view.confidences.told_by(bob) == []
        if becomes:
            assert await here.memory.kept.revise("console", "dm", "b1", becomes, 5)
        else:
            assert await here.memory.kept.withdraw("console", "dm", ["b1"])
        assert {one.exchange.source_id for one in await here.view.confidences.told_by(bob)} == {"b0"}


@pytest.mark.parametrize(
    ("permits", "becomes", "kept"),
    [
        ("you can tell Ada that", "you can tell Cleo that", ["my locker is 4187, don't tell Ada"]),
        ("you can tell Ada about my locker", "you can tell Ada about my boat", ["my locker is 4187, don't tell Ada"]),
        ("you can tell Ada everything", "you can tell Ada about my boat", ["my locker is 4187, don't tell Ada"]),
        ("you can tell Ada that", "You can tell Ada that, thanks", []),
    ],
)  # fmt: skip
async def test_what_a_permission_freed_is_kept_again_as_it_is_changed_to_one_for_other_people_or_things(
    tmp_path: Path, permits: str, becomes: str, kept: list[str]
) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        await says(here, "hello")
        bob = Identity("console", "bob")
        for n, text in enumerate(("my locker is 4187, don't tell Ada", permits)):
            here.clock.forward(MINUTE)
            new = NewExchange(Kind.SAID, text, f"b{n}", here.clock.now(), "Bob", "user", bob, discretion=request_in(text))
            await here.view.say(here.session, [new])
        assert await here.view.confidences.told_by(bob) == []
        assert await here.memory.kept.revise("console", "dm", "b1", becomes, 5)
        told = [one.exchange.text for one in await here.view.confidences.told_by(bob)]
        assert [text for text in told if text != becomes] == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("don't tell Ben what I said in #general", ["I hate Tom", "my boss is mean"]),
        ("sag Ben nichts von dem, was ich in #general gesagt habe", ["I hate Tom", "my boss is mean"]),
        ("don't tell Ben what I said in the other room", ["I hate Tom", "my boss is mean"]),
        ("don't tell Ben what I said in #general today", ["my boss is mean"]),
        ("don't tell Ben what I said here yesterday", ["the boat is green"]),
        ("sag Ben nicht, was ich gestern gesagt habe", ["the boat is green"]),
        ("don't tell Ben about yesterday", ["the boat is green"]),
        ("don't tell Ben what I told you earlier", ["I fed the cat", "it rains"]),
        ("don't tell Ben what I said", ["it rains"]),
    ],
)
async def test_what_was_said_at_a_time_or_place_is_kept_as_a_request_names_that(
    tmp_path: Path, text: str, kept: list[str]
) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        there = await here.view.sessions.get(SessionRef("console", "general"), "#general")
        await says(here, "I hate Tom", there)
        await says(here, "the boat is green")
        here.clock.forward(DAY)
        await says(here, "my boss is mean", there)
        for told in ("I fed the cat", "it rains"):
            await says(here, told)
        await says(here, text)
        told_so = [one.exchange.text for one in await here.view.confidences.told_by(ADA_HERE)]
        assert told_so == [*kept, text]


@pytest.mark.parametrize("text", ["don't tell Ben what I said in #kitchen", "don't tell Ben what I said on 4 May"])
async def test_where_nothing_was_said_at_a_time_or_place_it_is_said_that_only_the_last_message_is_kept(
    tmp_path: Path, text: str
) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        for told in ("I fed the cat", "it rains"):
            await says(here, told)
        ask = NewExchange(Kind.SAID, text, "r", here.clock.now(), "Ada", "user", ADA_HERE, discretion=request_in(text))
        (scope,) = (await here.view.say(here.session, [ask])).covered.values()
        assert (scope.earlier, scope.sure) == (1, False)


@pytest.mark.parametrize(
    ("later", "kept"),
    [
        ("the kitchen is cold", False),
        ("the kitchen is too small for two", False),
        ("the kitchen is blue now", True),
        ("I painted the kitchen", True),
    ],
)
def test_of_a_thing_that_was_known_before_only_what_is_new_tells_a_confidence_anew(later: str, *, kept: bool) -> None:
    assert retells(later, "I painted the kitchen") is kept


@dataclass
class Counted:
    """A database that counts the rows that are read of it."""

    db: DatabaseAccess
    read: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)

    async def all(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        rows = await self.db.all(sql, parameters)
        self.read += len(rows)
        return rows

    async def one(self, sql: str, parameters: Mapping[str, object] | None = None) -> Row | None:
        return next(iter(await self.all(sql, parameters)), None)


async def test_what_a_request_names_is_found_however_old_it_is_and_no_more_is_read_for_it_of_many_messages(
    tmp_path: Path,
) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        old = await says(here, "my surgery is on Monday, in room 7")
        read = []
        for n in (250, 750):
            some = [
                NewExchange(
                    Kind.SAID,
                    f"the boat number {n + at} sails along the river",
                    f"{n + at}",
                    old.said_at + n + at,
                    "Ada",
                    "user",
                    ADA_HERE,
                )
                for at in range(n)
            ]
            await here.view.say(here.session, some)
            confiding = here.view._binding.shared.confiding
            db = Counted(confiding.db)
            ask = Discretion(("Ben",), back=True, topic=frozenset({"surgery"}))
            found = await replace(confiding, db=db).targets(here.domain.key, here.session.key, ADA_HERE, ask)
            assert list(found.named) == [old.key]
            read.append(db.read)
        assert read[1] <= 1.1 * read[0]


@pytest.mark.parametrize("goes", ["forgotten", "deleted"])
async def test_what_a_permission_freed_and_nothing_else_is_kept_again_with_its_answer_as_it_goes(
    tmp_path: Path, goes: str
) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        ben, ada = (Identity("console", name) for name in ("ben", "ada"))
        await here.view.say(here.session, [NewExchange(Kind.SAID, "hello", "b1", here.clock.now(), "Ben", "user", ben)])
        for text in ("my locker is 4187, don't tell Ben", "you can tell Ben that", "I fed the cat", "the boat is green"):
            await says(here, text)
        pin = await says(here, "my pin is 9911, don't tell Ben")
        permit = await says(here, "you can tell Ben that")
        assert await here.view.confidences.told_by(ada) == []
        reply = await here.reply("Your pin is 9911.", [pin.key])
        if goes == "deleted":
            assert await here.memory.kept.withdraw("console", "dm", [permit.source_id])
        else:
            await here.view.forget_message(permit.id)
        assert [one.exchange.text for one in await here.view.confidences.told_by(ada)] == [pin.text]
        assert reply.key in await confidences.by_item(here.memory.db, [reply.key])
        assert await here.memory.db.all("SELECT 1 FROM heeded WHERE request = :permit", {"permit": permit.key}) == []


async def test_what_was_said_where_a_place_may_read_is_kept_as_a_request_in_it_names_it(tmp_path: Path) -> None:
    async with among(tmp_path) as here:
        told = await says(here, "my surgery is on Monday")
        ref = DomainRef(DomainKind.CHANNEL, "console", "staff")
        staff = here.memory.view(await here.memory.places.domain(ref, "UTC", here.clock.now()), [here.domain])
        session = await staff.sessions.get(SessionRef("console", "staff"), "staff")
        ask = "don't tell Ben about my surgery"
        new = NewExchange(
            Kind.SAID, ask, "b1", here.clock.now() + 1, "Ada", "user", Identity("console", "ada"), discretion=request_in(ask)
        )
        kept = await staff.say(session, [new])
        assert [one.earlier for one in kept.covered.values()] == [1] and all(one.sure for one in kept.covered.values())
        assert told.key in await confidences.by_item(here.memory.db, [told.key])


async def greets(here: Corner, *names: str) -> None:
    """Let people say something, so that they are known here."""
    for name in names:
        here.clock.forward(MINUTE)
        account = Identity("console", name.lower())
        await here.view.say(here.session, [NewExchange(Kind.SAID, "hi", name, here.clock.now(), name, "user", account)])


@pytest.mark.parametrize(
    ("further", "kept"),
    [(one, True) for one in ("wait no", "oops, don't", "no, not yet", "I changed my mind", "doch nicht", "attends, non")]
    + [(one, False) for one in ("thanks", "no idea what he will say", "I like tea", "not yet?")],
)
async def test_what_was_just_permitted_is_kept_again_in_a_word(tmp_path: Path, further: str, *, kept: bool) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        await greets(here, "Ben")
        locker = await says(here, "my locker is 4187, don't tell Ben")
        for text in ("I fed the cat", "you can tell Ben now", further):
            await says(here, text, after=SECOND)
        assert (locker.key in await confidences.by_item(here.memory.db, [locker.key])) is kept


@pytest.mark.parametrize("told", [("my locker is 4187, don't tell Ben",), ("my locker is 4187", "don't tell Ben that")])
@pytest.mark.parametrize(("further", "names"), [("Cleo neither", 2), ("and not Cleo either", 2), ("Cleo is here", 1)])
async def test_who_is_named_next_is_not_told_either(tmp_path: Path, told: Sequence[str], further: str, names: int) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        await greets(here, "Ben", "Cleo")
        locker, *_ = [await says(here, text) for text in (*told, further)]
        (excepted,) = (await confidences.by_item(here.memory.db, [locker.key])).values()
        assert len(excepted.excepted.accounts) == names and not excepted.excepted.others


def test_what_is_announced_is_kept_for_a_minute_however_fast_somebody_goes_on() -> None:
    said = ["don't tell Ben", *["I had pizza with Rex"] * 6]
    talk = [NewExchange(Kind.SAID, text, "", n * 15 * SECOND, "Ada") for n, text in enumerate(said)]
    kept = [one.said_at // SECOND for n, one in enumerate(talk) if n and announced_by(one.said_at, talk[:n][::-1]) is not None]
    assert kept == [15, 30, 45, 60]


def without_held(wordings: str, language: str, held: str = "held", purpose: str = "asks") -> list[str]:
    """Return those texts made from the wordings of some languages that hold nothing of what is looked for first in one."""
    listed = read_wordings(discretion.__file__)
    first = re.compile(listed[held][language])
    letters = st.characters(codec="latin-1" if wordings in {"english", "german", "others"} else "utf-8")
    asks = listed[purpose][wordings]
    made = st.one_of([st.from_regex(re.compile(one, re.IGNORECASE), alphabet=letters) for one in asks])
    missed: list[str] = []

    @seed(1)
    @settings(
        max_examples=(8 if TORTURE else 2) * len(asks),
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(made)
    def check(text: str) -> None:
        if not first.search(text.lower()):
            missed.append(text)

    check()
    return missed


@pytest.mark.parametrize("language", read_wordings(discretion.__file__)["held"])
def test_whatever_asks_for_discretion_holds_what_is_looked_for_first(language: str) -> None:
    assert without_held(language, language) == []


@pytest.mark.parametrize("language", read_wordings(discretion.__file__)["held_ends"])
def test_whatever_permits_to_tell_holds_what_is_looked_for_first(language: str) -> None:
    assert without_held(language, language, "held_ends", "ends") == []


@pytest.mark.torture
def test_the_twin_that_looks_for_what_another_language_holds_misses_some() -> None:
    assert without_held("german", "english")


@pytest.mark.parametrize(
    "text", ["dont tell ',u", "don't tell Ben or @", "@ must not know that", "don't tell Ben, and # neither"]
)
def test_signs_alone_are_nobodys_name(text: str) -> None:
    found = request_in(text)
    assert found is None or all(any(map(str.isalnum, name)) for name in found.names)
