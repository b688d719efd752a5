"""What is told while somebody types stands above their line, which is drawn again and loses nothing."""

import asyncio
import os
import pty
from io import TextIOWrapper

import pytest

from adapters.console.terminal import Terminal
from tests.fakes.pulse import PATIENCE


async def test_a_notice_amid_a_line_stands_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    keys, screen = pty.openpty()
    shown, loop = "", asyncio.get_running_loop()
    grew = asyncio.Event()

    def read() -> None:
        nonlocal shown
        shown += os.read(keys, 1 << 16).decode()
        grew.set()

    async def until(text: str, since: int = 0) -> int:
        while text not in shown[since:]:
            grew.clear()
            await grew.wait()
        return shown.index(text, since) + len(text)

    monkeypatch.setenv("TERM", "xterm")
    with TextIOWrapper(os.fdopen(screen, "rb", closefd=False)) as typed, os.fdopen(screen, "w") as drawn:
        monkeypatch.setattr("sys.stdin", typed)
        monkeypatch.setattr("sys.stdout", drawn)
        loop.add_reader(keys, read)
        try:
            async with asyncio.timeout(PATIENCE):
                terminal = Terminal([], lambda: asyncio.sleep(0, []), colour=False)
                line = asyncio.create_task(terminal.read())
                await until("you ›")
                os.write(keys, b"half of")
                at = await until("half of")
                terminal.note("Somebody waits.")
                told = await until("Somebody waits.", at)
                await until("you › half of", told)
                os.write(keys, b" a line\r")
                assert await line == "half of a line"
        finally:
            loop.remove_reader(keys)
            os.close(keys)
