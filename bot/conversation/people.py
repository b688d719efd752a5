"""The accounts of each person: declared in the configuration, or linked by people themselves."""

from bot.config.sections import PersonAccounts
from bot.config.settings import Settings
from bot.conversation.preferences import Chosen
from memory.places.linking import Linking
from memory.types import Identity


class People:
    """Knows which accounts belong to the same person."""

    def __init__(self, settings: Settings, linking: Linking) -> None:
        self._linking = linking
        self._declared: dict[Identity, list[Identity]] = {}
        for someone in settings.people.values():
            accounts = [
                Identity(platform, account) for platform in PersonAccounts.model_fields for account in getattr(someone, platform)
            ]
            self._declared.update(dict.fromkeys(accounts, accounts))

    def declared(self, who: Identity) -> list[Identity]:
        """Return the accounts that the configuration declares for the person of an account, including it."""
        return self._declared.get(who, [who])

    async def accounts(self, who: Identity, chosen: Chosen | None = None) -> list[Identity]:
        """Return all accounts of the person of an account, this one first, as linked now or when `chosen` was read."""
        return await self._linking.circle(who, self.declared, chosen.linked(self.declared(who)) if chosen else None)


def is_operator(platform: str) -> bool:
    """Return whether whoever speaks on a platform is the operator: on the console only."""
    return platform == "console"
