"""A homeserver for trying: `make homeserver`. It has two accounts, and is gone with all that was said when it ends."""

import asyncio
import signal

import aiohttp

from tests.fakes.matrix.client import Client
from tests.fakes.matrix.synapse import Synapse

PORT = 8008
PASSWORD = "correct horse"

_TOLD = """\
A homeserver for trying is at {url}; Ctrl-C ends it, and all that was said is gone then.
Accounts: ada and lyra, password: {password}

Put this into ~/.lyra/lyra.toml, or into a file that LYRA_CONFIG names:

[matrix]
homeserver = "{url}"
user_id = "@lyra:{server}"
password_env = "MATRIX_PASSWORD"
invites = ["@ada:{server}"]

Then:  MATRIX_PASSWORD="{password}" lyra run
and sign in as ada with any Matrix client, homeserver {url}, to write to @lyra:{server}."""


async def _accounts(url: str) -> None:
    async with aiohttp.ClientSession() as session:
        for name in ("ada", "lyra"):
            asked = {"auth": {"type": "m.login.dummy"}, "username": name, "password": PASSWORD, "inhibit_login": True}
            await Client(url, session).call("POST", "register", body=asked)


async def _main() -> None:
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with Synapse(port=PORT) as synapse:
        await _accounts(synapse.url)
        print(_TOLD.format(url=synapse.url, server=synapse.server_name, password=PASSWORD), flush=True)
        await ended.wait()


if __name__ == "__main__":
    asyncio.run(_main())
