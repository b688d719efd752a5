"""The configuration file as set-up edits it: existing content and comments stay; a new file gets the example's comments."""

import difflib
import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from bot.config.problems import not_toml
from bot.config.settings import Settings, parse_settings, read_text
from bot.errors import BadConfig
from bot.imports import imported
from localization.sentences import _
from memory.store.home_files import write_atomically

_SECTION = re.compile(r"^(?:# )?\[(?P<name>[\w.]+)\]")
_KEY = re.compile(r"^(?:# )?(?P<key>\w+) = ")
_NAMED = {"models", "people"}
"""The sections that may occur several times, each under a name."""


_HEAD = (
    "# Lyra's configuration, as `lyra setup` wrote it; it can be run again. What stands behind a # has its default:",
    "# take the # away, there and before its [section], to change it. `lyra doctor` says whether all is well.",
    "",
)


class ConfigFile:
    """A configuration file being edited. Raises BadConfig if it is not TOML."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.before = read_text(path) if path.exists() else ""
        self.is_new = not self.before.strip()
        try:
            tomllib.loads(self.before)
        except tomllib.TOMLDecodeError as error:
            problem = not_toml(path, self.before, error)
            raise BadConfig("{problem} Correct it, or move it away and set up anew.", problem=problem) from error
        self._document: Any = imported("tomlkit:parse")(self.before)

    def get(self, *steps: str) -> Any:
        """Return a value of the file, None if absent."""
        found: Any = self._document
        for step in steps:
            found = found.get(step) if hasattr(found, "get") else None
        return found.unwrap() if hasattr(found, "unwrap") else found

    def set(self, *steps: str, to: Any) -> None:
        """Set a key, given by its sections and its name; None removes it."""
        *sections, key = steps
        where = self._document
        if to is None:
            for section in sections:
                where = where.get(section, {})
            where.pop(key, None)
            return
        for depth, section in enumerate(sections):
            if section not in where:
                where[section] = imported("tomlkit:table")(depth + 1 < len(sections))
            where = where[section]
        if key not in where or where[key] != to:
            where[key] = to

    def drop_section(self, name: str) -> None:
        """Remove a section."""
        self._document.pop(name, None)

    @property
    def text(self) -> str:
        """The file's new text."""
        text: str = imported("tomlkit:dumps")(self._document)
        return "\n".join(_commented(text)) + "\n" if self.is_new else text

    def settings(self) -> Settings:
        """Return the settings of the new text. Raises BadConfig."""
        return parse_settings(self.text, self.path)

    def difference(self) -> str:
        """Return the change as a unified diff; '' for none."""
        name = self.path.name
        return "\n".join(
            difflib.unified_diff(
                self.before.splitlines(), self.text.splitlines(), name, _("{name}, changed", name=name), "", "", 1, ""
            )
        )

    def write(self) -> None:
        """Replace the file atomically, readable by its owner alone. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(self.path, self.text.encode())


def example() -> str:
    """Return the example file: every key with its default and purpose."""
    return files("bot.config").joinpath("lyra.example.toml").read_text("utf-8")


def _commented(made: str) -> Iterator[str]:
    """Yield the example's lines with the values that were set; everything else stays commented out."""
    document: Any = imported("tomlkit:parse")(made)
    section: tuple[str, ...] = ()
    yield from _HEAD
    for line in example().partition("\n\n")[2].splitlines():
        if found := _SECTION.match(line):
            section = tuple(found["name"].split("."))
            exists = section[0] in document
            yield from _others(document, section) if exists and section[0] in _NAMED else ()
            yield line.removeprefix("# ") if exists and section[0] not in _NAMED else f"# {line.removeprefix('# ')}"
        elif found := _KEY.match(line):
            values = document if not section else {} if section[0] in _NAMED else document.get(section[0], {})
            yield _line(line.removeprefix("# "), found["key"], values)
        else:
            yield line


def _others(told: Any, section: tuple[str, ...]) -> Iterator[str]:
    """Yield each named backend or person as a section of its own."""
    for name, values in told[section[0]].items():
        yield f"[{section[0]}.{_name(name)}]"
        for key, value in values.items():
            yield f"{key} = {_value(value)}"
        yield ""


def _name(name: str) -> str:
    """Return a name as it stands in a heading, in quotation marks where it takes them: max, "max.mustermann"."""
    key: str = imported("tomlkit:key")(name).as_string()
    return key


def _line(line: str, key: str, values: Any) -> str:
    if key not in values:
        return f"# {line}"
    _, mark, comment = line.partition(" #")
    begun = f"{key} = {_value(values[key])}"
    return f"{begun:<33} #{comment}" if mark else begun


def _value(value: Any) -> str:
    item: str = imported("tomlkit:item")(value.unwrap() if hasattr(value, "unwrap") else value).as_string()
    return item
