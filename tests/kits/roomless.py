"""What models of tests share that take a prompt of any length."""


class Roomless:
    """A model of which nobody knows how much it takes."""

    async def room(self) -> int | None:
        """Return None: nobody knows."""
        return None
