"""A home that was lived in: months of talk, and with a model that answers like a good one, all that is made of it."""

from tests.fakes.openai_behaviours import Request
from tests.kits.awake import question
from tests.kits.browsing import Site
from tests.kits.dream_talk import thoughtful
from tests.kits.memory_kit import DAY

TALK: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (96, "garden", ("We planted the first tulips along the fence.", "My sister Lea lives in Graz.", "Lea gave me seeds of sweet peas.",
                    "The rain barrel leaks at the tap.")),
    (70, "garden", ("The tulips opened this morning, nearly all of them red.", "Bruno dug up two of them.", "My dog Bruno loves the compost.",
                    "I mended the rain barrel with a new tap.")),
    (61, "boats", ("We bought a blue kayak with Jonas.", "Jonas keeps the kayak in his shed in Linz.", "The paddle is a little too long for me.",
                   "Next time we try the lake near Hallstatt.")),
    (33, "boats", ("Jonas and I paddled across the whole lake.", "A heron stood in the reeds and did not move.", "My arms hurt for three days.",
                   "Lea wants to come along next year.")),
    (12, "work", ("Project Atlas is due in December.", "I present Atlas to the board in Vienna.", "My boss is called Mira.",
                  "Mira thinks the maps are the best part.")),
    (2, "main", ("My cat is called Turing.", "Turing sleeps on the printer.", "I moved to Vienna, near the Naschmarkt.",
                 "I started to learn the accordion.")),
)  # fmt: skip
"""How many days ago, in which conversation, and what was said."""


def companion(request: Request) -> str:
    """Answer a person in a few lines, and everything else like a good model."""
    told = str(request.messages[0]["content"])
    if told.startswith("You write the memory") or "JSON object" in told:
        return thoughtful(request)
    return f"That is good to hear: *{question(request).splitlines()[0]}*\n\n- I keep it,\n- and I find it again."


async def lived(served: Site) -> None:
    """Tell what was said over months, and let her make of it all that she makes while nobody talks."""
    now = served.app.base.clock.now()
    for ago, conversation, said in TALK:
        await served.told(*said, conversation=conversation, at=now - ago * DAY)
    maintenance = served.app.maintenance
    await maintenance.summarize_all(await maintenance.waiting(None), 2, lambda *_: None)
    view = await served.view()
    for _ in range(3):
        await served.app.dreams.dream(view.home, forced=True)
