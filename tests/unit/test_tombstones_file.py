"""Where something else than a file has the name of the tombstones' log, nothing is forgotten and nothing is opened."""

import os
from pathlib import Path

import pytest

from memory.errors import TombstonesDamaged
from tests.kits.memory_kit import at_home, opened

SECRET = "the parrot is called Xerxes"


@pytest.mark.file
@pytest.mark.parametrize("what", ["device", "folder", "pipe"])
async def test_a_log_that_keeps_nothing_is_refused(tmp_path: Path, what: str) -> None:
    log = tmp_path / "tombstones.log"
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        if what == "device":
            log.symlink_to("/dev/null")
        elif what == "folder":
            log.mkdir()
        else:
            os.mkfifo(log)
        with pytest.raises(TombstonesDamaged, match="not a file"):
            await here.view.forget_message(secret.id)
        assert await here.found("Xerxes") == [SECRET], "nothing is half forgotten"
    with pytest.raises(TombstonesDamaged, match="not a file"):
        async with opened(tmp_path / "lyra.db"):
            pass


async def test_a_log_that_is_a_link_to_a_file_is_one(tmp_path: Path) -> None:
    (tmp_path / "tombstones.log").symlink_to(tmp_path / "elsewhere")
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        await here.view.forget_message(secret.id)
        assert secret.id in (tmp_path / "elsewhere").read_text()
