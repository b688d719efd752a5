"""What Lyra shows without words: that she is typing, and how far she has read."""

import asyncio

import pytest

from adapters.matrix.outgoing.typing import thinking
from tests.fakes.matrix import Lost, Person, Status
from tests.kits.matrix_speech import Town, beside, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]

TYPING = "PUT /rooms/*/typing/*"
RECEIPT = "POST /rooms/*/read_markers"


async def test_she_is_seen_typing_until_she_is_done(town: Town, ada: Person) -> None:
    ada.ears.signs = True
    async with town.desk() as it:
        room = await beside(it, ada)
        async with thinking(it.client, room):
            await ada.sees_typing(room, it.user)
        await ada.sees_typing(room, it.user, on=False)


@pytest.mark.torture
async def test_a_long_thought_keeps_her_typing(town: Town, ada: Person) -> None:
    async with town.desk() as it:
        room = await beside(it, ada)
        async with thinking(it.client, room, lasts=0.3):
            calls = await it.proxy.heard(TYPING, 3)
        assert [call.body["typing"] for call in calls[:3]] == [True] * 3
        *_, last = await it.proxy.heard(TYPING, len(it.proxy.calls(TYPING)) + (it.proxy.calls(TYPING)[-1].body["typing"] is True))
        assert last.body["typing"] is False


@pytest.mark.torture
async def test_a_thought_that_is_broken_off_ends_typing(town: Town, ada: Person) -> None:
    ada.ears.signs = True
    async with town.desk() as it:
        room = await beside(it, ada)

        async def think() -> None:
            async with thinking(it.client, room):
                await asyncio.Event().wait()

        task = asyncio.create_task(think())
        await ada.sees_typing(room, it.user)
        task.cancel()
        await ada.sees_typing(room, it.user, on=False)


@pytest.mark.torture
async def test_trouble_with_typing_disturbs_nobody(town: Town, ada: Person) -> None:
    async with town.desk() as it:
        room = await beside(it, ada)
        it.proxy.faults.script(TYPING, *[Lost(accepted=False)] * 6, Status(500))
        async with thinking(it.client, room):
            await it.proxy.heard(TYPING)


async def test_others_see_that_she_has_read_what_she_answers(town: Town, ada: Person) -> None:
    ada.ears.signs = True
    async with town.desk() as it:
        room = await beside(it, ada)
        root = await ada.says(room, "plans")
        inside = await ada.says(room, "tea?", thread=root)
        await it.sender.send(part(room, "Yes.", thread=root, answers=inside))
        assert (await ada.sees_read(room, it.user, inside)).thread == ""


@pytest.mark.torture
async def test_trouble_with_a_receipt_disturbs_nobody(town: Town, ada: Person) -> None:
    async with town.desk() as it:
        room = await beside(it, ada)
        said = await ada.says(room, "hello")
        it.proxy.faults.always(RECEIPT, Lost(accepted=False))
        await it.sender.send(part(room, "Hello.", answers=said))
        assert it.proxy.calls(RECEIPT)
        await ada.hears_text(room, "Hello.")
