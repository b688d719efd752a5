"""Writes digests through a model, and asks it what she thinks."""

from dataclasses import replace

from bot.errors import ContextTooLong, ModelError, ModelGarbled
from bot.models.port import ChatMessage, Model, complete, size
from localization.sentences import lazy
from memory.derive import entries, prompts
from memory.errors import TooMuchToRead, WriterFailed, WriterRefused
from memory.ports import ChatModel, Entry, Task
from memory.text.storable import clean


async def written(chat_model: ChatModel, task: Task) -> list[Entry]:
    """Return the sentences of a digest that a model is asked for. Raises what its answer raises, and WriterRefused."""
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
    """A writer of digests that asks a model. It retries nothing itself: the model did, and the caller keeps the task."""

    extractive = False

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """What is kept with each digest."""
        return f"model:{self._model.name}"

    async def write(self, task: Task) -> list[Entry]:
        """Return the sentences of the digest, each with the labels it cites.

        Raises WriterFailed where the model did not answer; WriterRefused where its answer cannot be used, or the sources are
        too long for it, which trying again would not change.
        """
        return await written(self, task)

    async def require_room(self, system: str, user: str) -> None:
        """Do nothing where a prompt may fit. Raises TooMuchToRead where it is known not to, WriterFailed."""
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
            raise WriterRefused(lazy("nothing usable came of it"), asked=error.asked) from error
        except ModelError as error:
            raise WriterFailed(error.sentence) from error
