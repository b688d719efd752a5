"""What a start loads: whoever asks for something does not wait for what others need."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kits.lyra_kit import REPO, Home
from tests.kits.size import few

_LYRA = """
import sys
from bot.__main__ import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
PLATFORMS = {"discord", "nio", "aiohttp"}
MODELS = {"openai", "httpx2", "stamina", "bot.models.endpoints.llm"}
DERIVING = {
    "memory.deriving", "memory.bank.bank_maintenance", "memory.derive.consolidate", "memory.derive.checks.written_names", "memory.derive.pipeline",
    "memory.derive.prompts", "memory.dream.dreamer", "bot.models.offline.extractive", "bot.models.writer",
}  # fmt: skip
CONVERSATION = {
    "bot.talk",
    "bot.commands.table",
    "bot.context.prompt",
    "bot.conversation.answering.turn",
    "bot.delivery.exit_gate",
}
OTHERS = {
    "apscheduler",
    "numpy.ma",
    "prompt_toolkit",
    "rich",
    "bot.service.serve",
    "bot.web.server",
    "jinja2",
    "babel",
    "memory.transfer.chatgpt",
}
FINDING = {"memory.core", "memory.index.recall.finder"}


def loaded(home: Path, *command: str) -> set[str]:
    """Return the modules that a command loads, and what they belong to."""
    env = {**os.environ, "LYRA_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", _LYRA, *command],
        cwd=REPO,
        env=env,
        capture_output=True,
        check=True,
        text=True,
        input="My cat is Turing.",
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home where something was said."""
    home = Home(tmp_path_factory.mktemp("home"))
    assert home.chat("My cat is Turing.").code == 0
    return home.path


@pytest.mark.parametrize("command", few([["recall", "cat"], ["sessions"], ["export"]]), ids=lambda words: words[0])
def test_who_only_asks_loads_nothing_that_talks_derives_or_reaches_out(home: Path, command: list[str]) -> None:
    assert loaded(home, *command) & (PLATFORMS | MODELS | DERIVING | CONVERSATION | OTHERS | FINDING) == FINDING


def test_a_conversation_without_a_model_or_a_platform_loads_none(home: Path) -> None:
    assert loaded(home, "chat") & (PLATFORMS | MODELS | CONVERSATION | OTHERS) == CONVERSATION


def test_what_derives_is_loaded_where_something_is_derived(home: Path) -> None:
    assert loaded(home, "summarize", "--all") >= DERIVING - {"bot.models.writer", "memory.derive.prompts"}


def test_help_loads_neither_memory_nor_numbers(tmp_path: Path) -> None:
    assert loaded(tmp_path, "--help") & {"numpy", "memory.core", "pydantic"} == set()
