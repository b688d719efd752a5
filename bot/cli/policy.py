"""`lyra privacy`."""

from bot.app import opened
from bot.cli.output import show
from bot.rights.policy import policy


async def privacy() -> int:
    """Print the privacy policy that follows from the configuration and the model in use."""
    async with opened() as app:
        show(policy(app.base.settings, app.models, app.memory.address))
    return 0
