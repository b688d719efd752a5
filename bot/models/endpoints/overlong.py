"""Recognition of refusals of overlong prompts, and of the sizes they state, in each server's wording."""

import re

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
    "loaded with context length of only",  # LM Studio
    "cannot truncate prompt with n_keep",  # LM Studio 0.4
    "max_new_tokens` must be <=",  # TGI: `inputs` tokens + …
    "`inputs` must have less than",  # TGI
    "is greater than max_seq_len",  # TabbyAPI
    "longer than the model's context length",  # SGLang
    "exceeds the maximum allowed length",  # SGLang
    "maximum prompt length is",  # xAI
    "exceeds the maximum number of tokens",  # Google
    "exceeds the context window",  # OpenAI, responses
    "context window exceeds limit",  # MiniMax
    "exceeded model token limit",  # Moonshot
    "input is too long for requested model",  # Bedrock
    "model context window is",  # RKLLM
    "reduce the length of the messages",  # Groq
    "request too large for",  # Groq and OpenAI: more in one request than a minute may take
    "prompt is too long",
)
_LIMIT = re.compile(
    r"n_ctx'?:? ?\(?(\d{2,9})\b|(?:context|model) length (?:is|of) (?:only )?(\d{2,9})\b|context (?:size|length) \((\d{2,9})"
    r"|> (\d{2,9}) maximum|context window (?:of|is) (\d{2,9})|with (\d{2,9}) maximum context|must be <= (\d{2,9})"
    r"|must have less than (\d{2,9})|max_seq_len (\d{2,9})|allowed length \((\d{2,9})|allowed \((\d{2,9})"
    r"|maximum prompt length is (\d{2,9})|\(tpm\): limit (\d{2,9})|token limit: (\d{2,9})|max size: (\d{2,9})"
)
_ASKED = re.compile(
    r"'n_prompt_tokens': ?(\d{2,9})\b|n_keep:? ?\(?(\d{2,9})\b|keep the first (\d{2,9})\b|request \((\d{2,9}) tokens"
    r"|(\d{2,9}) in (?:the messages|your prompt)|(\d{2,9}) of text input|prompt is too long: (\d{2,9}) tokens"
    r"|contains at least (\d{2,9}) input tokens|(\d{2,9}) input tokens|resulted in (?:over )?(\d{2,9}) tokens"
    r"|prompt contains (\d{2,9}) tokens|(\d{2,9}) tokens from the input|given: (\d{2,9})\b|length (\d{2,9})(?: \+ \d+)? is greater"
    r"|input (?:length )?\((\d{2,9}) tokens|token count \((\d{2,9})|request contains (\d{2,9})|prompt is (\d{2,9}) tokens"
)
# The statuses of a refused request, and the wording of a refusal that names no other reason.
_REFUSED = frozenset({400, 422})
_NO_REASONS = frozenset({"bad_request", "invalid_request", "invalid_request_error", "invalid_prompt"})
_OF_LENGTH = frozenset({"messages", "prompt", "input", "max_tokens", "max_completion_tokens"})
LOOKED_AT = 20_000


def says_too_long(status: int, words: frozenset[str], body: object) -> bool:
    """Return whether a refusal, with the words of its code and type, says that the prompt is too long."""
    text = _text(body)
    return status == 413 or bool(words & _CODES) or any(phrase in text for phrase in _PHRASES)


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
    found = pattern.search(_text(body))
    return int(next(group for group in found.groups() if group)) if found else None


def _text(body: object) -> str:
    return str(body)[:LOOKED_AT].lower()
