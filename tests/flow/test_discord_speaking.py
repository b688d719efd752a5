"""Lyra speaks on Discord, and what she said is changed and removed: once, in the right place, also where its id was never learned."""

from dataclasses import replace

import discord
import pytest

from adapters.base import Sending
from adapters.command_table import Action
from adapters.discord.outgoing.posts import Posts, nonce
from tests.fakes.discord import Channel, DiscordServer, Lost, Right
from tests.kits.discord_speech import Setting, closed, desk, part


@pytest.fixture
def general(server: DiscordServer) -> Channel:
    return server.world.channel(server.world.guild("Home", bot_rights=Right.MENTION_EVERYONE), "general")


async def test_an_answer_refers_to_the_question_and_pings_who_asked(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        ada = server.person("ada")
        question = await ada.says(general, "when is the party?")
        sent = await it.sender.send(part(general, "On Friday.", answers=str(question.id)))
        [said] = await server.sent(1, general)
        assert str(said.id) == sent and said.reply_to == question.id and said.mentions == [ada.user]


async def test_nobody_else_is_pinged_whatever_the_text_says(server: DiscordServer, general: Channel) -> None:
    assert general.guild
    role = server.world.role(general.guild, "staff")
    async with desk(server) as it:
        ada, bob = server.person("ada"), server.person("bob")
        question = await ada.says(general, "shout!")
        loud = f"@everyone @here {bob.mention} <@&{role.id}>"
        await it.sender.send(part(general, loud, answers=str(question.id)))
        [said] = await server.sent(1, general)
        assert said.mentions == [ada.user] and not said.mention_everyone and said.mention_roles == []
        [call] = server.calls("create_message")
        assert call.body["allowed_mentions"] == {"parse": [], "replied_user": True}


class Loud(Posts):
    """Posts that say nothing of mentions."""

    def _mentions(self, sending: Sending) -> discord.AllowedMentions:
        return discord.AllowedMentions()


async def test_without_that_guard_everyone_would_be_pinged(server: DiscordServer, general: Channel) -> None:
    async with desk(server, Setting(posts=Loud)) as it:
        bob = server.person("bob")
        await it.sender.send(part(general, f"@everyone {bob.mention}"))
        [said] = await server.sent(1, general)
        assert said.mention_everyone and said.mentions == [bob.user]


async def test_a_dm_is_answered_without_a_ping(server: DiscordServer) -> None:
    async with desk(server) as it:
        ada = server.person("ada")
        place = await ada.opens_dm()
        question = await ada.says(place, "are you there?")
        await it.sender.send(part(place, "I am.", answers=str(question.id)))
        [said] = await server.sent(1, place)
        assert said.reply_to == question.id and said.mentions == []


async def test_a_thread_is_answered_in_the_thread(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        thread = await server.person("ada").starts_thread(general, "plans", text="what now?")
        [question] = [one for one in thread.history() if one.content == "what now?"]
        await it.sender.send(part(thread, "Tea.", answers=str(question.id)))
        [said] = await server.sent(1, thread)
        assert said.content == "Tea." and said.reply_to == question.id


async def test_the_parts_of_an_answer_stand_in_order_and_only_the_first_refers(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        question = await server.person("ada").says(general, "tell me all")
        for number, text in enumerate(["one", "two", "three"]):
            await it.sender.send(part(general, text, answers=str(question.id), first=number == 0))
        said = await server.sent(3, general)
        assert [one.content for one in said] == ["one", "two", "three"]
        assert [one.reply_to for one in said] == [question.id, None, None]


async def test_a_question_that_is_gone_is_answered_all_the_same(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        ada = server.person("ada")
        question = await ada.says(general, "never mind")
        await ada.deletes(question)
        await it.sender.send(part(general, "Too late.", answers=str(question.id)))
        [said] = await server.sent(1, general)
        assert said.content == "Too late." and said.reply_to is None


async def test_where_the_history_is_closed_the_answer_stands_alone(server: DiscordServer, general: Channel) -> None:
    closed(server, general)
    async with desk(server) as it:
        question = await server.person("ada").says(general, "hello?")
        await it.sender.send(part(general, "Hello.", answers=str(question.id)))
        [said] = await server.sent(1, general)
        assert said.content == "Hello." and said.reply_to is None and said.mentions == []


async def test_links_show_no_preview(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        await it.sender.send(part(general, "see https://example.org"))
        [call] = server.calls("create_message")
        assert call.body["flags"] == 4


async def test_buttons_stand_under_an_answer(server: DiscordServer, general: Channel) -> None:
    actions = tuple(Action(f"More {number}", "recall", str(number)) for number in range(6)) + (Action("Forget", "forget", "abc"),)
    async with desk(server) as it:
        await it.sender.send(part(general, "found", actions=actions))
        [said] = await server.sent(1, general)
        assert [len(row["components"]) for row in said.components] == [5, 2]
        shown = {one["label"]: (one["custom_id"], one["style"]) for one in said.controls()}
        assert shown["More 5"] == ("lyra:recall:5", 2) and shown["Forget"] == ("lyra:forget:abc", 4)
        assert it.client.persistent_views == []


async def test_a_lost_answer_does_not_double_the_message(server: DiscordServer, general: Channel) -> None:
    closed(server, general)
    server.faults.script("create_message", Lost())
    async with desk(server) as it:
        await it.insists(part(general, "only once", since=it.clock()))
    assert [one.content for one in server.world.by_bot(general)] == ["only once"]
    [first, again] = [call.body["nonce"] for call in server.calls("create_message")]
    assert first == again and len(first) == 24


class Careless(Posts):
    """Posts under a new nonce each time, and looks nowhere first."""

    async def send(self, sending: Sending) -> str:
        return await self._post(sending)

    def _nonce(self, sending: Sending) -> str:
        return nonce(f"{sending.key} {sending.unsure}")


async def test_without_the_derived_nonce_it_would_be_doubled(server: DiscordServer, general: Channel) -> None:
    closed(server, general)
    server.faults.script("create_message", Lost())
    async with desk(server, Setting(posts=Careless)) as it:
        await it.insists(part(general, "only once", since=it.clock()))
    assert [one.content for one in server.world.by_bot(general)] == ["only once", "only once"]


def test_a_nonce_depends_on_the_key_alone() -> None:
    first, second = "0123456789abcdef" * 2, "0123456789abcdef" * 2 + " again"
    assert nonce(first) == nonce(first) and nonce(first) != nonce(second)
    assert {len(nonce(first)), len(nonce(second))} == {24}


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
