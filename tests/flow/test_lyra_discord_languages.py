"""On Discord everybody is answered in their own language: as Discord shows itself to them, as they set it, or as they write."""

import asyncio

from tests.kits import discord_town
from tests.kits.discord_town import Town

town = discord_town.town


async def test_people_of_two_languages_are_answered_at_once_each_in_theirs(town: Town) -> None:
    ada, bob = await town.ada.opens_dm(), await town.bob.opens_dm()
    async with town.lyra():
        await town.reads(town.ada, ada, "settings", setting="language", value="german")
        german, english = await asyncio.gather(town.reads(town.ada, ada, "status"), town.reads(town.bob, bob, "status"))
        assert german.startswith("0 Nachrichten von dir behalten.") and "Was mich hier antreibt: Kontinuität 0,10" in german
        assert english.startswith("0 messages of yours kept.") and "My drives here: continuity 0.10" in english
        await town.reads(town.ada, ada, "settings", setting="language", value="auto")
        assert (await town.reads(town.ada, ada, "status")).startswith("0 messages of yours kept.")


async def test_a_server_speaks_the_language_that_is_set_there(town: Town) -> None:
    async with town.lyra():
        shown = await town.reads(town.eve, town.general, "settings", setting="language", value="german")
        assert shown.startswith("language: german – the language I speak here"), "what she alone reads is in her language"
        await town.reads(town.eve, town.general, "settings", setting="listening", value="on")
        said = [one.content for one in town.server.world.by_bot(town.general)]
        assert any("hat das Zuhören eingeschaltet: Von jetzt an behalte ich alles" in text for text in said)


async def test_the_commands_are_offered_in_both_languages(town: Town) -> None:
    async with town.lyra():
        commands = {one["name"]: one for one in town.server.world.commands.values()}
        recall = commands["recall"]
        assert recall["description"] == "find what was said about something"
        assert recall["description_localizations"] == {"de": "finden, was über etwas gesagt wurde"}
        assert recall["options"][0]["description_localizations"] == {"de": "wonach gesucht wird"}
