"""What the library cannot read of Discord: a message is heard by its words, and nobody else is kept waiting for it."""

from typing import Any

import discord
import pytest
from discord.state import ConnectionState

from adapters.discord.adapter import Discord
from adapters.discord.client import Client
from adapters.discord.session_client import GatewayEvent
from adapters.errors import PlaceHidden
from adapters.events import Message
from tests.fakes.discord import Channel, DiscordServer, wire
from tests.kits.adapter_kit import running, server_circle
from tests.kits.discord_kit import Ear, adapter_for, listening

# Discord's reference lets a poll have no end; discord.py 2.7.1 fails at one.
STRANGE = {
    "poll": {
        "question": {"text": "tea?"},
        "answers": [{"answer_id": 1, "poll_media": {"text": "yes"}}],
        "expiry": None,
        "allow_multiselect": False,
        "layout_type": 1,
        "results": {"is_finalized": False, "answer_counts": []},
    }
}


class Strict(Client):
    """The twin, which leaves the library to itself."""

    def _get_state(self, **options: Any) -> Any:
        return ConnectionState(dispatch=self.dispatch, handlers=self._handlers, hooks=self._hooks, http=self.http, **options)


class Untolerating(Discord):
    """Has the twin for a client."""

    client = Strict


def forgiven(server: DiscordServer) -> None:
    """Assert that nothing was wrong with the server but that a poll has no end, which the description does not allow."""
    assert all("expiry" in one for one in server.own_faults)
    server.own_faults.clear()


async def test_a_message_that_the_library_cannot_read_is_heard_by_its_words_and_so_are_all_others(
    server: DiscordServer, general: Channel
) -> None:
    ear, ada = Ear(), server.person("ada")
    dm = await ada.opens_dm()
    async with listening(server, ear):
        await ada.says(general, "shall we?", more=STRANGE)
        await ada.says(dm, "and you?")
        await ear.heard(Message, 2)
        strange = await ada.says(general, "and now?", more=STRANGE)
        await ada.edits(strange, "and later?")
        await ear.pulse.until(lambda: any("later" in str(one) for one in ear.events), "the new words")
    assert sorted(ear.texts) == ["and now?", "and you?", "shall we?"]
    assert len(server.gateway.identifies) == 1


@pytest.mark.parametrize("kind", [Discord, Untolerating], ids=["her", "the twin"])
async def test_one_that_was_missed_does_not_end_every_start(server: DiscordServer, general: Channel, kind: type[Discord]) -> None:
    ear, ada = Ear(), server.person("ada")
    async with listening(server, ear):
        await ada.says(general, "heard")
        await ear.heard(Message)
    await ada.says(general, "shall we?", more=STRANGE)
    await ada.says(general, "hello?")
    ear = Ear(cursors=ear.kept)
    if kind is Discord:
        async with listening(server, ear):
            await ear.heard(Message, 2)
        assert ear.texts == ["shall we?", "hello?"]
    else:
        with pytest.raises(TypeError):
            async with running(adapter_for(server, kind=kind), ear) as task:
                await task
        assert ear.texts == []
    forgiven(server)


@pytest.mark.parametrize(("kind", "sessions"), [(Discord, 1), (Untolerating, 2)], ids=["her", "the twin"])
async def test_a_sign_that_the_library_cannot_read_is_passed_over(
    server: DiscordServer, general: Channel, kind: type[Discord], sessions: int
) -> None:
    ear, ada = Ear(), server.person("ada")
    async with listening(server, ear, kind=kind):
        said = await ada.says(general, "shall we?")
        sign = {"user_id": str(ada.id), "channel_id": str(general.id), "message_id": str(said.id), "emoji": None}
        server.gateway.tell("MESSAGE_REACTION_ADD", lambda _: sign)
        await ada.says(general, "still there?")
        await ear.heard(Message, 2)
    assert len(server.gateway.identifies) == sessions


async def test_what_could_change_who_reads_along_is_never_passed_over(server: DiscordServer, general: Channel) -> None:
    ear, ada = Ear(), server.person("ada")
    async with listening(server, ear):
        assert general.guild
        broken = {"guild_id": str(general.guild.id), "role": {"id": str(general.guild.id)}}
        server.gateway.tell("GUILD_ROLE_UPDATE", lambda _: broken)
        await server.pulse.until(lambda: len(server.gateway.identifies) == 2, "another session, in which all is told anew")
        await ada.says(general, "still there?")
        await ear.heard(Message)


@pytest.mark.parametrize(("kind", "sessions"), [(Discord, 1), (Untolerating, 2)], ids=["her", "the twin"])
async def test_a_server_is_heard_without_what_cannot_be_read_of_it(
    server: DiscordServer, general: Channel, kind: type[Discord], sessions: int
) -> None:
    ear, ada = Ear(), server.person("ada")
    assert general.guild
    told = wire.guild_created(server.world, general.guild)
    told |= {"emojis": [{"id": "1", "name": "wave", "roles": None}], "channels": [*told["channels"], {"id": "2", "type": 0}]}
    async with listening(server, ear, kind=kind) as adapter:
        server.gateway.tell("GUILD_CREATE", lambda _: told)
        await ada.says(general, "still there?")
        heard = await ear.heard(Message)
        assert heard.place.circle == server_circle(general.guild.id)
        assert await adapter.locate(heard.place) == heard.place
    assert len(server.gateway.identifies) == sessions


async def test_one_of_which_nothing_can_be_read_disturbs_nobody_elsewhere(server: DiscordServer, general: Channel) -> None:
    ear, ada = Ear(), server.person("ada")
    assert general.guild
    dm = await ada.opens_dm()
    async with listening(server, ear) as adapter:
        await ada.says(general, "hello")
        there = (await ear.heard(Message)).place
        broken = wire.guild_created(server.world, general.guild) | {"roles": None}
        server.gateway.tell("GUILD_CREATE", lambda _: broken)
        await ada.says(dm, "and you?")
        assert (await ear.heard(Message, 2)).text == "and you?"
        assert await adapter.locate(there) is None
    assert len(server.gateway.identifies) == 1


async def test_one_that_does_not_tell_of_her_is_one_where_she_sees_nothing(server: DiscordServer, general: Channel) -> None:
    ear, ada = Ear(), server.person("ada")
    assert general.guild
    dm = await ada.opens_dm()
    async with listening(server, ear) as adapter:
        await ada.says(general, "hello")
        there = (await ear.heard(Message)).place
        alone = wire.guild_created(server.world, general.guild) | {"members": []}
        server.gateway.tell("GUILD_DELETE", lambda _: {"id": alone["id"]})
        server.gateway.tell("GUILD_CREATE", lambda _: alone)
        await ada.says(dm, "and you?")
        assert (await ear.heard(Message, 2)).text == "and you?"
        with pytest.raises(PlaceHidden):
            await adapter.locate(there)


class Trusting(Client):
    """The twin, which reads a message as one of a shape that it knows."""

    def gateway_event(self, message: discord.Message) -> GatewayEvent:
        return GatewayEvent(self._event(message), str(message.channel.id), message.id)


class Misled(Discord):
    """Has the twin for a client."""

    client = Trusting


@pytest.mark.parametrize(
    ("kind", "texts"), [(Discord, ["look", "still there?"]), (Misled, ["still there?"])], ids=["her", "the twin"]
)
async def test_a_message_with_something_that_nobody_describes_is_heard_by_its_words(
    server: DiscordServer, general: Channel, kind: type[Discord], texts: list[str]
) -> None:
    ear, ada = Ear(), server.person("ada")
    source = {"type": 1, "message_id": "5", "channel_id": str(general.id)}
    passed_on: dict[str, Any] = {
        "type": 0,
        "content": None,
        "timestamp": "2026-01-01T00:00:00+00:00",
        "edited_timestamp": None,
        "flags": 0,
    }
    passed_on |= {name: [] for name in ("mentions", "mention_roles", "attachments", "embeds", "components")}
    async with listening(server, ear, kind=kind):
        await ada.says(general, "look", more={"message_reference": source, "message_snapshots": [{"message": passed_on}]})
        await ada.says(general, "still there?")
        await ear.pulse.until(lambda: "still there?" in ear.texts, "the last message")
    assert ear.texts == texts
    assert len(server.gateway.identifies) == 1
    server.own_faults.clear()


async def test_an_answer_of_a_poll_may_be_an_emoji_alone(server: DiscordServer, general: Channel) -> None:
    ear, ada = Ear(), server.person("ada")
    answers = [{"answer_id": 1, "poll_media": {"text": None, "emoji": {"id": None, "name": "🍵"}}}]
    async with listening(server, ear):
        await ada.says(
            general, "shall we?", more={"poll": STRANGE["poll"] | {"answers": answers, "expiry": "2030-01-01T00:00:00+00:00"}}
        )
        assert (await ear.heard(Message)).text == "shall we?\n[poll: tea?: 🍵]"
    server.own_faults.clear()
