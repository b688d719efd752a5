"""A model to which no safe connection can be made: who asked is told so once, it is tried again, and answered once it works."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.fakes.pulse import PATIENCE
from tests.kits import discord_town
from tests.kits.awake import model_server
from tests.kits.discord_town import Town

town = discord_town.town


class Front:
    """What answers in plain words where TLS is spoken."""

    def __init__(self) -> None:
        self.port = 0
        self.asked = asyncio.Event()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Answer for the block."""
        server = await asyncio.start_server(self._refuse, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield

    async def _refuse(self, _: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        self.asked.set()
        out.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        await out.drain()
        out.close()


async def test_who_asked_is_told_once_and_answered_once_it_works(town: Town) -> None:
    front = Front()
    async with front.open():
        unsafe = f'chat = "main"\n[models.main]\nbase_url = "https://127.0.0.1:{front.port}/v1"\nmodel = "fake-model"\n'
        async with town.lyra(config=unsafe) as lyra:
            said = await town.says(town.ada, town.general, "which tea?")
            await lyra.rests()
            for _ in range(2):
                front.asked.clear()
                async with asyncio.timeout(PATIENCE):
                    # The longer it lasts, the rarer she tries.
                    while not front.asked.is_set():
                        await lyra.talk.tick()
                        await lyra.rests()
            told = [one.content for one in town.server.world.said if one.reply_to == said.id]
            # Where the model is, is her owner's business.
            assert told == ["My model does not answer just now. Your message is kept; I answer it when the model does."]
    async with model_server() as model, town.lyra(model):
        await town.server.pulse.until(
            lambda: [one for one in town.server.world.said if one.content == "You said: ada: which tea?"], "the answer"
        )
