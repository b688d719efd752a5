"""Whether the clock may decide that something has been kept for long enough: not just after it jumped far ahead.

What goes for good because its time is over would go too early by a clock that is wrong for some minutes, as after a start without a
battery or before the time is set. So it goes only once the clock has stayed ahead for an hour.
"""

from dataclasses import dataclass

from memory.places.scope_settings import KeptSettings
from memory.ports import Clock
from memory.store.database import Database
from memory.types import DAY

_FAR = 30 * DAY
_STAYS = DAY // 24
_SCOPE, _KEY = "install", "clock"


@dataclass(frozen=True, slots=True)
class ClockJumps:
    """Compares the clock with the instant at which it was last looked at, in this process or an earlier one."""

    db: Database
    clock: Clock

    async def is_settled(self) -> bool:
        """Return whether nothing speaks against the clock: it was here an hour ago, or less than thirty days back, or never before."""
        now, settings = self.clock.now(), KeptSettings(self.db)
        seen, since = _read(await settings.get(_SCOPE, _KEY))
        if not seen or now <= seen + _FAR or (since and now >= since + _STAYS):
            # Noted once an hour: everything else that happens here is rarer.
            if since or abs(now - seen) >= _STAYS:
                await settings.set(_SCOPE, _KEY, [now, 0])
            return True
        if not since or now < since:
            await settings.set(_SCOPE, _KEY, [seen, now])
        return False


def _read(kept: object) -> tuple[int, int]:
    """Return when the clock was last believed, and since when it is doubted, 0 each if that is not known."""
    return (int(kept[0]), int(kept[1])) if isinstance(kept, list) else (0, 0)
