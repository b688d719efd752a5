"""Who Lyra is: a text the operator may replace, and nobody else may change."""

from importlib.resources import files

from bot.config.settings import Settings, Surroundings
from bot.errors import BadConfig


def persona(settings: Settings, around: Surroundings) -> str:
    """Return the persona's text: the file that `persona` names, or the one that comes with Lyra. Raises BadConfig."""
    if not settings.persona:
        return files("bot").joinpath("persona.md").read_text("utf-8").strip()
    path = around.path(settings.persona)
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(f'"persona" names {path}, which cannot be read.') from error
