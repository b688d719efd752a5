"""Writes digests through a model, and asks it what she thinks."""

from bot.errors import ContextTooLong, ModelError
from bot.models.port import ChatMessage, Model, complete
from memory.derive import entries, prompts
from memory.errors import WriterFailed, WriterRefused
from memory.ports import ChatModel, Entry, Task
from memory.text.storable import clean


async def written(chat_model: ChatModel, task: Task) -> list[Entry]:
    """Return the sentences of a digest that a model is asked for. Raises what its answer raises, and WriterRefused."""
    prompt = prompts.render(task)
    return entries.parse(await chat_model.answer(prompt.system, prompt.user), [source.label for source in task.sources])


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

    async def answer(self, system: str, user: str) -> str:
        """Return the answer to a prompt. Raises WriterFailed, WriterRefused."""
        messages: list[ChatMessage] = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        try:
            return clean(await complete(self._model, messages))
        except ContextTooLong as error:
            raise WriterRefused(str(error)) from error
        except ModelError as error:
            raise WriterFailed(str(error)) from error
