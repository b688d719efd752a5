"""What systemd is told of a process that it runs."""

import asyncio
import socket
from collections.abc import Mapping
from contextlib import suppress

_MICROSECONDS = 1_000_000


class Notifier:
    """Tells systemd how things are, where it runs her: ready, alive, stopping (the protocol of sd_notify(3)).

    Datagrams go to the socket that NOTIFY_SOCKET names, and nowhere without one.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Read where to send, and how often systemd wants to hear that she is alive (WATCHDOG_USEC), half of which is kept to."""
        address = variables.get("NOTIFY_SOCKET", "")
        # A name that begins with @ is one of Linux's abstract sockets.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        given = variables.get("WATCHDOG_USEC", "")
        self._seconds = int(given) / _MICROSECONDS / 2 if given.isdigit() else 0.0

    def tell(self, state: str) -> None:
        """Send a state, such as READY=1. What does not arrive is systemd's to miss."""
        if self._address:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.sendto(state.encode(), self._address)

    async def keep_alive(self) -> None:
        """Say again and again that the event loop goes on, until cancelled."""
        while self._address and self._seconds:
            self.tell("WATCHDOG=1")
            await asyncio.sleep(self._seconds)
