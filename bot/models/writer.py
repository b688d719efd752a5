"""A digest writer that asks a model, also for reflections."""

from dataclasses import replace

from bot.errors import ContextTooLong, ModelError, ModelGarbled
from bot.models.port import ChatMessage, Model, complete, size
from localization.sentences import lazy
from memory.derive import entries, prompts
from memory.errors import TooMuchToRead, WriterFailed, WriterRefused
from memory.ports import ChatModel, Entry, Task
from memory.text.storable import clean


async def written(chat_model: ChatModel, task: Task) -> list[Entry]:
    """Return the sentences of a digest written by a model. Raises what the call raises, and WriterRefused."""
    prompt = prompts.render(task)
    try:
        answer = await chat_model.answer(prompt.system, prompt.user)
    except TooMuchToRead as error:
        if error.room is not None:
            bare = prompts.render(replace(task, sources=()))
            around, whole = (size(_messages(one.system, one.user)) for one in (bare, prompt))
            error.share = (error.room - around) / max(1, whole - around)
        raise
    return entries.parse(answer, [source.label for source in task.sources])


def _messages(system: str, user: str) -> list[ChatMessage]:
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


class ModelWriter:
    """Writes digests through a model. It does not retry: the model did, and the caller keeps the task."""

    extractive = False

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The writer's name stored with each digest."""
        return f"model:{self._model.name}"

    async def write(self, task: Task) -> list[Entry]:
        """Return the sentences of the digest, each with the labels it cites.

        Raises WriterFailed if the model did not answer; WriterRefused for an unusable answer, or for sources too long for the
        model, which a retry would not change.
        """
        return await written(self, task)

    async def require_room(self, system: str, user: str) -> None:
        """Check that a prompt may fit. Raises TooMuchToRead if it is known not to, WriterFailed."""
        try:
            room = await self._model.room()
        except ModelError as error:
            raise WriterFailed(error.sentence) from error
        if room is not None and size(_messages(system, user)) > room:
            raise TooMuchToRead(lazy("The model {name} cannot take a prompt that long.", name=self._model.name), room)

    async def answer(self, system: str, user: str) -> str:
        """Return the answer to a prompt. Raises WriterFailed, WriterRefused."""
        messages = _messages(system, user)
        try:
            return clean(await complete(self._model, messages))
        except ContextTooLong as error:
            raise TooMuchToRead(error.sentence, error.room, sure=error.sure) from error
        except ModelGarbled as error:
            raise WriterRefused(lazy("nothing usable came of it"), asked=error.attempts) from error
        except ModelError as error:
            raise WriterFailed(error.sentence) from error
