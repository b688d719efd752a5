"""Linking and unlinking, killed -9 in the middle: both accounts are one person to her, or neither is."""

import re
from pathlib import Path

import pytest

from tests.kits.killing import Plan, killed
from tests.kits.lyra_kit import Home
from tests.kits.size import TORTURE

EVERY, MOMENTS = (1, 200) if TORTURE else (30, 1)
LOOKS = [["recall", "boat", "--json", "--as", "bob"], ["recall", "dog", "--json", "--as", "ada"]]


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A machine where a code was shown to Ada and typed by Bob, who agreed."""
    home = Home(tmp_path_factory.mktemp("prepared") / "machine")
    home.chat("my boat is called Kestrel", options=["--as", "ada"])
    home.chat("my dog is called Bruno", options=["--as", "bob"])
    code = re.search(r"\w{4}-\w{4}", home.lyra("link", "--as", "ada").out)
    assert code
    asked = home.lyra("link", code[0], "--as", "bob", given="y\n")
    assert "That code was shown to ada (ada)" in asked.err and "Now say yes there" in asked.out
    return home.folder


def kills(prepared: Path, folder: Path, given: str, *words: str) -> list[tuple[bool, bool]]:
    """Run `lyra` with these words on copies of a machine, each killed elsewhere; return whether Bob finds Ada's words then, and she his."""
    plan = Plan(str(prepared), str(folder), list(words), LOOKS, given, EVERY, moments=MOMENTS)
    bob, ada = zip(*([bool(one.rows[0]["hits"]) for one in left.found] for left in killed(Home(folder), plan)), strict=True)
    return list(zip(bob, ada, strict=True))


def test_a_kill_leaves_both_linked_or_neither(agreed: Path, tmp_path: Path) -> None:
    linked = kills(agreed, tmp_path / "linked", "y\n", "link", "--as", "ada")
    assert set(linked) == {(True, True), (False, False)} and linked[-1] == (True, True)


@pytest.mark.torture
def test_a_kill_leaves_both_parted_or_neither(agreed: Path, tmp_path: Path) -> None:
    whole = Home(agreed).copied(tmp_path / "whole")
    assert "Linked: bob" in whole.lyra("link", "--as", "ada", given="y\n").out
    parted = kills(whole.folder, tmp_path / "parted", "", "unlink", "--as", "bob")
    assert set(parted) == {(True, True), (False, False)} and parted[-1] == (False, False)
