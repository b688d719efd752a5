"""How long a place keeps what is said there: as whoever runs it set it, its threads included, and no other place."""

import json
from pathlib import Path

from memory.types import DAY, DomainKind, DomainRef, Kind, NewExchange, SessionRef
from tests.kits.memory_kit import at_home


async def test_a_place_with_a_time_of_its_own_lets_go_sooner_and_no_other_does(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        memory, clock = home.memory, home.clock
        domain = await memory.places.domain(DomainRef(DomainKind.SERVER, "discord", "1"), "UTC", clock.now())
        view = memory.view(domain)
        places = [json.dumps(key) for key in (["1", "2", ""], ["1", "2", "9"], ["1", "23", ""])]
        for at, place in enumerate(places):
            session = await view.sessions.get(SessionRef("discord", place), f"place {at}")
            await view.say(session, [NewExchange(Kind.SAID, f"said at {at}", f"m{at}", clock.now(), "Ada")])

        async def kept() -> list[str]:
            return [message.text async for _, message in view.messages.all()]

        await memory.settings.set(f"place:discord:{places[0]}", "retention", "2")
        assert await memory.expire() == 0
        clock.forward(3 * DAY)
        assert await memory.expire() == 2
        assert await kept() == ["said at 2"]
