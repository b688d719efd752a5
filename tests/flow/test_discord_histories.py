"""What Discord's histories say of messages, and what is told of channels, threads and servers that are gone."""

import json
from collections.abc import Callable

import discord
import pytest

from adapters.discord.adapter import Discord
from adapters.discord.incoming.history import Presences
from adapters.events import Message, Vanished
from tests.fakes.discord import Channel, DiscordServer, Guild, Person, Right, Then
from tests.kits.discord_kit import Ear, Notebook, listening


def key(channel: Channel) -> str:
    """Return the key of a channel's place."""
    parent = channel.parent or channel
    thread = str(channel.id) if channel.is_thread else ""
    return json.dumps([str(channel.guild.id) if channel.guild else "", str(parent.id), thread])


async def removed(adapter: Discord, channel: Channel, *ids: int) -> list[int]:
    """Return which of these messages are gone for sure, looked at from the first of them back."""
    found = await adapter.message_presences(key(channel), [str(one) for one in ids])
    return [int(one) for one, presence in found.items() if not presence.there]


async def test_a_look_shows_what_is_there_what_was_edited_and_what_is_gone(server: DiscordServer, general: Channel) -> None:
    ada = server.person("ada")
    async with listening(server, Ear()) as adapter:
        for place in (general, await ada.opens_dm(), await ada.starts_thread(general, "holiday")):
            first, second, third = [await ada.says(place, text) for text in ("one", "two", "three")]
            await ada.edits(second, "TWO")
            await ada.deletes(third)
            found = await adapter.message_presences(key(place), [str(one.id) for one in (third, second, first)])
            assert {int(one): (it.there, it.text, bool(it.edited_at)) for one, it in found.items()} == {
                first.id: (True, "one", False), second.id: (True, "TWO", True), third.id: (False, None, False)
            }  # fmt: skip
            assert found[str(first.id)].person == str(ada.id)


async def test_a_look_reaches_a_hundred_messages_and_says_nothing_of_those_before(
    server: DiscordServer, general: Channel
) -> None:
    ada = server.person("ada")
    said = [await ada.says(general, str(number)) for number in range(150)]
    for gone in (said[20], said[70]):
        await ada.deletes(gone)
    async with listening(server, Ear()) as adapter:
        found = await adapter.message_presences(key(general), [str(one.id) for one in reversed(said)])
        assert {int(one) for one in found} == {one.id for one in said[49:]}
        assert await removed(adapter, general, *(one.id for one in reversed(said))) == [said[70].id]
        assert await removed(adapter, general, said[60].id, said[20].id) == [said[20].id]


async def test_without_the_right_to_read_it_nothing_counts_as_gone(server: DiscordServer, home: Guild, general: Channel) -> None:
    """Its history is an empty page, whether or not she was told that she may not read it."""
    ada, everyone = server.person("ada"), home.roles[home.id]
    said = await ada.says(general, "one")
    async with listening(server, Ear()) as adapter:
        everyone.rights &= ~Right.READ_MESSAGE_HISTORY
        assert await adapter.message_presences(key(general), [str(said.id)]) == {}
        server.acts.change_role(home, everyone, everyone.rights)
        await server.heard("get_message", 1)
        assert await adapter.message_presences(key(general), [str(said.id)]) == {}
    assert server.calls("list_messages") and len(server.calls("get_message")) <= 2


class Trusting(Presences):
    """Takes for gone whatever a page lacks."""

    async def is_unknown(self, channel: discord.abc.Messageable, message: int) -> bool:
        return True


class Credulous(Discord):
    presences = Trusting


@pytest.mark.parametrize("kind", [Discord, Credulous], ids=["guarded", "without the guard"])
async def test_what_a_page_lacks_by_mistake_does_not_count_as_gone(
    server: DiscordServer, general: Channel, kind: type[Discord]
) -> None:
    """Without a second question it would."""
    ada = server.person("ada")
    first, second = [await ada.says(general, text) for text in ("one", "two")]

    def back() -> None:
        general.messages[second.id] = second

    async with listening(server, Ear(), kind=kind) as adapter:
        del general.messages[second.id]
        server.faults.script("list_messages", Then(back))
        assert await removed(adapter, general, second.id, first.id) == ([second.id] if kind is Credulous else [])
        del general.messages[second.id]
        assert await removed(adapter, general, second.id, first.id) == [second.id]


async def test_while_she_is_not_connected_nothing_is_known(server: DiscordServer, general: Channel) -> None:
    said = await server.person("ada").says(general, "one")
    async with listening(server, Ear()) as adapter:
        assert await adapter.message_presences(key(general), [str(said.id)])
    assert not await adapter.message_presences(key(general), [str(said.id)]) and not await adapter.vanished([key(general)])


# What is gone


def owned_by(server: DiscordServer, *others: Person) -> tuple[str, ...]:
    return (str(server.world.boss.id), *(str(one.id) for one in others))


async def test_a_deleted_channel_thread_and_server_are_told_of_with_those_who_ruled_them(
    server: DiscordServer, home: Guild, general: Channel
) -> None:
    ada, eve, max_ = (server.person(name) for name in ("ada", "eve", "max"))
    manager = server.world.role(home, "manager", Right.MANAGE_GUILD)
    for who in (eve, max_):
        server.world.join(home, who.user, manager)
    ear, notes = Ear(), Notebook()
    attic = server.world.channel(home, "attic")
    threads = [await ada.starts_thread(general, name) for name in ("holiday", "old")]
    async with listening(server, ear, notes=notes):
        for who in (ada, eve, max_):
            await who.says(general, "hello")
        server.world.guilds[home.id].members[max_.id].roles.clear()
        await max_.says(general, "I do not manage any more")
        await ear.heard(Message, 4)
        server.acts.change_thread(threads[1], archived=True)
        for thread in threads:
            server.acts.delete_thread(thread)
        server.acts.delete_channel(attic)
        await ear.heard(Vanished, 3)
    administrators = owned_by(server, eve)
    here = (str(home.id), str(general.id))
    assert ear.of(Vanished) == [
        Vanished("discord", (*here, str(threads[0].id)), "holiday", administrators),
        Vanished("discord", (*here, str(threads[1].id)), "", administrators),
        Vanished("discord", (str(home.id), str(attic.id)), "#attic", administrators),
    ]
    async with listening(server, ear := Ear(cursors=ear.kept), notes=notes):
        server.acts.remove_bot(home)
        assert (await ear.heard(Vanished)) == Vanished("discord", (str(home.id),), "Home", administrators)


async def test_what_disappeared_while_she_was_down_is_found_and_an_outage_is_no_disappearance(
    server: DiscordServer, home: Guild, general: Channel
) -> None:
    ada = server.person("ada")
    other = server.world.guild("Other")
    attic, hall = server.world.channel(home, "attic"), server.world.channel(other, "hall")
    thread = await ada.starts_thread(general, "holiday")
    places = [key(one) for one in (general, attic, hall, thread)]
    notes = Notebook()
    async with listening(server, Ear(), notes=notes) as adapter:
        assert await adapter.vanished(places) == []
        server.acts.guild_fails(other)
        await ada.says(general, "hello")
        assert await adapter.vanished(places) == []
    server.acts.delete_channel(attic)
    server.acts.delete_thread(thread)
    server.acts.remove_bot(other)
    async with listening(server, Ear(), notes=notes) as adapter:
        assert [(one.prefix, one.name) for one in await adapter.vanished(places)] == [
            ((str(home.id), str(attic.id)), ""),
            ((str(other.id),), "Other"),
            ((str(home.id), str(general.id), str(thread.id)), ""),
        ]
        server.acts.overwrite(general, server.world.bot, deny=Right.VIEW_CHANNEL)
        assert await adapter.vanished([key(general)]) == [], "a channel that she does not see is there"


async def test_every_new_session_and_every_server_that_comes_back_is_told_of_as_a_gap(
    server: DiscordServer, home: Guild, general: Channel
) -> None:
    ada, ear = server.person("ada"), Ear()
    async with listening(server, ear):
        assert ear.missing == [()]
        server.gateway.disconnect()
        await ada.says(general, "resumed")
        await ear.heard(Message)
        assert ear.missing == [()], "what happened meanwhile was replayed"
        server.gateway.invalidate()
        await ear.pulse.until(lambda: len(ear.missing) > 1, "a gap")
        assert ear.missing == [(), ()]


@pytest.mark.parametrize("how", ["the channel", "a role", "her roles"])
async def test_a_channel_that_was_hidden_for_a_while_is_told_of_as_a_gap(
    server: DiscordServer, home: Guild, general: Channel, how: str
) -> None:
    world, acts, ear = server.world, server.acts, Ear()
    role = world.role(home, "reader", Right.VIEW_CHANNEL)
    own = next(one for one in home.roles.values() if one.bot == world.bot.id)
    everyone = home.roles[home.id]
    everyone.rights &= ~Right.VIEW_CHANNEL
    acts.change_member(home, world.bot, own, role)
    ways: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "the channel": (lambda: acts.overwrite(general, role, deny=Right.VIEW_CHANNEL), lambda: acts.overwrite(general, role)),
        "a role": (lambda: acts.change_role(home, role, Right(0)), lambda: acts.change_role(home, role, Right.VIEW_CHANNEL)),
        "her roles": (lambda: acts.change_member(home, world.bot, own), lambda: acts.change_member(home, world.bot, own, role)),
    }
    hide, show = ways[how]
    async with listening(server, ear):
        hide()
        await server.person("ada").says(await server.person("ada").opens_dm(), "hello")
        await ear.heard(Message)
        show()
        await ear.pulse.until(lambda: len(ear.missing) > 1, "a gap")
    assert ear.missing == [(), (str(home.id), str(general.id))]
