"""Messages and what stands above them are found in one list, and each leads back to what was said."""

from pathlib import Path

from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.index.hits import Condensed, Hit
from memory.ports import Entry
from memory.tiers.episodes import EpisodeRules
from tests.kits.memory_kit import BagOfWords, Corner, Writer, answering, at_home

HABITS = ConsolidationRules(EpisodeRules(count=2))


async def digested(here: Corner, text: str) -> None:
    """Have the two messages of an episode told as one gist."""
    writer = Writer(moves=[answering(Entry(text, ("m1", "m2")))])
    work = Deriving(here.memory).consolidator(here.domain, writer, Writer())
    await work.close_episodes(here.session)
    await work.digest(here.session)


async def test_a_gist_stands_among_messages_and_names_what_it_rests_on(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=HABITS) as here:
        said = [await here.say("we took the ferry to Lisbon"), await here.say("the ferry was late")]
        await digested(here, "Ada took the ferry, which was late, to Lisbon.")
        await here.say("a remark on gardens")
        found = await here.view.recall.everything("the ferry to Lisbon", 10)
        gists = [hit for hit in found if isinstance(hit, Condensed)]
        assert [(gist.tier, gist.where) for gist in gists] == [("gist", "dm")]
        assert [message.key for message in gists[0].sources] == [one.key for one in said]
        assert gists[0].why[0].startswith("words: ferry")
        assert {hit.exchange.key for hit in found if isinstance(hit, Hit)} >= {one.key for one in said}
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


async def test_what_answers_best_comes_first_whatever_it_is(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=HABITS, embedder=BagOfWords(dimension=512)) as here:
        await here.say("we took the ferry")
        await here.say("it was late in Lisbon")
        await digested(here, "Ada took a ferry to Lisbon and arrived late.")
        for n in range(8):
            await here.say(f"a remark on gardens {n}")
        await here.view.embed()
        whole, part = await here.view.recall.everything("ferry Lisbon late", 1), await here.view.recall.everything("gardens 5", 1)
        assert isinstance(whole[0], Condensed), "the gist holds all three words"
        assert isinstance(part[0], Hit) and part[0].exchange.text == "a remark on gardens 5"


async def test_digests_take_no_place_from_messages_where_they_are_not_asked_for(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=HABITS) as here:
        await here.say("we took the ferry")
        await here.say("it was late in Lisbon")
        before = [(hit.exchange.id, hit.score) for hit in await here.view.recall.messages("ferry Lisbon late", 10)]
        await digested(here, "Ada took a ferry to Lisbon and arrived late.")
        after = [(hit.exchange.id, hit.score) for hit in await here.view.recall.messages("ferry Lisbon late", 10)]
        assert after == before != []
