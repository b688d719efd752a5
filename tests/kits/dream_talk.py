"""A model that has thoughts, and Lyra dreaming where people are, as tests of reflections on a platform need them."""

import json
import re

from memory.types import Domain
from tests.fakes.openai_behaviours import Request
from tests.kits.awake import Awake
from tests.kits.ladder_talk import teller

CURIOUS = '[dream]\ncuriosity = 0.05\nquiet = ""\nsettle_minutes = 0\n'
"""Nearly anything new is worth a thought, and it may be said at any hour, at once."""
_SAID = re.compile(r"^\[(m\d+)\] [^\n]*\n\| (.*)$", re.MULTILINE)


def thoughtful(request: Request) -> str:
    """Answer what asks for a thought with one about the first and the last of what is new, and everything else as a teller does."""
    if "JSON object" not in str(request.messages[0]["content"]):
        return teller(request)
    said = _SAID.findall(request.last_user)
    words = [text.rstrip(".").split()[-1] for _, text in said]
    thought = {"text": f"Is there something between {words[0]} and {words[-1]}?", "cites": [said[0][0], said[-1][0]]}
    return json.dumps({**thought, "post": True, "feeling": 0.5})


async def dreamt(lyra: Awake, domain: Domain) -> None:
    """Let her dream a domain, and say what she may say of it."""
    await lyra.app.dreams.dream(domain, forced=True)
    await lyra.talk.tick()
