"""The outcome of a command: one clear sentence on failure, and an exit code."""

import errno
import os
import re
import sys
from io import TextIOWrapper

from typer.exceptions import Abort, Exit, TyperException

from adapters.errors import PlatformFailure
from adapters.markup import printable
from bot.cli.help_texts import localized, localized_misuse
from bot.cli.main import cli
from bot.cli.output import system_failure
from bot.config.language import terminal_language
from bot.errors import FAILED, BadConfig, BadSecret, Cancelled, LyraError, code_until_changed
from bot.printing import OutputUnwritable, note
from localization.current_language import read_in
from localization.sentences import _, told
from memory.errors import MemoryFailure

_MOST = 200
_ENDLESS = re.compile(rf"\S{{{_MOST},}}")
"""A typed word too long to be worth repeating."""
DONE, MISUSED, STOPPED = 0, 2, 130


def run_cli() -> int:
    """Run the command line; return 0 (done), 1 (failed), 2 (wrong usage) or 130 (Ctrl-C)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A name that is not UTF-8 is printed with a replacement character rather than refused.
            stream.reconfigure(errors="replace")
    read_in(terminal_language(os.environ))
    try:
        code = _called()
        # What was printed last is written only now.
        sys.stdout.flush()
    except OSError as error:
        return _explain(error)
    return code


def _called() -> int:
    try:
        return int(localized(cli)(standalone_mode=False) or DONE)
    except Exit as ended:
        return ended.exit_code
    except TyperException as error:
        return _misused(error)
    except Cancelled as error:
        return _say(told(error), STOPPED)
    except (Abort, KeyboardInterrupt):
        return STOPPED
    except BaseExceptionGroup as group:
        return _explain(_first(group))
    except (LyraError, MemoryFailure, PlatformFailure, OSError) as error:
        return _explain(error)


def _misused(error: TyperException) -> int:
    """Explain wrong usage in one sentence that points to --help; show the help itself if no arguments were given."""
    context = getattr(error, "ctx", None)
    called = context.command_path if context else "lyra"
    if context and not context.args and type(error).__name__ == "NoArgsIsHelpError":
        print(context.get_help())
        return DONE
    sentence = " ".join(getattr(error, "format_message", error.__str__)().split())
    return _say(
        _("{text} See: {command} --help", text=localized_misuse(sentence), command=called) if sentence else "",
        getattr(error, "exit_code", MISUSED),
    )


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def _explain(error: BaseException) -> int:
    if isinstance(error, BadConfig | BadSecret):
        return _say(told(error), code_until_changed(os.environ))
    if isinstance(error, LyraError | MemoryFailure | PlatformFailure):
        return _say(told(error), FAILED)
    if isinstance(error, OutputUnwritable):
        # What is left of the output goes to the null device, so that the interpreter does not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        # The reader of our output is gone, and wants no more.
        return FAILED
    if isinstance(error, OSError):
        return _say(system_failure(error), FAILED)
    raise error


def _say(sentence: str, code: int) -> int:
    """Print a sentence as a single line, whatever it contains."""
    line = printable(" ".join(sentence.splitlines()))
    note(_ENDLESS.sub(lambda word: f"{word[0][:_MOST]}…", line))
    return code
