"""`lyra update`: the installed version, its news, and how to update. No server is asked unless requested."""

import re
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

from bot.config.environment import read_environment
from bot.errors import LyraError
from bot.printing import show
from localization.numerals import number
from localization.sentences import _

_NAME = "lyra-companion"
_SHOWN = 12
_UNRELEASED = "Unreleased"
"""The heading of the changelog's newest part until its version is released."""
_SECONDS = 60.0


async def update(*, ask: bool) -> None:
    """Print the installed version and how to update it; with `ask`, also the registry's newest version."""
    version = distribution(_NAME).version
    show(_("Lyra {version} is installed.", version=version))
    news, path = _news()
    if news:
        show(_("\nNew in {part}:", part=path[0] if path[0] != _UNRELEASED else version))
        for line in news[:_SHOWN]:
            show(f"- {line}")
        if len(news) > _SHOWN:
            show(_("and {n} more: {path}", n=number(len(news) - _SHOWN), path=path[1]))
    if ask:
        newest = _newest()
        same = f" {_('That is what is here.')}" if newest == version else ""
        show(_("\nThe package registry has {newest}.", newest=newest) + same)
    show(
        _(
            "\nTo update: lyra backup FILE, then {command}, then start her again.",
            command=update_command(Path(sys.prefix), Path(__file__).parents[2], read_environment().home),
        )
    )
    show(_("The memory is migrated at the first start; docs/running.md says how to go back."))


def update_command(prefix: Path, source: Path, home: Path) -> str:
    """Return the command that updates an installation, from its prefix, its source and the home."""
    if home == Path("/data") and prefix == Path("/opt/lyra"):
        return _(
            "{command} in an updated copy of her sources", command="docker compose -f deploy/compose.yaml up --detach --build"
        )
    # Their folders may be anywhere, but each leaves its receipt.
    for receipt, installer in (("pipx_metadata.json", "pipx"), ("uv-receipt.toml", "uv tool")):
        if (prefix / receipt).exists():
            return f"{installer} upgrade {_NAME}"
    if (source / "Makefile").exists():
        return _("{command} in {folder}", command="git pull && make run", folder=source)
    return f"{sys.executable} -m pip install --upgrade {_NAME}"


def _news() -> tuple[list[str], tuple[str, Path]]:
    """Return the first sentences of the changelog's newest entries, with that part's name and the file."""
    path = _changelog()
    if path is None:
        return [], ("", Path())
    _, _, newest = path.read_text("utf-8").partition("\n## ")
    name, _, body = newest.partition("\n## ")[0].partition("\n")
    entries = (" ".join(entry.split()) for entry in re.split(r"(?m)^- ", body.partition("### Added")[2] or body)[1:])
    titles = (_first(entry.partition(" ###")[0]).rstrip(" .:;").replace("**", "") for entry in entries)
    return [f"{one}." for one in titles], (name, path)


def _first(entry: str) -> str:
    """Return an entry's first sentence, or the part before a colon, never cutting within parentheses."""
    ends = (entry[: found.start()] for found in re.finditer(r"[.:;] ", entry))
    return next((said for said in ends if said.count("(") == said.count(")")), entry)


def _changelog() -> Path | None:
    installed = next((file.locate() for file in distribution(_NAME).files or () if file.name == "CHANGELOG.md"), None)
    for path in (installed, Path(__file__).parents[2] / "CHANGELOG.md"):
        if path is not None and Path(str(path)).is_file():
            return Path(str(path)).resolve()
    return None


def _newest() -> str:
    """Return the newest version from the package registry. Raises LyraError."""
    if not find_spec("pip"):
        raise LyraError(
            "There is no pip here to ask with; ask your installer: pipx upgrade {name}, or uv tool upgrade {name}.", name=_NAME
        )
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "index", "versions", _NAME]
    found = None
    with suppress(subprocess.TimeoutExpired):
        output = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False).stdout
        found = re.match(rf"{_NAME} \(([^)]+)\)", output)
    if not found:
        raise LyraError("The package registry knows no {name}, or cannot be reached.", name=_NAME)
    return found[1]
