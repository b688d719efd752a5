"""Who can read what on Discord now, as it is asked again whenever it matters."""

import pytest

from adapters.base import Sending
from adapters.discord.adapter import Discord
from adapters.errors import PlaceGone
from adapters.events import Circle, Message, Person, Place, Reach
from tests.fakes.discord import Channel, DiscordServer, Guild, Right, Status
from tests.kits.adapter_kit import channel_circle, server_circle
from tests.kits.discord_kit import Ear, listening


@pytest.fixture
def lobby(server: DiscordServer, home: Guild) -> Channel:
    return server.world.channel(home, "lobby")


class Watch:
    """Looks at a place when everything that happened before has reached the adapter."""

    def __init__(self, server: DiscordServer, lobby: Channel, adapter: Discord, ear: Ear) -> None:
        self._server, self._lobby, self._adapter, self._ear = server, lobby, adapter, ear

    async def settle(self) -> None:
        """Wait until a word said now is heard: events come in order."""
        said = await self._server.person("guard").says(self._lobby, "tick")
        await self._ear.moved(str(self._lobby.id), said.id)

    async def look(self, place: Place) -> tuple[Reach, Circle | None, Circle | None]:
        """Return who reads a place now."""
        await self.settle()
        now = await self._adapter.locate(place)
        assert now is not None
        return now.reach, now.circle, now.wider


def at(guild: Guild, channel: Channel, thread: Channel | None = None) -> Place:
    return Place("discord", str(channel.id), "", Reach.PUBLIC, server=str(guild.id), thread=str(thread.id) if thread else "")


def somebody(number: int) -> Person:
    return Person("discord", str(number), "somebody")


async def test_a_change_of_permissions_changes_who_reads(
    server: DiscordServer, home: Guild, general: Channel, lobby: Channel
) -> None:
    ear = Ear()
    staff = server.world.role(home, "staff")
    everyone = home.roles[home.id]
    all_of_it = server_circle(home.id)
    public, few = (Reach.PUBLIC, all_of_it, None), (Reach.RESTRICTED, channel_circle(general.id), all_of_it)
    server.acts.overwrite(lobby, server.person("guard").user, allow=everyone.rights)
    server.acts.overwrite(lobby, server.world.bot, allow=everyone.rights)
    async with listening(server, ear) as adapter:
        watch, place = Watch(server, lobby, adapter, ear), at(home, general)
        assert await watch.look(place) == public
        server.acts.overwrite(general, staff, deny=Right.READ_MESSAGE_HISTORY)
        assert await watch.look(place) == few
        server.acts.overwrite(general, staff)
        assert await watch.look(place) == public
        server.acts.change_role(home, everyone, everyone.rights & ~Right.READ_MESSAGE_HISTORY)
        assert await watch.look(place) == few
        server.acts.overwrite(general, everyone, deny=Right.VIEW_CHANNEL)
        await watch.settle()
        with pytest.raises(PlaceGone, match="does not see that channel"):
            await adapter.locate(place)


async def test_a_channel_for_some_is_a_circle_of_its_own(server: DiscordServer, home: Guild, lobby: Channel) -> None:
    ear = Ear()
    staff = server.world.role(home, "staff")
    office = server.world.channel(home, "office", only=(staff, server.world.bot))
    server.world.join(home, server.person("ada").user, staff)
    async with listening(server, ear):
        thread = await server.person("ada").starts_thread(office, "raises", text="not yet")
        heard = await ear.heard(Message)
    assert (heard.place.reach, heard.place.circle, heard.place.wider) == (
        Reach.RESTRICTED,
        channel_circle(office.id),
        server_circle(home.id),
    )
    assert heard.place.thread == str(thread.id)


async def test_a_gated_server_is_those_who_hold_its_role(
    server: DiscordServer, home: Guild, general: Channel, lobby: Channel
) -> None:
    ear = Ear()
    member, guest = server.world.role(home, "member"), server.world.role(home, "guest")
    everyone = home.roles[home.id]
    reading = everyone.rights
    everyone.rights &= ~Right.VIEW_CHANNEL
    member.rights = reading
    server.world.join(home, server.world.bot, member)
    server.world.join(home, server.person("guard").user, member)
    public = (Reach.PUBLIC, server_circle(f"{home.id}/{member.id}"), None)
    few = (Reach.RESTRICTED, channel_circle(general.id), None)
    async with listening(server, ear, gate=lambda _: str(member.id)) as adapter:
        watch, place = Watch(server, lobby, adapter, ear), at(home, general)
        assert await watch.look(place) == public
        server.acts.overwrite(general, guest, allow=Right.VIEW_CHANNEL)
        assert await watch.look(place) == few
        server.acts.overwrite(general, guest)
        server.acts.overwrite(general, server.person("eve").user, allow=Right.VIEW_CHANNEL)
        assert await watch.look(place) == few
        server.acts.overwrite(general, server.person("eve").user)
        assert await watch.look(place) == public
        server.acts.overwrite(general, everyone, allow=Right.VIEW_CHANNEL)
        assert await watch.look(place) == few


async def test_places_that_are_gone_say_so_and_unknown_ones_are_not_known(
    server: DiscordServer, home: Guild, general: Channel, lobby: Channel
) -> None:
    async with listening(server, ear := Ear()) as adapter:
        watch = Watch(server, lobby, adapter, ear)
        thread = await server.person("ada").starts_thread(general, "holiday", text="where to?")
        server.acts.change_thread(thread, archived=True)
        await watch.settle()
        archived = await adapter.locate_key(at(home, general, thread).key)
        assert archived is not None and (archived.name, archived.reach) == ("holiday", Reach.PUBLIC)
        server.faults.script("get_channel", Status(403))
        assert await adapter.locate_key(archived.key) is None, "Discord's edge knows nothing of threads"
        server.acts.delete_thread(thread)
        await watch.settle()
        with pytest.raises(PlaceGone, match="gone"):
            await adapter.locate(at(home, general, thread))
        with pytest.raises(PlaceGone, match="gone"):
            await adapter.locate(Place("discord", "1", "", Reach.PUBLIC, server=str(home.id)))
        direct = Place("discord", "5", "DM", Reach.DIRECT)
        assert await adapter.locate(direct) == direct
        server.acts.guild_fails(home)
        await server.person("ada").says(await server.person("ada").opens_dm(), "tick")
        await ear.pulse.until(lambda: ear.texts[-1:] == ["tick"] and ear.of(Message)[-1].place.reach is Reach.DIRECT, "a tick")
        assert await adapter.locate(at(home, general)) is None
        server.acts.remove_bot(home)
        await server.person("ada").says(await server.person("ada").opens_dm(), "tock")
        await ear.pulse.until(lambda: ear.texts[-1:] == ["tock"], "a tock")
        with pytest.raises(PlaceGone, match="not in that server"):
            await adapter.locate(at(home, general))
    assert await adapter.locate(at(home, general)) is None, "not connected"


async def test_only_live_members_read_a_circle(server: DiscordServer, home: Guild, general: Channel, lobby: Channel) -> None:
    ear = Ear()
    staff = server.world.role(home, "staff")
    office = server.world.channel(home, "office", only=(staff, server.world.bot))
    ada, bob, eve = (server.person(name) for name in ("ada", "bob", "eve"))
    server.world.join(home, ada.user, staff)
    bob.joins(home)
    hidden = server.world.thread(general, "surprise", ada.user, private=True)
    server.acts.join_thread(hidden, server.world.bot)
    everyone, *few = [server_circle(home.id), *map(channel_circle, (office.id, hidden.id, 12345))]
    circles = [everyone, *few]
    async with listening(server, ear) as adapter:
        assert await adapter.readable_circles(somebody(ada.id), circles) == {everyone, *few[:2]}
        assert await adapter.readable_circles(somebody(bob.id), circles) == {everyone}
        assert await adapter.readable_circles(somebody(eve.id), circles) == set()
        assert await adapter.readable_circles(Person("matrix", str(ada.id), "ada"), circles) == set()
        server.acts.change_member(home, ada.user)
        server.acts.leave_thread(hidden, ada.user)
        assert await adapter.readable_circles(somebody(ada.id), circles) == {everyone}
        server.faults.script("get_guild_member", Status(404))
        assert await adapter.readable_circles(somebody(ada.id), circles[:1]) == set(), "what Discord does not say is not so"
    assert await adapter.readable_circles(somebody(ada.id), circles) == set()


async def test_who_belongs_to_a_server_or_has_a_role_is_told_and_nothing_while_discord_does_not_say(
    server: DiscordServer, home: Guild, general: Channel
) -> None:
    staff, ada, bob, eve = server.world.role(home, "staff"), *(server.person(name) for name in ("ada", "bob", "eve"))
    server.world.join(home, ada.user, staff)
    bob.joins(home)
    of_server, of_staff = server_circle(home.id), server_circle(f"{home.id}/{staff.id}")
    async with listening(server, Ear(), gate=lambda _: str(staff.id)) as adapter:
        for one, whole, role in ((ada, True, True), (bob, True, False), (eve, False, False)):
            assert await adapter.belongs(somebody(one.id), [of_server]) is whole
            assert await adapter.belongs(somebody(one.id), [of_staff]) is role
            assert await adapter.belongs(somebody(one.id), [of_staff, of_server]) is whole
        assert await adapter.belongs(somebody(ada.id), [server_circle(404)]) is False
        server.faults.script("get_guild_member", Status(404))
        assert await adapter.belongs(somebody(bob.id), [of_server]) is None
    assert await adapter.belongs(somebody(ada.id), [of_server]) is None


async def test_a_gated_servers_circle_is_read_by_holders_only(server: DiscordServer, home: Guild, general: Channel) -> None:
    member = server.world.role(home, "member")
    ada, bob = server.person("ada"), server.person("bob")
    server.world.join(home, ada.user, member)
    bob.joins(home)
    async with listening(server, Ear(), gate=lambda _: str(member.id)) as adapter:
        circles = {server_circle(home.id), server_circle(f"{home.id}/{member.id}")}
        assert await adapter.readable_circles(somebody(ada.id), circles) == circles
        assert await adapter.readable_circles(somebody(bob.id), circles) == set()


async def test_what_was_said_before_is_shown_to_who_may_read_it(
    server: DiscordServer, home: Guild, general: Channel, lobby: Channel
) -> None:
    ear = Ear()
    ada, bob = server.person("ada"), server.person("bob")
    rows = [await ada.says(general, text) for text in ("one", "two", f"{server.mention} three")]
    await ada.says(general, "", kind=7)
    bob.joins(home)
    async with listening(server, ear) as adapter:
        place = at(home, general).key
        quotes = await adapter.messages_before(place, str(rows[2].id), 5)
        assert [(one.speaker, one.text, one.own) for one in quotes] == [("ada", "one", False), ("ada", "two", False)]
        own = await adapter.send(Sending("k", place, "four", "send", "", unsure=False))
        last = await adapter.messages_before(place, "", 2, somebody(bob.id))
        assert [(one.text, one.own) for one in last] == [("four", True)], "notices are left out"
        assert [one.text for one in await adapter.messages_before(place, f"reply:{own}", 2)] == ["three"]
        server.acts.overwrite(general, bob.user, deny=Right.READ_MESSAGE_HISTORY)
        await Watch(server, lobby, adapter, ear).settle()
        assert await adapter.messages_before(place, "", 2, somebody(bob.id)) == ()
        assert len(await adapter.messages_before(place, "", 2, somebody(ada.id))) == 1
        dm = await ada.opens_dm()
        await ada.says(dm, "between us")
        direct = Place("discord", str(dm.id), "DM", Reach.DIRECT).key
        assert [one.text for one in await adapter.messages_before(direct, "", 2, somebody(ada.id))] == ["between us"]
        assert await adapter.messages_before(direct, "", 2, somebody(bob.id)) == ()


async def test_without_the_right_to_histories_nothing_is_shown_or_asked(
    server: DiscordServer, home: Guild, general: Channel
) -> None:
    everyone = home.roles[home.id]
    everyone.rights &= ~Right.READ_MESSAGE_HISTORY
    await server.person("ada").says(general, "one")
    async with listening(server, Ear()) as adapter:
        assert await adapter.messages_before(at(home, general).key, "", 5) == ()
    assert server.calls("list_messages") == []


async def test_links_lead_to_messages(server: DiscordServer, home: Guild, general: Channel) -> None:
    thread = server.world.thread(general, "holiday", server.world.boss)
    later = server.world.ids.next()
    async with listening(server, Ear()) as adapter:
        assert adapter.link(at(home, general).key, "7") == f"https://discord.com/channels/{home.id}/{general.id}/7"
        there = f"https://discord.com/channels/{home.id}/{thread.id}/{later}"
        assert adapter.link(at(home, general, thread).key, f"reply:{later}") == there
        assert adapter.link(Place("discord", "5", "DM", Reach.DIRECT).key, "9") == "https://discord.com/channels/@me/5/9"
        assert adapter.link(at(home, general).key, "nothing") == ""


async def test_she_types_while_she_thinks_and_nothing_disturbs_that(server: DiscordServer, home: Guild, general: Channel) -> None:
    async with listening(server, Ear()) as adapter:
        # What is said at once is not announced.
        async with adapter.thinking(at(home, general).key):
            await adapter.messages_before(at(home, general).key, "", 1)
        assert server.calls("trigger_typing_indicator") == []
        server.faults.script("trigger_typing_indicator", Status(404))
        async with adapter.thinking(at(home, general).key):
            await server.heard("trigger_typing_indicator")
        async with adapter.thinking(at(home, general).key):
            await server.heard("trigger_typing_indicator", 2)
    async with adapter.thinking(at(home, general).key):
        pass
