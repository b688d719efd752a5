"""Questions to a person who waits for the answer to a call: a yes and a no under it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import discord

from adapters.discord.failures import TROUBLE
from adapters.discord.interactions.buttons import answered, question

_OVER = "This is not waiting for an answer any more; use the command again."
_OTHERS = "Only the person who was asked can answer this."


class Questions:
    """The questions that wait for a yes or a no. `seconds` is how long each does."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._open: dict[str, tuple[int, asyncio.Future[bool]]] = {}

    async def ask(self, interaction: discord.Interaction, text: str) -> bool:
        """Ask whoever called, in the place of the answer; no answer in time, or no way to ask, is a no."""
        nobody = discord.AllowedMentions.none()
        with self._waiting(interaction) as answer, suppress(*TROUBLE):
            await interaction.edit_original_response(content=text, view=question(interaction.id), allowed_mentions=nobody)
            await asyncio.wait({answer}, timeout=self._seconds)
        # Where this fails, the answer to the call takes the buttons away.
        with suppress(*TROUBLE):
            await interaction.edit_original_response(view=None)
        return answer.done() and answer.result()

    async def press(self, interaction: discord.Interaction, custom_id: str) -> bool:
        """Take the press of a yes or a no; return whether it was one."""
        told = answered(custom_id)
        if told is None:
            return False
        call, yes = told
        person, answer = self._open.get(call, (0, None))
        with suppress(*TROUBLE):
            if answer is None:
                await interaction.response.send_message(_OVER, ephemeral=True)
            elif person != interaction.user.id:
                await interaction.response.send_message(_OTHERS, ephemeral=True)
            else:
                if not answer.done():
                    answer.set_result(yes)
                await interaction.response.defer()
        return True

    @contextmanager
    def _waiting(self, interaction: discord.Interaction) -> Iterator[asyncio.Future[bool]]:
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._open[str(interaction.id)] = interaction.user.id, answer
        try:
            yield answer
        finally:
            del self._open[str(interaction.id)]
