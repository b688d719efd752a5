"""What somebody corrects later is told as it holds now, and what corrects nothing changes nothing."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.cli.json_output import hit as as_row
from bot.models.offline.voice import VoiceQuestion
from memory.forget.old_tellings import OldTelling
from memory.index.hits import RecallLimits
from memory.ports import Entry, Task
from memory.text.told.correction_wordings import correction
from memory.types import MINUTE, Discretion, DomainKind, Exchange, Identity, Kind, NewExchange, SessionRef
from tests.kits.ladder_kit import PAIRS, Teller, climbed, gists, rests_on, standing, unsound
from tests.kits.long_talk import request
from tests.kits.memory_kit import DAY, HOUR, Corner, among, answering, at_home, corner, said

DINNER, RIGHT = "dinner with Tom is on Friday at 7", "no wait, at 6"
WHEN = "when is dinner with Tom?"
_BESIDES = ("the cat sleeps", "I painted the fence", "my bike is red", "the soup was salty")


async def recalled(here: Corner, question: str = WHEN) -> list[tuple[str, bool]]:
    """Return what a question finds, best first, and whether each is marked as corrected."""
    hits = await here.view.recall.messages(question, 10)
    return [(hit.exchange.text, hit.correction is not None) for hit in hits]


async def others_say(here: Corner, speaker: str, text: str) -> Exchange:
    """Keep a message of somebody's in the conversation."""
    here.said += 1
    here.clock.forward(MINUTE)
    (kept,) = (await here.view.say(here.session, [said(text, f"m{here.said}", here.clock.now(), speaker)])).stored
    return kept


async def test_who_takes_a_correction_back_is_told_that_and_what_tells_of_oneself_corrects_nothing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in (DINNER, "no, at 8", "actually tomorrow I can't come over", "I meant that as a joke", "no, 7 was right"):
            await here.say(text)
        hits = {hit.exchange.text: hit for hit in await here.view.recall.messages(WHEN, 10)}
        assert [one.text if (one := hits[text].correction) else "" for text in (DINNER, "no, at 8")] == ["no, 7 was right"] * 2
        assert await here.count("corrections") == 3
        for text in ("the fair lasts until Monday, the show is open", "Tuesday, actually"):
            await here.say(text)
        assert await here.count("corrections") == 4


_TALK = (
    "parking costs 4 euros an hour", "my mistake yesterday cost us 20 minutes", "actually, Tom called and said he's fine", "I'm reading Dune at the moment", "the flight to Lisbon is on 12 April at 9:15", "correction fluid is on my shopping list",
    "Korrektur lesen muss ich noch bis Freitag", "Tom turns 40 on Saturday", "I was wrong about Tom, he's really nice",
    "not tonight, I'm tired", *_BESIDES, "I mean the neighbour, not my uncle Paul", "change of plans: we eat at home tonight",
)  # fmt: skip


async def test_what_somebody_just_tells_between_other_things_corrects_none_of_them(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in _TALK:
            await here.say(text)
        rows = await here.memory.db.all("SELECT item, corrects FROM corrections")
        assert [(row["item"], row["corrects"]) for row in rows] == []
        for text in (
            "we meet at the zoo",
            "scratch that, we moved it to the park",
            "the hike is at 7 at the north gate",
            "no, the south gate",
        ):
            await here.say(text)
        assert await here.count("corrections") == 2


async def test_whichever_correction_is_forgotten_the_last_one_left_holds(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in (DINNER, "I fed the cat", RIGHT):
            first = await here.say(text)
        await here.say("the cat sleeps")
        last = await here.say("sorry, I meant at 5:30")
        assert (await recalled(here))[:2] == [(last.text, False), (DINNER, True)]
        await here.view.forget_message(last.id)
        assert (await recalled(here))[:2] == [(RIGHT, False), (DINNER, True)]
        again = await here.say("wait, it's at 8")
        await here.view.forget_message(first.id)
        assert (await recalled(here))[:2] == [(again.text, False), (DINNER, True)]
        await here.view.forget_message(again.id)
        assert await here.count("corrections") == 0
        assert (await recalled(here))[0] == (DINNER, False)


@pytest.mark.parametrize(
    ("asked", "told", "corrected"),
    [("", "Saturday", True), ("when is the party?", "Saturday", False), ("", "the party is on Saturday", False)],
)
async def test_what_corrects_a_day_told_alone_corrects_what_that_was_told_of(
    tmp_path: Path, asked: str, told: str, corrected: bool
) -> None:
    async with among(tmp_path) as here:
        dinner = "dinner with Tom is on Friday"
        for speaker, text in (("Ada", dinner), ("Ben", asked), ("Ada", told), ("Ada", "I mean Sunday")):
            if text:
                await others_say(here, speaker, text)
        assert ((dinner, True) in await recalled(here)) == corrected


async def test_a_forgotten_statement_leaves_no_trace_beside_its_correction(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        dinner = await here.say(DINNER)
        await here.say(RIGHT)
        await here.view.forget_message(dinner.id)
        assert await here.count("corrections") == 0
        assert await recalled(here) == []
        (hit,) = await here.view.recall.messages(RIGHT, 10)
        assert hit.corrects is None


async def test_nobody_corrects_what_somebody_else_said_or_what_was_said_elsewhere(tmp_path: Path) -> None:
    async with among(tmp_path) as here:
        await others_say(here, "Ada", DINNER)
        await others_say(here, "Ben", RIGHT)
        (elsewhere,) = [await here.view.sessions.get(SessionRef("console", "other"), "other")]
        await here.say("no wait, at 5", session=elsewhere)
        own = await corner(here.memory, here.clock)
        await own.say("no wait, at 4", source="own")
        both = here.memory.view(here.domain, [own.domain])
        hits = await both.recall.messages(WHEN, 10)
        assert hits[0].exchange.text == DINNER and hits[0].correction is None
        assert await here.count("corrections") == 0


@pytest.mark.parametrize("corrections", [[RIGHT], [*_BESIDES, "wait, it's at 5", *_BESIDES, RIGHT]], ids=["one", "two"])
async def test_who_may_not_know_the_correction_is_told_what_they_may_know(tmp_path: Path, corrections: Sequence[str]) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        ada = Identity("console", "ada")
        known = [text for text in (DINNER, *corrections[:-1]) if text not in _BESIDES]
        for n, text in enumerate((DINNER, *corrections)):
            new = NewExchange(Kind.SAID, text, f"a{n}", here.clock.now() + n, "Ada", "user", ada)
            (last,) = (await here.view.say(here.session, [new])).stored
        assert (await recalled(here))[0] == (RIGHT, False)
        await here.view.confidences.put(last.id, ada, Discretion(("Ben",)))
        assert (await recalled(here))[:2] == [(known[-1], False), *((text, True) for text in known[-2::-1])][:2]


async def test_what_corrects_a_neighbour_of_a_hit_is_not_taken_for_what_mentions_somebody(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("Tom moved to Linz")
        await here.say("dinner is on Friday at 7")
        right = await here.say(RIGHT)
        came = await here.view.recall.at_once("where did Tom move?", RecallLimits(1, 0, 0), (), "Ada")
        assert right.key not in {hit.exchange.key for hit in came.hits}


async def test_an_edit_says_what_holds_now(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        dinner = await here.say(DINNER)
        right = await here.say(RIGHT)
        revise = here.memory.kept.revise
        assert await revise("console", "dm", dinner.source_id, DINNER.replace("Friday", "Friday,"), 1)
        assert (await recalled(here))[0] == (RIGHT, False), "a comma is no new value"
        assert await revise("console", "dm", right.source_id, "no wait, at 5", 2)
        assert (await recalled(here))[0] == ("no wait, at 5", False)
        assert await revise("console", "dm", dinner.source_id, DINNER.replace("7", "9"), 3)
        assert (await recalled(here))[0] == (DINNER.replace("7", "9"), False)
        assert await revise("console", "dm", right.source_id, "no wait, I'll come too", 4)
        assert await here.count("corrections") == 0


async def test_what_she_answered_is_corrected_in_the_words_it_rests_on(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        dinner = await here.say(DINNER)
        await here.say("the film starts at 9")
        await here.say(WHEN)
        answer = await here.reply("Dinner with Tom is at 7.", [dinner.key])
        await here.say("no, at 6")
        assert (await recalled(here))[0] == ("no, at 6", False)
        corrected = {one.exchange.key for one in await here.view.recall.messages(WHEN, 10) if one.correction}
        assert corrected == {dinner.key, answer.key}
        assert ("the film starts at 9", False) in await recalled(here, "when does the film start?")


async def test_nobody_corrects_in_her_answer_what_somebody_else_said(tmp_path: Path) -> None:
    async with among(tmp_path) as here:
        dinner = await others_say(here, "Ada", DINNER)
        await here.reply("Noted, Ada: dinner with Tom is on Friday at 7.", [dinner.key])
        for text in (RIGHT, "no, Priya"):
            await others_say(here, "Ben", text)
        assert await here.count("corrections") == 0
        await here.reply("Dinner with Tom is on Friday at 7.", [dinner.key])
        await others_say(here, "Ada", "no, at 5")
        assert (await recalled(here))[0] == ("no, at 5", False)


async def test_what_was_told_just_now_is_corrected_before_what_her_remark_on_it_brings_up(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        moved = await here.say("I moved to Graz in May")
        there = await here.view.sessions.get(SessionRef("console", "there"), "there")
        here = Corner(here.memory, here.clock, here.domain, here.view, there, here.said)
        concert = await here.say("the concert with Nora is on 20 June")
        fed = await here.say("I fed the cat this morning")
        await here.reply("Good to know. You moved to Graz in May, and the concert is near.", [moved.key, fed.key])
        await here.say("no wait, on 21 June")
        rows = await here.memory.db.all("SELECT corrects FROM corrections")
        assert [row["corrects"] for row in rows] == [concert.key]


async def test_an_answer_to_her_question_corrects_nothing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("we have two cats, Tom has dinner at 7")
        await here.reply("Will all eight of you come to the party, and at 6?", [])
        await here.say("no, 5")
        assert await here.count("corrections") == 0


MOVED = "I meant Saturday"


async def test_corrections_of_the_day_and_of_the_time_hold_together_until_one_takes_the_place_of_either(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        dinner, six, saturday = [await here.say(text) for text in (DINNER, RIGHT, MOVED)]
        assert (await recalled(here))[:3] == [(MOVED, False), (RIGHT, False), (DINNER, True)]
        rows = {row["content"]: row for row in (as_row(hit, "UTC") for hit in await here.view.recall.messages(WHEN, 10))}
        assert [rows[text]["corrects"] for text in (RIGHT, MOVED)] == [dinner.id] * 2
        assert rows[DINNER]["corrected_by"] == saturday.id
        await here.say("no, Sunday at 8")
        assert (await recalled(here))[:2] == [("no, Sunday at 8", False), (DINNER, True)]
        nine = await here.say("I meant at 9")
        assert (await recalled(here))[:3] == [("I meant at 9", False), ("no, Sunday at 8", True), (DINNER, True)]
        await here.view.forget_message(nine.id)
        assert (await recalled(here))[:2] == [("no, Sunday at 8", False), (DINNER, True)]
        await here.view.forget_message(six.id)
        await here.view.forget_message(dinner.id)
        assert {row["item"] for row in await here.memory.db.all("SELECT item FROM corrections")} != {saturday.key}
        assert await recalled(here) == []


async def test_what_puts_right_what_was_said_elsewhere_stands_where_that_stood(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        party = await here.say("the party is on the 14th of December")
        for question in ("when is the party?", "so when is the party?"):
            await here.say(question)
        elsewhere = await here.view.sessions.get(SessionRef("console", "other"), "other")
        right = await here.say("if anybody asks you at lunch, the party isn't on the 14th, it's on the 21st", session=elsewhere)
        assert (await recalled(here, "when is the party?"))[:2] == [(right.text, False), (party.text, True)]


async def test_a_name_alone_is_a_correction_unless_it_speaks_to_somebody(tmp_path: Path) -> None:
    async with among(tmp_path) as here:
        await others_say(here, "Ada", "Marta is driving us to the wedding")
        for call in ("no, Mum", "sorry, Nora", "wait, Rex!"):
            await others_say(here, "Ada", call)
        assert await here.count("corrections") == 0
        await others_say(here, "Ada", "no, Priya")
        assert (await recalled(here, "who is driving us?"))[:2] == [
            ("no, Priya", False),
            ("Marta is driving us to the wedding", True),
        ]
        await others_say(here, "Ben", "fine with me")
        await others_say(here, "Ada", "no, Ben")
        await others_say(here, "Ben", "will Olga or Sven sing?")
        await others_say(here, "Ada", "no, Kim")
        assert await here.count("corrections") == 1


async def test_what_says_what_it_corrects_is_known_wherever_and_however_late_it_is_said(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        dentist = await here.say("my dentist is Dr. Aydin, phone 0143")
        await here.say(DINNER)
        here.clock.forward(40 * DAY)
        elsewhere = await here.view.sessions.get(SessionRef("console", "other"), "other")
        await here.say("Correction: Aydin has a dog", session=elsewhere)
        right = await here.say("Correction: the number of Aydin is 0134", session=elsewhere)
        hits = {hit.exchange.key: hit for hit in await here.view.recall.messages("what is the phone number of Aydin?", 10)}
        assert hits[right.key].corrects == dentist and hits[dentist.key].correction == right
        question = VoiceQuestion("who is my dentist?", "Ada", here.clock.now(), "UTC")
        answer = question.answer(list(hits.values()), lambda _: False, ())
        assert [hit.exchange for hit in answer.cites] == [dentist, right]
        await here.view.forget_message(right.id)
        (hit, *_) = await here.view.recall.messages("who is my dentist?", 10)
        assert hit.exchange == dentist and hit.correction is None
        await here.say("sorry, dinner with Tom is at 9", session=elsewhere)
        assert (DINNER, False) in await recalled(here), "this dinner is another one"
        surgery, party = "Nora's surgery is on Monday", "I meant Nora's party, on Saturday"
        await here.say(surgery)
        await here.say(party, session=elsewhere)
        assert (surgery, False) in await recalled(here, "when is Nora's surgery?"), "her party is another thing"


async def test_what_arrives_after_its_corrections_is_corrected_by_all_of_them(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        film, at = "the film with Tom starts at 9", here.clock.now() + 2 * MINUTE
        for text in (film, RIGHT, "sorry, I meant at 5:30"):
            await here.say(text)
        assert (await recalled(here, "when does the film start?"))[0] == ("sorry, I meant at 5:30", False)
        await here.say(DINNER, at=at - 1)
        assert (await recalled(here))[:2] == [("sorry, I meant at 5:30", False), (DINNER, True)]
        assert (film, False) in await recalled(here, "when does the film start?")
        await here.say("the show is on Sunday", at=at - 1)
        assert (await recalled(here))[:2] == [("sorry, I meant at 5:30", False), (DINNER, True)]


async def test_what_was_made_of_the_old_is_made_again_of_both_and_of_what_is_left(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for text in (DINNER, "I fed the cat"):
            await here.say(text)
        await climbed(here, Teller())
        facts = [one.text for one in await here.view.digests.statements("profile")]
        assert DINNER in facts
        right = await here.say(RIGHT)
        assert await standing(here, "profile") == [], "what tells the old is not told any more"
        (left,) = await gist_texts(here)
        assert "I fed the cat" in left and "dinner" not in left, "what tells nothing of it stays until all is written anew"
        await climbed(here, writer := Teller())
        assert [source.text for source in writer.asked("gist")[0].sources] == [f"{DINNER} (→ {RIGHT})", "I fed the cat"]
        assert {tuple(said) for text, said in (await rests_on(here, "profile")).items() if DINNER in text} == {(DINNER, RIGHT)}
        await here.view.forget_message(right.id)
        assert not any(RIGHT in text for text in await gist_texts(here))
        await climbed(here, Teller())
        assert [text.splitlines()[0] for text in await gist_texts(here)] == [DINNER]


_CAT, _EVE, _FED = "Ada's cat is called Turing.", "Ada has dinner with Tom on Friday at seven.", "Ada feeds the cat."


async def test_what_was_true_stays_until_it_is_told_anew_beside_what_holds_now(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        both = await here.say(f"my cat is called Turing, and {DINNER}")
        fed = await here.say("I feed the cat")
        gist = answering(Entry(_CAT, ("m1",)), Entry(_EVE, ("m1",)), Entry(_FED, ("m2",)))
        await climbed(here, Teller(moves=[gist]))
        assert sorted(await standing(here, "profile")) == sorted([_CAT, _EVE, _FED])
        await here.say(RIGHT)
        assert await gist_texts(here) == [f"{_CAT}\n{_FED}"], "only the sentence that tells the old goes"
        assert {text: len(rests) for text, rests in (await rests_on(here, "profile")).items()} == {_CAT: 1, _FED: 1}
        assert _CAT in await standing(here, "era") and _CAT in await standing(here, "narrative")
        assert "Tom" not in "".join([text for tier in ("era", "narrative", "self") for text in await standing(here, tier)])
        assert await unsound(here) == []
        await gists(here, Teller(moves=[answering(Entry(_CAT, ("m1",)), Entry(_FED, ("m2",)))]))
        await here.say("I meant Saturday")
        assert f"{_CAT}\n{_FED}" in await gist_texts(here), "a gist that does not tell the old holds"
        assert both.text in (await rests_on(here, "profile"))[_CAT]
        await here.view.forget_message(fed.id)
        assert await standing(here, "profile") == [], "the gist that they were made from was written with it in view"


@pytest.mark.parametrize(
    ("told", "right", "beside", "old"),
    [
        ("I turn 30 on Friday, the party is on the balcony", "no wait, 31", "The party is on the balcony.", "Ada's balcony party is for her thirtieth."),
        ("die Feier ist um 13 Uhr, Nora bringt Salat", "nein warte, um 14 Uhr", "Nora bringt Salat.", "Nora bringt um dreizehn Uhr Salat."),
        ("il treno parte alle 15, porto la valigia rossa", "no aspetta, alle 16", "Porto la valigia rossa.", "Porto la valigia rossa alle quindici."),
        ("we meet in Rome, Mia keeps the cat", "no wait, in Oslo", "Mia keeps the cat.", "Mia keeps the cat during Italy."),
    ],
    ids=["ordinal", "German", "Italian", "country"],
)  # fmt: skip
def test_a_sentence_stays_beside_a_correction_only_if_none_of_its_words_may_stand_for_the_old(
    told: str, right: str, beside: str, old: str
) -> None:
    found = correction(right)
    assert found
    before = OldTelling.of(told, "Ada", [found])
    assert (before.may_stand_in(beside), before.may_stand_in(old)) == (False, True)


async def test_what_is_corrected_while_it_is_written_is_written_of_both(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for text in (DINNER, "I fed the cat"):
            await here.say(text)
        writer = Teller()

        async def corrected_meanwhile(task: Task) -> list[Entry]:
            await here.say(RIGHT)
            return await writer.write(task)

        writer.moves.append(corrected_meanwhile)
        await gists(here, writer)
        assert all(DINNER not in text or RIGHT in text for text in await gist_texts(here))
        await gists(here, writer)
        assert [text for text in await gist_texts(here) if DINNER in text and RIGHT in text]


async def test_what_is_corrected_in_the_same_conversation_is_told_once_in_its_gist(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("my pin is 9911")
        right = await here.say("oops, 9922")
        await gists(here, Teller())
        (gist,) = await gist_texts(here)
        assert gist.count("oops, 9922") == 1 and "my pin is 9911 (→ oops, 9922)" in gist
        await here.view.forget_message(right.id)
        assert "9922" not in "".join(await gist_texts(here)), "it rests on both"


async def test_a_lookup_has_what_puts_right_what_it_finds(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in (DINNER, RIGHT):
            await here.say(text)
        hits = await here.view.recall.lookup(WHEN, 1, None, "", "Ada")
        assert [hit.exchange.text for hit in hits] == [DINNER, RIGHT]


async def test_a_correction_leaves_the_wishes_of_what_it_corrects(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say(f"Please keep your answers short. {DINNER}.")
        await here.say(RIGHT)
        assert [one.text for one in await here.view.digests.statements("manner")] == ["Ada wants short answers."]


async def gist_texts(here: Corner) -> list[str]:
    """Return the texts of the gists."""
    return [row["text"] for row in await here.memory.db.all("SELECT text FROM digests WHERE tier = 'gist' ORDER BY item")]


async def test_a_model_is_shown_both_and_which_of_them_holds(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in (DINNER, "I fed the cat", RIGHT, MOVED):
            await here.say(text)
        here.clock.forward(HOUR)
        there = await here.view.sessions.get(SessionRef("console", "there"), "there")
        asked = await here.say(WHEN, session=there)
        told = await request(Corner(here.memory, here.clock, here.domain, here.view, there), asked)
        lines = [line for line in str(told.messages).split("\\n") if DINNER in line or RIGHT in line or MOVED in line]
        assert lines == [
            f"> Tuesday, 03 March 2026 12:01, corrected later, Ada: {DINNER}",
            f"> 03 March 2026 12:03, correcting what was said on 03 March 2026 12:01, Ada: {RIGHT}",
            f"> Tuesday, 03 March 2026 12:04, correcting what was said on 03 March 2026 12:01, Ada: {MOVED}",
        ]


async def test_what_was_corrected_before_this_was_read_is_read_once(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for text in (DINNER, RIGHT):
            await here.say(text)
        async with here.memory.db.transaction() as tx:
            await tx.run("DELETE FROM corrections")
            await tx.run("INSERT INTO unheard (domain, item) SELECT domain, item FROM exchanges")
        assert (await recalled(here))[0] == (DINNER, False)
        await gists(here, Teller())
        await here.memory.read_again(here.domain)
        assert (await recalled(here))[0] == (RIGHT, False)
        assert await gist_texts(here) == [RIGHT], "what was made of the old is made again"


@pytest.mark.parametrize(
    ("told", "right"),
    [
        ("Ich wohne in Bonn", "nein, in Köln"), ("vivo en Sevilla", "perdón, en Granada"), ("ma soeur vit à Paris", "non, à Lyon"),
        ("Das Treffen ist um 5", "jetzt um 6"), ("the meeting is at 5", "now at 6"), ("la réunion est à 5h", "elle est à 6h maintenant"),
        ("my cat is called Mia", "no, Lea"), ("Meine Katze heißt Lea", "quatsch, Mia"), ("my locker number is 4411", "it's 4412 now"),
        ("meine PIN ist 4411", "die ist jetzt 4412"), ("mi pin es 4411", "ahora es 4412"),
    ],
)  # fmt: skip
async def test_what_is_put_right_as_people_say_it_is_told_as_it_holds_now(tmp_path: Path, told: str, right: str) -> None:
    async with at_home(tmp_path) as here:
        for text in ("I fed the cat at 3", told, "the soup was salty", right):
            await here.say(text)
        rows = await here.memory.db.all("SELECT e.text FROM corrections c JOIN exchanges e ON e.item = c.corrects")
        assert [row["text"] for row in rows] == [told]
