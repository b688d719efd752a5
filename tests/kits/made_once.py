"""Things that are made once, in the process that is forked, so that no child makes them again."""

import sys
from inspect import signature

from memory.index.recall.breadth import breadth
from memory.index.when.further_languages import times_in_english
from memory.index.when.further_vocabulary import DAYS


def make_once() -> None:
    """Make the patterns and lists of words of what is loaded; to compile them takes a third of a second."""
    for module in [module for name, module in sys.modules.items() if name.startswith("memory.")]:
        for made in list(vars(module).values()):
            if hasattr(made, "cache_info") and not signature(made).parameters:
                made()
    for language, days in DAYS.items():
        times_in_english(days, language)
    breadth("", "english")
