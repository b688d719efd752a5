"""What is said of an answer: it goes with it, is no model for what comes later, and can be taken back."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from memory.dream.dreamer import evolve
from memory.errors import NotFound, NotYours
from memory.places import confidences
from memory.tiers.feedback import GivenBy
from memory.tiers.selfstate import StateOfMind
from memory.types import MINUTE, Discretion, DomainKind, Exchange, Identity, Kind, NewExchange, WithheldFrom
from memory.view.feedback_view import Feedback
from memory.view.view import Answer
from tests.kits.long_talk import request
from tests.kits.memory_kit import Corner, among, at_home

ADA, BOB = Identity("console", "ada"), Identity("console", "bob")
WRONG = "The harbour bridge was built in 1931 by gnomes."


async def answered(here: Corner, text: str = WRONG) -> tuple[Exchange, Exchange]:
    """Have Ada's question answered; return both."""
    here.said += 1
    here.clock.forward(MINUTE)
    new = NewExchange(Kind.SAID, "who built the bridge?", f"q{here.said}", here.clock.now(), "Ada", "user", ADA)
    [asked] = (await here.view.say(here.session, [new])).stored
    reply = NewExchange(Kind.REPLY, text, f"reply:q{here.said}", here.clock.now() + 1, "Lyra", "assistant")
    replied = await here.view.answer(here.session, Answer(reply, {asked.key}, (), (), [asked]))
    assert replied
    return asked, replied.exchange


async def listed(here: Corner) -> list[str]:
    return [one.reply.text for one in await here.view.feedback.disliked(10)]


async def test_an_answer_that_was_not_good_is_recalled_no_more_until_that_is_taken_back(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        asked, reply = await answered(here)
        assert WRONG in await here.found("harbour gnomes")
        assert await here.view.feedback.dislike(reply, ADA, rules=False, act="a")
        assert not await here.view.feedback.dislike(reply, ADA, rules=False, act="b"), "saying it twice is saying it once"
        assert WRONG not in await here.found("harbour gnomes")
        [one] = await here.view.feedback.disliked(10)
        assert (one.reply.text, one.asked and one.asked.key) == (WRONG, asked.key)
        assert await here.view.feedback.take_back(reply, ADA, rules=False)
        assert not await here.view.feedback.take_back(reply, ADA, rules=False)
        assert WRONG in await here.found("harbour gnomes") and not await listed(here)


async def test_an_answer_that_holds_a_confidence_comes_up_no_more_for_who_may_know_it_either(tmp_path: Path) -> None:
    """It is indexed in the confidence alone, which whoever speaks of the answer may not read."""
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        asked, reply = await answered(here)
        await here.view.confidences.put(asked.id, ADA, Discretion(("Bob",)))
        async with here.memory.db.transaction() as tx:
            whom = WithheldFrom(frozenset({ADA}), others=True)
            await here.view._binding.shared.confiding.put(tx, [reply.key], whom)
        inner = [one.domain for one in await confidences.within(here.memory.db, here.domain)]
        knowing = replace(here, view=here.memory.view(here.domain, inner))
        assert WRONG in await knowing.found("harbour gnomes") and WRONG not in await here.found("harbour gnomes")
        assert await here.view.feedback.dislike(reply, ADA, rules=True, act="a")
        assert WRONG not in await knowing.found("harbour gnomes")
        assert await here.view.feedback.take_back(reply, ADA, rules=True)
        assert WRONG in await knowing.found("harbour gnomes") and WRONG not in await here.found("harbour gnomes")


async def test_it_stands_while_one_who_may_say_it_does(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        _, reply = await answered(here)
        with pytest.raises(NotYours):
            await here.view.feedback.dislike(reply, BOB, rules=False, act="a")
        await here.view.feedback.dislike(reply, ADA, rules=False, act="a")
        await here.view.feedback.dislike(reply, BOB, rules=True, act="b")
        assert await here.view.feedback.take_back(reply, ADA, rules=False)
        assert await listed(here) == [WRONG]
        assert await here.view.feedback.take_back(reply, BOB, rules=True)
        assert not await listed(here)


class Lenient(Feedback):
    """Lets everybody say it of every answer."""

    async def _rights(self, reply: Exchange, who: Identity, *, rules: bool) -> Sequence[GivenBy]:
        return [GivenBy.ASKER]


@pytest.mark.parametrize("kind", [Feedback, Lenient], ids=["her", "the twin"])
async def test_nobody_else_says_it_or_takes_it_back(tmp_path: Path, kind: type[Feedback]) -> None:
    async with at_home(tmp_path) as here:
        _, reply = await answered(here)
        own = here.view.feedback
        theirs = kind(own._binding, own._messages, own._posts)
        guarded, said = kind is Feedback, 0
        for act in (partial(theirs.dislike, act="a"), theirs.take_back):
            with pytest.raises(NotYours) if guarded else nullcontext():
                said += await act(reply, BOB, rules=False)
        assert said == (0 if guarded else 2)
        await own.dislike(reply, ADA, rules=False, act="b")
        with pytest.raises(NotYours) if guarded else nullcontext():
            await theirs.take_back(reply, BOB, rules=False)
        assert (await listed(here) == [WRONG]) is guarded


async def test_it_is_forgotten_with_its_answer_and_nothing_says_who_gave_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        asked, reply = await answered(here)
        await here.view.feedback.dislike(reply, ADA, rules=False, act="a")
        await here.view.forget_message(asked.id)
        assert not await listed(here) and not await here.count("feedback")


async def test_an_act_that_is_taken_back_takes_back_what_it_said(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        _, reply = await answered(here)
        await here.view.feedback.dislike(reply, ADA, rules=False, act="$sign")
        await here.memory.kept.withdraw("console", "elsewhere", ["$other"])
        assert await listed(here)
        await here.memory.kept.withdraw("console", "elsewhere", ["$sign"])
        assert not await listed(here) and WRONG in await here.found("harbour gnomes")


async def test_the_next_prompt_says_so_and_no_digest_is_made_of_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        _, reply = await answered(here)
        await here.view.feedback.dislike(reply, ADA, rules=False, act="a")
        asked = await here.say("and the tower?")
        told = str((await request(here, asked)).messages[-1]["content"])
        assert "These answers of yours were not liked" in told and f"> Lyra: {WRONG}" in told
        [kept] = [one for one in await here.view.messages.window(here.session, 10) if one.key == reply.key]
        assert kept.disliked and kept.echo


async def test_the_one_that_is_meant_is_the_last_one_to_whoever_names_none(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        asked, first = await answered(here, "First.")
        _, second = await answered(here, "Second.")
        meant = here.view.feedback.target
        assert (await meant(here.session, "", ADA)).key == second.key
        assert (await meant(here.session, first.id[:8], ADA)).key == first.key
        assert (await meant(here.session, first.source_id, ADA)).key == first.key
        with pytest.raises(NotFound):
            await meant(here.session, "", BOB)
        with pytest.raises(NotFound):
            await meant(here.session, asked.id, ADA)


def test_each_of_them_lowers_her_mood_a_little() -> None:
    moods = [evolve(StateOfMind(), 0, 5, 0.5, 0.0, n).mood for n in (0, 1, 2, 100)]
    assert moods == sorted(moods, reverse=True) and moods[0] > moods[1] > moods[2] and moods[3] >= -0.2
