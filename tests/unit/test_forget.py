"""Forgetting: what goes, what stays, and a receipt that counts all that is gone, whoever erased it."""

import asyncio
from pathlib import Path

import pytest

from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.errors import NotFound, SourceGone
from memory.forget.affected_replies import AffectedReplies
from memory.forget.sparing import Nearness
from memory.journal.journal import Event, Part
from memory.ports import Entry
from memory.store.lineage import add_items, derive
from memory.tiers.episodes import EpisodeRules
from memory.types import Forgotten, Kind, NewExchange, SessionRef
from memory.view.view import Answer
from tests.kits.fresh import columns
from tests.kits.importing import imported, lines
from tests.kits.memory_kit import BagOfWords, Clock, Corner, Writer, answering, at_home, corner, opened, said

SECRET = "the parrot is called Xerxes"
FEW = ConsolidationRules(EpisodeRules(count=4))


async def digested(here: Corner, writer: Writer | None = None) -> None:
    """Close what there is and write its digests and summary."""
    writer = writer or Writer()
    consolidator = Deriving(here.memory).consolidator(here.domain, writer, Writer("extractive", extractive=True))
    await consolidator.close_episodes(here.session, asked=True)
    await consolidator.digest(here.session)
    await consolidator.summary(here.session)


async def holding(here: Corner, word: str) -> list[str]:
    """Return which columns of the whole file hold a word."""
    found = []
    for table, column in await columns(here.memory.db):
        rows = await here.memory.db.all(f"SELECT {column} AS held FROM {table}")
        if any(word.lower() in repr(row["held"]).lower() for row in rows):
            found.append(f"{table}.{column}")
    return sorted(found)


@pytest.mark.usefixtures("store")
async def test_a_message_goes_with_all_that_was_made_from_it(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords(), habits=FEW) as here:
        await here.memory.journal.accept("console", [Event("s1", "dm", SECRET)])
        secret = await here.say(SECRET, source="s1")
        others = [await here.say(f"an ordinary remark about tomatoes {n}") for n in range(40)]
        reply = await here.reply(f"You said {SECRET}", [secret.key], parts=[Part("p1", f"You said {SECRET}")])
        further = await here.reply("Xerxes, as I said", [reply.key])
        await digested(here, Writer(moves=[answering(Entry("Xerxes in Atlantis", ("m1",)))]))
        await here.view.embed()
        assert set(await holding(here, "Xerxes")) == {
            "digests.text", "exchanges.text", "inbox.payload", "outbox.text", "refusals.answer",
        }  # fmt: skip

        receipt = await here.view.forget_message(secret.id.upper() + "\n")
        assert await holding(here, "Xerxes") == []
        gone = {secret.key, reply.key, further.key}
        assert (receipt.messages, receipt.replies) == (1, 2) and receipt.digests >= 2
        for table in ("terms", "vectors", "exchanges"):
            assert not gone & {row["item"] for row in await here.memory.db.all(f"SELECT item FROM {table}")}, table
        assert not gone & {n for row in await here.memory.db.all("SELECT * FROM lineage") for n in (row["child"], row["parent"])}
        outbox = await here.memory.db.all("SELECT operation, state, text FROM outbox")
        under_way = [("delete", "attempting", "")]
        assert [(row["operation"], row["state"], row["text"]) for row in outbox] == under_way, "it may have arrived"
        assert await here.memory.journal.unfinished("console") == []
        assert sorted(await here.found("tomatoes", 100)) == sorted(e.text for e in others), "all others are found"

        await digested(here)
        assert await here.count("digests") > 0 and await holding(here, "Xerxes") == []


async def test_what_was_forgotten_is_refused_when_it_comes_again(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET, source="s1")
        await here.view.forget_message(secret.id)
        for _ in range(2):
            kept = await here.view.say(here.session, [said(SECRET, "s1"), said("something new", "s2")])
            assert kept.forgotten == 1
        assert [message.text async for _, message in here.view.messages.all()] == ["something new"]
        with pytest.raises(NotFound):
            await here.view.forget_message(secret.id)


async def test_without_its_tombstone_it_would_come_back(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.view.forget_message((await here.say(SECRET, source="s1")).id)
        async with here.memory.db.transaction() as tx:
            await tx.run("DELETE FROM tombstones")
            await tx.run("UPDATE items SET public_id = 'x' || id WHERE dead_at IS NOT NULL")
        assert len((await here.view.say(here.session, [said(SECRET, "s1")])).stored) == 1


async def test_a_reply_that_went_with_its_source_may_be_offered_again_and_stays_away(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET, source="s1")
        reply = await here.reply(f"You said {SECRET}", [secret.key])
        await here.view.forget_message(secret.id)
        again = NewExchange(Kind.REPLY, reply.text, reply.source_id, reply.said_at, "Lyra", "assistant")
        assert (await here.view.say(here.session, [again])).stored == []
        assert await here.view.answer(here.session, Answer(again, (), (), [Part("p1", reply.text)])) is None
        assert await holding(here, "Xerxes") == []


async def test_an_answer_from_what_was_forgotten_meanwhile_is_not_kept(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        await here.view.forget_message(secret.id)
        with pytest.raises(SourceGone):
            await here.reply(f"You said {SECRET}", [secret.key], parts=[Part("p1", SECRET)])
        assert await holding(here, "Xerxes") == []


async def test_a_session_goes_whole_and_leaves_the_others(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=FEW) as here:
        other = await here.view.sessions.get(SessionRef("console", "other"), "other")
        await here.say("the tomatoes are elsewhere", session=other)
        for n in range(120):
            await here.say(f"{SECRET} {n}")
        await digested(here)
        receipt = await here.view.forget_session(here.session)
        assert receipt.messages == 120 and receipt.digests > 30
        assert await holding(here, "Xerxes") == []
        assert await here.found("tomatoes") == ["the tomatoes are elsewhere"]
        assert await here.count("episodes") == 0 and await here.count("digests") == 0
        assert (await here.view.forget_session(here.session)).messages == 0


async def test_what_is_elsewhere_is_not_found(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        bob = await corner(here.memory, here.clock, "bob")
        with pytest.raises(NotFound):
            await bob.view.forget_message(secret.id)
        with pytest.raises(NotFound):
            await bob.view.forget_session(here.session)
        reader = here.memory.view(bob.domain, [here.domain])
        with pytest.raises(NotFound):
            await reader.forget_message(secret.id)
        assert await here.found("Xerxes") == [SECRET]


async def test_a_reply_in_another_place_of_the_same_person_goes_too(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        phone = await corner(here.memory, here.clock, "ada-phone")
        phone.view = here.memory.view(phone.domain, [here.domain])
        reply = await phone.reply(f"You said {SECRET}", [secret.key], echo=True, parts=[Part("p1", SECRET)])
        await here.view.forget_message(secret.id)
        assert reply.text not in [e.text for e in await phone.view.messages.window(phone.session, 10)]
        assert await holding(here, "Xerxes") == []


async def test_who_holds_a_session_while_all_of_it_is_forgotten_goes_on_in_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        bob = await corner(here.memory, here.clock, "bob")
        late = await corner(here.memory, here.clock, "ada", place="a place with a name")
        await late.say(SECRET)
        await late.view.forget_session(late.session)
        assert await holding(here, "Xerxes") == [] and "a place with a name" not in [
            s.name for s in await here.view.sessions.all()
        ]
        cy = await corner(here.memory, here.clock, "cy")
        await cy.say("what cy says")
        await bob.say("what bob says")
        await late.say("and now the tomatoes")
        assert [e.text for e in await cy.view.messages.window(cy.session, 10)] == ["what cy says"]
        assert [e.text for e in await late.view.messages.window(late.session, 10)] == ["and now the tomatoes"]
        again = await late.view.sessions.get(late.session.ref, "a new name")
        assert (again.key, again.name) == (late.session.key, "a new name")


async def test_a_notice_that_waits_to_be_sent_is_dropped_with_what_it_may_quote(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        await here.view.notices.queue(here.session, [Part("k", SECRET)], [])
        await here.view.forget_message(secret.id)
        assert await holding(here, "Xerxes") == []
        assert await here.memory.journal.take(here.session.ref.platform, here.session.ref.place) == []


async def test_what_a_reply_has_of_a_digest_of_more_messages_than_one_statement_takes_is_known(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        texts = ["the vault opens with quixotic", *(f"remark {n}" for n in range(410)), "the boat is Xerxes"]
        kept = await here.view.say(here.session, [said(text, f"many{n}") for n, text in enumerate(texts)])
        first, last = kept.stored[0], kept.stored[-1]
        async with here.memory.db.transaction() as tx:
            (digest,) = await add_items(tx, here.domain, "gist", ["a" * 26])
            await tx.run(
                "INSERT INTO digests (item, domain, session, tier, level, position, text, writer, extractive, first_at, last_at, made_at) "
                "VALUES (:item, :domain, :session, 'gist', 0, 0, :text, 'test', 0, 0, 0, 0)",
                {"item": digest, "domain": here.domain.key, "session": here.session.key, "text": f"{first.text}\n{last.text}"},
            )
            await derive(tx, digest, [one.key for one in kept.stored])
            cites = [{"digest": digest, "line": at, "item": one.key} for at, one in enumerate((first, last))]
            await tx.many("INSERT INTO cites (digest, line, item) VALUES (:digest, :line, :item)", cites)
        reply = await here.reply("It opens with quixotic", [digest])
        walk = AffectedReplies(here.memory.db, Nearness(BagOfWords()))
        assert await walk.along(here.domain, {one.key: [one.text] for one in kept.stored}) == {reply.key}


MANY = 60


@pytest.mark.parametrize("elsewhere", [False, True], ids=["housekeeping", "another process"])
async def test_what_is_erased_beside_it_meanwhile_is_counted(tmp_path: Path, elsewhere: bool) -> None:
    async with at_home(tmp_path) as here, opened(tmp_path / "lyra.db", clock=Clock()) as beside:
        await imported(here, "long", lines([f"line {n} of a long story" for n in range(MANY)]))
        forgetting = asyncio.create_task(here.view.forget_session(await here.view.sessions.find("long")))
        sweeper = beside if elsewhere else here.memory
        while not forgetting.done():
            await sweeper.sweep()
        assert await forgetting == Forgotten(MANY, 0, 0)
        assert await (await corner(beside, Clock())).found("story") == []
