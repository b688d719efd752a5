"""Which channels Lyra does not see. What is deleted or edited there meanwhile is not told to her."""

import discord


class Sight:
    """The channels of her servers that are hidden from her, as of the last look."""

    def __init__(self) -> None:
        self._hidden: dict[int, set[int]] = {}

    def changed(self, guild: discord.Guild) -> set[int]:
        """Look at a server's channels, and return those that were hidden from her since the last look or that she sees again."""
        before = self._hidden.get(guild.id, set())
        hidden = self._hidden[guild.id] = {one.id for one in guild.channels if not one.permissions_for(guild.me).view_channel}
        return {one.id for one in guild.channels if (one.id in before) != (one.id in hidden)}
