"""Which messages of a place Lyra stores and answers."""

from dataclasses import replace

from adapters.events import Message
from bot.conversation.preferences import Chosen

_MOST_TO_MACHINES = 5
"""The maximum number of consecutive answers to bots at one place, without a person's message in between."""


class Admission:
    """Checks every incoming message."""

    def __init__(self, most_to_machines: int = _MOST_TO_MACHINES) -> None:
        self._most = most_to_machines
        self._machines: dict[str, int] = {}

    def admit(self, message: Message, chosen: Chosen, *, command: bool = False, foreign: bool = False) -> Message | None:
        """Return a message as it is to be stored, `addressed` if it is to be answered; None if it is not for her.

        `chosen` are the settings of its person and place.

        A message off the record is marked as such, and is for her only if it is to be answered.

        A command is always for her, except from a bot; a `foreign` one is for another bot, even where everything is answered.
        """
        if chosen.is_off_record(message.place, message.person):
            message = replace(message, off_record=True)
        if command and not message.machine:
            return message
        if chosen.on(message.person, "paused"):
            return None
        if not message.machine:
            self._machines.pop(message.place.key, None)
        if not message.place.is_private and not message.addressed:
            if not foreign and chosen.value(message.place, "answers") == "always":
                message = replace(message, addressed=True)
            elif message.off_record or not chosen.on(message.place, "listening"):
                return None
        if message.machine and message.addressed:
            return self._answer_a_machine(message)
        return message

    def _answer_a_machine(self, message: Message) -> Message | None:
        answered = self._machines.get(message.place.key, 0)
        if answered >= self._most:
            return None
        self._machines[message.place.key] = answered + 1
        return message
