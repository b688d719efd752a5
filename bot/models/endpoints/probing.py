"""Asking a server for its model's context, its models, and its support for tools: each kind of server differs."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2

from bot.models.endpoints.endpoint import FAULTS, Endpoint
from bot.models.endpoints.responses import Unusable, read_json

_SECONDS = 2.0
_MAX_BYTES = 1 << 22
# The context with which Ollama loads a model that states none.
_OLLAMA = 4096


async def context_of(endpoint: Endpoint, *, nearby: bool) -> int:
    """Return the most tokens of a prompt with its answer, 0 if the server does not say.

    Unless `nearby`, only the request that every endpoint supports is made. Raises httpx2.TransportError if nothing answers.
    """
    try:
        async with asyncio.timeout(_SECONDS), endpoint.http() as client:
            asking = _Asking(client, endpoint)
            listed = _listed(await asking.get(f"{endpoint.address}/models"), endpoint.model)
            if not nearby:
                return _first(listed, "max_model_len", "context_length") or 0
            root = endpoint.address.removesuffix("/v1")
            props = _part(await asking.get(f"{root}/props"), "default_generation_settings")
            return (
                _first(props, "n_ctx")  # llama.cpp: the context of one slot
                or _first(listed, "max_model_len", "context_length")  # vLLM, OpenRouter
                or await _ollama(asking, root, endpoint.model)
                or _first(
                    _listed(await asking.get(f"{root}/api/v0/models"), endpoint.model), "loaded_context_length"
                )  # LM Studio
                or _first(
                    await asking.get(f"{root}/api/extra/true_max_context_length"), "value"
                )  # koboldcpp, which truncates silently
                or _first(_part(listed, "meta"), "n_ctx", "n_ctx_train")  # llama.cpp behind a proxy
                or 0
            )
    except TimeoutError:
        return 0


async def local_models(base_url: str, key: str | None = None) -> list[str]:
    """Return the sorted names of an endpoint's models; none if no usable response comes within two seconds."""
    endpoint = Endpoint(base_url, "", key)
    try:
        async with asyncio.timeout(_SECONDS), endpoint.http() as client:
            document = await _Asking(client, endpoint).get(f"{endpoint.address}/models")
    except (*FAULTS, TimeoutError):
        return []
    return sorted(name for row in _rows(document, "data") if isinstance(name := row.get("id"), str))


async def takes_tools(endpoint: Endpoint, tool: Mapping[str, Any]) -> bool | None:
    """Return whether offered tools reach the model: the prompt with a tool must count more tokens. None if unknown.

    Only endpoints that count more tokens for more words are trusted. Raises httpx2.TransportError if nothing answers.
    """
    async with endpoint.http() as client:
        asking = _Asking(client, endpoint)

        async def counted(text: str, **more: object) -> int:
            said = {"model": endpoint.model, "messages": [{"role": "user", "content": text}], "max_tokens": 1, **more}
            answer = await asking.post(f"{endpoint.address}/chat/completions", said)
            return _first(_part(answer, "usage"), "prompt_tokens") or 0

        few, many = await counted("Say yes."), await counted("Say yes, and say nothing else, whatever else you could say.")
        offered = await counted("Say yes.", tools=[tool]) if 0 < few < many else 0
    return offered > few if offered else None


class _Asking:
    """Queries one server, with its endpoint's key; an unusable response is None."""

    def __init__(self, client: httpx2.AsyncClient, endpoint: Endpoint) -> None:
        self._client = client
        self._headers, self._query = endpoint.key_header, endpoint.query

    async def get(self, url: str) -> object:
        return await self._document("GET", url)

    async def post(self, url: str, body: object) -> object:
        return await self._document("POST", url, json=body)

    async def _document(self, method: str, url: str, **more: Any) -> object:
        async with self._client.stream(method, url, headers=self._headers, params=self._query, **more) as response:
            try:
                return await read_json(response.aiter_bytes(), _MAX_BYTES) if response.status_code == 200 else None
            except Unusable:
                return None


async def _ollama(asking: _Asking, root: str, model: str) -> int | None:
    shown = await asking.post(f"{root}/api/show", {"model": model})
    if not isinstance(shown, dict):
        return None
    if said := re.search(r"^num_ctx\s+(\d+)\s*$", str(shown.get("parameters")), re.MULTILINE):
        return int(said[1])
    loaded = await asking.get(f"{root}/api/ps")
    rows = [
        one for one in _rows(loaded, "models") if model in (one.get("name"), one.get("model"), f"{one.get('name')}".split(":")[0])
    ]
    most = [size for key, value in _items(shown.get("model_info")) if key.endswith(".context_length") and (size := _size(value))]
    return _first(rows[0] if rows else None, "context_length") or min([_OLLAMA, *most])


def _listed(document: object, model: str) -> dict[str, Any]:
    """Return the entry of a model in a model list; a single entry is taken whatever its name."""
    rows = list(_rows(document, "data"))
    named = [row for row in rows if row.get("id") == model]
    return next(iter(named or rows), {}) if named or len(rows) == 1 else {}


def _rows(document: object, key: str) -> Iterator[dict[str, Any]]:
    found = document.get(key) if isinstance(document, dict) else None
    return (row for row in found if isinstance(row, dict)) if isinstance(found, list) else iter(())


def _part(document: object, key: str) -> object:
    return document.get(key) if isinstance(document, dict) else None


def _items(document: object) -> list[tuple[str, object]]:
    return [(str(key), value) for key, value in document.items()] if isinstance(document, dict) else []


def _first(document: object, *keys: str) -> int | None:
    """Return the first of these values that is a number of tokens."""
    return next((size for key in keys if (size := _size(_part(document, key)))), None)


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
