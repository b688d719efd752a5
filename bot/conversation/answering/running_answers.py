"""The answers being generated now, and how they are stopped early."""

from bot.conversation.mailbox import Ticket
from bot.conversation.one_turn import Turn


class RunningAnswers:
    """The turns being answered, by ticket."""

    def __init__(self) -> None:
        self._turns: dict[Ticket, Turn] = {}

    def begin(self, ticket: Ticket, turn: Turn) -> None:
        """Register a turn as being answered, or answered again."""
        self._turns[ticket] = turn

    def finish(self, ticket: Ticket) -> None:
        """Unregister a turn."""
        self._turns.pop(ticket, None)

    def stop(self, platform: str, place: str, person: str = "") -> bool:
        """Stop the answers being generated at a place, for one account or for everybody, keeping what there is of them.

        Returns whether there was any.
        """
        here = [one for one in self._turns.values() if (one.place.platform, one.place.key) == (platform, place)]
        left = [one for one in here if not one.stop_requested.is_set() and person in ("", one.person.id)]
        for turn in left:
            turn.stop_requested.set()
        return bool(left)
