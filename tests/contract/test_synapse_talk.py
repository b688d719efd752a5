"""People on the homeserver, unencrypted: what one does, the other sees as clients show it."""

import pytest

from tests.fakes.matrix import People, Person, Refused

pytest_plugins = ["tests.fakes.matrix.fixtures"]


@pytest.fixture
async def ada(people: People) -> Person:
    return await people.person("ada")


@pytest.fixture
async def bob(people: People) -> Person:
    return await people.person("bob")


@pytest.fixture
async def room(people: People, ada: Person, bob: Person) -> str:
    return await people.together(ada, bob)


async def test_words_with_all_that_is_said_of_them(ada: Person, bob: Person, room: str) -> None:
    said = await ada.says(room, "hello Bob", html="hello <b>Bob</b>", mentions=[bob.user])
    heard = await bob.hears_text(room, "hello Bob")
    assert (heard.id, heard.sender, heard.kind, heard.encrypted) == (said, ada.user, "m.text", False)
    assert (heard.html, heard.mentions) == ("hello <b>Bob</b>", [bob.user])
    await bob.says(room, "back soon", kind="m.notice")
    assert (await ada.hears_text(room, "back soon")).kind == "m.notice"


async def test_replies_and_threads_are_told_apart(ada: Person, bob: Person, room: str) -> None:
    root = await ada.says(room, "where to?")
    reply = await bob.hears(room, lambda event: event.id == root)
    first = await bob.says(room, "Turin", thread=reply.id)
    await ada.hears_text(room, "Turin")
    second = await ada.says(room, "why?", thread=root)
    await bob.hears_text(room, "why?")
    answer = await bob.says(room, "the river", thread=root, reply_to=first)
    plain = await bob.says(room, "unthreaded", reply_to=root)
    seen = {event.id: event for event in await ada.timeline(room)}
    assert [seen[one].thread for one in (first, second, answer, plain)] == [root, root, root, ""]
    assert [seen[one].answers for one in (first, second, answer, plain)] == ["", "", first, root]
    fillers = [seen[one].content["m.relates_to"]["m.in_reply_to"]["event_id"] for one in (first, second)]
    assert fillers == [root, first]


@pytest.mark.torture
async def test_an_edit_names_what_it_replaces(ada: Person, bob: Person, room: str) -> None:
    said = await ada.says(room, "at six")
    edited = await ada.edits(room, said, "at seven")
    heard = await bob.hears(room, lambda event: event.replaces == said)
    assert (heard.id, heard.body, heard.content["body"]) == (edited, "at seven", "* at seven")


@pytest.mark.torture
async def test_the_server_takes_edits_of_what_others_said(ada: Person, bob: Person, room: str) -> None:
    said = await ada.says(room, "at six")
    forged = await bob.edits(room, said, "never")
    assert (await ada.hears(room, lambda event: event.id == forged)).replaces == said
    assert "m.relations" not in (await ada.looks_at(room, said)).raw["unsigned"]


@pytest.mark.torture
async def test_a_redaction_blanks_the_original_and_leaves_its_edits(ada: Person, bob: Person, room: str) -> None:
    said = await ada.says(room, "the code is 1234")
    edited = await ada.edits(room, said, "the code is 5678")
    await ada.redacts(room, said)
    await bob.hears(room, lambda event: event.type == "m.room.redaction")
    assert (await bob.looks_at(room, said)).redacted and not (await bob.looks_at(room, said)).body
    assert (await bob.looks_at(room, edited)).body == "the code is 5678"
    await ada.redacts(room, edited)
    assert not (await bob.looks_at(room, edited)).body and await bob.messages(room) == []


@pytest.mark.torture
async def test_reactions_come_and_go(ada: Person, bob: Person, room: str) -> None:
    said = await ada.says(room, "done")
    reacted = await bob.reacts(room, said, "👍")
    assert (await ada.hears(room, lambda event: event.reaction is not None)).reaction == (said, "👍")
    await bob.redacts(room, reacted)
    assert (await ada.looks_at(room, reacted)).reaction is None


@pytest.mark.torture
async def test_files_images_and_recordings(ada: Person, bob: Person, room: str) -> None:
    sent = [
        await ada.attaches(room, "notes.txt", b"milk", "text/plain", caption="for later"),
        await ada.attaches(room, "cat.png", b"\x89PNG", "image/png"),
        await ada.attaches(room, "voice.ogg", b"OggS", "audio/ogg", voice=True),
    ]
    heard = [await bob.hears(room, lambda event, one=one: event.id == one) for one in sent]  # type: ignore[misc]
    assert [event.kind for event in heard] == ["m.file", "m.image", "m.audio"]
    assert [await bob.opens(event) for event in heard] == [b"milk", b"\x89PNG", b"OggS"]
    assert (heard[0].body, heard[0].content["filename"]) == ("for later", "notes.txt")
    assert "org.matrix.msc3245.voice" in heard[2].content


@pytest.mark.torture
async def test_typing_and_reading_are_seen(people: People, ada: Person, bob: Person) -> None:
    ada.ears.signs = True
    room = await people.together(ada, bob)
    said = await ada.says(room, "are you there?")
    await bob.types(room)
    await ada.sees_typing(room, bob.user)
    await bob.types(room, on=False)
    await ada.sees_typing(room, bob.user, on=False)
    await bob.reads(room, said)
    assert (await ada.sees_read(room, bob.user, said)).thread == ""
    within = await ada.says(room, "in a thread", thread=said)
    await bob.reads(room, within, thread=said)
    assert (await ada.sees_read(room, bob.user, within)).thread == said


@pytest.mark.torture
async def test_a_dm_is_marked_as_one(ada: Person, bob: Person) -> None:
    room = await ada.opens_dm(bob.user)
    invite = await bob.is_invited(room)
    assert any(event["content"].get("is_direct") for event in invite if event.get("state_key") == bob.user)
    assert await ada.members(room, "join", "invite") == {ada.user, bob.user}
    await bob.accepts(room)
    await ada.says(room, "only us")
    await bob.hears_text(room, "only us")


@pytest.mark.torture
async def test_people_are_asked_in_refuse_leave_and_are_put_out(ada: Person, bob: Person) -> None:
    room = await ada.creates("kitchen")
    await ada.invites(room, bob.user)
    await bob.is_invited(room)
    await bob.leaves(room)
    await ada.invites(room, bob.user)
    await bob.accepts(room)
    assert await ada.members(room) == {ada.user, bob.user}
    await ada.kicks(room, bob.user, "cooking")
    assert await ada.members(room) == {ada.user}
    await ada.bans(room, bob.user)
    with pytest.raises(Refused) as refused:
        await ada.invites(room, bob.user)
    assert refused.value.errcode == "M_BAD_STATE"
    with pytest.raises(Refused) as refused:
        await bob.says(room, "let me in")
    assert refused.value.errcode == "M_FORBIDDEN"


async def test_power_decides_who_may(ada: Person, bob: Person, room: str) -> None:
    with pytest.raises(Refused):
        await bob.sets(room, "m.room.topic", {"topic": "mine"})
    await ada.sets_power(room, bob.user, 50)
    await bob.sets(room, "m.room.topic", {"topic": "mine"})
    assert (await ada.state(room, "m.room.topic"))["topic"] == "mine"


@pytest.mark.torture
async def test_an_upgrade_leads_to_a_new_room(ada: Person, bob: Person) -> None:
    old = await ada.creates(public=True, version="11")
    await bob.joins(old)
    new = await ada.upgrades(old, "12")
    tombstone = await bob.hears(old, lambda event: event.type == "m.room.tombstone")
    assert tombstone.content["replacement_room"] == new
    await bob.joins(new)
    assert (await bob.state(new, "m.room.create"))["predecessor"]["room_id"] == old
    assert (await bob.version(old), await bob.version(new)) == ("11", "12")
    # Ids of the default version have no server part.
    assert ":" in old and ":" not in new and await ada.version(await ada.creates()) == "12"


@pytest.mark.torture
async def test_a_space_is_no_room_to_talk_in(people: People, ada: Person, room: str) -> None:
    space = await ada.creates("house", space=True)
    await ada.adds_to_space(space, room, "lyra.test")
    assert (await ada.state(space, "m.room.create"))["type"] == "m.space"


@pytest.mark.torture
@pytest.mark.parametrize(("history", "read"), [("shared", ["before", "after"]), ("joined", ["after"])])
async def test_newcomers_read_what_the_room_lets_them(ada: Person, bob: Person, history: str, read: list[str]) -> None:
    room = await ada.creates(history=history, public=True)
    await ada.says(room, "before")
    await bob.joins(room)
    await ada.says(room, "after")
    assert [event.body for event in await bob.messages(room)] == read


@pytest.mark.torture
async def test_who_joins_is_shown_messages_from_before_as_if_there_were_a_gap(ada: Person, bob: Person) -> None:
    room = await ada.creates(public=True)
    await ada.says(room, "long ago")
    since = (await bob.client.call("GET", "sync"))["next_batch"]
    await bob.joins(room)
    timeline = (await bob.client.call("GET", "sync", query={"since": since}))["rooms"]["join"][room]["timeline"]
    assert timeline["limited"] and "long ago" in [event["content"].get("body") for event in timeline["events"]]


@pytest.mark.torture
async def test_after_forty_messages_a_client_has_a_gap_that_history_fills(ada: Person, bob: Person, room: str) -> None:
    since = (await bob.client.call("GET", "sync"))["next_batch"]
    words = ({"msgtype": "m.text", "body": f"number {number}"} for number in range(40))
    said = [await ada.sends(room, "m.room.message", content, plain=True) for content in words]
    timeline = (await bob.client.call("GET", "sync", query={"since": since}))["rooms"]["join"][room]["timeline"]
    shown = [event["event_id"] for event in timeline["events"]]
    assert timeline["limited"] and shown == said[-10:]
    # `to` ends the walk where the client last was.
    query = {"from": timeline["prev_batch"], "to": since, "dir": "b", "limit": "100"}
    gap = await bob.client.call("GET", "rooms", room, "messages", query=query)
    missed = [event["event_id"] for event in reversed(gap["chunk"]) if event["type"] == "m.room.message"]
    assert missed + shown == said
    # This person's own client asks for more at a time, so that it hears everything in order.
    await bob.hears_text(room, "number 39")
    assert [event.id for event in bob.ears.events if event.id in said] == said


@pytest.mark.torture
async def test_the_same_transaction_is_the_same_message(ada: Person, bob: Person, room: str) -> None:
    content = {"msgtype": "m.text", "body": "once"}
    first, again = [await ada.sends(room, "m.room.message", content, key="one") for _ in range(2)]
    assert first == again
    assert len(await bob.messages(room)) == 1


@pytest.mark.torture
async def test_only_the_device_that_sent_sees_the_transaction(ada: Person, bob: Person, room: str) -> None:
    content = {"msgtype": "m.text", "body": "mine"}
    sent = await ada.sends(room, "m.room.message", content, key="outbox-7")
    [mine], [other] = await ada.messages(room), await bob.messages(room)
    assert mine.id == other.id == sent and mine.raw["unsigned"]["transaction_id"] == "outbox-7"
    assert "transaction_id" not in other.raw["unsigned"]
