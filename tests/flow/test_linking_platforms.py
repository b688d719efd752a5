"""One person on Discord, on Matrix and at the terminal: linked by a code shown here and typed there, and parted again."""

import re

from adapters.events import conversation
from memory.places.linking import LinkParty
from memory.types import Identity, Kind, NewExchange, SessionRef
from tests.fakes.matrix import Person
from tests.kits import discord_home, discord_town
from tests.kits.awake import Awake, model_server, prompt
from tests.kits.discord_kit import Clock
from tests.kits.discord_town import Town, buttons, finished
from tests.kits.matrix_home import Home, dm

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]
town = discord_town.town


async def test_what_is_told_on_discord_is_known_on_matrix_from_both_yes_until_they_part(
    town: Town, at_home: Home, ada: Person
) -> None:
    there = await town.ada.opens_dm()
    town.monkeypatch.setenv("DISCORD_TOKEN", town.server.token)
    config = 'streaming = false\n[discord]\ntoken_env = "DISCORD_TOKEN"\nstreaming = false'
    async with (
        model_server() as model,
        at_home.lyra(model, matrix=config, beside=discord_home.maker(town.server, Clock())) as lyra,
    ):
        here = await dm(at_home, ada)
        await town.says(town.ada, there, "My boat is called Kestrel.")
        await at_home.asks(ada, here, "My dog is called Bruno.")

        async def known() -> tuple[bool, bool]:
            await at_home.asks(ada, here, "What do you know of my boat?")
            on_matrix = "Kestrel" in prompt(lyra.chats[-1])
            await town.says(town.ada, there, "What do you know of my dog?")
            return on_matrix, "Bruno" in prompt(lyra.chats[-1])

        assert await known() == (False, False)
        shown = await town.reads(town.ada, there, "link")
        code = re.search(r"link (\w{4}-\w{4})", shown)
        assert code
        asked = (await at_home.asks(ada, here, f"!link {code[1]}")).body
        assert asked.startswith(f"That code was shown to ada ({town.ada.user.id}) on Discord.")
        assert await known() == (False, False), "one typed it, and nobody agreed"
        say = re.search(r"!link yes \w+", asked)
        assert say
        assert (await at_home.asks(ada, here, say[0])).body.startswith("Now say yes there, on Discord")
        question = [one for one in there.history() if one.content.startswith("Your code was typed by")][-1]
        assert f"({ada.user}) on Matrix" in question.content and buttons(question) == ["Yes, that is me", "No"]
        assert await known() == (False, False), "only one of both agreed"
        linked = await town.presses(town.ada, question, "Yes, that is me")
        assert linked.content.startswith("Linked: ") and "on Matrix" in linked.content
        assert await known() == (True, True)
        secret = await dm(at_home, ada, encrypted=True)
        await at_home.asks(ada, secret, "My safe opens with 7741. And my boat?")
        assert "Kestrel" in prompt(lyra.chats[-1])
        await town.says(town.ada, there, "What opens my safe?")
        assert "7741" not in prompt(lyra.chats[-1]), "what is said encrypted is read nowhere else"
        for said, read in (("on", True), ("off", False), ("on", True)):
            await at_home.asks(ada, secret, f"!settings encrypted {said}")
            await town.says(town.ada, there, f"What opens my safe, with that {said}?")
            assert ("7741" in prompt(lyra.chats[-1])) is read, "it is, once that was said there, until it is taken back"
        assert (await town.reads(town.ada, there, "unlink")).startswith("Parted: ")
        assert await known() == (False, False)
        await town.says(town.ada, there, "What opens my safe, now?")
        assert "7741" not in prompt(lyra.chats[-1])


async def test_whoever_links_forgets_everywhere(town: Town) -> None:
    """Two accounts on one platform serve as well; the one that forgets takes along what the other one told."""
    here, there = await town.ada.opens_dm(), await town.bob.opens_dm()
    async with town.lyra():
        await town.says(town.ada, here, "My boat is called Kestrel.")
        await town.says(town.bob, there, "My dog is called Bruno.")
        code = re.search(r"link (\w{4}-\w{4})", await town.reads(town.ada, here, "link"))
        assert code
        typed = await town.bob.runs(there, "link", code=code[1].lower().replace("-", " "))
        await town.bob.clicks(await typed.answer(), "Yes")
        assert (await finished(typed)).content.startswith("Now say yes there")
        question = [one for one in here.history() if one.content.startswith("Your code was typed by bob")][-1]
        assert (await town.presses(town.ada, question, "Yes, that is me")).content.startswith("Linked: ")
        assert [one for one in there.history() if one.content.startswith("Linked: ada")]
        found = await town.asks(town.bob, there, "recall", query="boat")
        assert "Kestrel" in found.shown and "url" not in found.embeds[0], "his account cannot open her DM"
        call = await town.bob.runs(there, "forget", about="boat")
        asked = (await call.answer()).shown
        assert "Kestrel" in asked and "Bruno" not in asked
        await town.bob.clicks(await call.answer(), "Yes")
        assert (await finished(call)).content.startswith("Forgotten: 1 message")
        assert (await town.reads(town.ada, here, "recall", query="boat")).startswith("I found nothing")
        await town.says(town.ada, here, "My boat is called Kestrel.")
        call = await town.bob.runs(there, "forget", what="all")
        await town.bob.clicks(await call.answer(), "Yes")
        assert (await finished(call)).content.startswith("Forgotten: ")
        assert (await town.reads(town.ada, here, "recall", query="boat")).startswith("I found nothing")


async def test_what_is_asked_is_read_in_the_language_of_whoever_is_asked(town: Town) -> None:
    here, there = await town.ada.opens_dm(), await town.bob.opens_dm()
    async with town.lyra():
        code = re.search(r"link (\w{4}-\w{4})", await town.reads(town.ada, here, "link"))
        assert code
        await town.reads(town.ada, here, "settings", setting="language", value="german")
        typed = await town.bob.runs(there, "link", code=code[1])
        await town.bob.clicks(await typed.answer(), "Yes")
        assert (await finished(typed)).content.startswith("Now say yes there")
        question = here.history()[-1]
        assert "bob" in question.content and buttons(question) == ["Ja, das bin ich", "Nein"]


async def test_an_account_of_the_terminal_is_asked_and_told_once_somebody_talks_there(town: Town) -> None:
    """Nobody is at the terminal while its code is typed on Discord."""
    dm = await town.ada.opens_dm()
    place = conversation("console", "ada", "main")

    async def waiting(lyra: Awake) -> str:
        rows = await lyra.app.memory.db.all(
            "SELECT text FROM outbox WHERE platform = 'console' AND state = 'pending' ORDER BY id"
        )
        assert set(await lyra.app.memory.journal.waiting("console")) <= {place.key}
        return "\n".join(row["text"] for row in rows)

    async with town.lyra() as lyra:
        account = Identity("console", "ada")
        view = await lyra.app.domains.view_of_account("console", "ada")
        for at, name in enumerate(("main", "other")):
            session = await view.sessions.get(SessionRef("console", conversation("console", "ada", name).key), name)
            await view.say(session, [NewExchange(Kind.SAID, "My boat is called Kestrel.", name, at, "ada", "user", account)])
        linking = lyra.app.memory.linking
        code = await linking.new_code(LinkParty(account, "ada", ""))
        typed = await town.ada.runs(dm, "link", code=code)
        await town.ada.clicks(await typed.answer(), "Yes")
        assert (await finished(typed)).content.startswith("Now say yes there, at the terminal")
        asked = await waiting(lyra)
        assert f"Your code was typed by ada ({town.ada.id}) on Discord." in asked and "/link yes" in asked
        [request] = await linking.requests(account, lambda who: [who])
        assert await linking.link(request, account, lambda who: [who]) == []
        assert (await town.reads(town.ada, dm, "unlink")).startswith("Parted: ")
        assert "had linked accounts parted" in await waiting(lyra)
