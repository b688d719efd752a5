"""The files of messages, read within limits."""

from collections.abc import Sequence

import discord

from adapters import file_contents
from adapters.discord.failures import TROUBLE
from adapters.discord.incoming import convert
from adapters.events import Message
from adapters.message_parts import Attachment, Contents
from adapters.recent import Recent
from adapters.task_groups import shielded

_MOST_MESSAGES = 256


class Files:
    """Reads attachments; `seconds` limits how long those of one message may take.

    URLs expire: if the cached one fails, the message is fetched again.
    """

    def __init__(self, seconds: float = 10.0) -> None:
        self._seconds = seconds
        self._at_hand: Recent[str, dict[str, discord.Attachment]] = Recent(_MOST_MESSAGES)

    def remember(self, message: discord.Message) -> None:
        """Cache the URLs of a message's files for a while."""
        found = {str(one.id): one for one in convert.files(message)}
        if found:
            self._at_hand[str(message.id)] = found

    async def read(self, client: discord.Client, message: Message) -> Sequence[Contents]:
        """Return the readable contents of a message's files within the time limit, one per file, in order."""

        async def contents(attachment: Attachment) -> Contents:
            return file_contents.extract(attachment, await self._bytes(client, message, attachment))

        return await file_contents.in_time(message.attachments, contents, self._seconds)

    async def _bytes(self, client: discord.Client, message: Message, attachment: Attachment) -> bytes:
        if found := self._at_hand.get(message.id, {}).get(attachment.id):
            try:
                return await found.read()
            except TROUBLE:
                self._at_hand.pop(message.id, None)
        channel = client.get_partial_messageable(int(message.place.thread or message.place.channel))
        try:
            self.remember(await shielded(channel.fetch_message(int(message.id))))
            again = self._at_hand.get(message.id, {}).get(attachment.id)
            return await again.read() if again else b""
        except TROUBLE:
            return b""
