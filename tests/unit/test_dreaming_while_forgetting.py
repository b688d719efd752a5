"""While something is being forgotten, no model reads what may go along with it: that is known once the sweep is over."""

from pathlib import Path

import pytest

from memory.derive import pipeline
from memory.forget import gone
from memory.forget.gone import ForgottenScope
from memory.store.database import Reader
from tests.kits.dream_kit import Muse, days, dreamt, forced
from tests.kits.ladder_kit import PAIRS, Teller
from tests.kits.memory_kit import at_home

SECRET = "the key is under the zebrafinch"


async def never(_: Reader, __: object) -> bool:
    """Say that nothing is being forgotten."""
    return False


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture, id="unguarded")])
async def test_a_dream_has_no_model_read_a_reply_that_holds_what_is_being_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(pipeline, "is_sweeping", never)
    async with at_home(tmp_path, habits=PAIRS) as here:
        secret = await here.say(SECRET)
        await here.reply("So it is under the zebrafinch.", [secret.key])
        await days(here)
        async with here.memory.db.transaction() as tx:
            # As another process does that has only begun.
            await gone.add(tx, here.domain, ForgottenScope([secret.key]), here.clock.now())
        read, thought = Teller(), Muse()
        await forced(here, read, thought)
        assert ("zebrafinch" not in f"{read.tasks} {thought.prompts}") is guarded
        if guarded:
            assert read.tasks == [] and thought.prompts == [], "not even of what has nothing to do with it"
            await here.memory.sweep()
            await dreamt(here, read, thought)
            assert read.tasks and thought.prompts and "zebrafinch" not in f"{read.tasks} {thought.prompts}"
