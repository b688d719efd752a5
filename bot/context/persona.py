"""The persona: a text that only the operator may change. It is reloaded when its file changes."""

from importlib.resources import files
from pathlib import Path

from bot.config.environment import Environment
from bot.errors import BadConfig, BadInput
from bot.service.log import log
from localization.numerals import number
from memory.store.home_files import write_atomically
from memory.text.sanitize import clean

OWN = "persona.md"
"""The file in the home that replaces the default persona, unless the configuration names another."""
_MOST = 20_000
"""Maximum length in characters: more would fill the prompts of small models."""


class Persona:
    """The persona of one home. `named` is the file named in the configuration, '' if none."""

    def __init__(self, environment: Environment, named: str) -> None:
        self._environment = environment
        self.named = named
        self._read: tuple[Path | None, tuple[int, int, int]] | None = None
        self._text = ""

    @property
    def path(self) -> Path:
        """The path of the persona file, whether or not it exists."""
        return self._environment.path(self.named) if self.named else self._environment.home / OWN

    @property
    def is_own(self) -> bool:
        """Whether a file replaces the default persona."""
        return bool(self.named) or self.path.is_file()

    def read(self) -> str:
        """Return the current text. Raises BadConfig if the file cannot be read or is empty."""
        if not self.is_own:
            return default()
        try:
            text = clean(self.path.read_text("utf-8")).strip()
        except (OSError, UnicodeDecodeError) as error:
            raise BadConfig('"persona" names {path}, which cannot be read.', path=self.path) from error
        if not _says(text):
            raise BadConfig("{path} is to say who she is, and is empty.", path=self.path)
        return text

    def current(self) -> str:
        """Return the text, reloaded only if the file changed; if it cannot be read any more, the last one stays in use."""
        found = self._stamp()
        if found != self._read:
            try:
                self._text = self.read()
            except BadConfig as error:
                if not self._text:
                    raise
                log.warning("persona.unreadable", why=str(error))
            self._read = found
        return self._text

    def write(self, text: str) -> None:
        """Replace the persona. Raises BadInput, OSError."""
        text = clean(text).strip()
        if not _says(text):
            raise BadInput("Say who I am, in a few sentences.")
        if len(text) > _MOST:
            raise BadInput(
                "A persona has at most {most} characters, and this one has {text}.", most=number(_MOST), text=number(len(text))
            )
        write_atomically(self.path, f"{text}\n".encode())

    def reset(self) -> bool:
        """Restore the default; return whether it was replaced. Raises BadInput if the configuration names a file."""
        if self.named:
            raise BadInput('The configuration names {path}; take "persona" out of it to go back.', path=self.path)
        existed = self.path.is_file()
        self.path.unlink(missing_ok=True)
        return existed

    def _stamp(self) -> tuple[Path | None, tuple[int, int, int]]:
        try:
            found = self.path.stat()
        except OSError:
            return None, (0, 0, 0)
        return self.path, (found.st_mtime_ns, found.st_size, found.st_ino)


def _says(text: str) -> bool:
    return any(one.isprintable() and not one.isspace() for one in text)


def default() -> str:
    """Return the default persona."""
    return files("bot").joinpath("persona.md").read_text("utf-8").strip()
