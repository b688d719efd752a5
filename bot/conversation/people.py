"""Which accounts are one person's: as the configuration declares them, and as people linked them themselves."""

from bot.config.settings import Settings
from bot.conversation.preferences import Chosen
from memory.places.linking import Linking
from memory.types import Identity


class People:
    """Says of an account which others are the same person's."""

    def __init__(self, settings: Settings, linking: Linking) -> None:
        self._linking = linking
        self._declared: dict[Identity, list[Identity]] = {}
        for someone in settings.people.values():
            accounts = [
                Identity(platform, account)
                for platform in ("console", "discord", "matrix")
                for account in getattr(someone, platform)
            ]
            self._declared.update(dict.fromkeys(accounts, accounts))

    def declared(self, who: Identity) -> list[Identity]:
        """Return the accounts that the configuration declares to be of the person of an account, which is among them."""
        return self._declared.get(who, [who])

    async def accounts(self, who: Identity, chosen: Chosen | None = None) -> list[Identity]:
        """Return all accounts of the person of an account, this one first, as they are linked now, or when `chosen` was read for it."""
        return await self._linking.circle(who, self.declared, chosen.linked(self.declared(who)) if chosen else None)
