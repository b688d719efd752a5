"""What can be done with a post, and which of it a part on its way out asks for."""

from typing import Protocol

from adapters.base import Sending


class Posts(Protocol):
    """The posts of one platform. Each returns the id of the message that shows the part."""

    async def send(self, sending: Sending) -> str:
        """Say it."""
        ...

    async def edit(self, sending: Sending) -> str:
        """Have a message say this."""
        ...

    async def delete(self, sending: Sending) -> str:
        """Remove a message."""
        ...

    async def offer(self, sending: Sending) -> str:
        """Show what can be pressed under a message that stays as it is; one that is gone offers nothing."""
        ...

    async def unname(self, sending: Sending) -> str:
        """Take away the name of a thread that she opened, where it is still there."""
        ...


async def put(posts: Posts, sending: Sending) -> str:
    """Do with a post what a part asks for, and return the id of its message."""
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
