"""The answers that are being made just now, and their end before they are whole."""

from bot.conversation.mailbox import Ticket
from bot.conversation.one_turn import Turn


class UnderWay:
    """Knows the turns that are being answered, each by its ticket."""

    def __init__(self) -> None:
        self._turns: dict[Ticket, Turn] = {}

    def begin(self, ticket: Ticket, turn: Turn) -> None:
        """Take in that a turn is being answered, or is so anew."""
        self._turns[ticket] = turn

    def over(self, ticket: Ticket) -> None:
        """Take in that it is not any more."""
        self._turns.pop(ticket, None)

    def end(self, platform: str, place: str, person: str = "") -> bool:
        """End the answers that are being made at a place, for one account or for everybody, with what came of them by now.

        Returns whether there was one to end.
        """
        here = [one for one in self._turns.values() if (one.place.platform, one.place.key) == (platform, place)]
        left = [one for one in here if not one.ending.is_set() and person in ("", one.person.id)]
        for turn in left:
            turn.ending.set()
        return bool(left)
