"""What no gist covers yet: counted from what waits, it is the same as counted from everything."""

from pathlib import Path

from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.places.confidences import common_talk
from memory.tiers.episodes import EpisodeRules
from memory.types import MINUTE, Discretion, Identity, Kind, NewExchange
from memory.view.view import Answer
from tests.kits.memory_kit import DAY, Corner, Writer, at_home

ADA = Identity("console", "ada")
TWO = ConsolidationRules(EpisodeRules(count=2))
# The obvious reading: every message, and whether a gist stands where its episode does.
EVERYTHING = (
    "SELECT e.session, count(*) AS n FROM exchanges e LEFT JOIN episodes p ON p.id = e.episode "
    "LEFT JOIN digests d ON d.session = p.session AND d.tier = 'gist' AND d.position = p.position "
    f"WHERE e.kind IN ('said', 'reply') AND d.item IS NULL AND {common_talk('e')} GROUP BY e.session HAVING min(e.echo) = 0"
)


async def waiting(here: Corner) -> tuple[int, int]:
    """Return the conversations with messages in no gist and the number of these, and that both readings agree."""
    rows = await here.memory.db.all(EVERYTHING)
    backlog = await here.memory.backlog()
    assert (backlog.dirty, backlog.unsummarized_total) == (len(rows), sum(row["n"] for row in rows))
    return backlog.dirty, backlog.unsummarized_total


async def digested(here: Corner) -> None:
    """Close what is over, and write what is due."""
    work = Deriving(here.memory).consolidator(here.domain, Writer(), Writer("extractive", extractive=True))
    await work.close_episodes(here.session)
    await work.digest(here.session)


async def test_what_waits_is_counted_at_every_step(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=TWO) as here:
        assert await waiting(here) == (0, 0)
        messages = [await here.say(f"remark {n} about the garden") for n in range(5)]
        assert await waiting(here) == (1, 5), "in no episode"
        work = Deriving(here.memory).consolidator(here.domain, Writer(), Writer("extractive", extractive=True))
        await work.close_episodes(here.session)
        assert await waiting(here) == (1, 5), "in episodes without a gist"
        await digested(here)
        assert await waiting(here) == (1, 1), "but the open end"
        await here.view.forget_message(messages[0].id)
        assert await waiting(here) == (1, 2), "what stood in a gist with it waits again"
        await digested(here)
        here.clock.forward(DAY)
        await digested(here)
        assert (await waiting(here))[1] < 2


async def asks(here: Corner, text: str, discretion: Discretion | None = None) -> None:
    """Have Ada ask something, and Lyra answer it."""
    here.said += 1
    here.clock.forward(MINUTE)
    new = NewExchange(Kind.SAID, text, f"q{here.said}", here.clock.now(), "Ada", "user", ADA, discretion=discretion)
    asked = (await here.view.say(here.session, [new])).stored
    reply = NewExchange(Kind.REPLY, "I see.", f"reply:q{here.said}", here.clock.now(), "Lyra", "assistant")
    assert await here.view.answer(here.session, Answer(reply, {asked[0].key}, (), (), asked))


async def test_what_is_told_in_confidence_brings_no_conversation_of_the_others_nearer_to_its_end(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ConsolidationRules(EpisodeRules(count=4))) as here:
        for surprise in range(3):
            await asks(here, f"we plan surprise number {surprise}", Discretion(("Ben",)))
        await asks(here, "the garden is closed")
        assert await waiting(here) == (1, 2)
        await digested(here)
        assert await waiting(here) == (1, 2), "the conversation of all goes on: it has two messages"
        await here.view.confidences.end_all(ADA)
        await digested(here)
        assert await waiting(here) == (0, 0), "told to all, they count"
