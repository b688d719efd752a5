"""What Lyra said is changed and removed on Discord, also where its id was never learned."""

from dataclasses import replace

import pytest

from adapters.base import Sending
from adapters.command_table import Action
from adapters.discord.outgoing.posts import Posts, nonce
from tests.fakes.discord import Channel, DiscordServer, Lost, Right
from tests.kits.discord_speech import Setting, closed, desk, part


@pytest.fixture
def general(server: DiscordServer) -> Channel:
    return server.world.channel(server.world.guild("Home", bot_rights=Right.MENTION_EVERYONE), "general")


async def test_a_preview_becomes_the_answer(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        ada = server.person("ada")
        question = await ada.says(general, "when?")
        asked = {"answers": str(question.id)}
        shown = await it.sender.send(part(general, "On Fri", operation="preview", **asked))
        final = part(general, "On Friday, @everyone.", operation="edit", target=shown, **asked)
        buttons = (Action("Forget", "forget", "x"),)
        assert await it.sender.send(replace(final, actions=buttons)) == shown
        [said] = server.world.by_bot(general)
        assert said.revisions == ["On Fri", "On Friday, @everyone."] and said.mentions == [ada.user]
        assert not said.mention_everyone and [one["label"] for one in said.controls()] == ["Forget"]
        assert await it.sender.send(replace(final, unsure=True)) == shown
        assert said.controls() == [] and len(server.world.by_bot(general)) == 1


async def test_a_preview_whose_id_was_never_learned_is_found_and_changed(server: DiscordServer, general: Channel) -> None:
    server.faults.script("create_message", Lost())
    async with desk(server) as it:
        question = await server.person("ada").says(general, "when?")
        asked = {"answers": str(question.id), "since": it.clock()}
        with pytest.raises(Exception, match="sent as soon as it can be"):
            await it.sender.send(part(general, "On Fri", operation="preview", **asked))
        await it.sender.send(part(general, "On Friday.", operation="edit", **asked))
        assert [one.content for one in server.world.by_bot(general)] == ["On Friday."]


async def test_a_preview_that_never_arrived_is_sent(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        question = await server.person("ada").says(general, "when?")
        sent = await it.sender.send(part(general, "On Friday.", operation="edit", answers=str(question.id)))
        [said] = server.world.by_bot(general)
        assert sent == str(said.id) and said.reply_to == question.id


async def test_a_later_part_never_takes_the_place_of_the_first(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        question = await server.person("ada").says(general, "all of it")
        await it.sender.send(part(general, "one", answers=str(question.id)))
        await it.sender.send(part(general, "two", operation="edit", answers=str(question.id), first=False))
    assert [one.content for one in server.world.by_bot(general)] == ["one", "two"]


class AnyPart(Posts):
    """Posts that take every part for the first."""

    async def _find_shown(self, sending: Sending) -> str:
        return await super()._find_shown(replace(sending, first=True))


async def test_without_that_guard_the_first_part_would_be_lost(server: DiscordServer, general: Channel) -> None:
    async with desk(server, Setting(posts=AnyPart)) as it:
        question = await server.person("ada").says(general, "all of it")
        await it.sender.send(part(general, "one", answers=str(question.id)))
        await it.sender.send(part(general, "two", operation="edit", answers=str(question.id), first=False))
    assert [one.content for one in server.world.by_bot(general)] == ["two"]


async def test_a_preview_that_was_deleted_is_answered_anew(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        question = await server.person("ada").says(general, "when?")
        asked = {"answers": str(question.id), "key": "a" * 32, "since": it.clock()}
        shown = await it.sender.send(part(general, "On Fri", operation="preview", **asked))
        server.acts.delete(general.messages[int(shown)])
        server.faults.script("create_message", Lost())
        sent = await it.insists(part(general, "On Friday.", operation="edit", target=shown, **asked))
        [said] = server.world.by_bot(general)
        assert said.content == "On Friday." and str(said.id) == sent != shown


class SameNonce(Posts):
    """Posts the new message under the nonce of the old one."""

    def _nonce(self, sending: Sending) -> str:
        return nonce(sending.key.removeprefix("edit "))


async def test_under_the_nonce_of_what_was_deleted_nothing_new_would_come(server: DiscordServer, general: Channel) -> None:
    async with desk(server, Setting(posts=SameNonce)) as it:
        shown = await it.sender.send(part(general, "On Fri", operation="preview", key="a" * 32))
        server.acts.delete(general.messages[int(shown)])
        await it.sender.send(part(general, "On Friday.", operation="edit", target=shown, key="a" * 32))
    assert server.world.by_bot(general) == []


async def test_where_the_history_is_closed_an_unknown_preview_is_sent(server: DiscordServer, general: Channel) -> None:
    closed(server, general)
    async with desk(server) as it:
        question = await server.person("ada").says(general, "when?")
        await it.sender.send(part(general, "On Friday.", operation="edit", answers=str(question.id)))
    assert [one.content for one in server.world.by_bot(general)] == ["On Friday."]


async def test_what_was_said_is_removed_once_or_twice(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        said = await it.sender.send(part(general, "forget me"))
        removal = part(general, "", operation="delete", target=said)
        assert await it.sender.send(removal) == said and server.world.by_bot(general) == []
        assert await it.sender.send(replace(removal, unsure=True)) == said


async def test_a_preview_whose_id_was_never_learned_is_found_and_removed(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        question = await server.person("ada").says(general, "when?")
        said = await it.sender.send(part(general, "On Fri", operation="preview", answers=str(question.id)))
        assert await it.sender.send(part(general, "", operation="delete", answers=str(question.id))) == said
        assert server.world.by_bot(general) == []
        assert await it.sender.send(part(general, "", operation="delete", answers=str(question.id))) == ""
