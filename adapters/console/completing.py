"""What Tab offers: commands, their subcommands, the values that a command takes, and names."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from adapters.command_table import CommandSpec

_NAMED = frozenset({"name", "session"})
_LEAVE = "quit"


class CommandCompleter(Completer):
    """Offers what may follow a prefix; `names` returns the names of conversations, people and things."""

    def __init__(self, prefix: str, table: Mapping[str, CommandSpec], names: Callable[[], Awaitable[Sequence[str]]]) -> None:
        self._prefix = prefix
        self._table = {spec.name: spec for spec in table.values() if not (spec.hidden or spec.menu)}
        self._names = names

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Return nothing: names are looked up, which is waited for."""
        return ()

    async def get_completions_async(self, document: Document, complete_event: CompleteEvent) -> AsyncGenerator[Completion, None]:
        """Yield what the word at the cursor may become."""
        line = document.text_before_cursor
        if not line.startswith(self._prefix):
            return
        typed = line.removeprefix(self._prefix)
        for command in sorted({*self._table, _LEAVE}):
            if command.startswith(typed) and command != typed:
                yield Completion(command, -len(typed))
        spec = self._meant(typed)
        if spec is None:
            return
        rest = typed.removeprefix(spec.name).lstrip()
        first = next((one for one in spec.parameters if not one.named), None)
        values = first.choices if first else ()
        if first and first.name in _NAMED:
            values = tuple(await self._names())
        for value in dict.fromkeys(values):
            if value.casefold().startswith(rest.casefold()) and value != rest:
                yield Completion(value, -len(rest))

    def _meant(self, typed: str) -> CommandSpec | None:
        """Return the command that a line has named, the longest name first: `memory about`, and not `memory`."""
        names = sorted((name for name in self._table if typed.startswith(f"{name} ")), key=len)
        return self._table[names[-1]] if names else None
