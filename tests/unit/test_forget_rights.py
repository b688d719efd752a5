"""Forgetting by right: in a shared place everybody may take back their own words, and nobody else's."""

from pathlib import Path

import pytest

from memory.errors import NotFound, NotYours
from memory.journal.journal import Part
from memory.types import Exchange, Identity, Kind, NewExchange, Session
from memory.view.view import Answer
from tests.kits.memory_kit import Corner, at_home, corner, said

ADA = Identity("console", "ada")
BOB = Identity("console", "bob")


async def says(here: Corner, who: Identity, text: str, source: str, session: Session | None = None) -> Exchange:
    """Keep one message of somebody's."""
    new = NewExchange(Kind.SAID, text, source, here.clock.now(), who.native_id.title(), "user", who)
    return (await here.view.say(session or here.session, [new])).stored[0]


async def answers(here: Corner, asked: list[Exchange], recalled: list[Exchange], source: str, *, marked: bool = True) -> Exchange:
    """Keep one reply to messages that also rests on recalled ones; unmarked as replies of older versions are."""
    new = NewExchange(Kind.REPLY, f"reply {source}", source, here.clock.now() + 1, "Lyra", "assistant")
    sources = [e.key for e in (*asked, *recalled)]
    stored = await here.view.answer(here.session, Answer(new, sources, (), (), asked if marked else ()))
    assert stored
    return stored.exchange


async def left(here: Corner) -> list[str]:
    """Return what is still kept."""
    return [e.text async for _, e in here.view.messages.all()]


async def test_everybody_may_take_back_what_they_said_and_nobody_else(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        tea = await says(here, ADA, "I like tea", "s1")
        with pytest.raises(NotYours, match="Only whoever said it, or an admin, can have it forgotten."):
            await here.view.forget_message(tea.id, BOB)
        with pytest.raises(NotYours):
            await here.view.forget_message(tea.id, Identity("matrix", "ada"))
        assert await left(here) == ["I like tea"]
        assert (await here.view.forget_message(tea.id, ADA)).messages == 1
        with pytest.raises(NotFound):
            await here.view.forget_message(tea.id, BOB)


async def test_without_a_by_everything_may_go(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        tea = await says(here, ADA, "I like tea", "s1")
        assert (await here.view.forget_message(tea.id)).messages == 1


async def test_what_nobody_is_known_to_have_said_is_nobodys(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        (imported,) = (await here.view.say(here.session, [said("from a file", "s1")])).stored
        with pytest.raises(NotYours):
            await here.view.forget_message(imported.id, ADA)
        assert (await here.view.forget_all(ADA)).messages == 0


async def test_a_reply_belongs_to_those_it_answers_whatever_it_recalls(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        mine, his = await says(here, ADA, "and tea?", "s1"), await says(here, BOB, "I like coffee", "s2")
        reply = await answers(here, [mine], [his], "r1")
        both = await answers(here, [mine, his], [], "r2")
        (nobodys,) = (await here.view.say(here.session, [said("from a file", "s3")])).stored
        partly = await answers(here, [mine, nobodys], [], "r3")
        for forgotten, by in ((reply, BOB), (both, ADA), (both, BOB), (partly, ADA)):
            with pytest.raises(NotYours):
                await here.view.forget_message(forgotten.id, by)
        assert (await here.view.forget_message(reply.id, ADA)).replies == 1
        assert (await here.view.forget_message(both.id)).replies == 1
        assert await left(here) == ["and tea?", "I like coffee", "from a file", "reply r3"]


async def test_a_reply_of_an_older_version_belongs_to_those_it_rests_on(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        mine, his = await says(here, ADA, "and tea?", "s1"), await says(here, BOB, "I like coffee", "s2")
        both = await answers(here, [mine], [his], "r1", marked=False)
        alone = await answers(here, [mine], [], "r2", marked=False)
        nobodys = await answers(here, [], [], "r3", marked=False)
        for forgotten in (both, nobodys):
            with pytest.raises(NotYours):
                await here.view.forget_message(forgotten.id, ADA)
        assert (await here.view.forget_message(alone.id, ADA)).replies == 1


async def test_of_a_session_only_their_own_words_go_with_what_rests_on_them(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        other = await here.view.sessions.get(await here.view.sessions.active("console", "other"), "other")
        mine, his = await says(here, ADA, "and tea?", "s1"), await says(here, BOB, "I like coffee", "s2")
        await says(here, ADA, "elsewhere", "s3", other)
        await answers(here, [mine], [], "r1")
        await answers(here, [his], [], "r2")
        receipt = await here.view.forget_session(here.session, ADA)
        assert (receipt.messages, receipt.replies) == (1, 1)
        assert await left(here) == ["I like coffee", "elsewhere", "reply r2"]
        assert (await here.view.forget_session(here.session)).messages == 1
        assert await left(here) == ["elsewhere"]


async def test_all_of_a_domain_goes_or_all_that_somebody_said_there(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        away = await corner(here.memory, here.clock, "bob")
        await says(away, ADA, "far away", "s0")
        other = await here.view.sessions.get(await here.view.sessions.active("console", "other"), "other")
        for n, (who, session) in enumerate([(ADA, here.session), (BOB, here.session), (ADA, other), (BOB, other)]):
            await says(here, who, f"{who.native_id} {n}", f"s{n + 1}", session)
        assert (await here.view.forget_all(ADA)).messages == 2
        assert await left(here) == ["bob 1", "bob 3"]
        assert (await here.view.forget_all()).messages == 2
        assert await left(here) == [] and await left(away) == ["far away"]


async def test_who_has_nothing_to_take_back_changes_nothing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await says(here, ADA, "I like tea", "s1")
        await here.view.notices.queue(here.session, [Part("k1", "a notice for Ada")], [])
        for forgotten in (await here.view.forget_all(BOB), await here.view.forget_session(here.session, BOB)):
            assert (forgotten.messages, forgotten.replies, forgotten.digests) == (0, 0, 0)
        assert [row.part.text for row in await here.memory.journal.take("console", "dm")] == ["a notice for Ada"]
        assert not (tmp_path / "tombstones.log").exists()


async def test_a_message_is_found_by_its_place_and_the_platforms_id(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        bob = await corner(here.memory, here.clock, "bob")
        tea = await says(here, ADA, "I like tea", "s1")
        reply = await here.reply("So do I", [tea.key], parts=[Part("k1", "So do I")])
        (row,) = await here.memory.journal.take("console", "dm")
        assert await here.view.messages.find("console", "dm", "") is None
        await here.memory.journal.sent(row.row, "remote 1")
        assert await here.view.messages.find("console", "dm", "s1") == tea
        assert await here.view.messages.find("console", "dm", "remote 1") == reply
        for platform, place, source in (("console", "elsewhere", "s1"), ("matrix", "dm", "s1"), ("console", "dm", "s2")):
            assert await here.view.messages.find(platform, place, source) is None
        assert (
            await bob.view.messages.find("console", "dm", "s1") is None
            and await bob.view.messages.find("console", "dm", "remote 1") is None
        )
