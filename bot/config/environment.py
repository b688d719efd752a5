"""The environment, read once at the start and nowhere else: the data's location, the system user, and secrets."""

import getpass
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from bot.config.language import config_path
from bot.config.server_urls import API, fault
from bot.errors import BadSecret
from localization.sentences import Said, lazy
from memory.text.sanitize import clean

_USUAL_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class Environment:
    """A snapshot of the environment, taken at the start."""

    home: Path
    db_path: Path
    config_path: Path
    user: str
    ollama: str
    variables: dict[str, str] = field(repr=False)

    def secret(self, env: str, file: str, what: Said) -> SecretStr | None:
        """Return a secret from its variable or file; None if neither is named. Raises BadSecret, never showing the secret."""
        if env:
            value = self.variables.get(env, "")
            if not value and not _USUAL_NAME.fullmatch(env):
                # It may be the secret itself, so it is not repeated.
                raise BadSecret(
                    "{what} is in the environment variable that the configuration names, which is not set.", what=what
                )
            if not value:
                raise BadSecret("{what} is in the environment variable {env}, which is not set.", what=what, env=env)
            return SecretStr(value)
        if file:
            try:
                value = self.path(file).read_text("utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise BadSecret("{what} is in the file {file}, which cannot be read.", what=what, file=file) from error
            if not value:
                raise BadSecret("{what} is in the file {file}, which is empty.", what=what, file=file)
            return SecretStr(value)
        return None

    def secret_if_there(self, env: str, file: str) -> str:
        """Return a secret that is needed only once: '' if its variable or file is gone.

        Raises BadSecret for an existing file that is unreadable or empty.
        """
        if env and not self.variables.get(env):
            return ""
        if not env and not (file and self.path(file).exists()):
            return ""
        found = self.secret(env, file, lazy("A secret"))
        return found.get_secret_value() if found else ""

    def path(self, text: str) -> Path:
        """Return a configured path: absolute, below ~, or relative to the home."""
        return self.home / Path(text).expanduser()


def read_environment() -> Environment:
    """Read the environment. Raises BadConfig for an impossible value."""
    variables = dict(os.environ)
    home = Path(variables.get("LYRA_HOME") or "~/.lyra").expanduser().absolute()
    try:
        user = clean(getpass.getuser()).strip() or "you"
    except (OSError, KeyError):
        user = "you"
    return Environment(
        home,
        Path(variables.get("LYRA_DB_PATH") or home / "lyra.db").expanduser().absolute(),
        config_path(variables),
        user,
        _ollama(variables.get("OLLAMA_HOST", "")),
        variables,
    )


def _ollama(host: str) -> str:
    """Return the URL of the API of an Ollama server, from OLLAMA_HOST as Ollama itself reads it."""
    given = host.strip().rstrip("/") or "127.0.0.1"
    address = given if "://" in given else f"http://{given}"
    # A port follows the host, whose own colons, of an IPv6 address, are in brackets; a scheme has a usual one.
    if "://" not in given and ":" not in given.rpartition("]")[2]:
        address += ":11434"
    found = address.replace("://0.0.0.0", "://127.0.0.1") + "/v1"
    return API[1] if fault(found, *API) else found
