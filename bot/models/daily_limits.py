"""The daily limits of unattended model calls."""

from bot.config.settings import Settings
from memory.journal.spending import CallLimits, Spent


def limits(settings: Settings, *, dreaming: bool = False) -> CallLimits:
    """Return the daily limits: a domain's dreams have a budget of their own, housekeeping shares one."""
    everything = Spent(settings.background_calls_per_day, settings.background_tokens_per_day)
    dream = settings.dream
    return CallLimits(Spent(dream.calls_per_day, dream.tokens_per_day) if dreaming else everything, everything)
