"""Regular expressions that are compiled at their first use.

Most of what reads a message is of no use to a command that starts, answers one question and ends: compiling it all took a fifth
of such a start.
"""

import re
from typing import Any, cast


class _LazyPattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # Kept on the instance, so that from then on a call goes straight to the compiled pattern.
        value = self.__dict__[name] = getattr(re.compile(*self._source), name)
        return value


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression that is compiled when it is first used.

    Only its own methods and attributes work: it cannot be passed to the functions of `re`.
    """
    return cast(re.Pattern[str], _LazyPattern(pattern, flags))
