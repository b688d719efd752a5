"""What somebody asks in a DM to have kept from somebody: it is kept where they said it, and they are told of it; or that there is nothing."""

import pytest

from adapters.events import Person
from bot.conversation.domain_access import DomainAccess
from memory.view.view import View
from tests.fakes.discord import Message
from tests.flow import test_lyra_discord_confidences as confidences
from tests.flow.test_lyra_discord_confidences import SECRET, comes_up, hears
from tests.kits.discord_knowing import Town, answers

town = confidences.town

KEPT = (
    "Understood: I keep this from ben. It is what you said in #general, where ben could read it before. /confide there shows it, and "
    "takes it back."
)
NOTHING = (
    "I found nothing of yours about that where others read, as far as I can see from here. I tell it only to you, here or elsewhere. "
    "If you tell it where others read, ask me there again: I do not keep it there by itself."
)


class Unreaching(DomainAccess):
    """The guard switched off: a DM reaches nothing that was said elsewhere."""

    async def shared_anywhere(self, person: Person) -> list[View]:
        return []


async def privately(town: Town, text: str, told: int = 2) -> list[Message]:
    """Let Ada say something in her DM, and return so many answers to it, oldest first."""
    said = await town.person("ada").says(town.names["ada's dm"], text)
    await town.server.pulse.until(lambda: len(answers(town.server, said)) == told, "a notice and an answer")
    return answers(town.server, said)


@pytest.mark.parametrize(
    ("domains", "known"),
    [(DomainAccess, False), pytest.param(Unreaching, True, marks=pytest.mark.torture)],
    ids=["her", "the twin"],
)
async def test_what_was_said_in_a_channel_is_kept_from_somebody_as_its_speaker_asks_in_a_dm(
    town: Town, domains: type[DomainAccess], known: bool
) -> None:
    async with town.lyra(domains=domains) as lyra:
        await hears(town, "ben", "cleo")
        await town.asks("ada", town.names["general"], SECRET)
        told = {one.content for one in await privately(town, "don't tell Ben about my locker number")}
        assert told & {KEPT, NOTHING} == {NOTHING if known else KEPT}, told
        assert await comes_up(town, lyra, "ben", "general") is known


async def test_what_is_named_in_a_dm_in_another_language_is_kept_in_any_form(town: Town) -> None:
    told = {
        "mon opération est lundi, chambre 7741": "ne parle pas de mon opération à Ben",
        "ameliyatım pazartesi, oda 7741": "ameliyatımı Ben'e söyleme",
        "моя операция в понедельник, палата 7741": "не говори Бену про мою операцию",
        "手術は月曜日です。7741号室": "手術のことはベンに言わないで",
    }
    async with town.lyra() as lyra:
        await hears(town, "ben")
        for text in told:
            await town.asks("ada", town.names["general"], text)
        for ask in told.values():
            assert any("#general" in one.content for one in await privately(town, ask)), ask
        for text in told:
            assert not await comes_up(town, lyra, "ben", "general", text.partition("7741")[0] + "?")


async def test_where_nothing_is_found_or_named_in_a_dm_she_says_so(town: Town) -> None:
    async with town.lyra():
        await hears(town, "ben")
        await town.asks("ada", town.names["general"], SECRET)
        assert NOTHING in {one.content for one in await privately(town, "don't tell Ben about my surgery")}
        alone = {one.content for one in await privately(town, "don't tell Ben that")}
        assert "I tell it only to you, here or elsewhere." in alone


async def test_a_permission_that_changes_nothing_is_said_to_change_nothing(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        await confidences.confides(town, f"{SECRET}, but don't tell Ben")
        kept = "I still keep what you told me in confidence: say where you told it what may be known now and by whom"
        assert any(one.content.startswith(kept) for one in await privately(town, "you can tell Ben about my surgery"))
        later = "you can tell Ben about my locker number when I am back"
        assert any(one.content.startswith(kept) for one in await privately(town, later))
        asked = await confidences.confides(town, "the soup was good. You can tell Ben that")
        assert any(one.content.startswith(kept) for one in answers(town.server, asked))
        general = town.names["general"]
        soup = await town.person("ben").says(general, "the soup is hot")
        asked = await town.person("ada").says(general, f"{town.server.mention} you can tell Ben that", reply_to=soup)
        await town.server.pulse.until(lambda: len(answers(town.server, asked)) == 2, "a notice and an answer")
        assert any(one.content.startswith(kept) for one in answers(town.server, asked))
        assert not await comes_up(town, lyra, "ben", "general")
        ended = "Understood: what you told me elsewhere in confidence may be known there now (1 message)."
        assert ended in {one.content for one in await privately(town, "you can tell Ben about my locker number")}
        assert await comes_up(town, lyra, "ben", "general")
