"""Notifications to systemd."""

import asyncio
import socket
from collections.abc import Mapping
from contextlib import suppress

_MICROSECONDS = 1_000_000


class Notifier:
    """Reports the state to systemd, if it runs this process: ready, alive, stopping (the protocol of sd_notify(3)).

    Datagrams go to the socket named by NOTIFY_SOCKET; a no-op without it.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Read the socket and the watchdog interval (WATCHDOG_USEC), half of which is used."""
        address = variables.get("NOTIFY_SOCKET", "")
        # A name beginning with @ is an abstract socket of Linux.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        given = variables.get("WATCHDOG_USEC", "")
        self._seconds = int(given) / _MICROSECONDS / 2 if given.isdigit() else 0.0

    def tell(self, state: str) -> None:
        """Send a state, such as READY=1; failures are ignored."""
        if self._address:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.sendto(state.encode(), self._address)

    async def keep_alive(self) -> None:
        """Send watchdog pings from the event loop, until cancelled."""
        while self._address and self._seconds:
            self.tell("WATCHDOG=1")
            await asyncio.sleep(self._seconds)
