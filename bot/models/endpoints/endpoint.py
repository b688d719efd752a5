"""An OpenAI-compatible endpoint: its connection, and the mapping of its failures to Lyra's errors.

Messages name the endpoint and the model, never the key, a prompt, or free text from the endpoint, which may repeat both. For
the same reason no cause is attached.
"""

import asyncio
import math
import re
import ssl
from base64 import b64encode
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote_to_bytes, urlsplit, urlunsplit

import aiohttp
import anyio
import httpx2
import openai

from bot.config.server_urls import is_this_machine, shown
from bot.errors import (
    BadSecret,
    ContextTooLong,
    ModelBusy,
    ModelDenied,
    ModelDown,
    ModelError,
    ModelFiltered,
    ModelGarbled,
    ModelMissing,
    ModelRefused,
    ModelTimeout,
)
from bot.models.endpoints.context_size import may_be_too_long, refusal_text, says_too_long, sizes
from bot.models.endpoints.responses import ErrorResponse, Truncated, Unusable, WebPage
from localization.sentences import Said, Sentence, lazy

T = TypeVar("T")
CONNECT_SECONDS = 10.0
_TIMEOUT = httpx2.Timeout(None, connect=CONNECT_SECONDS)
# What requests and reading raise. The last three come through httpx2 unwrapped: what is no HTTP, and what breaks under TLS.
FAULTS = (
    openai.OpenAIError, Truncated, ErrorResponse, Unusable, WebPage, httpx2.HTTPError, aiohttp.ClientError, ssl.SSLError,
    anyio.EndOfStream,
)  # fmt: skip
# What says that no connection came about. httpx2's own errors do not tell that from one that was closed, as aiohttp's are mapped.
_UNREACHED = (httpx2.ConnectError, aiohttp.ClientConnectorError, aiohttp.ServerTimeoutError)

# llama.cpp without --jinja, and chat templates without tool messages, fail with status 500.
_OF_TOOLS = ("tool", "jinja", "template", "role")
_THINKS = re.compile(r"\br1\b|qwq|qwen3(?!.*instruct)|think|reason|magistral", re.IGNORECASE)
_WORD = re.compile(r"[a-z][a-z0-9_.\-]{1,60}")
# What some endpoints refuse as an invalid request: xAI and Google a wrong key, Anthropic an empty account.
_OF_THE_KEY = re.compile(r"\b(?:incorrect|invalid) api key|\bapi key (?:not valid|expired|is invalid)|api_key_invalid")
_OF_CREDIT = re.compile(r"\bcredit balance is too low|\binsufficient (?:balance|credits?|funds)\b")
# How endpoints that do not answer 404 say that a model is not there, or no more.
_GONE = frozenset(
    ("invalid_model", "model_decommissioned", "model_not_available", "model_not_found", "model_not_supported", "unknown_model")
)
_OF_THE_MODEL = re.compile(
    r"not a valid model id|\bmodel not (?:exist|found)|\binvalid model(?: name| identifier|:| ')|\bno models? loaded"
    r"|\b(?:find real modelid|router for requested model|healthy deployments)\b|\bmodel ['`\"]\S{1,200} (?:was )?not found"
)
# How endpoints say that they do not take the words of a prompt: Azure, LiteLLM, OpenRouter, OpenAI, xAI, DashScope, Volcengine, Zhipu.
_OF_A_FILTER = re.compile(
    r"\bflagged as\b|\bcontent_filter\b|\bcontent management policy\b|content_?policy_?violation|responsibleaipolicy"
    r"|\bviolates? .{0,20}\busage (?:guidelines|policy|policies)|data_inspection_failed|sensitive_?content|敏感内容"
)
# What a refusal for lack of a right may say besides; other refusals may quote a conversation with these words.
_OF_MODERATION = re.compile(r"\bmoderation\b|\bflagged\b")
_OVERLOADED = (503, 529)
_TRY_AGAIN = re.compile(r"(?:try again|retry) in (\d{1,5}(?:\.\d+)?) ?(ms|s\b|seconds?)")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The location of a model. With `api_key` None, no key is sent.

    A query in `base_url` goes with every request; with an `api-version`, as Azure asks for, the key goes as Azure takes it.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        key = self.api_key
        if key is not None and not (key.isascii() and key.isprintable() and key.strip() == key and key):
            raise BadSecret("The key for {shown} is empty, or holds characters that no key has.", shown=self.shown)

    @property
    def shown(self) -> str:
        """The URL without user, password and query."""
        return shown(self.base_url)

    @property
    def address(self) -> str:
        """The base URL without user, password and query, and without the path of chat requests that Azure shows with it."""
        parts = urlsplit(self.base_url)
        whole = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
        return whole.rstrip("/").removesuffix("/chat/completions")

    @property
    def query(self) -> Mapping[str, str]:
        """What the query of every request holds."""
        return dict(parse_qsl(urlsplit(self.base_url).query, keep_blank_values=True))

    @property
    def key_header(self) -> Mapping[str, str]:
        """The header that carries the key, if there is one, or user and password of the URL."""
        user, at, _ = urlsplit(self.base_url).netloc.rpartition("@")
        basic = {"Authorization": f"Basic {b64encode(unquote_to_bytes(user)).decode()}"} if at else {}
        if not self.api_key:
            return basic
        key = {"api-key": self.api_key} if "api-version" in self.query else {"Authorization": f"Bearer {self.api_key}"}
        return key | basic

    @property
    def thinks(self) -> bool:
        """Whether the model's name suggests that it writes its reasoning before the answer."""
        return _THINKS.search(self.model) is not None

    def client(self) -> openai.AsyncOpenAI:
        """Return a client that neither retries nor follows redirects, as prompts must go only where the operator said.

        Its only timeout is for connecting. A proxy from the environment is used, except for this machine.
        """
        # By default the library reads OPENAI_… variables, which may be meant for another endpoint. An answer is read through
        # aiohttp, as the other way each of its pieces takes nearly twice the time.
        return openai.AsyncOpenAI(
            api_key=self.api_key or "none", base_url=self.address, default_query=self.query, max_retries=0, timeout=_TIMEOUT,
            http_client=openai.DefaultAioHttpClient(**self._connecting()),
        )  # fmt: skip

    def http(self) -> httpx2.AsyncClient:
        """Return an HTTP client that connects in the same way, for requests that the openai library does not support."""
        return httpx2.AsyncClient(**self._connecting())

    def _connecting(self) -> dict[str, Any]:
        here = is_this_machine(self.base_url)
        # Loading the system's certificates takes 30 ms, and a plain http URL of this machine needs none.
        plain = here and urlsplit(self.base_url).scheme == "http"
        return {"timeout": _TIMEOUT, "follow_redirects": False, "trust_env": not here, "verify": not plain}

    def headers(self) -> Mapping[str, str | openai.Omit]:
        """Request headers; they drop what the environment, or an absent key, would add."""
        return {**dict.fromkeys(("OpenAI-Organization", "OpenAI-Project", "Authorization"), openai.Omit()), **self.key_header}

    @property
    def who(self) -> Sentence:
        """The model and its URL, as the subject of a sentence."""
        return lazy("The model {model} at {shown}", model=self.model, shown=self.shown)

    def too_long(
        self, limit: int | None = None, asked: int | None = None, room: int | None = None, size: int | None = None
    ) -> ContextTooLong:
        """Return the error for a prompt that does not fit."""
        return ContextTooLong(lazy("{who} cannot take a prompt that long.", who=self.who), limit, asked, room, size)

    async def before(self, deadline: float, late: Said, step: Awaitable[T]) -> T:
        """Await one step before a deadline of the loop's clock, mapping FAULTS to ModelError, and a timeout to what is said of it."""
        try:
            async with asyncio.timeout_at(deadline):
                return await step
        except TimeoutError:
            raise ModelTimeout(late) from None
        except FAULTS as fault:
            raise self.error(fault) from None

    def error(self, fault: BaseException) -> ModelError:
        """Map one of FAULTS to an error."""
        match fault:
            case openai.APIStatusError():
                return self._refusal(fault.status_code, fault.body, fault.response.headers)
            case ErrorResponse():
                return self._refusal(_status(fault.body), fault.body, {})
            case Unusable():
                return ModelGarbled(lazy("{who} sent something that is no answer: {fault}.", who=self.who, fault=fault))
            case WebPage():
                return ModelDown(lazy("{who} sent a web page in place of an answer.", who=self.who))
            case Truncated():
                return ModelDown(lazy("{who} broke off in the middle of an answer.", who=self.who))
            case _:
                return self._broken(_causes(fault))

    def _broken(self, causes: list[BaseException]) -> ModelError:
        if any(isinstance(cause, ssl.SSLError) for cause in causes):
            return ModelDown(
                lazy("No safe connection to {shown}: its certificate or protocol is not accepted.", shown=self.shown)
            )
        if any(isinstance(cause, _UNREACHED) for cause in causes):
            return ModelDown(lazy("No model answers at {shown}. Is it running?", shown=self.shown))
        return ModelDown(lazy("The connection to {shown} broke.", shown=self.shown))

    def _refusal(self, status: int, body: object, headers: Mapping[str, str]) -> ModelError:
        words, text = _words(body), refusal_text(body)
        who = self.who
        if says_too_long(status, words, body):
            return self.too_long(*sizes(body))
        if status == 402 or "insufficient_quota" in words or (status in (400, 403) and _OF_CREDIT.search(text)):
            return ModelDenied("{who} has no credit left for this key.", who=who)
        wait = retry_after(headers, datetime.now(UTC))
        # What is overloaded or still loads its model says so with other words, and some of these when to come again.
        if status == 429 or "rate_limit_exceeded" in words or (status in _OVERLOADED and wait is not None):
            return ModelBusy(lazy("{who} is busy and asks to wait.", who=who), _stated_wait(text) if wait is None else wait)
        if status in (404, 410) or (status in (400, 403) and words & _GONE) or (status == 400 and _OF_THE_MODEL.search(text)):
            # OpenRouter refuses tools and images so, too: those are the question's.
            kind = ModelRefused if status == 404 and "support" in text else ModelMissing
            return kind(
                lazy("{shown} has no model {model}. Check the model's name and the address.", shown=self.shown, model=self.model)
            )
        moderated = (status in (400, 403, 422) and _OF_A_FILTER.search(text)) or (status == 403 and _OF_MODERATION.search(text))
        if (status in (401, 403) and not moderated) or (status == 400 and _OF_THE_KEY.search(text)):
            return ModelDenied(
                lazy("{shown} does not accept the key.", shown=self.shown)
                if self.api_key
                else lazy("{shown} does not accept requests without a key.", shown=self.shown)
            )
        if status >= 500 or status == 408:
            return ModelDown(lazy("{who} failed (status {status}).", who=who, status=status), status)
        if status < 400:
            return ModelRefused(
                "{shown} redirects elsewhere, which is not followed. Configure the final address.", shown=self.shown
            )
        details = ", ".join([f"status {status}", *sorted(word for word in words if word not in (self.api_key or ""))])
        kind = ModelFiltered if moderated else ModelRefused
        return kind(lazy("{who} does not accept the request ({details}).", who=who, details=details))


def may_be_about_tools(fault: BaseException, error: ModelError) -> bool:
    """Return whether a request may have failed for offering tools: it was refused, or the response mentions them."""
    body = fault.body if isinstance(fault, openai.APIStatusError | ErrorResponse) else None
    text = refusal_text(body)
    refused = isinstance(error, ModelRefused) and not isinstance(error, ModelFiltered) and "model_not_found" not in _words(body)
    return refused or (isinstance(error, ModelDown) and any(word in text for word in _OF_TOOLS))


def may_be_about_length(fault: BaseException, error: ModelError) -> bool:
    """Return whether a request may have failed for its length although the response does not say so."""
    if isinstance(error, ModelFiltered):
        return False
    if isinstance(fault, openai.APIStatusError):
        return isinstance(error, ModelRefused) and may_be_too_long(fault.status_code, fault.body)
    if isinstance(fault, ErrorResponse) and isinstance(fault.body, dict):
        return isinstance(error, ModelRefused) and may_be_too_long(fault.body.get("code"), fault.body)
    return False


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds to wait from the Retry-After headers, None if absent or unreadable."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            seconds = float(value) * scale
        except ValueError:
            seconds = _until(value, now)
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def _until(value: str, now: datetime) -> float:
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return math.nan
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now.timestamp()


def _stated_wait(text: str) -> float | None:
    """Return the seconds to wait that an error's text states, None if it states none."""
    found = _TRY_AGAIN.search(text)
    return float(found[1]) * (0.001 if found[2] == "ms" else 1.0) if found else None


def _status(body: object) -> int:
    """Return the status that an error object states, as a number or in digits; 500 if it states none."""
    if "unexpected endpoint" in refusal_text(body):
        return 404  # LM Studio, which answers 200 at any address
    code = str(body.get("code")) if isinstance(body, dict) else ""
    return int(code) if re.fullmatch(r"[45]\d\d", code) else 500


def _words(body: object) -> frozenset[str]:
    """Return an error's code, type and parameter if they are plain identifiers, and so nobody's text."""
    found = [body.get(key) for key in ("code", "type", "param")] if isinstance(body, dict) else []
    return frozenset(word for word in found if isinstance(word, str) and _WORD.fullmatch(word))


def _causes(fault: BaseException) -> list[BaseException]:
    causes: list[BaseException] = []
    cause: BaseException | None = fault
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return causes
