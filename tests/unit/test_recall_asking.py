"""A question may say whose words it asks for, of what time, whether of now: that lifts what fits, and hides nothing."""

import random
from pathlib import Path

import pytest

from memory.index.hits import RecallLimits
from memory.types import DomainKind
from tests.kits.ladder_kit import PAIRS, Teller, climbed
from tests.kits.memory_kit import DAY, START, BagOfWords, among, aside, at_home, found, heard, line, table, utc
from tests.kits.tabled import tabled

WHOSE, TIME = "whose words are asked for", "the time that is asked for"
PARROT = ("Bob: the parrot is green", "Ana: the parrot is loud", "Cleo: the parrot is small")


WHO = """
what was said about the parrot?             | Bob Ana Cleo
what did Dora say about the parrot?         | Bob Ana Cleo
what did Ana say about the parrot?          | Ana Bob Cleo
did CLEO mention a parrot?                  | Cleo Bob Ana
Ana's parrot                                | Ana Bob Cleo
is it Cleo’s parrot                         | Cleo Bob Ana
what did Ana and Cleo say about the parrot? | Ana Cleo Bob
did Ana, Bob or Cleo mention a parrot?      | Bob Ana Cleo
Ana?                                        | Ana
Dora?                                       |
"""


async def test_whose_words_are_asked_for_come_before_equal_ones_of_others(tmp_path: Path) -> None:
    async with among(tmp_path, *PARROT) as here:
        assert [[question, await heard(here, question)] for question, _ in table(WHO)] == table(WHO)


@pytest.mark.parametrize("named", ["Ana", "Maria", "Costa’s", "Ana Maria", "maria costa", "José", "Jose"])
async def test_a_name_of_several_words_is_known_by_each_of_them(tmp_path: Path, named: str) -> None:
    said = ("Bob Lee Stone: a parrot is green", "Ana Maria Costa: a parrot is loud", "José Luis Pérez: a parrot is old")
    async with among(tmp_path, *said) as here:
        wanted = "José" if named.startswith("J") else "Ana"
        assert (await heard(here, f"what did {named} say about the parrot?")).startswith(wanted)
        assert (await heard(here, "what was said about the parrot?")).startswith("Bob")


@pytest.mark.parametrize(
    ("asked", "first"), [("we say:", "Bob"), ("Ana:", "Bob"), ("what did Ana say of", "Ana"), ("yesterday:", "Ana")]
)
async def test_who_said_it_and_when_passes_a_better_match_and_what_it_is_about_does_not(
    tmp_path: Path, asked: str, first: str
) -> None:
    async with among(tmp_path, "Bob: the green parrot sat on the kitchen table") as here:
        await aside(here, "Ana: the parrot is loud", at=START - DAY)
        lifted, plain = [
            {
                hit.exchange.speaker: hit.score
                for hit in await here.view.recall.messages(f"{who} the green parrot on the kitchen table", 5)
            }
            for who in (asked, "we say:")
        ]
        assert next(iter(lifted)) == first
        assert lifted["Ana"] / lifted["Bob"] > plain["Ana"] / plain["Bob"] or asked == "we say:"


WHOSE_NAME = """
Ana Berger: it rains / Ana Maria: it pours   | what did Ana Maria say?   | Ana Maria
Ana Berger: it rains / Ana Maria: it pours   | what did Ana say?         | Ana Berger, Ana Maria
Bob: the parrot is green / Will: it is loud  | what did Will say?        | Will
Bob: the parrot is green / Will: it is loud  | will it say so?           |
田中: 猫が好きです / 佐藤: 中国で餃子を食べました | 田中さんは何が好き          | 田中
田中: 猫が好きです / 佐藤: 中国で餃子を食べました | 中国で何を食べた            |
"""


@pytest.mark.parametrize(("said", "question", "whose"), table(WHOSE_NAME))
async def test_a_name_is_told_from_words_and_from_other_names(tmp_path: Path, said: str, question: str, whose: str) -> None:
    async with among(tmp_path, *said.split(" / "), "Cleo: hello") as here:
        named = {hit.exchange.speaker for hit in await here.view.recall.messages(question, 5) if WHOSE in hit.why}
        assert ", ".join(sorted(named)) == whose


OF_SPEAKERS = """
what did Bob say about Ana? | Bob: Ana is ill
is Ana well?                | Bob: Ana is ill
did I plant a rose?         | Cleo: we plant a rose
"""


async def test_who_speaks_here_is_found_where_others_speak_of_them(tmp_path: Path) -> None:
    said = ("Bob: the parrot is green", "Ana: it rains", "Cleo: we plant a tree", "Cleo: we plant a rose", "Rose: hello")
    async with among(tmp_path, *said, "Bob: Ana is ill") as here:
        for question, wanted in table(OF_SPEAKERS):
            by_the_same = [one for one in await found(here, question) if one.split(":")[0] == wanted.split(":")[0]]
            assert by_the_same[:1] == [wanted], question


MINE_AND_YOURS = tabled("recall", "mine_and_yours")


async def test_what_i_said_is_mine_and_what_lyra_said_is_hers(tmp_path: Path) -> None:
    said = (
        "Lyra: the parrot has green feathers",
        "Ada: the parrot has green eyes",
        "Lyra: fond of raisins",
        "Ada: fond of apples",
    )
    async with among(tmp_path, *said, *(f"Ada: it rains in {month}" for month in ("May", "June")), kind=DomainKind.DM) as here:
        first = [[question, (await heard(here, question)).split()[0]] for question, _ in table(MINE_AND_YOURS)]
    assert first == table(MINE_AND_YOURS)


ASKING = """
server  | Ana    | what did I say about the parrot?    | Ana
room    | Ana    | what was my parrot like?            | Ana
channel | Cleo   | what did I say about the parrot?    | Cleo
server  | Ana    | what was said about the parrot?     | Bob
server  |        | what did I say about the parrot?    | Bob
server  | Nobody | what did I say about the parrot?    | Bob
server  | Ana    | was meinte Cleo mit parrot?         | Cleo
server  | Ana    | hvad sagde Cleo i dag om en parrot? | Cleo
dm      | Ana    | what did I say about the parrot?    | Bob
"""


@pytest.mark.parametrize(("kind", "asker", "question", "first"), table(ASKING))
async def test_i_am_who_asks_where_many_talk(tmp_path: Path, kind: str, asker: str, question: str, first: str) -> None:
    async with among(tmp_path, *PARROT, kind=DomainKind(kind)) as here:
        assert (await heard(here, question, asker=asker)).startswith(first)


SOUPS = {"beet": "2022-11-20", "leek": "2023-07-10", "pea": "2024-03-12", "bean": "2025-03-12"}
SOUPS |= {"fish": "2026-02-16", "kale": "2026-02-24", "corn": "2026-03-02", "rice": "2026-03-03"}
WHEN = """
when exactly?    |
last March?      | bean
in 2023?         | leek
two weeks ago?   | fish
last week?       | kale
yesterday?       | corn
today?           | rice
on 12 March 2024 | pea
next week?       |
"""


async def test_what_was_said_at_the_time_that_is_asked_for_comes_first(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.DM) as here:
        for name, day in SOUPS.items():
            await aside(here, f"Ada: we eat {name} soup", at=utc(day))
        await aside(here, "Ada: the summer of 2023 was hot", at=utc("2026-01-08"))
        for when, soup in table(WHEN):
            hits = await here.view.recall.messages(f"which soup did we eat {when}", 20)
            assert hits[0].exchange.text == f"we eat {soup or 'beet'} soup", when
            timely = [line(hit) for hit in hits if TIME in hit.why]
            # What tells of that year is of it, whenever it was said.
            told = ["Ada: the summer of 2023 was hot"] if when == "in 2023?" else []
            assert timely == ([f"Ada: we eat {soup} soup", *told] if soup else []), when
            assert ("Ada: the summer of 2023 was hot" in map(line, hits)) is ("2023" in when), "a year may be a word as well"


SHORT = ["2026-03-08T04:59", "2026-03-08T05:00", "2026-03-09T03:59", "2026-03-09T04:00"]
LONG = ["2026-10-24T21:59", "2026-10-24T22:00", "2026-10-25T22:59", "2026-10-25T23:00"]


@pytest.mark.parametrize(
    ("zone", "now", "said", "yesterday"),
    [("America/New_York", "2026-03-09T04:30", SHORT, SHORT[1:3]),  # half past midnight, after a day of 23 hours
     ("UTC", "2026-03-09T04:30", SHORT, SHORT[:2]),
     ("Europe/Vienna", "2026-10-25T23:30", LONG, LONG[1:3]),  # and after one of 25
     ("UTC", "2026-10-25T23:30", LONG, LONG[:2])],
)  # fmt: skip
async def test_yesterday_is_the_askers(tmp_path: Path, zone: str, now: str, said: list[str], yesterday: list[str]) -> None:
    async with among(tmp_path, kind=DomainKind.DM, time_zone=zone) as here:
        for n, moment in enumerate(said):
            await aside(here, f"Ada: we eat soup{n} twice", at=utc(moment))
        here.clock.at = utc(now)
        hits = await here.view.recall.messages("what did we eat yesterday?", 10)
        assert len(hits) == 4 and [TIME in hit.why for hit in hits] == [n < len(yesterday) for n in range(4)]
        assert [hit.exchange.said_at for hit in hits[: len(yesterday)]] == [utc(moment) for moment in yesterday]


@pytest.mark.parametrize(
    ("when", "first"),
    [("two weeks before the move", "fish"), ("right after the move", "kale"), ("two weeks before the zyzzyva", "beet")],
)
async def test_a_time_is_told_from_what_was_talked_about(tmp_path: Path, when: str, first: str) -> None:
    async with among(tmp_path, kind=DomainKind.DM) as here:
        for name, day in {"beet": "2025-05-01", "fish": "2025-06-01", "kale": "2025-06-20", "rice": "2025-09-09"}.items():
            await aside(here, f"Ada: we eat {name} soup", at=utc(day))
        await aside(here, "Ada: such a long move", at=utc("2025-06-15"))
        soups = [said for said in await found(here, f"what did we eat {when}?") if "soup" in said]
        assert soups[0] == f"Ada: we eat {first} soup" and len(soups) == 4


@pytest.mark.parametrize("question", ["what did we plan in June?", "what did we plan in June before the wedding?"])
async def test_a_time_counts_though_the_event_beside_it_is_unknown(tmp_path: Path, question: str) -> None:
    async with among(tmp_path, kind=DomainKind.DM) as here:
        await aside(here, "Ada: we plan a walk", at=utc("2025-05-10"))
        await aside(here, "Ada: we plan a trip", at=utc("2025-06-10"))
        hit = (await here.view.recall.messages(question, 1))[0]
        assert hit.exchange.text == "we plan a trip" and TIME in hit.why


NOW = """
where do I live?               | Graz
where do I live now?           | Graz
where does she currently live? | Graz
where did I live?              | Vienna
where have I ever lived?       | Vienna
where did I first live?        | Vienna
do I live in Vienna now?       | Vienna
"""


async def test_of_conflicting_facts_the_newest_is_what_is_so_now(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.DM) as here:
        await aside(here, "Ada: I live in Vienna", at=utc("2020-01-01"))
        await aside(here, "Ada: I live in Graz", at=utc("2025-01-01"))
        first = [[question, (await found(here, question))[0].split()[-1]] for question, _ in table(NOW)]
    assert first == table(NOW)


SAME = """
Ada: the parrot is green / Ada: The PARROT is green!    | 1
Ada: the parrot is green / Ada: green is the parrot …   | 1
Ada: the parrot is green / Ada: a green parrot, Anton   | 2
Ada: room 12 of parrots  / Ada: room 13 of parrots      | 2
Ada: the parrot of Anton / Ada: the parrot of Berta     | 2
Ada: I like parrots      / Ada: I do not like parrots   | 2
Ada: I have a parrot     / Ada: I have no parrot        | 2
Ana: I fear parrots      / Bob: I fear parrots          | 2
"""


@pytest.mark.parametrize(("said", "n"), table(SAME))
async def test_what_says_the_same_counts_as_one_and_what_says_more_does_not(tmp_path: Path, said: str, n: str) -> None:
    async with among(tmp_path, *(one.strip() for one in said.split(" / "))) as here:
        hits = await here.view.recall.messages("parrot", 5)
        assert len(hits) == int(n) and ("said 2 times" in hits[0].why) is (n == "1")


@pytest.mark.parametrize("k", [1, 5])
async def test_it_is_told_how_often_the_same_was_said(tmp_path: Path, k: int) -> None:
    async with among(tmp_path, *["Ada: the parrot is green"] * 30) as here:
        assert [hit.why for hit in await here.view.recall.messages("parrot", k)] == [("words: parrot", "said 30 times")]


async def test_a_list_can_be_read_page_by_page(tmp_path: Path) -> None:
    dice = random.Random(6)
    async with among(tmp_path) as here:
        for n in range(70):
            text = " ".join(dice.choices("parrot green loud old seed cage wing".split(), k=3))
            await aside(here, f"{dice.choice(['Ana', 'Bob'])}: {text}", place=f"place {n // 12}")
        everything = await found(here, "a green parrot", 70)
        assert len(everything) > 25
        for k in range(len(everything)):
            assert await found(here, "a green parrot", k) == everything[:k]


@pytest.mark.parametrize(("place", "most"), [("one", 5), ("", 10)])
async def test_who_talks_a_lot_in_a_row_does_not_fill_the_top(tmp_path: Path, place: str, most: int) -> None:
    others = [f"Bob: a remark on gardens and winters, and on parrot{n}s: a parrot" for n in range(9)]
    async with among(tmp_path, *others) as here:
        for n in range(15):
            await aside(here, f"Ana: parrot, parrot seed{n}", place=place)
        assert (await heard(here, "parrot", k=10)).count("Ana") == most
        assert len(await found(here, "parrot", 100)) == 24, "nothing is lost"


@pytest.mark.parametrize(("place", "beside"), [("one", ["Bob: Xerxes", "Ana: listen", "Bob: it rains"]), ("", [])])
async def test_an_answer_is_found_beside_what_it_answers(tmp_path: Path, place: str, beside: list[str]) -> None:
    async with among(tmp_path) as here:
        for said in ("Ana: listen", "Ana: how is the parrot called?", "Bob: Xerxes", "Bob: it rains"):
            await aside(here, said, place=place)
        hits = await here.view.recall.messages("the parrot is called what?", 5)
        assert [line(hit) for hit in hits if hit.why == ("beside a hit",)] == beside


async def test_a_session_is_kept_to_and_what_is_left_out_hides_nothing_that_says_the_same(tmp_path: Path) -> None:
    async with among(tmp_path, *PARROT) as here:
        first = await aside(here, "Ana: the parrot is loud", place="one", at=START - DAY)
        asked = "what did Ana say yesterday about the parrot?"
        kept = await here.view.recall.messages(asked, 5, session=await here.view.sessions.find("one"))
        assert [hit.exchange for hit in kept] == [first] and {WHOSE, TIME} < set(kept[0].why)
        rest = await here.view.recall.messages(asked, 5, exclude=[first.key])
        assert line(rest[0]) == "Ana: the parrot is loud" and TIME not in rest[0].why and len(rest) == 3


async def test_it_is_told_what_found_a_message(tmp_path: Path) -> None:
    async with among(tmp_path, *PARROT, embedder=BagOfWords()) as here:
        for _ in range(2):
            await aside(here, "Ana: the parrot is old", at=START - DAY)
        await here.view.embed()
        hits = {line(hit): hit.why for hit in await here.view.recall.messages("what of the parrot did Ana say yesterday?", 9)}
        meant = hits["Ana: the parrot is old"][1]
        assert meant.startswith("meaning 0.")
        assert hits["Ana: the parrot is old"] == ("words: parrot", meant, WHOSE, TIME, "said 2 times")
        assert [len(why) for why in hits.values()] == [5, 3, 2, 2]


async def test_what_was_corrected_stands_behind_what_holds_now_unless_it_is_asked_how_it_was(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for said in ("Ada lives in Graz, Ada lives there", "it rains", "Ada lives by the sea at Split now", "it snows"):
            await here.say(said)
            await here.say("yes")
            await climbed(here, Teller())
        old, new = "Ada lives in Graz, Ada lives there", "Ada lives by the sea at Split now"
        for question in ("Graz: Ada lives there", "where in Graz does Ada live, there?"):
            hits = await here.view.recall.messages(question, 9)
            texts = [hit.exchange.text for hit in hits]
            assert texts.index(new) < texts.index(old)
            assert hits[texts.index(new)].score >= hits[texts.index(old)].score
            came = await here.view.recall.at_once(question, RecallLimits(9, 0, 0), (), "")
            assert [hit.exchange.text for hit in came.hits] == texts
        was = await here.found("where in Graz did Ada live, there?")
        assert was.index(old) < was.index(new)
