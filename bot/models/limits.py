"""How much may be asked of models without anybody asking."""

from bot.config.settings import Settings
from memory.journal.spending import CallLimits, Spent


def limits(settings: Settings, *, dreaming: bool = False) -> CallLimits:
    """Return what a day may take: a domain's dreams have a share of their own, housekeeping that of all."""
    everything = Spent(settings.background_calls_per_day, settings.background_tokens_per_day)
    dream = settings.dream
    return CallLimits(Spent(dream.calls_per_day, dream.tokens_per_day) if dreaming else everything, everything)
