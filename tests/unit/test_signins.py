"""For how long a link and a cookie are worth something, whatever the clock does meanwhile."""

from bot.web.signins import COOKIE_DAYS, LINK_MINUTES, SignIns
from memory.core import Memory
from memory.types import DAY, MINUTE, Identity
from tests.kits.memory_kit import Clock

ADA = Identity("console", "ada")


async def test_a_link_and_a_cookie_made_while_the_clock_was_a_year_ahead_are_worth_nothing_afterwards(
    memory: Memory, clock: Clock
) -> None:
    signins = SignIns(memory.settings, clock)
    clock.forward(365 * DAY)
    cookie = await signins.redeem_link(await signins.create_link(ADA))
    link = await signins.create_link(ADA)
    assert cookie and await signins.signed_in(cookie)
    clock.forward(-365 * DAY)
    assert await signins.signed_in(cookie) is None and await signins.redeem_link(link) is None


async def test_a_clock_that_goes_back_a_little_takes_neither_away(memory: Memory, clock: Clock) -> None:
    signins = SignIns(memory.settings, clock)
    link = await signins.create_link(ADA)
    clock.forward(-LINK_MINUTES * MINUTE // 2)
    cookie = await signins.redeem_link(link)
    assert cookie
    clock.forward(-COOKIE_DAYS * DAY // 2)
    assert await signins.signed_in(cookie)
