"""A model that tells the whole ladder from what it reads, as tests of commands over it need one."""

import re

from tests.fakes.openai_behaviours import Request
from tests.kits.awake import Awake

_LINES = re.compile(r"^\[(\w+)\] [^\n]*?(?:· ([^\n]*))?\n\| (.*)$", re.MULTILINE)
_MOST = 8


def teller(request: Request) -> str:
    """Answer a request for a digest with cited sentences of what it reads, and everything else with few words.

    Facts are told from what is new alone, and one that "seems" so as inferred; what Lyra said is passed over.
    """
    read = _LINES.findall(request.last_user)
    if not read:
        return "I see."
    new = [line for line in read if line[0].startswith("g")] or [line for line in read if line[1] != "Lyra"]
    system = str(request.messages[0]["content"])
    facts = "short facts" in system
    return "\n".join(_sentence(*line, inferred=facts and "seems" in line[2]) for line in new[:_MOST])


def _sentence(label: str, who: str, text: str, *, inferred: bool) -> str:
    said = f"{who} said: {text}" if who else text
    return f"{'Inferred: ' if inferred else ''}{said} [{label}]"


async def climbed(lyra: Awake) -> None:
    """Let everything be made of what was said so far, in every domain."""
    await lyra.heard()
    maintenance = lyra.app.maintenance
    await maintenance.drain()
    await maintenance.summarize_all(await maintenance.waiting(), 2, lambda done, total: None)
