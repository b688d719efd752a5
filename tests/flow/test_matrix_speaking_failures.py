"""What the homeserver refuses: for good with a reason that says what to do, for now, or because it is too much at once."""

import asyncio
from typing import Any

import pytest

from adapters.matrix.outgoing.wire import Wire
from tests.fakes.matrix import UNKNOWN_TOKEN, Lost, Person, RateLimit, Refuse, Status
from tests.fakes.matrix.faults import SEND, UPLOAD, Held
from tests.fakes.pulse import PATIENCE
from tests.kits.matrix_speech import Town, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]

SECRET = "secret words"


async def test_a_room_where_she_may_not_write(town: Town, ada: Person) -> None:
    async with town.beside(ada, levels={"events_default": 50}) as (it, room):
        assert "let her send messages" in await it.delayed(part(room, SECRET))


@pytest.mark.torture
async def test_a_room_that_she_is_put_out_of_just_now(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        it.proxy.faults.always("GET /sync", Status(502))
        await ada.kicks(room, it.user)
        assert "invite her" in await it.delayed(part(room, SECRET))


@pytest.mark.torture
async def test_anything_else_that_is_refused_says_how(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        it.proxy.faults.script(SEND, Refuse(400, "M_BAD_JSON", SECRET))
        reason = await it.refused(part(room, SECRET))
        assert "M_BAD_JSON" in reason and SECRET not in reason


FAULTS = [Status(500), Status(404), Refuse(403, "M_RESOURCE_LIMIT_EXCEEDED"), Lost(), Lost(accepted=False), UNKNOWN_TOKEN]


@pytest.mark.parametrize("fault", FAULTS)
async def test_what_may_pass_is_tried_again(town: Town, ada: Person, fault: Status | Refuse | Lost) -> None:
    async with town.beside(ada) as (it, room):
        it.proxy.faults.always(SEND, fault)
        sending = part(room, SECRET)
        reason = await it.delayed(sending)
        assert SECRET not in reason and it.client.access_token not in reason
        it.proxy.faults.lift()
        await it.sender.send(sending)
        assert [event.body for event in await ada.messages(room)] == [SECRET]


async def test_a_short_limit_is_waited_for(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        it.proxy.faults.script(SEND, RateLimit(0.1))
        await it.sender.send(part(room, "after all"))
        assert [event.body for event in await ada.messages(room)] == ["after all"]


async def test_a_long_limit_is_left_to_the_next_time(town: Town, ada: Person) -> None:
    async with town.beside(ada, seconds=2) as (it, room):
        it.proxy.faults.script(SEND, RateLimit(3600))
        sending = part(room, "after all")
        await it.delayed(sending)
        # On a busy machine that takes longer than a limit is waited for here.
        it.sender._seconds = PATIENCE
        await it.sender.send(sending)
        assert [event.body for event in await ada.messages(room)] == ["after all"]


@pytest.mark.torture
async def test_after_the_end_nothing_is_sent(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        pass
    assert "not connected" in await it.delayed(part(room, SECRET))


BOLD = "**a** " * 3_300
TOO_MUCH = "語" * 23_000


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [False, True])
async def test_what_is_too_much_with_its_looks_goes_without_them(town: Town, ada: Person, encrypted: bool) -> None:
    async with town.beside(ada, encrypted=encrypted) as (it, room):
        await it.sender.send(part(room, BOLD))
        said = await ada.hears(room, lambda event: event.sender == it.user and event.kind == "m.text")
        assert (said.body, said.html) == (BOLD, "")


@pytest.mark.parametrize("encrypted", [False, True])
async def test_what_is_too_much_goes_as_a_file(town: Town, ada: Person, encrypted: bool) -> None:
    async with town.beside(ada, encrypted=encrypted) as (it, room):
        question = await ada.says(room, "tell me all")
        sent = await it.sender.send(part(room, f"# All\n{TOO_MUCH}", answers=question))
        said = await ada.hears(room, lambda event: event.id == sent)
        assert (said.kind, said.answers, said.mentions, said.html) == ("m.file", question, [ada.user], "")
        assert "in the file" in said.body and "\n" not in said.body
        assert (await ada.opens(said)).decode() == f"# All\n{TOO_MUCH}"
        [upload] = it.proxy.calls(UPLOAD)
        assert ("語".encode() in upload.raw) is not encrypted


class Hurried(Wire):
    """Waits a moment for its first upload, and as long as for all else for the next, which a busy homeserver takes longer for."""

    uploads_within = 0.2

    async def upload(self, room: str, data: bytes, content_type: str) -> dict[str, Any]:
        """Upload a file."""
        try:
            return await super().upload(room, data, content_type)
        finally:
            self.uploads_within = PATIENCE


async def test_an_upload_that_nobody_answers_does_not_hold_up_the_room_for_ever(town: Town, ada: Person) -> None:
    async with town.beside(ada, wire=Hurried) as (it, room):
        it.proxy.faults.always(UPLOAD, Held(before=True))
        async with asyncio.timeout(PATIENCE):
            assert "cannot be reached" in await it.delayed(part(room, TOO_MUCH))
        it.proxy.faults.lift()
        assert await it.sender.send(part(room, TOO_MUCH))


@pytest.mark.torture
async def test_an_edit_that_is_too_much_becomes_a_file(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        preview = await it.sender.send(part(room, "All", operation="preview"))
        final = part(room, TOO_MUCH, operation="edit", target=preview)
        await it.sender.send(final)
        shown = await ada.hears(room, lambda event: event.replaces == preview)
        new = shown.content["m.new_content"]
        assert new["msgtype"] == "m.file" and "in the file" in shown.body


@pytest.mark.parametrize("text", ["x" * 19_900, "a *b*\n" * 3_300])
async def test_the_longest_ordinary_part_fits(town: Town, ada: Person, text: str) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        preview = await it.sender.send(part(room, text, operation="preview"))
        await it.sender.send(part(room, f"{text}.", operation="edit", target=preview))
        assert (await ada.hears(room, lambda event: event.replaces == preview)).body == f"{text}."
