"""How people want to be talked to is kept with what they said: each one's own, the newest of a kind, gone with its message."""

from pathlib import Path

import pytest

from memory.tiers.profile import TIER as PROFILE
from memory.types import MINUTE, DomainKind, Exchange, Identity, Kind, NewExchange
from tests.kits.dream_kit import Muse, Scribe, forced, thinking
from tests.kits.ladder_kit import PAIRS
from tests.kits.long_talk import request
from tests.kits.memory_kit import Corner, among, at_home, corner, table

BRIEF, ADI, EVA = "Ada wants short answers.", 'Ada wants to be called "Adi".', 'Ada wants to be called "Eva".'
BLOCK = "How they want you to talk; do so in your answer:\n- "


async def wanted(here: Corner) -> list[str]:
    """Return how people want to be talked to here, as the profile shows it."""
    return [one.text for one in await here.view.digests.statements(PROFILE)]


async def test_what_is_wished_stands_before_the_message_of_every_request(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        assert BLOCK not in str((await request(here, await here.say("hello"))).messages)
        await here.say("please call me Adi and keep it short")
        given = await request(here, await here.say("what now?"))
        assert f"{BLOCK}{ADI[:-1]}.\n- {BRIEF}\n\nwhat now?" in given.messages[-1]["content"]
        assert {ADI, BRIEF} <= set(given.seen.values()), "an answer rests on them"
        assert not given.sources("Adi wants short answers.") & {key for key, text in given.seen.items() if text in (ADI, BRIEF)}


async def test_the_newer_wish_takes_the_place_of_the_older_and_gives_it_back_when_it_is_forgotten(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        first, second = await here.say("call me Adi"), await here.say("call me Eva")
        assert await wanted(here) == [EVA]
        await here.view.forget_message(second.id)
        assert await wanted(here) == [ADI]
        await here.view.forget_message(first.id)
        assert await wanted(here) == [] and await here.count("statements") == 0


async def test_what_was_said_earlier_and_comes_later_changes_nothing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("call me Eva")
        await here.say("call me Adi", at=here.clock.now() - 60 * MINUTE)
        assert await wanted(here) == [EVA]


async def test_a_wish_follows_the_words_of_its_message(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("call me Adi", source="s1")
        await here.memory.kept.revise("console", "dm", "s1", "call me Eva", here.clock.now())
        assert await wanted(here) == [EVA]


async def test_a_wish_is_put_right_and_let_go_as_a_fact_is(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("call me Adi")
        (old,) = await here.view.digests.statements(PROFILE)
        new = await here.view.facts.correct(old.id, await here.say("call me Eva"))
        assert new.text == EVA and await wanted(here) == [EVA]
        assert [one.text for one in await here.view.digests.statements(PROFILE, past=True)] == [ADI]
        said = await here.view.facts.forget(new.id)
        assert [one.text for one in said] == ["call me Eva"] and await wanted(here) == []
        await here.say("call me Adi")
        (old,) = await here.view.digests.statements(PROFILE)
        assert (await here.view.facts.correct(old.id, await here.say("any name will do"))).text == "any name will do"
        assert await wanted(here) == ["any name will do"]


async def test_a_wish_is_its_speakers_own_and_of_one_place(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.SERVER) as here:
        ada, bob = Identity("console", "1"), Identity("console", "2")

        async def says(who: Identity, name: str, text: str) -> Exchange:
            here.clock.forward(MINUTE)
            new = NewExchange(Kind.SAID, text, f"{name}{here.clock.now()}", here.clock.now(), name, "user", who)
            return (await here.view.say(here.session, [new])).stored[0]

        await says(ada, "Ada", "keep it short")
        await says(bob, "Bob", "no emojis please")
        for who, name, own, other in ((ada, "Ada", "short answers", "emojis"), (bob, "Bob", "no emojis", "short")):
            given = str((await request(here, await says(who, name, "what now?"))).messages[-1]["content"])
            block = given.partition(BLOCK)[2].partition("\n\n")[0]
            assert own in block and other not in block
        elsewhere = await corner(here.memory, here.clock)
        assert BLOCK not in str((await request(elsewhere, await elsewhere.say("what now?"))).messages)


async def test_what_she_said_herself_wishes_nothing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.reply("call me Lyra and keep it short", [(await here.say("hi")).key])
        assert await wanted(here) == []


async def test_a_thought_to_somebody_alone_is_told_how_to_talk(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("call me Adi. the zebrafinch sings all day")
        await here.say("Kiki comes at 7 with her trumpet")
        muse = Muse([thinking("Adi, Kiki comes at 7, while it sings", "m1", "m2")])
        assert (await forced(here, Scribe(), muse)).reflection == "waits to be said"
        assert f"| {ADI}" in muse.prompts[0] and "Today is " in muse.prompts[0]
        (thought,) = (await here.view.self_state.now()).reflections
        assert thought.text.startswith("Adi, Kiki")


BACK = """
call me Adi               | stop calling me Adi             | Ada wants to be called "Adi".
answer in German          | answer in English again         | Ada wants answers in German.
keep it short             | you can write longer again      | Ada wants short answers.
nenn mich Adi             | nenn mich bitte nicht mehr Adi  | Ada wants to be called "Adi".
fass dich kurz            | du darfst wieder länger schreiben | Ada wants short answers.
no emojis                 | emojis are fine again           | Ada wants no emojis.
"""


@pytest.mark.parametrize(("wish", "back", "stood"), table(BACK))
async def test_a_wish_that_is_taken_back_is_followed_no_more_until_that_is_forgotten(
    tmp_path: Path, wish: str, back: str, stood: str
) -> None:
    async with at_home(tmp_path) as here:
        await here.say(wish)
        assert await wanted(here) == [stood]
        said = await here.say(back)
        assert stood not in await wanted(here)
        assert stood[:-1] not in str((await request(here, await here.say("what now?"))).messages[-1]["content"])
        assert [one.text for one in await here.view.digests.statements(PROFILE, past=True)] == [stood]
        await here.view.forget_message(said.id)
        assert await wanted(here) == [stood]


async def test_only_what_is_named_is_taken_back_and_nothing_that_was_wished_later(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("call me Adi")
        await here.say("don't call me Boss")
        await here.say("stop calling me Adi", at=here.clock.now() - 60 * MINUTE)
        assert await wanted(here) == [ADI]
        await here.say("stop calling me that")
        assert await wanted(here) == []
        await here.say("call me Boss", at=here.clock.now() - 60 * MINUTE)
        assert await wanted(here) == [], "what was said before it was taken back stays taken back"
        await here.say("call me Eva")
        assert await wanted(here) == [EVA]


async def test_what_was_wished_in_between_may_be_forgotten_and_the_newest_stands_alone(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        first, second, third = [await here.say(f"call me {name}") for name in ("Adi", "Ida", "Eva")]
        await here.view.forget_message(second.id)
        assert await wanted(here) == [EVA]
        await here.view.forget_message(third.id)
        assert await wanted(here) == [ADI]
        back = await here.say("stop calling me Adi")
        await here.say("call me Eva")
        await here.view.forget_message(back.id)
        assert await wanted(here) == [EVA]
        await here.view.forget_message(first.id)
        assert await wanted(here) == [EVA]
