"""Connecting a language model from a conversation: /model."""

from collections.abc import Awaitable, Callable

from adapters.command_table import Call
from adapters.markup import abridged
from bot.config.environment import Environment
from bot.config.server_urls import API, fault, is_this_machine
from bot.errors import BadInput, LyraError
from bot.models.chains import Models
from localization.sentences import _, lazy

LocalModels = Callable[[str], Awaitable[list[str]]]


def known_servers(environment: Environment) -> dict[str, str]:
    """Return the default URLs of common model servers on this machine, by name."""
    return {
        "ollama": environment.ollama,
        "llamacpp": "http://127.0.0.1:8080/v1",
        "vllm": "http://127.0.0.1:8000/v1",
        "lmstudio": "http://127.0.0.1:1234/v1",
    }


class Connector:
    """Finds local models, asks for consent before text is sent to one, and disconnects it."""

    def __init__(
        self, models: Models, environment: Environment, probe: LocalModels, reload: Callable[[], Awaitable[str]] | None = None
    ) -> None:
        """`reload` re-reads the configuration and returns the result in words."""
        self._models = models
        self._probe = probe
        self._read_again = reload
        self._known = known_servers(environment)

    def describe(self, sign: str, *, owner: bool = True) -> str:
        """Return which models are in use, in a sentence; their URLs and how to change them, only for the operator.

        `sign` is the command prefix where this is read: "/", or "lyra ".
        """
        if self._models.chat is None:
            return (
                _("No model connected: I keep, find and summarize. {sign}model connects one.", sign=sign)
                if owner
                else _("No model connected: I keep, find and summarize.")
            )
        summaries = self._models.writer.name.removeprefix("model:")
        where = _(" at {place}", place=self._models.where) if owner else ""
        return _("Model: {name}{where}; summaries by {summaries}.", name=self._models.chat.name, where=where, summaries=summaries)

    async def command(self, call: Call, sign: str) -> str:
        """Handle /model: show, connect or disconnect. Raises BadInput, LyraError."""
        name = str(call.arguments.get("name", ""))
        if not name:
            # How to connect a model follows below, so `describe` is not asked to name this command.
            return f"{self.describe(sign, owner=self._models.chat is not None)}\n{await self._found(sign)}"
        if name == "off":
            return await self._off()
        if name == "config":
            await self._models.as_configured()
            return _("As configured. {describe}", describe=self.describe(sign))
        if name == "reload":
            return await self._reload(sign)
        base_url = self._known.get(name.casefold(), name)
        if "://" not in base_url:
            raise BadInput(
                'I do not know "{name}". Try {sign}model ollama, or {sign}model http://HOST:PORT/v1',
                name=abridged(name),
                sign=sign,
            )
        if wrong := fault(base_url, *API):
            raise BadInput("{problem}.", problem=wrong)
        if not await self._connected(call, name, base_url.rstrip("/")):
            return _("Not connected.")
        return _("Connected. {sign}model off undoes it.", sign=sign)

    async def _off(self) -> str:
        if not await self._models.off():
            return _("No model was connected.")
        elsewhere = self._models.goes_to
        return (
            _("Disconnected. Words still go to {elsewhere}.", elsewhere=elsewhere)
            if elsewhere
            else _("Disconnected. No model elsewhere gets any of it.")
        )

    async def _reload(self, sign: str) -> str:
        if self._read_again is None:
            raise BadInput("Nothing can be read again here.")
        return f"{await self._read_again()}\n{self.describe(sign)}"

    async def _connected(self, call: Call, name: str, base_url: str) -> bool:
        found = [model for model in await self._probe(base_url) if "embed" not in model]
        wanted = str(call.arguments.get("model", "")) or (found[0] if found else "")
        if not found:
            raise BadInput(
                "No model answers at {base_url}. Start {server} there and try again.",
                base_url=base_url,
                server=lazy("a server") if "://" in name else name,
            )
        if wanted not in found:
            raise BadInput(
                "{base_url} has no {wanted}. It has: {found}.",
                base_url=base_url,
                wanted=abridged(wanted),
                found=", ".join(found[:10]),
            )
        if call.surface is None:
            raise LyraError("A model can only be connected where you can be asked first.")
        question = (
            _("Found {model} on this machine. Send your words there?", model=wanted)
            if is_this_machine(base_url)
            else _("Found {model} at {base_url}. Send your words there?", model=wanted, base_url=base_url)
        )
        agreed = await call.surface.confirm(question)
        if agreed:
            await self._models.connect(base_url, wanted)
        return agreed

    async def _found(self, sign: str) -> str:
        lines = []
        for name, base_url in self._known.items():
            if models := await self._probe(base_url):
                lines.append(f"{sign}model {name}: {', '.join(models[:5])}")
        return "\n".join(lines) or _(
            "No model server was found on this machine; {sign}model URL connects any OpenAI-compatible one.", sign=sign
        )
