"""`lyra update`: what is here, what is new, and how to get a newer one, for each way of installing her."""

from importlib.metadata import version
from pathlib import Path

import pytest

from bot.setup.updating import update_command
from tests.kits.lyra_kit import Home, one_sentence


def test_it_says_the_version_what_is_new_and_how_to_update(tmp_path: Path) -> None:
    done = Home(tmp_path).lyra("update")
    assert done.code == 0 and done.lines[0].startswith("Lyra ") and done.lines[0].endswith(" is installed.")
    assert (
        f"New in {version('lyra-companion')}:" in done.lines
        and "**" not in done.out
        and any(line.startswith("- ") for line in done.lines)
    )
    assert "make run in " in done.out and "lyra backup FILE" in done.out
    news = [line for line in done.lines if line.startswith("- ")]
    assert [line for line in news if line.count("(") != line.count(")")] == []


def test_an_editor_that_cannot_be_meant_is_told(tmp_path: Path) -> None:
    assert "cannot be started; name another with EDITOR" in one_sentence(Home(tmp_path, EDITOR="vim '").lyra("persona", "--edit"))


@pytest.mark.parametrize(
    ("receipt", "command"),
    [
        ("pipx_metadata.json", "pipx upgrade lyra-companion"),
        ("uv-receipt.toml", "uv tool upgrade lyra-companion"),
        ("pyvenv.cfg", "-m pip install --upgrade lyra-companion"),
    ],
)
def test_each_way_of_installing_her_has_its_command(receipt: str, command: str, tmp_path: Path) -> None:
    (tmp_path / receipt).touch()
    assert update_command(tmp_path, tmp_path, tmp_path / "home").endswith(command)


def test_in_the_container_it_is_built_anew(tmp_path: Path) -> None:
    assert update_command(Path("/opt/lyra"), tmp_path, Path("/data")).startswith("docker compose ")
