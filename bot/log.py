"""The log: events with names and numbers, on standard error; never a message's text, never a secret."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

_UNSAID = frozenset({"text", "content", "message", "prompt", "answer", "api_key", "token", "password", "secret", "key"})

log = structlog.stdlib.get_logger("lyra")


def configure(level: str) -> None:
    """Write events of this level and above to standard error, one line each, without anybody's words."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _without_words,
            structlog.dev.ConsoleRenderer(colors=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr, format="%(levelname)s %(name)s", force=True)


def _without_words(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {key: "…" if key in _UNSAID else value for key, value in event.items()}
