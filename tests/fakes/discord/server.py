"""A loopback server that speaks Discord's gateway and REST, for an unmodified client library.

async with DiscordServer() as server:
    home = server.world.guild("Home")
    general = server.world.channel(home, "general")
    with pointed_at(server):
        ...start a client with server.token, then
    await server.connected()
    await server.person("ada").says(general, f"{server.mention} hello")
    [reply] = await server.sent(1, general)
    assert server.violations == []
"""

from collections import Counter
from typing import Self

from aiohttp import web

from tests.fakes.discord.acts import Acts
from tests.fakes.discord.calls import Call
from tests.fakes.discord.faults import Faults
from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.hub import Hub
from tests.fakes.discord.interactions import Interactions
from tests.fakes.discord.people import Person
from tests.fakes.discord.rest import PREFIX, Rest
from tests.fakes.discord.spec import load
from tests.fakes.discord.things import Channel, Message, User
from tests.fakes.discord.world import World
from tests.fakes.loopback import Loopback
from tests.fakes.pulse import Pulse


class DiscordServer:
    """The server on a port of its own. The world can be built before it starts and changed while it runs."""

    def __init__(self, *, content_intent: bool = True, members_intent: bool = False, heartbeat: float = 41.25) -> None:
        self.world = World(content_intent, members_intent)
        self.pulse = Pulse()
        self.gateway = Gateway(self.world, self.pulse, heartbeat)
        self.acts = Acts(self.world, self.gateway, self.pulse)
        self.faults = Faults()
        self.interactions = Interactions(self.world, self.gateway, self.pulse)
        self.hub = Hub(self.world, self.pulse, self.gateway, self.acts, self.faults, self.interactions, load())
        self.port = 0
        self._people: dict[str, Person] = {}
        self._served: Loopback | None = None

    @property
    def api_url(self) -> str:
        """Where the REST interface is."""
        return f"http://127.0.0.1:{self.port}{PREFIX}"

    @property
    def gateway_url(self) -> str:
        """Where the gateway is."""
        return f"ws://127.0.0.1:{self.port}/gateway"

    @property
    def token(self) -> str:
        """The bot's token."""
        return self.world.token

    @property
    def mention(self) -> str:
        """How a text names the bot."""
        return f"<@{self.world.bot.id}>"

    @property
    def requests(self) -> list[Call]:
        """Every request so far."""
        return self.hub.requests

    @property
    def violations(self) -> list[str]:
        """Every way in which a request was not Discord's."""
        return self.hub.violations

    @property
    def unknown_keys(self) -> Counter[str]:
        """Keys that requests had and Discord's description has not."""
        return self.hub.unknown_keys

    @property
    def own_faults(self) -> list[str]:
        """Where this server's answers were not what Discord's description promises."""
        return self.hub.own_faults

    def calls(self, operation: str) -> list[Call]:
        """The requests of one operation, by its name in Discord's description."""
        return [one for one in self.requests if one.operation == operation]

    @property
    def refused(self) -> list[Call]:
        """The requests that Discord counts as invalid: answered with 401, 403 or 429. Ten thousand in ten minutes are a ban."""
        return [one for one in self.requests if one.status in (401, 403, 429)]

    def person(self, name: str, *, bot: bool = False) -> Person:
        """Someone by name; the same one each time."""
        if name not in self._people:
            self._people[name] = Person(self.hub, self.world.user(name, bot=bot))
        return self._people[name]

    async def webhook_says(self, place: Channel, name: str, text: str) -> Message:
        """Let a webhook post."""
        number = self.world.ids.next()
        message = Message(self.world.ids.next(), place, User(number, name, bot=True), text, webhook=number)
        return self.acts.post(message)

    async def connected(self) -> None:
        """Wait until a client has a session and listens."""
        await self.pulse.until(self.gateway.live, "a connected client")

    async def disconnected(self) -> None:
        """Wait until nobody listens."""
        await self.pulse.until(lambda: not self.gateway.live(), "no connected client")

    async def identified(self, times: int) -> None:
        """Wait until that many IDENTIFYs have come."""
        await self.pulse.until(lambda: len(self.gateway.identifies) >= times, f"IDENTIFY number {times}")

    async def resumed(self, times: int = 1) -> None:
        """Wait until that many RESUMEs have come."""
        await self.pulse.until(lambda: len(self.gateway.resumes) >= times, f"RESUME number {times}")

    async def sent(self, number: int = 1, place: Channel | None = None) -> list[Message]:
        """Wait until the bot has said that much since the start, in one channel or anywhere, and give it, oldest first."""

        def said() -> list[Message]:
            return [one for one in self.world.said if place in (None, one.channel)]

        await self.pulse.until(lambda: len(said()) >= number, f"message {number} of the bot")
        return said()

    async def heard(self, operation: str, times: int = 1) -> list[Call]:
        """Wait until that many requests of one operation have been answered, and give them."""

        def answered() -> list[Call]:
            return [one for one in self.calls(operation) if one.status]

        await self.pulse.until(lambda: len(answered()) >= times, f"request {times} of {operation}")
        return answered()

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=32 << 20)
        app.router.add_get("/gateway", self.gateway.serve)
        app.router.add_get("/gateway/resumed", self.gateway.serve)
        app.router.add_get("/attachments/{channel}/{file}/{name}", self._file)
        app.router.add_route("*", "/{path:.*}", Rest(self.hub).serve)
        self._served = Loopback(app)
        self.port = await self._served.begin()
        base = f"http://127.0.0.1:{self.port}"
        self.hub.base = self.acts.base = self.interactions.base = base
        self.gateway.url = self.gateway_url
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._served is not None
        await self._served.end()

    async def _file(self, request: web.Request) -> web.Response:
        file = self.world.find_file(int(request.match_info["file"]))
        if file is None or file.expired or request.query.get("ex") != str(file.turn):
            return web.Response(status=404, text="This content is no longer available.")
        return web.Response(body=file.data, headers={"Content-Type": file.content_type or "application/octet-stream"})
