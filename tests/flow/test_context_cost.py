"""What a conversation that never ends costs: prompts of one size, few calls of the model, and a beginning that caches keep.

`make bench` measures the same over 20,000 messages.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import mean

import pytest

from bot.config.settings import Settings
from bot.context.prompt import Prompt
from tests.kits.long_talk import LongTalk, cached, long_talk, size
from tests.kits.size import few

EPISODE = 20


async def ten_turns(talk: LongTalk) -> list[Prompt]:
    """Ask as many questions as make an episode."""
    return [await talk.turn() for _ in range(EPISODE // 2)]


@pytest.mark.parametrize(("budget", "grows"), few([(1500, False), (100_000, True)]), ids=few(["in its budget", "without one"]))
async def test_ten_times_the_messages_make_no_larger_prompt_and_each_begins_as_the_one_before_it(
    tmp_path: Path, budget: int, grows: bool
) -> None:
    async with long_talk(tmp_path, Settings(context_tokens=budget)) as talk:
        await talk.go_on(60)
        early = mean(map(size, await ten_turns(talk)))
        await talk.go_on(620)
        late = mean(map(size, await ten_turns(talk)))
        assert talk.model.calls["gist"] == 36 and talk.model.calls["profile"] >= 2
        talk.settings = Settings(context_tokens=3000)
        prompts = [*await ten_turns(talk), *await ten_turns(talk)]
    assert (late > 1.1 * early) is grows, (early, late)
    assert late <= budget
    begin_alike(prompts)


def begin_alike(prompts: Sequence[Prompt]) -> None:
    """Assert that of each of these prompts a provider's cache holds most after the one before."""
    standing = [prompt.messages[0]["content"] for prompt in prompts]
    assert any(layer.cut for layer in prompts[0].layers if layer.name == "profile"), "there is something to choose from"
    # It changes where an episode ends, and its gist and what is made of that come in.
    assert sum(one != other for one, other in pairwise(standing)) <= 2
    assert mean(cached(one, other) for one, other in pairwise(prompts)) > 0.6
    turned = [replace(prompt, messages=prompt.messages[::-1]) for prompt in prompts]
    assert mean(cached(one, other) for one, other in pairwise(turned)) < 0.1, "it is the order of the layers that does it"


@pytest.mark.parametrize(("every", "days"), few([(3, 20), (1, 40)]), ids=few(["every third day", "daily"]))
async def test_housekeeping_and_dreams_ask_the_model_sixteen_times_in_a_hundred_turns_at_most(
    tmp_path: Path, every: int, days: int
) -> None:
    async with long_talk(tmp_path, per_day=EPISODE, every=every) as talk:
        await talk.go_on(days * EPISODE)
        calls = talk.model.calls
        assert (calls["gist"], calls["merge"]) == (days, days // 8)
        assert all(calls[kind] > 0 for kind in ("profile", "era", "narrative", "self"))
        assert calls.total() <= days * 16 / 10, calls


@pytest.mark.torture
async def test_making_everything_anew_after_each_episode_would_ask_far_more_often(tmp_path: Path) -> None:
    async with long_talk(tmp_path, per_day=EPISODE, every=3) as talk:
        for _ in range(0, 400, EPISODE):
            await talk.go_on(EPISODE)
            await talk.maintenance.climb(talk.domain)
        assert talk.model.calls.total() > 4 * 16, talk.model.calls
