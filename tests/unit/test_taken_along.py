"""What goes with an answer that goes: what holds something of what is forgotten, and not the rest of the conversation, one after the other."""

from pathlib import Path

from tests.kits.memory_kit import BagOfWords, at_home
from tests.unit.test_seen import CODE, replied, texts


async def test_an_answer_that_goes_and_holds_nothing_of_it_takes_no_other_along(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code = await here.say(CODE)
        last = await replied(here, "Noted with pleasure.", code)
        kept = []
        for day in range(4):
            asked = await here.say(f"and on day {day}?")
            last = await replied(here, f"Noted with pleasure for day {day}.", asked, [last])
            kept += [asked.text, last.text]
        assert (await here.view.forget_message(code.id)).replies == 1
        assert await texts(here) == kept


async def test_what_a_conversation_says_elsewhere_explains_an_answer_whose_view_is_not_known(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code, other = await here.say(CODE), await here.say("the guest house has number 4711")
        asked = await here.say("where does grandmother sleep?")
        kept = await replied(here, "At the guest house, number 4711.", asked)
        async with here.memory.db.transaction() as tx:
            await tx.run("DELETE FROM seen")
        await here.view.forget_message(code.id)
        assert await texts(here) == [other.text, asked.text, kept.text]
        await here.view.forget_message(other.id)
        assert await texts(here) == [asked.text]


async def test_what_only_took_note_of_it_takes_no_other_along_though_meaning_cannot_be_compared(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        code = await here.say(CODE)
        noted = await replied(here, "Noted, thank you.", code)
        weather = await here.say("how is the weather?")
        sunny = await replied(here, "Sunny.", weather, [noted])
        assert (await here.view.forget_message(code.id)).replies == 1
        assert await texts(here) == [weather.text, sunny.text]
    async with at_home(tmp_path / "elsewhere") as here:
        code = await here.say(CODE)
        told = await replied(here, "Four digits, thank you.", code)
        await replied(here, "Sunny.", await here.say("how is the weather?"), [told])
        assert (await here.view.forget_message(code.id)).replies == 2, "what says anything else may have been passed on"
