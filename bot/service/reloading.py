"""Reloading the configuration at runtime: models, keys and persona. Other changes need a restart."""

from bot.config.environment import Environment
from bot.config.settings import Settings, load
from bot.context.persona import Persona
from bot.errors import LyraError
from bot.models.chains import Models
from bot.service.log import carried_on, log
from localization.sentences import _
from memory.core import Memory
from memory.errors import MemoryFailure

_LIVE = {"chat", "summary", "models", "persona"}


class Reloading:
    """Applies changes of the configuration file. `settings` are those in use."""

    def __init__(self, environment: Environment, settings: Settings, models: Models, persona: Persona, memory: Memory) -> None:
        self._environment = environment
        self.settings = settings
        self._models = models
        self._persona = persona
        self._memory = memory

    async def reload(self) -> str:
        """Reload the file; return the result as a sentence. An invalid file changes nothing. Raises BadConfig, BadSecret."""
        settings = load(self._environment)
        before = self._persona.named
        self._persona.named = settings.persona
        try:
            self._persona.read()
            for name, backend in settings.models.items():
                self._environment.secret(backend.api_key_env, backend.api_key_file, _("The key of [models.{name}]", name=name))
            await self._models.reload(settings)
        except BaseException:
            self._persona.named = before
            raise
        if self._models.writer_setup:
            # Where the memory is out of reach, the next start does it.
            await carried_on(self._memory.know_writer(*self._models.writer_setup), "writer")
        later = [
            key for key in Settings.model_fields if key not in _LIVE and getattr(settings, key) != getattr(self.settings, key)
        ]
        log.info("configuration.reloaded", later=",".join(later))
        self.settings = settings.model_copy(update={key: getattr(self.settings, key) for key in later})
        waits = _(" At the next start: {later}.", later=", ".join(later)) if later else ""
        over = ""
        if self._models.connected:
            over = _(" A model that was connected by hand serves all the same; lyra model config goes back.")
        return _("The configuration was read again.{over}{waits}", over=over, waits=waits)

    async def try_reload(self) -> str:
        """Reload the file; return the result, or the error, as a sentence."""
        try:
            return await self.reload()
        except (LyraError, MemoryFailure) as error:
            log.warning("configuration.refused", why=str(error))
            return _("{error} The earlier configuration stays in use.", error=error)
