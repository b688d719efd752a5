"""What the memory page stands on: the extra `web`, which an installation of the base alone leaves out."""

import re
import shlex
import sys
from importlib.metadata import requires
from importlib.util import find_spec

from localization.sentences import Said, lazy

_OF_EXTRA = re.compile(r"""([\w.-]+)[^;]*;\s*extra == ['"]web['"]""")


def missing() -> Said | None:
    """Return the sentence that says how to install what the page stands on, None where it is here."""
    names = [found[1] for found in map(_OF_EXTRA.match, requires("lyra-companion") or ()) if found]
    if all(find_spec(name.replace("-", "_")) for name in names):
        return None
    installer = [sys.executable, "-m", "pip"] if find_spec("pip") else ["uv", "pip"]
    where = [] if find_spec("pip") else ["--python", sys.executable]
    command = shlex.join([*installer, "install", *where, *names])
    return lazy('The memory page takes the extra "web", which is not installed here: {command}', command=command)
