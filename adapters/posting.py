"""Dispatch of outgoing parts to the operations on a platform's posts."""

from typing import Protocol

from adapters.base import Sending
from localization.sentences import lazy

REPEAT = lazy("(this may be a repeat)")
"""Precedes a part that may have arrived before."""


class Posts(Protocol):
    """The posts of one platform. Each method returns the id of the message that shows the part."""

    async def send(self, sending: Sending) -> str:
        """Post a message."""
        ...

    async def edit(self, sending: Sending) -> str:
        """Replace the text of a message."""
        ...

    async def delete(self, sending: Sending) -> str:
        """Delete a message."""
        ...

    async def offer(self, sending: Sending) -> str:
        """Show buttons under a message whose text stays; a message that is gone offers nothing."""
        ...

    async def unname(self, sending: Sending) -> str:
        """Remove the name of a thread that Lyra opened, if it still exists."""
        ...


async def put(posts: Posts, sending: Sending) -> str:
    """Perform a part's operation, and return the id of its message."""
    match sending.operation:
        case "edit":
            return await posts.edit(sending)
        case "delete":
            return await posts.delete(sending)
        case "offer":
            return await posts.offer(sending)
        case "unname":
            return await posts.unname(sending)
    return await posts.send(sending)
