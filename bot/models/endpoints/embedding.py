"""Embeddings from an OpenAI-compatible endpoint, validated before use."""

import asyncio
import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bot.config.sections import Backend
from bot.errors import ContextTooLong, ModelError, ModelGarbled, ModelRefused
from bot.models.endpoints.endpoint import Endpoint
from bot.models.endpoints.responses import Unusable, read_json
from bot.service.runtime_metrics import measures
from localization.sentences import Said, lazy
from memory.errors import EmbeddingFailed
from memory.ports import Vectors
from memory.text.budget import tokens

MAX_BYTES = 1 << 26
_MOST_AT_ONCE = 64
# A text is not shortened below this many characters.
SHORTEST = 200


class OpenAIEmbedder:
    """Embeds through an endpoint, 64 texts per request, with the backend's timeout for each request.

    Transient failures are not retried here: the caller embeds again later. A batch that fails is divided, and batches stay as small
    as the endpoint turns out to take. A text too long for the model is embedded by its beginning.
    """

    refused: Said = ""
    """Any fault of an endpoint may be transient."""

    def __init__(self, name: str, backend: Backend, api_key: str | None) -> None:
        """Nothing is sent yet. Raises BadSecret for a key that no header can hold."""
        self._name = name
        self._endpoint = Endpoint(backend.base_url, backend.model, api_key)
        self._client = self._endpoint.client()
        self._timeout = backend.timeout
        self._batch = _MOST_AT_ONCE
        # Requested as base64 at first, like the openai library does: a quarter of the bytes. Many endpoints send numbers, some refuse.
        self._encodings: list[str] = ["base64", "float"]
        # Vectors of different models are not comparable.
        self.name = f"{name}:{backend.model}"

    async def warm(self) -> None:
        """Do nothing: there is nothing to load."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of length 1 a text, in order: float32 (len(texts), dimension).

        Raises EmbeddingFailed; then no text was embedded.
        """
        rows: list[Vectors] = []
        done = 0
        try:
            while done < len(texts):
                batch, trial = texts[done : done + self._batch], _Trial()
                rows.append(await self._several(batch, trial))
                if trial.refused and not trial.shortened:
                    self._batch = min(self._batch, trial.largest)
                done += len(batch)
                measures.count_call("embedding", self._name, sum(map(tokens, batch)))
        except ModelError as error:
            raise EmbeddingFailed(error.sentence) from error
        if len({row.shape[1] for row in rows}) > 1:
            raise EmbeddingFailed("{who} sent vectors of different dimensions.", who=self._endpoint.who)
        return np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.float32)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _several(self, texts: Sequence[str], trial: "_Trial") -> Vectors:
        try:
            if len(texts) == 1:
                return await self._one(texts[0], trial)
            rows = await self._ask(texts)
        except (ModelGarbled, ModelRefused, ContextTooLong) as error:
            if len(texts) == 1:
                raise
            # One bad text fails a batch, and some endpoints take few texts at once.
            trial.refused = trial.refused or not isinstance(error, ModelGarbled)
            half = (len(texts) + 1) // 2
            parts = [await self._several(some, trial) for some in (texts[:half], texts[half:])]
        else:
            trial.largest = max(trial.largest, len(texts))
            return rows
        if len({part.shape[1] for part in parts}) > 1:
            raise ModelGarbled(lazy("{who} sent vectors of different dimensions.", who=self._endpoint.who))
        return np.concatenate(parts)

    async def _one(self, text: str, trial: "_Trial") -> Vectors:
        while True:
            try:
                return await self._ask([text])
            except ContextTooLong:
                if len(text) <= SHORTEST:
                    raise
            text, trial.shortened = text[: len(text) // 2], True

    async def _ask(self, texts: Sequence[str]) -> Vectors:
        encodings = list(self._encodings)
        while True:
            try:
                rows = await self._request(texts, encodings[0])
            except ModelRefused:
                if len(encodings) == 1:
                    raise
                del encodings[0]
            else:
                self._encodings = encodings[:1]
                return rows

    async def _request(self, texts: Sequence[str], encoding: str) -> Vectors:
        create: Any = self._client.embeddings.with_streaming_response.create
        headers = self._endpoint.headers()
        asked = create(model=self._endpoint.model, input=list(texts), encoding_format=encoding, extra_headers=headers)
        late = lazy("{who} sent no vectors within {seconds} seconds.", who=self._endpoint.who, seconds=f"{self._timeout:g}")
        deadline = asyncio.get_running_loop().time() + self._timeout

        async def answered() -> Vectors:
            async with asked as response:
                return _unit(_rows(await read_json(response.iter_bytes(), MAX_BYTES), len(texts)))

        return await self._endpoint.before(deadline, late, answered())


@dataclass
class _Trial:
    """What came of one batch: whether it was refused, the most texts that were taken at once, and whether one was too long."""

    refused: bool = False
    largest: int = 1
    shortened: bool = False


def _rows(document: object, expected: int) -> Vectors:
    """Return the vectors in the order of the texts. Raises Unusable."""
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise Unusable("it has no list of vectors")
    if len(data) != expected:
        raise Unusable("it has {vectors} vectors for {texts} texts", vectors=len(data), texts=expected)
    places = [entry.get("index", place) for place, entry in enumerate(data)]
    if not all(type(place) is int for place in places) or sorted(places) != list(range(expected)):
        raise Unusable("it does not say which vector is whose")
    vectors = [_vector(entry.get("embedding")) for _, entry in sorted(zip(places, data, strict=True), key=lambda pair: pair[0])]
    if len({len(vector) for vector in vectors}) != 1:
        raise Unusable("its vectors have different dimensions")
    return np.stack(vectors)


def _vector(value: object) -> Vectors:
    try:
        if isinstance(value, str):
            return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float32)
        if isinstance(value, list) and all(isinstance(number, int | float) for number in value):
            with np.errstate(over="ignore"):  # overflows to infinity, which is refused below
                return np.array(value, dtype=np.float64).astype(np.float32)
    except (binascii.Error, ValueError, OverflowError):
        raise Unusable("a vector cannot be read") from None
    raise Unusable("a vector is not a list of numbers")


def _unit(rows: Vectors) -> Vectors:
    """Normalize the rows to length 1. Raises Unusable for a row without a direction."""
    if rows.shape[1] == 0 or not np.isfinite(rows).all():
        raise Unusable("a vector is empty or holds what is not a finite number")
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    if not (lengths > 0).all():
        raise Unusable("a vector is zero")
    unit: Vectors = (rows / lengths).astype(np.float32)
    return unit
