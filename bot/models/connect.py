"""Connecting a language model from a conversation: /model."""

from collections.abc import Awaitable, Callable

from adapters.command_table import Call
from bot.config.sections import is_this_machine
from bot.config.settings import Surroundings
from bot.errors import BadInput, LyraError
from bot.models.chains import Models

LocalModels = Callable[[str], Awaitable[list[str]]]


def known_servers(around: Surroundings) -> dict[str, str]:
    """Return where the usual servers of models listen on this machine, by what people call them."""
    return {
        "ollama": around.ollama,
        "llamacpp": "http://127.0.0.1:8080/v1",
        "vllm": "http://127.0.0.1:8000/v1",
        "lmstudio": "http://127.0.0.1:1234/v1",
    }


class Connector:
    """Finds models on this machine, asks before any word goes there, and undoes it."""

    def __init__(
        self, models: Models, around: Surroundings, probe: LocalModels, reload: Callable[[], Awaitable[str]] | None = None
    ) -> None:
        """`reload` reads the configuration again, and says what came of it."""
        self._models = models
        self._probe = probe
        self._read_again = reload
        self._known = known_servers(around)

    def describe(self, *, owner: bool = True) -> str:
        """Say which models serve, in a sentence; where they are, and how to change it, only to who runs her."""
        if self._models.chat is None:
            return "No model connected: I keep, find and summarize" + ("; /model lets me converse." if owner else ".")
        summaries = self._models.writer.name.removeprefix("model:")
        where = f" at {self._models.where}" if owner else ""
        return f"Model: {self._models.chat.name}{where}; summaries by {summaries}."

    async def command(self, call: Call) -> str:
        """Answer /model: show, connect or disconnect."""
        name = str(call.arguments.get("name", ""))
        if not name:
            return f"{self.describe()}\n{await self._found()}"
        if name == "off":
            return await self._off()
        if name == "config":
            await self._models.as_configured()
            return f"As configured. {self.describe()}"
        if name == "reload":
            return await self._reload()
        base_url = self._known.get(name.casefold(), name)
        if not base_url.startswith(("http://", "https://")):
            raise BadInput(f'I know no "{name}". Try /model ollama, or /model http://HOST:PORT/v1')
        return await self._connect(call, name, base_url.rstrip("/"))

    async def _off(self) -> str:
        if not await self._models.off():
            return "No model was connected."
        elsewhere = self._models.goes_to
        return f"Disconnected. Words still go to {elsewhere}." if elsewhere else "Disconnected. Nothing leaves this machine."

    async def _reload(self) -> str:
        if self._read_again is None:
            raise BadInput("Nothing can be read again here.")
        return f"{await self._read_again()}\n{self.describe()}"

    async def _connect(self, call: Call, name: str, base_url: str) -> str:
        found = [model for model in await self._probe(base_url) if "embed" not in model]
        wanted = str(call.arguments.get("model", "")) or (found[0] if found else "")
        if not found:
            raise BadInput(f"No model answers at {base_url}. Start {'a server' if '://' in name else name} there and try again.")
        if wanted not in found:
            raise BadInput(f"{base_url} has no {wanted}. It has: {', '.join(found[:10])}.")
        if call.surface is None:
            raise LyraError("A model can only be connected where you can be asked first.")
        where = "on this machine" if is_this_machine(base_url) else f"at {base_url}"
        if not await call.surface.confirm(f"Found {wanted} {where}. Send your words there?"):
            return "Not connected."
        await self._models.connect(base_url, wanted)
        return "Connected. /model off undoes it."

    async def _found(self) -> str:
        lines = []
        for name, base_url in self._known.items():
            if models := await self._probe(base_url):
                lines.append(f"/model {name}: {', '.join(models[:5])}")
        return "\n".join(lines) or "No model server was found on this machine; /model URL connects any OpenAI-compatible one."
