"""The roles of `lyra run` processes that share one memory."""

from enum import StrEnum


class Role(StrEnum):
    """`all` does everything, alone on its memory; the other roles can run side by side in any number."""

    ALL = "all"
    PLATFORM = "platform"
    """Hears, answers and sends on the configured platforms."""
    WORKER = "worker"
    """Summarizes, dreams, embeds and sweeps."""
    WEB = "web"
    """Serves the memory page."""

    @property
    def works(self) -> bool:
        """Whether it does background work."""
        return self in (Role.ALL, Role.WORKER)

    @property
    def hears(self) -> bool:
        """Whether it connects to the configured platforms."""
        return self in (Role.ALL, Role.PLATFORM)

    @property
    def serves(self) -> bool:
        """Whether it serves the memory page."""
        return self in (Role.ALL, Role.WEB)
