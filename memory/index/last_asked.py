"""The vectors of the last questions: most messages are embedded as a question first, and then as what was said."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from memory.ports import Embedder, MultilingualEmbedder, Vectors

_MOST = 16


class LastAsked:
    """An embedder that embeds none of the last questions again, and no text twice at once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    async def question(self, text: str) -> Vectors:
        """Return the unit vector of a question, which is known from now on. Raises EmbeddingFailed."""
        if isinstance(self._embedder, MultilingualEmbedder):
            return await self._embedder.ask(text)
        vector: Vectors = (await self.embed([text]))[0]
        self._known[text] = vector
        while len(self._known) > _MOST:
            self._known.popitem(last=False)
        return vector

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text, in order: float32 (len(texts), dimension). Raises EmbeddingFailed."""
        found = {text: self._known[text] for text in texts if text in self._known}
        if new := [text for text in dict.fromkeys(texts) if text not in found]:
            made = await self._embedder.embed(new)
            if any(len(vector) != made.shape[1] for vector in self._known.values()):
                # The endpoint serves another model since: nothing of the old one may stand beside it.
                self._known.clear()
                return await self.embed(texts)
            found.update(zip(new, made, strict=True))
        return np.stack([found[text] for text in texts])
