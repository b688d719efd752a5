"""Posts of hers as platforms show them, and answers whose words had to go before anybody could read them."""

from pathlib import Path

import pytest

from memory.errors import SourceGone
from memory.journal.journal import Part, UnseenAnswer
from memory.types import DomainKind, DomainRef, Kind, NewExchange, SessionRef
from memory.view.view import Answer
from tests.kits.memory_kit import BagOfWords, Corner, at_home, said
from tests.unit.test_seen import CODE, replied, texts


async def sent_as(here: Corner, remote: str) -> None:
    """Have all that waits to be sent arrive under one id of the platform."""
    for row in await here.memory.journal.take("console", "dm"):
        await here.memory.journal.sent(row.row, remote)


@pytest.mark.parametrize("notice", [False, True], ids=["reply", "notice"])
async def test_a_post_that_holds_something_of_another_place_passes_it_on_and_is_shown_only_where_that_may_be_read(
    tmp_path: Path, notice: bool
) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        channel = await here.memory.places.domain(DomainRef(DomainKind.CHANNEL, "console", "c"), "UTC", here.clock.now())
        there = here.memory.view(channel)
        session = await there.sessions.get(SessionRef("console", "channel"), "channel")
        (plan,) = (await there.say(session, [said("the launch is on Friday in Oslo", "p1")])).stored
        wide, narrow = here.memory.view(here.domain, [channel]), here.view
        here.view = wide
        asked, again = await here.say("when is the launch?"), await here.say("is that right?")
        if notice:
            await wide.notices.queue(here.session, [Part("k", "The launch is on Friday in Oslo.")], [], shows=[plan.key])
        else:
            new = NewExchange(Kind.REPLY, "The launch is on Friday in Oslo.", "r", here.clock.now(), "Lyra", "assistant")
            answer = Answer(new, (), (), [Part("k", new.text)], [asked], seen={plan.key: plan.text}, begun=here.clock.now())
            await wide.answer(here.session, answer)
        await sent_as(here, "post")
        assert await wide.posts.may_be_shown("console", ["post", "another"]) == {"post": True}
        assert await narrow.posts.may_be_shown("console", ["post"]) == {"post": False}
        repeated = await replied(here, "Friday, in Oslo.", again, asides=["post"])
        assert repeated.text not in [one.text for one in await narrow.messages.window(here.session, 20)]
        assert repeated.text in [one.text for one in await wide.messages.window(here.session, 20)]
        await there.forget_message(plan.id)
        assert await wide.posts.may_be_shown("console", ["post"]) == {"post": False}
        assert repeated.text not in await texts(here)
        assert await narrow.posts.count_left() == 1


async def test_a_notice_that_shows_what_was_forgotten_meanwhile_is_not_queued(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code = await here.say(CODE)
        await here.view.forget_message(code.id)
        with pytest.raises(SourceGone):
            await here.view.notices.queue(here.session, [Part("k", CODE)], [], shows=[code.key])
        assert await here.memory.journal.take("console", "dm") == []


async def test_a_preview_that_no_answer_took_the_place_of_is_not_shown(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.view.preview(here.session, Part("p", "It is 4"), "q")
        (row,) = await here.memory.journal.take("console", "dm", ["p"])
        await here.memory.journal.sent(row.row, "post")
        assert await here.view.posts.may_be_shown("console", ["post"]) == {"post": False}


PLACE = "dm"


async def unseen(here: Corner) -> list[UnseenAnswer]:
    return await here.memory.journal.unseen_answers("console", 0)


async def answered(here: Corner, key: str, *, waits: bool) -> str:
    """Answer a question from what was said, in two parts; the first waits to be sent, or is under way. Return the id of what was said."""
    secret = await here.say("the parrot is called Xerxes")
    await here.reply("It is Xerxes.", [secret.key], parts=[Part(key, "It is"), Part(f"{key} 2", "Xerxes.")])
    if waits:
        rows = await here.memory.db.all("SELECT id FROM outbox WHERE key = :key", {"key": key})
        await here.memory.journal.again([row["id"] for row in rows])
    return secret.id


@pytest.mark.parametrize("waits", [True, False], ids=["waiting", "under way"])
async def test_what_goes_before_it_arrived_is_unseen_until_something_else_is_said_there(tmp_path: Path, waits: bool) -> None:
    async with at_home(tmp_path) as here:
        secret = await answered(here, "one", waits=waits)
        assert await unseen(here) == []
        await here.view.forget_message(secret)
        (lost,) = await unseen(here)
        assert (lost.key, lost.domain, lost.place) == ("one", here.domain.key, PLACE)
        assert await here.memory.journal.unseen_answers("discord", 0) == []
        assert await here.memory.journal.unseen_answers("console", here.clock.now() + 1) == [], "too old by then"
        await here.view.notices.queue(here.session, [Part("told", "I answer nothing here.")], (), lost.question)
        assert await unseen(here) == []


async def test_what_arrived_before_its_words_went_was_seen(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await answered(here, "one", waits=False)
        (row,) = await here.memory.db.all("SELECT id FROM outbox WHERE key = 'one'")
        await here.memory.journal.sent(row["id"], "post", "one 2")
        await here.view.forget_message(secret)
        assert await unseen(here) == []
