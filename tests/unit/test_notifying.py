"""systemd is told how things are, where it runs her."""

import asyncio
import socket
from pathlib import Path

from bot.service.process_lifecycle import Notifier


def heard(folder: Path) -> tuple[socket.socket, str]:
    """Return a socket as systemd has one, and its name."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(str(folder / "notify"))
    listener.settimeout(10)
    return listener, str(folder / "notify")


async def test_states_and_signs_of_life_arrive(tmp_path: Path) -> None:
    listener, name = heard(tmp_path)
    with listener:
        notifier = Notifier({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "2000"})
        notifier.tell("READY=1")
        alive = asyncio.create_task(notifier.keep_alive())
        said = [await asyncio.to_thread(listener.recv, 100) for _ in range(3)]
        alive.cancel()
    assert said == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]


async def test_without_systemd_nothing_is_sent_and_nothing_waits(tmp_path: Path) -> None:
    notifier = Notifier({"WATCHDOG_USEC": "2000"})
    notifier.tell("READY=1")
    await notifier.keep_alive()
    Notifier({"NOTIFY_SOCKET": str(tmp_path / "nobody")}).tell("READY=1")
