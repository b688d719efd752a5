"""The real `lyra run` on Discord, ended as a power cut would end it, at every moment: each question is answered there once.

One Lyra lives many lives in the same home. Each life ends at one of the moments below, in the order in which they stand, then
at random ones. In the end Discord shows what came of it: exactly one answer to every question, and nothing half done.
"""

import asyncio
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path

from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Held, Message, Then
from tests.kits.discord_quick import answers_to
from tests.kits.discord_thread import DiscordThread
from tests.kits.lyra_kit import Home, ModelServer
from tests.kits.many_lives import chosen, in_the_call_of_the_model, killed_while_it_starts, life, remembered, repeats
from tests.kits.size import TORTURE

KILLS = 200
"""How many kills there are under torture; each of the moments has one."""
AT_ONCE = 4 if TORTURE else 2
LONG = " ".join(f"sentence {n * n} of a long answer." for n in range(150))
FURTHER_PARTS = 2
SLOW = "A slow answer that is shown while it is made, word by word."
SLOWLY = "You said it slowly, word by word."


class World:
    """A Discord, a model, and a home where Lyra is started again and again."""

    def __init__(self, folder: Path, discord: DiscordThread, model: ModelServer, seed: int) -> None:
        self.discord = discord
        self.model = model
        self.chance = random.Random(seed)
        self.home = Home(
            folder, f"{model.config('summarize_after = 500')}{discord.config()}[web]\nport = 0\n", **discord.variables
        )
        guild = discord.world.guild("Home")
        self.places = [discord.world.channel(guild, "general"), discord.world.channel(guild, "garden")]
        self.asked: dict[Message, str] = {}
        self._people = count(1)

    def ask(self, kind: str = "question", *, privately: bool = False) -> None:
        """Let somebody new ask something, in a channel or in a DM, where the introduction comes before the answer."""
        name = f"person{next(self._people)}"
        text = f"{kind} {name}"
        place = self.discord.dm(name) if privately else self.chance.choice(self.places)
        self.asked[self.discord.ask(name, place, text)] = text

    def meet(self) -> None:
        """Have her hear a first word: what is killed before she heard anything at all leaves no place to go on from."""
        if not self.asked:
            self.ask()
            self.settle()

    def settle(self) -> None:
        """Wait until everything that was asked is answered."""
        try:
            self.discord.until(lambda: not self.unsettled(), "the whole answer to every question")
        except AssertionError as late:
            raise AssertionError(f"{late}: {self.unsettled()}") from None

    def unsettled(self) -> dict[str, list[str]]:
        """What was asked and has not its one whole answer now, with what it has."""
        found = {text: answers_to(self.discord.server, question) for question, text in self.asked.items()}
        rest = [one for one in self.discord.world.by_bot() if one.reply_to is None and "of a long answer" in one.content]
        if len(rest) < FURTHER_PARTS * len([text for text in found if text.startswith("long")]):
            found["the rest of the long answers"] = []
        return {text: answers for text, answers in found.items() if not fits(text, answers)}

    def hold(self, operation: str, held: Held, *before: Then) -> Held:
        """Stop the next request of an operation; more of them go through before."""
        self.discord.call(self.discord.server.faults.script, operation, *before, held)
        return held

    def reached(self, held: Held) -> None:
        """Wait until a request was stopped."""
        self.discord.do(held.reached.wait())

    def forget_nonces(self) -> None:
        """Let the time be over in which Discord takes a nonce only once."""
        self.discord.call(self.discord.server.hub.nonces.clear)


def fits(text: str, answers: list[str]) -> bool:
    """Say whether this is the one whole answer to a text, in its first part."""
    if len(answers) != 1:
        return False
    return answers[0] in (f"You said {text}.", SLOWLY) or answers[0].startswith(f"You said {text}. sentence 0")


# The moments. Each asks, and returns when the moment is there.


def while_it_is_heard(it: World) -> None:
    it.ask()
    time.sleep(it.chance.uniform(0.0, 0.02))


def before_the_answer_arrived(it: World) -> None:
    held = it.hold("create_message", Held(before=True))
    it.ask()
    it.reached(held)


def after_the_answer_arrived(it: World) -> None:
    held = it.hold("create_message", Held())
    it.ask()
    it.reached(held)


def long_after_the_answer_arrived(it: World) -> None:
    after_the_answer_arrived(it)
    it.forget_nonces()


def between_the_parts_of_a_long_answer(it: World) -> None:
    held = it.hold("create_message", Held(before=it.chance.random() < 0.5), Then(lambda: None))
    it.ask("long question")
    it.reached(held)


def while_the_answer_is_shown(it: World) -> None:
    shown = len(it.discord.world.said)
    it.model.script(b.Hang(SLOW))
    it.ask()
    it.discord.do(it.discord.server.sent(shown + 1))


def while_the_answer_is_shown_again_and_again(it: World) -> None:
    while_the_answer_is_shown(it)
    it.model.script(b.Drip(SLOWLY, 0.5))


def before_the_preview_is_acknowledged(it: World) -> None:
    held = it.hold("create_message", Held())
    it.model.script(b.Hang(SLOW))
    it.ask()
    it.reached(held)
    it.forget_nonces()


def while_the_answer_takes_the_previews_place(it: World) -> None:
    held = it.hold("update_message", Held(before=it.chance.random() < 0.5))
    it.model.script(b.Drip(SLOWLY, 0.5))
    it.ask("slow question")
    it.reached(held)


def in_the_introduction(it: World) -> None:
    held = it.hold("create_message", Held(before=it.chance.random() < 0.5))
    it.ask(privately=True)
    it.reached(held)


def in_a_crowd(it: World) -> None:
    for _ in range(3):
        it.ask()
    it.ask(privately=True)
    it.ask("long question")
    time.sleep(it.chance.uniform(0.0, 0.5))


Moment = Callable[[World], None]
MOMENTS: tuple[Moment, ...] = (
    while_it_is_heard,
    in_the_call_of_the_model,
    before_the_answer_arrived,
    after_the_answer_arrived,
    long_after_the_answer_arrived,
    between_the_parts_of_a_long_answer,
    while_the_answer_is_shown,
    while_the_answer_is_shown_again_and_again,
    before_the_preview_is_acknowledged,
    while_the_answer_takes_the_previews_place,
    in_the_introduction,
    in_a_crowd,
)
FEW: tuple[Moment, ...] = (
    in_the_call_of_the_model,
    before_the_answer_arrived,
    after_the_answer_arrived,
    while_the_answer_takes_the_previews_place,
)
"""The moments of a shorter life: one in each step of a turn."""


def lived(seed: int, folder: Path, moments: list[Moment]) -> None:
    """Live, and be killed at each of these moments; in the end everything must have been answered once."""
    with DiscordThread() as discord, ModelServer(partial(repeats, long=LONG)) as model:
        it = World(folder, discord, model, seed)
        for moment in moments:
            with life(it, "Discord") as process:
                it.meet()
                moment(it)
                process.kill()
            if it.chance.random() < 0.5:
                it.ask("question while she was down,", privately=it.chance.random() < 0.3)
            if it.chance.random() < 0.2:
                killed_while_it_starts(it)
        with life(it, "Discord") as process:
            it.ask()  # It is answered after everything that was left over.
            it.settle()
            assert process.stop().code == 0
        proved(it)
        assert discord.server.violations == [] and discord.server.own_faults == []


def proved(it: World) -> None:
    """Assert that each question has its one answer, and that memory and outbox agree."""
    by_bot = it.discord.call(it.discord.world.by_bot)
    assert it.unsettled() == {}
    rest = [one for one in by_bot if one.reply_to is None]
    greetings = [one.channel for one in rest if one.content.startswith("Hello, I am Lyra")]
    alone = [question.channel for question in it.asked if question.channel.recipient]
    assert len(greetings) == len(alone) + 1 and set(alone) < set(greetings), "once to everyone alone, and once to the server"
    long_ones = [text for text in it.asked.values() if text.startswith("long")]
    assert len(rest) == len(greetings) + FURTHER_PARTS * len(long_ones), [one.content[:60] for one in rest]
    kept, waiting = asyncio.run(remembered(it.home, previews=False))
    assert waiting == []
    assert [text for text in it.asked.values() if kept[text] != 1] == []
    assert sum(kept.values()) == 2 * len(it.asked)


def test_killed_again_and_again_she_answers_every_question_once(tmp_path: Path) -> None:
    moments = chosen(MOMENTS, FEW, KILLS)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        lives = [pool.submit(lived, seed, tmp_path / str(seed), moments[seed::AT_ONCE]) for seed in range(AT_ONCE)]
    for one in lives:
        one.result()
