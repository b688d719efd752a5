"""Questions that a command asks at the terminal."""

import asyncio
import os
import signal
import sys
from io import StringIO

import pytest

from bot.cli.output import read_answer
from bot.errors import Cancelled


class Impatient(StringIO):
    """A screen whose reader presses Ctrl-C as soon as anything stands there."""

    def write(self, text: str) -> int:
        """Show it, and press."""
        n = super().write(text)
        if "Sure?" in text:
            os.kill(os.getpid(), signal.SIGINT)
        return n


def test_ctrl_c_is_heard_as_soon_as_a_question_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        with pytest.raises(Cancelled, match="nothing was changed"):
            read_answer("Sure?", lambda: pytest.fail("she waits for an answer"))

    monkeypatch.setattr(sys, "stderr", Impatient())
    asyncio.run(run())
