"""What is looked for where no model answers: each part of a question by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.context.turn_retrieval import SearchResult, search_parts
from bot.models.offline.voice import VoiceQuestion
from memory.types import Exchange, Session
from memory.view.view import View
from tests.kits.ladder_kit import PAIRS, Teller, climbed
from tests.kits.memory_kit import Corner, at_home, utc


@dataclass(frozen=True)
class Asked:
    """A turn, as far as it is looked at."""

    view: View
    session: Session
    questions: Sequence[Exchange] = ()


async def looked_for(here: Corner, text: str) -> SearchResult:
    """Return what comes up for a question of Ada's."""
    question = VoiceQuestion(text, "Ada", here.clock.now(), "UTC")
    return await search_parts(Asked(here.view, here.session), question)


async def test_facts_and_months_are_brought_where_they_are_asked_for(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for day, text in (("2025-05-02", "the boat was bought"), ("2025-05-20", "it leaks")):
            await here.say(text, at=utc(day))
        nothing = await looked_for(here, "what do you know about me?")
        assert not nothing.above and nothing.hits == [], "of what was said nothing is about her"
        await climbed(here, Teller())
        facts = {one.text for one in await here.view.digests.statements("profile")}
        assert facts and {one.text for one in (await looked_for(here, "what do you know about me?")).above} == facts
        month = await looked_for(here, "what happened in May 2025?")
        assert [one.text for one in month.above] == ["the boat was bought", "it leaks"]
        assert {hit.exchange.text for hit in month.hits} == {"the boat was bought", "it leaks"}
        assert not (await looked_for(here, "where is the boat?")).above
