"""Things that are made once, in the process that is forked, so that no child makes them again."""

import sys
from datetime import date
from inspect import signature

from adapters.plain_words import asks_for_no_record, asks_for_reminder, offered
from memory.index.recall.breadth import breadth
from memory.index.when.further_languages import times_in_english, vocabularies
from memory.text.told.announcements import coming
from memory.text.told.discretion import discreet
from memory.text.told.manner_requests import manner_requests
from memory.text.told.named_things import named, surnamed


def make_once() -> None:
    """Make the patterns and lists of words of what is loaded; to compile them takes a third of a second."""
    for module in [module for name, module in sys.modules.items() if name.startswith("memory.")]:
        for made in list(vars(module).values()):
            if hasattr(made, "cache_info") and not signature(made).parameters:
                made()
    for language, words in vocabularies().items():
        times_in_english(" ".join(words.days), language)
    breadth("", "english")
    for said in ("hello", "Please call me Ada.", "The party is moved to Friday.", "We meet tomorrow."):
        _read(said)


def _read(said: str) -> None:
    """Look in a message for what she looks for in each: to compile what that takes is a fifth of a short conversation."""
    for look in (asks_for_no_record, asks_for_reminder, discreet, manner_requests, named, surnamed):
        look(said)
    offered(said, "/")
    coming(said, date(2024, 6, 1))
