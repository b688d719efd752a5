"""What cannot run here is checked as far as it can be: the container's file, compose, and systemd's units."""

import configparser
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
import yaml  # type: ignore[import-untyped]

from bot.errors import UNUSABLE
from bot.service.process_roles import Role
from bot.talk import TURN_SECONDS
from tests.kits.lyra_kit import REPO

DEPLOY = REPO / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


def dockerfile() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile with their words."""
    text = re.sub(r"\\\n", " ", (DEPLOY / "Dockerfile").read_text())
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line and not line.startswith("#")]  # type: ignore[misc]


def test_every_file_that_the_container_copies_is_there() -> None:
    copied = [words.split()[:-1] for name, words in dockerfile() if name == "COPY" and not words.startswith("--from")]
    assert [one for some in copied for one in some if not (REPO / one).exists()] == []


def test_what_runs_in_the_container_has_no_compiler_and_no_root() -> None:
    steps = dockerfile()
    last = max(at for at, (name, _) in enumerate(steps) if name == "FROM")
    assert not any("apt-get" in words or "pip" in words for _, words in steps[last:])
    assert ("USER", "10001:10001") in steps[last:]
    assert all("--require-hashes" in words or "--no-build-isolation ." in words for _, words in steps if "pip install" in words)


def test_the_composition_keeps_her_root_read_only_and_names_what_it_uses() -> None:
    whole = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    lyra = whole["services"]["lyra"]
    assert lyra["read_only"] is True and lyra["cap_drop"] == ["ALL"]
    assert (DEPLOY / lyra["build"]["context"] / lyra["build"]["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    mounted = {volume.partition(":")[0] for one in whole["services"].values() for volume in one["volumes"]}
    files = {one for one in mounted if one.startswith("./")}
    assert mounted - files == set(whole["volumes"]) and all((DEPLOY / one).is_file() for one in files)
    assert all("profiles" in one for name, one in whole["services"].items() if name != "lyra")


def test_the_composition_of_roles_has_one_process_that_serves_the_page_and_several_of_the_others() -> None:
    whole = yaml.safe_load((DEPLOY / "compose.roles.yaml").read_text())
    roles = {name: one["command"][-1] for name, one in whole["services"].items()}
    assert roles == {"lyra": "web", "platform": "platform", "worker": "worker"}
    assert set(roles.values()) == {role.value for role in Role} - {Role.ALL.value}
    schema = json.loads((REPO / "tests" / "sets" / "compose" / "compose-spec.json").read_text())
    # How many there are came to the specification after this copy of the schema, as the name of the whole did.
    assert [one.pop("scale") for one in whole["services"].values() if "scale" in one] == [2, 2]
    jsonschema.Draft7Validator(schema).validate(whole)


def test_the_role_of_a_unit_is_what_its_name_begins_with() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.read(DEPLOY / "systemd" / "lyra@.service")
    command = unit["Service"]["ExecStart"].replace("%%", "%").replace("$$", "$").replace("exec /opt/lyra/bin/lyra", "echo")
    for name, role in (("platform-12", "platform"), ("worker-1", "worker"), ("web", "web")):
        done = subprocess.run(shlex.split(command.replace("%i", name)), capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["run", "--role", role]


def test_the_composition_is_one_by_the_specification() -> None:
    schema = json.loads((REPO / "tests" / "sets" / "compose" / "compose-spec.json").read_text())
    whole = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    # Its name came to the specification after this copy of the schema.
    assert whole.pop("name") == "lyra"
    held = jsonschema.Draft7Validator(schema)
    held.validate(whole)
    whole["services"]["lyra"]["restarts"] = "always"
    with pytest.raises(jsonschema.ValidationError):
        held.validate(whole)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_finds_nothing_wrong_with_a_unit(unit: Path, tmp_path: Path) -> None:
    # Its program stands in for hers, which is not installed here.
    text = re.sub(r"(?<==)\S+/bin/lyra\b", "/bin/true", unit.read_text())
    name = unit.name.replace("@.", "@platform-1.")
    (tmp_path / name).write_text(text)
    manager = "--user" if "user" in unit.name else "--system"
    done = subprocess.run(
        ["systemd-analyze", manager, "verify", name], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )  # fmt: skip
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize("name", ["lyra.service", "lyra@.service", "lyra-backup.service"])
def test_a_unit_of_the_machine_is_hardened(name: str) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", DEPLOY / "systemd" / name],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["lyra.service", "lyra@.service", "lyra-user.service"])
def test_an_end_waits_for_the_answers_under_way_and_a_refusal_is_no_reason_to_start_again(name: str) -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.read(DEPLOY / "systemd" / name)
    assert int(unit["Service"]["TimeoutStopSec"]) > 2 * TURN_SECONDS
    assert int(unit["Service"]["RestartPreventExitStatus"]) == UNUSABLE, "a wrong token would be tried again for ever"
    assert unit["Service"]["Type"] == "notify"
