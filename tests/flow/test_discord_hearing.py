"""What people say on Discord reaches Lyra: who said it, where, whether it is for her, and what it answers."""

from adapters.base import Sending
from adapters.events import Message, Reach
from tests.fakes.discord import Channel, DiscordServer, Guild
from tests.fakes.discord.wire import message_event
from tests.kits.adapter_kit import channel_circle, server_circle
from tests.kits.discord_kit import Ear, listening


async def test_a_dm_is_for_her_and_nobody_else_reads_it(server: DiscordServer) -> None:
    async with listening(server, ear := Ear()):
        ada = server.person("ada")
        place = await ada.opens_dm()
        said = await ada.says(place, "are you there?")
        heard = await ear.heard(Message)
    assert (heard.text, heard.id, heard.addressed, heard.machine) == ("are you there?", str(said.id), True, False)
    assert (heard.person.platform, heard.person.id, heard.person.name) == ("discord", str(ada.id), "ada")
    assert (heard.place.reach, heard.place.circle, heard.place.wider, heard.place.name) == (Reach.DIRECT, None, None, "DM")
    assert ear.kept == {str(place.id): str(said.id)}


async def test_a_mention_is_for_her_and_is_no_part_of_what_was_said(server: DiscordServer, home: Guild, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        ada, bob = server.person("ada"), server.person("bob")
        bob.joins(home)
        await ada.says(general, f"{server.mention}, when does {bob.mention} come to <#{general.id}>?")
        await ada.says(general, f"ask {server.mention} about it")
        await ada.says(general, f"the train is late {server.mention}")
        await ada.says(general, "nobody in particular")
        await ada.says(general, "@everyone look")
        await ada.says(general, f"{server.mention} :(")
        await ear.heard(Message, 6)
    assert ear.texts == [
        "when does @bob come to #general?",
        "ask Lyra about it",
        "the train is late",
        "nobody in particular",
        "@everyone look",
        ":(",
    ]
    assert [one.addressed for one in ear.of(Message)] == [True, True, True, False, False, True]
    place = ear.of(Message)[0].place
    assert (place.reach, place.circle, place.name, place.key) == (
        Reach.PUBLIC,
        server_circle(home.id),
        "#general",
        f'["{home.id}", "{general.id}", ""]',
    )


async def test_her_own_role_is_her(server: DiscordServer, home: Guild, general: Channel) -> None:
    ear = Ear()
    [own] = [role for role in home.roles.values() if role.bot]
    other = server.world.role(home, "crew")
    async with listening(server, ear):
        await server.person("ada").says(general, f"<@&{own.id}> hello <@&{other.id}>")
        await server.person("ada").says(general, f"<@&{other.id}> hello")
        await ear.heard(Message, 2)
    assert [(one.text, one.addressed) for one in ear.of(Message)] == [("hello @crew", True), ("@crew hello", False)]


async def test_a_reply_to_her_is_for_her_and_says_what_it_answers(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()) as adapter:
        ada, bob = server.person("ada"), server.person("bob")
        asked = await ada.says(general, f"{server.mention} tea or coffee?")
        place = (await ear.heard(Message)).place
        await adapter.send(Sending("k", place.key, "tea", "send", str(asked.id), unsure=False))
        [own] = await server.sent(1)
        await bob.says(general, "really?", reply_to=own, ping=False)
        await bob.says(general, "coffee for me", reply_to=asked)
        await ear.heard(Message, 3)
    assert ear.texts == ["tea or coffee?", "really?", "coffee for me"], "her own words are not heard"
    _, really, coffee = ear.of(Message)
    assert really.addressed and really.quoted is not None and (really.quoted.text, really.quoted.own) == ("tea", True)
    assert not coffee.addressed and coffee.quoted is not None
    assert (coffee.quoted.speaker, coffee.quoted.text, coffee.quoted.own) == ("ada", "tea or coffee?", False)


async def test_a_thread_that_she_joined_is_hers(server: DiscordServer, home: Guild, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        ada = server.person("ada")
        thread = await ada.starts_thread(general, "holiday", text="only we two")
        await ear.heard(Message)
        await ada.says(thread, f"{server.mention} come along")
        await ada.says(thread, "where to?")
        heard = await ear.heard(Message, 3)
    assert [one.addressed for one in ear.of(Message)] == [False, True, True]
    assert (heard.place.key, heard.place.name) == (f'["{home.id}", "{general.id}", "{thread.id}"]', "holiday")
    assert (heard.place.reach, heard.place.circle) == (Reach.PUBLIC, server_circle(home.id))


async def test_a_thread_that_she_opened_is_hers(server: DiscordServer, general: Channel) -> None:
    ear = Ear()
    own = server.world.thread(general, "my thoughts", server.world.bot)
    own.joined.clear()
    async with listening(server, ear):
        await server.person("ada").says(own, "I like them")
        assert (await ear.heard(Message)).addressed


async def test_a_forum_post_is_a_thread(server: DiscordServer, home: Guild) -> None:
    forum = server.world.forum(home, "ideas")
    async with listening(server, ear := Ear()):
        post = await server.person("ada").starts_thread(forum, "a garden", text=f"{server.mention} tulips?")
        heard = await ear.heard(Message)
    assert (heard.text, heard.addressed, heard.place.reach) == ("tulips?", True, Reach.PUBLIC)
    assert heard.place.key == f'["{home.id}", "{forum.id}", "{post.id}"]'


async def test_a_private_thread_is_read_by_its_members(server: DiscordServer, home: Guild, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        ada = server.person("ada")
        hidden = await ada.starts_thread(general, "surprise", private=True)
        await ada.says(hidden, f"{server.mention} do not tell bob")
        heard = await ear.heard(Message)
    assert (heard.place.reach, heard.place.circle, heard.place.wider) == (
        Reach.RESTRICTED,
        channel_circle(hidden.id),
        server_circle(home.id),
    )


async def test_discords_own_notices_are_no_messages(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        ada = server.person("ada")
        for kind in (6, 7, 8):
            await ada.says(general, "notice", kind=kind)
        said = await ada.says(general, "a story")
        await ada.starts_thread(general, "the story", on=said)
        await ada.starts_thread(general, "another", text="begin")
        await ear.heard(Message, 2)
    assert ear.texts == ["a story", "begin"]


async def test_machines_are_heard_only_where_they_are_named(server: DiscordServer, general: Channel) -> None:
    ear = Ear()
    clock, chatter = server.person("clock", bot=True), server.person("chatter", bot=True)
    async with listening(server, ear, bots=frozenset({str(clock.id)})):
        await chatter.says(general, f"{server.mention} spam")
        await server.webhook_says(general, "news", f"{server.mention} it rains")
        await clock.says(general, f"{server.mention} noon")
        await ear.heard(Message)
    assert [(one.text, one.machine, one.addressed) for one in ear.of(Message)] == [("noon", True, True)]


async def test_a_named_webhook_is_a_person_of_its_own(server: DiscordServer, general: Channel) -> None:
    first = await server.webhook_says(general, "news", "it rains")
    ear = Ear(cursors={str(general.id): str(first.id - 1)})
    async with listening(server, ear, bots=frozenset({str(first.webhook)})):
        heard = await ear.heard(Message)
    assert (heard.person.id, heard.person.name, heard.machine) == (str(first.webhook), "news", True)


async def test_what_is_not_text_is_named(server: DiscordServer, general: Channel) -> None:
    ear = Ear()
    sticker = {"sticker_items": [{"id": "1", "name": "wave", "format_type": 1}]}
    async with listening(server, ear):
        ada = server.person("ada")
        note = await ada.says(general, "the key is under the mat", attachments={"map.png": b"\x89PNG"})
        await ada.forwards(note, general)
        await ada.says(general, "", more=sticker)
        await ada.says(general, "at <t:86400:F> <a:dance:123> </recall:5>")
        await ear.heard(Message, 4)
    assert ear.texts[1:] == ["[forwarded] the key is under the mat", "[sticker: wave]", "at 1970-01-02 00:00 UTC :dance: /recall"]
    assert [one.name for one in ear.of(Message)[1].attachments] == ["map.png"]


async def test_names_are_one_line_and_never_empty(server: DiscordServer, home: Guild, general: Channel) -> None:
    ear = Ear()
    ada, ghost = server.person("ada"), server.person("ghost")
    ada.joins(home)
    home.members[ada.id].nick = "Ada\u202e\nLovelace" + "!" * 80
    ghost.user.display = "\u3164\u200b"
    async with listening(server, ear):
        await ada.says(general, "one")
        await ghost.says(general, "two")
        await ear.heard(Message, 2)
    names = [one.person.name for one in ear.of(Message)]
    assert names == [("Ada Lovelace" + "!" * 80)[:64], "ghost"]


async def test_an_event_that_comes_twice_is_heard_once(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        ada = server.person("ada")
        await ada.says(general, "once")
        server.gateway.repeat()
        await ada.says(general, "and on")
        await ear.heard(Message, 2)
    assert ear.texts == ["once", "and on"]


async def test_fifty_channels_speak_at_once_each_in_its_order(server: DiscordServer, home: Guild) -> None:
    places = [server.world.channel(home, f"room-{number}") for number in range(50)]
    async with listening(server, ear := Ear()):
        ear.go.clear()
        for number in range(4):
            for place in places:
                await server.person("ada").says(place, f"{place.name} {number}")
        ear.go.set()
        await ear.heard(Message, 200)
    for place in places:
        assert [one for one in ear.texts if one.startswith(place.name + " ")] == [f"{place.name} {n}" for n in range(4)]
    assert len(ear.batches) < 200, "what waits is handed over together"


async def test_what_is_said_in_a_group_is_not_taken_for_a_dm(server: DiscordServer) -> None:
    """The library takes whatever is said outside of a server for a DM, although others read a group as well."""
    ear, ada = Ear(), server.person("ada")
    dm = await ada.opens_dm()
    async with listening(server, ear):
        alone = await ada.says(dm, "alone")
        await ear.heard(Message)
        elsewhere = {"id": str(server.world.ids.next()), "channel_id": str(server.world.ids.next()), "channel_type": 3}
        told = message_event(server.world, server.api_url, alone, content=True) | elsewhere
        server.gateway.tell("MESSAGE_CREATE", lambda _: told | {"content": "among others"})
        await ada.says(dm, "alone again")
        await ear.heard(Message, 2)
    assert ear.texts == ["alone", "alone again"]
