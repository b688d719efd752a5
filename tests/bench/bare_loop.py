"""An event loop with nothing to do, as a process: it prints its longest stall in milliseconds once its standard input closes."""

import asyncio
import sys

from tests.kits.stalls import stalls


async def main() -> None:
    """Look until nobody is there any more."""
    async with stalls() as found:
        print("looking", flush=True)
        await asyncio.to_thread(sys.stdin.read)
    print(found.longest)


asyncio.run(main())
