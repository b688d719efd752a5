"""What a process of `lyra run` does where several share one memory."""

from enum import StrEnum


class Role(StrEnum):
    """`all` does everything, alone on its memory; the others stand beside each other, as many of each as are wanted."""

    ALL = "all"
    PLATFORM = "platform"
    """Hears, answers and sends on the configured platforms."""
    WORKER = "worker"
    """Summarizes, dreams, embeds and sweeps."""
    WEB = "web"
    """Serves the memory page."""

    @property
    def talks(self) -> bool:
        """Whether somebody may talk with her there."""
        return self is not Role.WORKER

    @property
    def works(self) -> bool:
        """Whether it does what nobody waits for."""
        return self in (Role.ALL, Role.WORKER)

    @property
    def hears(self) -> bool:
        """Whether it connects to the configured platforms."""
        return self in (Role.ALL, Role.PLATFORM)

    @property
    def serves(self) -> bool:
        """Whether it serves the memory page."""
        return self in (Role.ALL, Role.WEB)
