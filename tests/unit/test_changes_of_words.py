"""When a platform says that a message was changed, its new words stand in its place and the old ones are nowhere."""

import asyncio
import random
import tempfile
from pathlib import Path

import pytest

from memory.core import ConsolidationRules
from memory.derive.pipeline import Piece
from memory.deriving import Deriving
from memory.errors import SourceGone
from memory.journal.journal import Event, Part
from memory.ports import Entry, Task
from memory.store.database import Transaction
from memory.tiers.episodes import EpisodeRules
from memory.types import MINUTE, Domain, Exchange
from memory.view.view import Answer
from tests.flow.test_forget_walk import WORDS, broken
from tests.kits.ladder_kit import PAIRS, Teller, climbed, standing
from tests.kits.memory_kit import BagOfWords, Clock, Corner, Writer, answering, at_home, copied, corner, cornered
from tests.kits.size import examples
from tests.unit.test_consolidate_checks import digest, gists
from tests.unit.test_forget import digested, holding
from tests.unit.test_journal import reply
from tests.unit.test_recall_vectors import Moody

OLD = "the parrot is called Xerxes"
NEW = "the parrot is called Humphrey"
FEW = ConsolidationRules(EpisodeRules(count=4))


async def revised(here: Corner, message: Exchange, text: str = NEW, at: int = 1) -> bool:
    """Say at the place of a message that it has other words."""
    return await here.memory.kept.revise("console", "dm", message.source_id, text, at)


async def test_a_changed_message_keeps_its_id_and_its_place_and_is_found_by_its_new_words(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        await here.say("I have a parrot")
        message = await here.say(OLD)
        await here.say("it is green")
        await here.view.embed()
        assert await here.found("Xerxes")
        assert await revised(here, message)
        assert [e.text for e in await here.view.messages.window(here.session, 10)] == ["I have a parrot", NEW, "it is green"]
        found = (await here.view.recall.messages("Humphrey", 1))[0].exchange
        assert (found.id, found.key, found.said_at) == (message.id, message.key, message.said_at)
        assert OLD not in await here.found("Xerxes")
        assert await here.view.embed() == 1, "its meaning is looked up anew"


async def test_the_old_words_find_nothing_any_more(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        message = await here.say(OLD)
        assert await here.found("Xerxes") == [OLD] and await here.found("Humphrey") == []
        await revised(here, message)
        assert await here.found("Xerxes") == [] and await here.found("Humphrey") == [NEW]


async def test_of_changes_that_come_at_once_the_newest_stands(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        message = await here.say("one")
        await asyncio.gather(*(revised(here, message, f"words {at}", at) for at in (3, 5, 2, 4)))
        assert [e.text for e in await here.view.messages.window(here.session, 10)] == ["words 5"]


async def test_the_newest_words_stand_in_whatever_order_they_come(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        message = await here.say("one", source="s1")
        assert await revised(here, message, "three", 30)
        assert not await revised(here, message, "two", 20), "an older change that comes late"
        assert not await revised(here, message, "other", 30) and not await revised(here, message, "three", 40)
        assert not await revised(here, message, "", 20), "nor does an older one take it back"
        assert [e.text for e in await here.view.messages.window(here.session, 10)] == ["three"]
        assert await revised(here, message, "four", 50)


async def test_what_is_not_kept_or_is_hers_or_elsewhere_is_not_changed(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        message = await here.say("one", source="s1")
        answer = await here.reply("two", [message.key])
        for platform, place, id in (("console", "elsewhere", "s1"), ("matrix", "dm", "s1"), ("console", "dm", "s9")):
            assert not await here.memory.kept.revise(platform, place, id, "changed", 1)
        assert not await revised(here, answer, "changed")
        assert [e.text for e in await here.view.messages.window(here.session, 10)] == ["one", "two"]


async def test_the_old_words_leave_every_table(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords(), habits=FEW) as here:
        message = await here.say(OLD, source="s1")
        others = [await here.say(f"an ordinary remark about tomatoes {n}") for n in range(40)]
        repeating = await here.reply("So the parrot is Xerxes", [message.key], parts=[Part("p1", "Xerxes it is")])
        further = await here.reply("Xerxes, as I said", [repeating.key])
        kept = await here.reply(
            "A fine name for a bird like that",
            [repeating.key, others[0].key],
            parts=[Part("p2", "A fine name for a bird like that")],
        )
        await here.view.notices.queue(here.session, [Part("p3", "found: Xerxes"), Part("p4", "found: tomatoes")], [])
        await here.memory.journal.take("console", "dm")
        await digested(here, Writer(moves=[answering(Entry("Xerxes in Atlantis", ("m1",)))]))
        await here.view.embed()
        before = await here.count("digests")
        assert set(await holding(here, "Xerxes")) == {"digests.text", "exchanges.text", "outbox.text", "refusals.answer"}

        assert await revised(here, message)
        assert await holding(here, "Xerxes") == []
        assert 0 < await here.count("digests") < before
        texts = [e.text async for _, e in here.view.messages.all()]
        assert texts == [NEW, *(e.text for e in others), kept.text]
        rows = await here.memory.db.all("SELECT key, state FROM outbox WHERE text <> '' ORDER BY id")
        assert [row["key"] for row in rows] == ["p2", "p4"], "what does not repeat them goes out"
        assert not {repeating.key, further.key} & {row["item"] for row in await here.memory.db.all("SELECT item FROM terms")}

        await digested(here)
        assert await here.count("digests") == before and await holding(here, "Xerxes") == []
        assert "Humphrey" in "\n".join(text for text, _ in await gists(here))
        await here.view.forget_message(message.id)
        assert kept.text in [e.text async for _, e in here.view.messages.all()], (
            "what it cited is gone, and it holds nothing of this"
        )


async def test_a_reply_elsewhere_that_repeats_the_old_words_goes_too(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        message = await here.say(OLD)
        phone = await corner(here.memory, here.clock, "ada-phone")
        phone.view = here.memory.view(phone.domain, [here.domain])
        await phone.reply(f"You said {OLD}", [message.key], echo=True, parts=[Part("p1", OLD)])
        await phone.reply("The parrot is well", [message.key], echo=True)
        await revised(here, message)
        assert await holding(here, "Xerxes") == []
        both = here.memory.view(phone.domain, [here.domain])
        assert [e.text for e in await both.messages.window(phone.session, 10)] == ["The parrot is well"]
        assert await here.memory.view(phone.domain).messages.window(phone.session, 10) == [], (
            "where what it rests on may not be read, it is not shown"
        )


async def test_no_words_take_a_message_back(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        message = await here.say(OLD)
        assert await revised(here, message, " \n")
        assert await holding(here, "Xerxes") == []
        assert message.id in (tmp_path / "tombstones.log").read_text().split()
        assert not await revised(here, message, OLD, 99)


async def test_what_was_given_up_does_not_keep_the_old_words_either(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        (heard,) = await here.memory.journal.accept("console", [Event("s1", "dm", OLD)])
        message = await here.say(OLD, source="s1")
        await here.memory.journal.hold([heard.key], "no model", 1)
        assert await revised(here, message)
        assert await holding(here, "Xerxes") == [] and await here.memory.journal.parked() == 1


@pytest.mark.parametrize("guarded", [True, False])
async def test_an_answer_to_words_that_were_changed_meanwhile_is_not_kept(tmp_path: Path, guarded: bool) -> None:
    async with at_home(tmp_path) as here:
        asked = await here.say(OLD)
        await revised(here, asked)
        answer = Answer(reply(f"You said {OLD}"), [asked.key], [], [], [asked] if guarded else [])
        if guarded:
            with pytest.raises(SourceGone):
                await here.view.answer(here.session, answer)
        else:
            await here.view.answer(here.session, answer)
        assert (await holding(here, "Xerxes") == []) is guarded


async def test_an_answer_to_what_was_forgotten_meanwhile_is_not_kept_whatever_it_rests_on(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        asked = await here.say(OLD)
        await here.view.forget_message(asked.id)
        with pytest.raises(SourceGone):
            await here.view.answer(here.session, Answer(reply(), [], [], [], [asked]))


async def unchecked(_: Piece[object], __: Transaction, ___: Domain) -> bool:
    """Publish without looking again at what was read."""
    return True


@pytest.mark.parametrize("looking", [True, False])
async def test_what_is_changed_while_the_writer_works_is_digested_as_it_is_now(
    tmp_path: Path, looking: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not looking:
        monkeypatch.setattr(Piece, "as_read", unchecked)
    async with at_home(tmp_path, habits=FEW) as here:
        message = await here.say(OLD)
        await here.say("it is green")

        async def changes(task: Task) -> list[Entry]:
            await revised(here, message)
            return copied(task)

        work = Deriving(here.memory).consolidator(here.domain, Writer(moves=[changes]), Writer("extractive", extractive=True))
        await work.close_episodes(here.session, asked=True)
        await work.digest(here.session)
        (text,) = [text for text, _ in await gists(here)]
        assert ("Humphrey" in text, "Xerxes" in text) == (looking, not looking)
        assert await here.count("claims") == 0


async def test_a_draft_that_was_refused_goes_with_the_words_it_was_made_from(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=FEW) as here:
        message = await here.say(OLD)
        await digest(here, Writer(moves=[answering(Entry("Xerxes in Atlantis", ("m1",)))]))
        assert "refusals.answer" in await holding(here, "Xerxes")
        await revised(here, message)
        assert await holding(here, "Xerxes") == []


async def test_no_draft_is_kept_that_is_refused_after_its_source_was_changed(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=FEW) as here:
        message = await here.say(OLD)

        async def changes(task: Task) -> list[Entry]:
            await revised(here, message)
            return [Entry("Xerxes in Atlantis", ("m1",))]

        await digest(here, Writer(moves=[changes]))
        assert await holding(here, "Xerxes") == []
        assert [text for text, _ in await gists(here)] == [NEW]


async def test_what_is_changed_while_it_is_embedded_gets_the_vector_of_its_new_words(tmp_path: Path) -> None:
    embedder = Moody()
    async with at_home(tmp_path, embedder=embedder) as here:
        message = await here.say("tomatoes")
        embedder.asked, embedder.meanwhile = asyncio.Event(), asyncio.Event()
        embedding = asyncio.create_task(here.view.embed())
        await embedder.asked.wait()
        await revised(here, message, "guitars")
        embedder.meanwhile.set()
        await embedding
        embedder.asked = None
        (stored,) = await here.memory.db.all("SELECT vector FROM vectors")
        other = await corner(here.memory, here.clock, "bob")
        await other.say("guitars", at=message.said_at)
        await other.view.embed()
        (_, same) = await here.memory.db.all("SELECT vector FROM vectors ORDER BY item")
        assert stored["vector"] == same["vector"]


async def walk(folder: Path, seed: int) -> None:
    """Change and take back at random; what stands is what was said last, and all that is derived rests on it."""
    chance = random.Random(seed)
    clock = Clock()
    habits = ConsolidationRules(EpisodeRules(count=3, idle_minutes=60, least=2))
    async with cornered(folder / "lyra.db", None, clock=clock, embedder=BagOfWords(), habits=habits) as here:
        stands: dict[str, str] = {}
        spent = 0
        for step in range(60):
            match chance.choices(["say", "reply", "change", "take back", "digest", "embed"], [6, 3, 5, 1, 3, 1])[0]:
                case "say":
                    message = await here.say(" ".join(chance.choices(WORDS, k=3)))
                    stands[message.source_id] = message.text
                case "reply" if stands:
                    sources = [e.key for e in chance.sample(await here.view.messages.window(here.session, 4), 1)]
                    await here.reply(" ".join(chance.choices(WORDS, k=2)), sources)
                case "change" if stands:
                    id, spent = chance.choice(list(stands)), spent + 1
                    stands[id] = f"{chance.choice(WORDS)} {spent}"
                    assert await here.memory.kept.revise("console", "dm", id, stands[id], step + 1)
                case "take back" if stands:
                    id = chance.choice(list(stands))
                    assert await here.memory.kept.withdraw("console", "dm", [id])
                    del stands[id]
                case "digest":
                    await digest(here, Writer())
                case "embed":
                    await here.view.embed()
            clock.forward(MINUTE)
            assert await broken(here) == [], f"after step {step}"
            rows = await here.memory.db.all("SELECT source_id, text FROM exchanges WHERE kind = 'said'")
            assert {row["source_id"]: row["text"] for row in rows} == stands
        await digest(here, Writer())
        texts = {message.text async for _, message in here.view.messages.all()}
        assert {text for word in [*WORDS, *map(str, range(spent))] for text in await here.found(word)} <= texts
        assert {line.removeprefix("Lyra: ") for text, _ in await gists(here) for line in text.splitlines()} <= texts


@pytest.mark.parametrize("seed", range(examples(2)))
def test_what_was_said_last_is_what_is_kept_found_and_digested(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(walk(Path(folder), seed))


async def test_a_message_that_was_emptied_is_read_nowhere_until_an_edit_gives_it_words_again(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        message = await here.say(OLD)
        await here.say("I fed the cat")
        reply = await here.reply(f"So {OLD}", [message.key])
        await climbed(here, Teller())
        assert await here.memory.kept.revise("console", "dm", message.source_id, "", 10, stays=True)
        assert await here.found("Xerxes") == [] and reply.text not in await here.found("Humphrey")
        assert [e.text for e in await here.view.messages.window(here.session, 10)] == ["I fed the cat"]
        await climbed(here, Teller())
        told = [digest.text for _, digest in await here.view.digests.all()] + await standing(here, "profile")
        assert told and not any("Xerxes" in text for text in told)
        assert not await revised(here, message, "Xerxes came late", 5), "an older edit"
        assert await revised(here, message, NEW, 20)
        assert (await here.found("Humphrey"))[0] == NEW
        assert await revised(here, message, "", 30) and NEW not in await here.found("Humphrey")


async def test_a_message_that_was_emptied_is_counted_neither_as_kept_nor_as_a_reply_that_is_forgotten(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        message = await here.say(OLD)
        await here.say("I fed the cat")
        assert await here.memory.kept.revise("console", "dm", message.source_id, "", 10, stays=True)
        assert await here.view.messages.count() == len([one async for one in here.view.messages.all()])
        assert (await here.view.forget_message(message.id)).replies == 0
