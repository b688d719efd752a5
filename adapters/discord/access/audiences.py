"""Who could read a channel when: Discord shows newcomers to a channel everything said there before; Lyra does not.

What was said to other readers is not shown beside what is said now, unless everyone who reads now could read it then.
Recorded as messages are heard, and kept across restarts: message ids, which Discord assigns in order, and circles.
"""

from dataclasses import replace

from adapters.events import Circle, MenuCall, Message, Place, Reach
from adapters.listener import NotedValues

_MOST = 20
"""How many changes to keep per channel; what was said before the oldest of these is shown to nobody."""


class Audiences(NotedValues[list[tuple[int, str]]]):
    """The circles of channels, each from the id of the first message certainly said to it; 0 for the first one known."""

    note = "audiences"

    def see(self, place: Place, since: int) -> None:
        """Record who can read a place, as of a message."""
        if (circle := _shared(place)) is None:
            return
        known = self._values.setdefault(place.channel, [])
        if not known or known[-1][1] != _text(circle):
            known.append((since if known else 0, _text(circle)))
            del known[:-_MOST]
            self._changed = True

    def could_read(self, place: Place, message: str) -> bool:
        """Return whether everyone who can read a place now could read a message there when it was said."""
        known = self._values.get(place.channel)
        if not (known and message.isdecimal() and _shared(place)):
            return True
        then = next((circle for since, circle in reversed(known) if since <= int(message)), None)
        return then in [_text(one) for one in (place.circle, place.wider) if one]

    def before_opening(self, message: Message) -> Message:
        """Return a message said at an unknown time before now; where its channel was opened since something was last heard, as said before."""
        place, known = message.place, self._values.get(message.place.channel)
        if not known or place.reach is not Reach.PUBLIC or place.circle is None or known[-1][1] == _text(place.circle):
            return message
        reach, _, id = known[-1][1].partition(":")
        circle = Circle(Reach(reach), id)
        wider = place.circle if circle.reach is Reach.RESTRICTED else None
        return replace(message, place=replace(place, reach=circle.reach, circle=circle, wider=wider))

    def quoting(self, message: Message) -> Message:
        """Return a message with its quote reduced to the id if somebody may not read the quoted message."""
        quoted = message.quoted
        if quoted is None or self.could_read(message.place, quoted.id):
            return message
        return replace(message, quoted=replace(quoted, text="", attachments=(), hidden=True))

    def about(self, asked: MenuCall) -> MenuCall:
        """Return a call with its target reduced to the id if somebody may not read the target."""
        target = asked.target
        if target is None or self.could_read(asked.place, target.id):
            return asked
        return replace(asked, target=replace(target, text="", quoted=None, attachments=(), hidden=True))


def _shared(place: Place) -> Circle | None:
    """Return a place's circle if it can change, unlike that of a DM or a private thread."""
    return place.circle if place.server and place.circle and place.circle.id != place.thread else None


def _text(circle: Circle) -> str:
    return f"{circle.reach}:{circle.id}"
