"""The prompt size that a backend accepts: configured, asked of its server, or learnt from its refusals.

Each server has its own wording for a refusal of what is too long, and for the sizes in it; they are recognized here.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable

from bot.errors import ContextTooLong
from bot.models.endpoints.backend_facts import REASONS, BackendFacts

CONTEXT, DENSITY = "context", "density"
"""Facts of a backend: its context in tokens, and how many of its own tokens an estimated one is."""
FITS, MUTE = "fitting", "mute"
"""Facts of a backend whose refusals state no figures.

The longest accepted prompt, with the second in which it was learnt; and that a refusal without any reason means the length.
"""
_LASTS = 86_400
"""Seconds after which a lesson of a failure expires: its cause may have been another."""
_SPARE = 0.9
_SHORT = 400
"""A prompt of at most this many tokens fails for another reason, or because the server accepts none at all."""
_MUCH_SHORTER = 8
_SHARE_OF_THE_ANSWER, _SHARE_WITH_REASONING = 4, 2
_TIMES_FOR_REASONING = 4

AskContext = Callable[[], Awaitable[int | None]]
"""Returns a server's stated context, 0 if it states none, None if it does not answer."""


class PromptRoom:
    """The room for a backend's prompts, in tokens as counted by memory.text.budget.

    `said` is the configured context, 0 for none; `longest` the longest answer wanted. `ask` queries the server: at every start
    if `always`, since a nearby server may have been restarted with another context, else only if nothing is known.
    """

    def __init__(self, said: int, longest: int, facts: BackendFacts, ask: AskContext | None, *, always: bool) -> None:
        self._said = said
        self._longest = longest
        self._facts = facts
        self._ask = None if said or (facts.get(CONTEXT) and not always) else ask
        self._asking = asyncio.Lock()
        self._guessed: int | None = None
        self._guessed_at = 0.0
        self._doubted: int | None = None
        self._mute = False
        self._clear = False

    @property
    def context(self) -> int | None:
        """The most tokens of a prompt with its answer, None if unknown."""
        found = self._said or self._facts.get(CONTEXT)
        return found if isinstance(found, int) and found > 0 else None

    @property
    def learnt(self) -> bool:
        """Whether an unexplained refusal is taken to be about the length, as shorter prompts were accepted."""
        return self._facts.get(MUTE) is True

    @property
    def doubts(self) -> bool:
        """Whether the next prompt tests if a longer one failed for its length."""
        return self._doubted is not None

    @property
    def answer(self) -> int:
        """The most tokens of an answer, and of its reasoning where that takes many: never all of a small context."""
        longest, share = self._longest, _SHARE_OF_THE_ANSWER
        if self._facts.get(REASONS):
            longest, share = _TIMES_FOR_REASONING * longest, _SHARE_WITH_REASONING
        return min(longest, self.context // share) if self.context else longest

    async def reasoned(self) -> None:
        """Learn that reasoning took the tokens of an answer, or some that it lacked at its end."""
        await self._facts.note(REASONS, True)

    async def tokens(self) -> int | None:
        """Return the recommended size of a prompt, None if unknown."""
        known = await self.known()
        guesses = [self._guess, known, self._taught]
        return min((room for room in guesses if room is not None), default=None)

    async def known(self) -> int | None:
        """Return the largest size of a prompt that is certain; longer ones are refused here."""
        async with self._asking:
            if self._ask is not None:
                found = await self._ask()
                if found is not None:
                    self._ask = None
                if found:
                    await self._facts.note(CONTEXT, found)
        return self._fits()

    async def refused(self, error: ContextTooLong, size: int, *, images: bool) -> int:
        """Learn from the refusal of a prompt of this size; return the size for the next attempt, which is smaller."""
        if error.limit and not self._said:
            await self._facts.note(CONTEXT, error.limit)
            self._guess = None
        if error.asked and size and not images:
            await self._facts.note(DENSITY, max(self._density(), error.asked / size))
        room = self._fits()
        if room is None or room >= size:
            room = size // 2
            if not images:
                self._guess = room if size > _SHORT else None
        return room

    async def doubted(self, size: int, *, mute: bool = True) -> int | None:
        """Learn from an unexplained refusal of a prompt of this size; return the size of a shorter one to try.

        `mute` says that it was refused, not that the server failed. None means that the length is not the problem: the prompt
        is short, or a much shorter one was refused as well.
        """
        if size <= _SHORT or self._clear:
            return None
        if self.learnt:
            self._guess = size // 2
            return self._guess
        if self._doubted is not None and size <= self._doubted // 2:
            self._doubted, self._clear = None, True
            return None
        self._doubted, self._mute = size, mute
        return size // _MUCH_SHORTER

    async def accepted(self, size: int) -> None:
        """Learn from an accepted prompt of this size, and store what it proved."""
        self._clear = False
        if self._doubted is not None and size <= self._doubted // 2:
            if self._mute:
                await self._facts.note(MUTE, True)
            # The limit is between the two; later prompts will find it. A server that failed at what it is known to take failed
            # for something else: otherwise some hours of that would leave no room for the persona, for a day.
            known = self._fits()
            if self._mute or known is None or self._doubted > known:
                self._guess = self._doubted // 2
        self._doubted = None
        if self._guess is not None and size > self._guess:
            self._guess = size
        if self._guess is not None:
            await self._facts.note(FITS, [self._guess, int(self._guessed_at)])

    @property
    def _taught(self) -> int | None:
        found = self._facts.get(FITS)
        match found:
            case [int(room), int(at)] if room > 0 and _is_fresh(at):
                return room
        return None

    @property
    def _guess(self) -> int | None:
        return self._guessed if _is_fresh(self._guessed_at) else None

    @_guess.setter
    def _guess(self, room: int | None) -> None:
        self._guessed, self._guessed_at = room, time.time()

    def _fits(self) -> int | None:
        return None if self.context is None else int((self.context - self.answer) * _SPARE / self._density())

    def _density(self) -> float:
        found = self._facts.get(DENSITY)
        return max(1.0, float(found)) if isinstance(found, int | float) else 1.0


def _is_fresh(at: float) -> bool:
    return 0 <= time.time() - at < _LASTS


_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"})
_PHRASES = (
    "maximum context length",  # OpenAI, vLLM, OpenRouter, Mistral, SGLang, MLX
    "context length is only",  # vLLM
    "maximum model length",  # vLLM: the decoder prompt (length …) is longer than the …
    "too long and exceeds limit",  # vLLM
    "too long to fit into the model",  # vLLM
    "exceeds the available context size",  # llama.cpp, 400
    "context size has been exceeded",  # llama.cpp, 500
    "is too large to process",  # llama.cpp, embeddings
    "exceed context window of",  # llama-cpp-python
    "length exceeds the context length",  # Ollama
    "length exceeds maximum context length",  # Ollama before 0.12
    "exceeded max context length",  # Ollama: prompt too long; …
    "greater than the context length",  # LM Studio: the number of tokens to keep from the initial prompt is …
    "exceeds the context window",  # OpenAI, responses
    "context window exceeds limit",  # MiniMax
    "exceeded model token limit",  # Moonshot
    "input is too long for requested model",  # Bedrock
    "model context window is",  # RKLLM
    "range of input length should be",  # DashScope
    "exceeds max length",  # Zhipu
    "exceed max message tokens",  # Volcengine
    "reduce the length of the messages",  # Groq
    "request too large for",  # Groq and OpenAI: more in one request than a minute may take
    "prompt is too long",
)
_LIMIT = re.compile(
    r"n_ctx'?:? ?\(?(\d{2,9})\b|(?:context|model) length (?:is|of) (?:only )?(\d{2,9})\b|context (?:size|length) \((\d{2,9})"
    r"|> (\d{2,9}) maximum|context window (?:of|is) (\d{2,9})|with (\d{2,9}) maximum context|must be <= (\d{2,9})"
    r"|must have less than (\d{2,9})|max_seq_len (\d{2,9})|allowed length \((\d{2,9})|allowed \((\d{2,9})"
    r"|maximum prompt length is (\d{2,9})|\(tpm\): limit (\d{2,9})|token limit: (\d{2,9})|max size: (\d{2,9})"
    r"|input length should be \[\d+, (\d{2,9})|maximum input length \(?(\d{2,9})|sequence length is just (\d{2,9})|limit is (\d{2,9})"
    r"|max_num_tokens \((\d{2,9})|max input tokens: (\d{2,9})|context limit: [\d +]+ > (\d{2,9})"
)
_ASKED = re.compile(
    r"'n_prompt_tokens': ?(\d{2,9})\b|n_keep:? ?\(?(\d{2,9})\b|keep the first (\d{2,9})\b|request \((\d{2,9}) tokens"
    r"|(\d{2,9}) in (?:the messages|your prompt)|(\d{2,9}) of text input|prompt is too long: (\d{2,9}) tokens"
    r"|contains at least (\d{2,9}) input tokens|(\d{2,9}) input tokens|resulted in (?:over )?(\d{2,9}) tokens"
    r"|prompt contains (\d{2,9}) tokens|(\d{2,9}) tokens from the input|given: (\d{2,9})\b|length (\d{2,9})(?: \+ \d+)? is greater"
    r"|input (?:length )?\((\d{2,9}) tokens|token count \((\d{2,9})|request contains (\d{2,9})|prompt is (\d{2,9}) tokens"
    r"|(?:input|prompt) length (?:\()?(\d{2,9})\)? |current length is (\d{2,9})|sum of prompt length \((\d{2,9})|input token count: (\d{2,9})"
    r"|context limit: (\d{2,9}) \+"
)
# The statuses of a refused request, and the wording of a refusal that names no other reason.
_REFUSED = frozenset({400, 422})
_NO_REASONS = frozenset({"bad_request", "invalid_request", "invalid_request_error", "invalid_prompt"})
_OF_LENGTH = frozenset({"messages", "prompt", "input", "max_tokens", "max_completion_tokens"})
_LOOKED_AT = 20_000


def says_too_long(status: int, words: frozenset[str], body: object) -> bool:
    """Return whether a refusal, with the words of its code and type, says that the prompt is too long.

    What states both what it takes and what it was given does, unless that is said of a minute.
    """
    text = refusal_text(body)
    states_both = status != 429 and all(sizes(body))
    return status == 413 or bool(words & _CODES) or states_both or any(phrase in text for phrase in _PHRASES)


def sizes(body: object) -> tuple[int | None, int | None]:
    """Return the context and the prompt's length that a refusal states, in tokens, each None if not stated."""
    return _number(_LIMIT, body), _number(_ASKED, body)


def may_be_too_long(status: object, body: object) -> bool:
    """Return whether an unrecognized refusal may be about the length, as it names no other reason."""
    given = body if isinstance(body, dict) else {}
    code, param = given.get("code"), given.get("param")
    no_reason = not isinstance(code, str) or code.isdigit() or code.lower() in _NO_REASONS
    return status in _REFUSED and no_reason and (not isinstance(param, str) or param in _OF_LENGTH)


def _number(pattern: re.Pattern[str], body: object) -> int | None:
    """Return the number that a body states in one of these ways: a plain number, and so nobody's text."""
    found = pattern.search(refusal_text(body))
    return int(next(group for group in found.groups() if group)) if found else None


def refusal_text(body: object) -> str:
    """Return the beginning of a refusal in lower case."""
    return str(body)[:_LOOKED_AT].lower()
