"""Three accounts on Discord: nobody joins who are linked unless each of them says yes, and who parts takes along who came through them."""

import re

from bot.delivery import pending_sends
from tests.fakes.discord import Channel, Message, Person, Status
from tests.kits import discord_town
from tests.kits.awake import model_server, prompt
from tests.kits.discord_town import Town, buttons, finished

town = discord_town.town


async def half_linked(town: Town, shower: Person, here: Channel, typer: Person, there: Channel) -> Message:
    """Have one show a code and the other type it and say yes; then let whom it was shown to say yes, and return what they read."""
    code = re.search(r"link (\w{4}-\w{4})", await town.reads(shower, here, "link"))
    assert code
    typed = await typer.runs(there, "link", code=code[1])
    await typer.clicks(await typed.answer(), "Yes")
    assert (await finished(typed)).content.startswith("Now say yes there")
    return await town.presses(shower, said(here, "Your code was typed by")[-1], "Yes, that is me")


def said(place: Channel, what: str) -> list[Message]:
    """Return what was said at a place that begins so, or has a line that does."""
    return [one for one in place.history() if one.content.startswith(what)]


async def knows(town: Town, who: Person, place: Channel) -> bool:
    return "Kestrel" in (await town.asks(who, place, "recall", query="boat")).shown


async def test_nobody_reads_what_somebody_told_who_did_not_agree(town: Town) -> None:
    a, b, e = [await one.opens_dm() for one in (town.ada, town.bob, town.eve)]
    async with town.lyra():
        await town.says(town.ada, a, "My boat is called Kestrel.")
        assert (await half_linked(town, town.ada, a, town.bob, b)).content.startswith("Linked: bob")
        assert await knows(town, town.bob, b)

        waits = await half_linked(town, town.bob, b, town.eve, e)
        assert waits.content.startswith("Linked once these say yes as well") and str(town.ada.user.id) in waits.content
        assert not await knows(town, town.eve, e), "Ada was not asked yet"
        (question,) = said(a, f"eve ({town.eve.user.id}) on Discord wants to be one person")
        assert f"bob ({town.bob.user.id})" in question.content and buttons(question) == ["Yes", "No"]
        assert (await town.presses(town.ada, question, "No")).content == "Nothing was linked."
        assert not await knows(town, town.eve, e), "Ada said no"
        assert (await town.reads(town.eve, e, "unlink")).startswith("This account is not linked with any other")

        await half_linked(town, town.bob, b, town.eve, e)
        yes = await town.presses(town.ada, said(a, "eve (")[-1], "Yes")
        assert yes.content.startswith("Linked: eve")
        assert said(e, "Linked: bob") and said(b, "Linked: eve"), "everybody is told"
        assert await knows(town, town.eve, e)

        assert (await town.reads(town.bob, b, "unlink")).startswith("Parted: ")
        for place in (a, e):
            (told,) = said(place, f"bob ({town.bob.user.id}) on Discord had linked accounts parted")
            assert "with no other" in told.content
        assert not await knows(town, town.bob, b)
        assert not await knows(town, town.eve, e), "Eve came in through Bob alone"
        call = await town.eve.runs(e, "forget", what="all")
        await town.eve.clicks(await call.answer(), "Yes")
        await finished(call)
        assert await knows(town, town.ada, a), "what Ada told is not Eve's to forget"


async def test_whoever_links_with_one_sees_who_comes_along(town: Town) -> None:
    a, b, e = [await one.opens_dm() for one in (town.ada, town.bob, town.eve)]
    async with town.lyra():
        await half_linked(town, town.ada, a, town.bob, b)
        code = re.search(r"link (\w{4}-\w{4})", await town.reads(town.bob, b, "link"))
        assert code
        call = await town.eve.runs(e, "link", code=code[1])
        asked = await call.answer()
        assert f"you then as well: Discord ({town.ada.user.id})" in asked.content
        await town.eve.clicks(asked, "No")
        assert (await finished(call)).content == "Nothing was linked."


async def test_an_answer_that_waited_while_they_parted_is_said_not_to_come(town: Town) -> None:
    a, b = [await one.opens_dm() for one in (town.ada, town.bob)]
    town.monkeypatch.setattr(pending_sends, "_FIRST_SECONDS", 3600.0)
    town.monkeypatch.setattr(pending_sends, "_LONGEST", 3600.0)
    async with model_server() as model, town.lyra(model) as lyra:
        await town.says(town.ada, a, "My boat is called Kestrel.")
        await town.says(town.bob, b, "hello")
        await half_linked(town, town.ada, a, town.bob, b)
        tried = len(town.server.calls("create_message"))
        town.server.faults.script("create_message", Status(503))
        question = await town.bob.says(b, "What do you know of my boat?")
        await town.server.pulse.until(lambda: len(town.server.calls("create_message")) > tried, "that it is tried in vain")
        await lyra.rests()
        assert "Kestrel" in prompt(lyra.chats[-1])
        assert (await town.reads(town.ada, a, "unlink")).startswith("Parted: ")
        await lyra.talk.tick()
        told = [one.content for one in b.history() if one.reply_to == question.id]
        assert len(told) == 1 and told[0].startswith("What I may use here changed while I was at your question")
