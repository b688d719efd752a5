"""The language of the terminal, known before anything else is read: what the configuration says, or else the environment."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from localization.languages import known, of_environment


def config_path(variables: Mapping[str, str]) -> Path:
    """Return where the configuration is, if there is one."""
    home = Path(variables.get("LYRA_HOME") or "~/.lyra").expanduser().absolute()
    return Path(variables.get("LYRA_CONFIG") or home / "lyra.toml").expanduser().absolute()


def spoken(variables: Mapping[str, str]) -> str:
    """Return the code of the language to speak at this machine. What is wrong with the configuration is said when it is loaded."""
    try:
        named = tomllib.loads(config_path(variables).read_text("utf-8-sig")).get("language", "")
    except (OSError, ValueError, RuntimeError):
        named = ""
    return known(str(named)) or of_environment(variables)
