"""How a bank is kept."""

from dataclasses import dataclass, replace

from memory.tiers.episodes import Rules


@dataclass(frozen=True, slots=True)
class BankRules:
    """When a conversation is over, how many pairs of message and reply one call reads, and how large the block may be.

    The block is folded when it passes `max_tokens * headroom`, and never shown with more than `max_tokens`.
    """

    idle_minutes: int = 10
    most_turns: int = 40
    max_tokens: int = 2000
    headroom: float = 1.25

    def closing(self, rules: Rules) -> Rules:
        """Return when episodes end where the bank is on: a short silence ends even a short conversation."""
        return replace(rules, idle_minutes=self.idle_minutes, least=min(rules.least, 2))
