"""The optional dependencies of the memory page: the extra `web`, not part of a base installation."""

import re
import shlex
import sys
from importlib.metadata import requires
from importlib.util import find_spec

from localization.sentences import Said, lazy

_OF_EXTRA = re.compile(r"""([\w.-]+)[^;]*;\s*extra == ['"]web['"]""")


def missing() -> Said | None:
    """Return a sentence on how to install missing dependencies, None if all are present."""
    names = [found[1] for found in map(_OF_EXTRA.match, requires("lyra-companion") or ()) if found]
    if all(find_spec(name.replace("-", "_")) for name in names):
        return None
    installer = [sys.executable, "-m", "pip"] if find_spec("pip") else ["uv", "pip"]
    where = [] if find_spec("pip") else ["--python", sys.executable]
    command = shlex.join([*installer, "install", *where, *names])
    return lazy('The memory page takes the extra "web", which is not installed here: {command}', command=command)
