"""Platforms that refuse Lyra's account: noted until they accept it again, and reported to the operator wherever reachable."""

import asyncio
from collections.abc import Mapping
from functools import partial

from adapters.base import Adapter
from adapters.errors import PlatformFailure, PlatformRefused
from adapters.events import Person
from bot.config.settings import Settings
from bot.conversation.services import Services
from bot.errors import LyraError
from bot.service.log import log
from localization.current_language import reading
from localization.sentences import _, told
from memory.errors import MemoryFailure
from memory.places.scope_settings import KeptSettings

_LOST = "lost"


async def refused_platforms(kept: KeptSettings, settings: Settings) -> Mapping[str, str]:
    """Return the configured platforms that refuse her account, with the reasons."""
    noted = {scope.removeprefix("adapter:"): str(why) for scope, why in await kept.everywhere(_LOST)}
    return {platform: why for platform, why in noted.items() if platform in settings.platforms}


class RefusedAccounts:
    """Notes and reports lost platforms while running. `connected` are events set once a platform is connected."""

    def __init__(self, services: Services, adapters: Mapping[str, Adapter], connected: Mapping[str, asyncio.Event]) -> None:
        self._services = services
        self._adapters = adapters
        self._connected = connected

    async def accepted(self, platform: str) -> None:
        """Note that a platform accepts her account."""
        await self._services.memory.settings.set(f"adapter:{platform}", _LOST, None)

    async def refused(self, platform: str, error: PlatformRefused) -> None:
        """Note that a platform refuses her account, and report it to the operator's accounts on other platforms once connected."""
        await self._services.memory.settings.set(f"adapter:{platform}", _LOST, told(error))
        owners = [Person(there, account, "") for there, account in self._services.settings.owners if there != platform]
        reachable = [one for one in owners if one.platform in self._adapters and one.platform in self._connected]
        await asyncio.gather(*map(partial(self._tell, platform, error), reachable))

    async def _tell(self, lost: str, error: PlatformRefused, owner: Person) -> None:
        await self._connected[owner.platform].wait()
        try:
            place = await self._adapters[owner.platform].unprompted_place(owner)
            if place is None:
                return
            with reading(await self._services.languages.to(place, owner)):
                text = _("I am not on {platform} any more. {why}", platform=lost.capitalize(), why=told(error))
                await self._services.outgoing.tell(place, owner, text)
        except (LyraError, MemoryFailure, PlatformFailure) as failure:
            log.info("owner.not_told", platform=owner.platform, why=type(failure).__name__)
