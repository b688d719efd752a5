"""The terminal's language, needed before anything else is read: as configured, or else as the environment asks for."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from localization.current_language import language_code, of_environment


def config_path(variables: Mapping[str, str]) -> Path:
    """Return the path of the configuration file, which need not exist."""
    home = Path(variables.get("LYRA_HOME") or "~/.lyra").expanduser().absolute()
    return Path(variables.get("LYRA_CONFIG") or home / "lyra.toml").expanduser().absolute()


def terminal_language(variables: Mapping[str, str]) -> str:
    """Return the code of the terminal's language. Errors in the configuration are reported when it is loaded."""
    try:
        named = tomllib.loads(config_path(variables).read_text("utf-8-sig")).get("language", "")
    except (OSError, ValueError, RuntimeError):
        named = ""
    return language_code(str(named)) or of_environment(variables)
