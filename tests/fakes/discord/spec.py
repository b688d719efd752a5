"""Discord's own description of its HTTP interface, and the verdict on one request or answer by it.

The file is not part of the repository. It is read from `LYRA_DISCORD_SPEC`, or from `shared/discord/openapi.json` beside the
repository. Without it requests are served unjudged, and the test run says so; under `CI` nothing starts.
"""

import functools
import json
import os
import re
from pathlib import Path
from typing import Any

from tests.fakes.discord.paths import Operation, Paths
from tests.fakes.discord.schema import Findings, Judge

PLACE = Path(__file__).parents[4] / "shared" / "discord" / "openapi.json"
_FILE = re.compile(r"files\[\d\]")


class SpecMissing(RuntimeError):
    """The description was not found, and this run may not go on without it."""


class Spec:
    """The description, ready to judge."""

    def __init__(self, description: dict[str, Any]) -> None:
        schemas = description["components"]["schemas"]
        # The published description lags behind the documentation of forwards.
        schemas["MessageReferenceType"] = {"type": "integer", "enum": [0, 1]}
        self._judge = Judge(schemas)
        self._paths = Paths()
        self._details: dict[str, dict[str, Any]] = {}
        for path, item in description["paths"].items():
            for method, raw in item.items():
                if method != "parameters":
                    operation = Operation.at(raw["operationId"], method.upper(), path)
                    self._paths.add(operation)
                    parameters = [*item.get("parameters", ()), *raw.get("parameters", ())]
                    self._details[operation.name] = raw | {"parameters": parameters}

    def find(self, method: str, path: str) -> Operation | None:
        """The operation of a request; none, when the description knows no such path."""
        return self._paths.find(method, path)

    def judge(
        self, operation: Operation, path: str, query: dict[str, list[str]], content_type: str, body: Any, files: list[str]
    ) -> Findings:
        """What is wrong with a request. The body is the JSON itself, or the JSON part of a form; files are named as in it."""
        details = self._details[operation.name]
        found = self._judge_address(details["parameters"], operation.values(path), query)
        asked = details.get("requestBody") or {}
        schemas = asked.get("content", {})
        if body is None and not files:
            found.errors += ["body: is missing"] if asked.get("required") else []
        elif not schemas:
            found.errors += ["body: none is expected"] if body else []
        elif content_type not in schemas:
            found.errors.append(f"body: {content_type or 'no content type'} is none of {sorted(schemas)}")
        else:
            schema = schemas.get("application/json", schemas[content_type])["schema"]
            found.add(self._judge.judge(schema, {} if body is None else body))
            found.errors += [f"files: {name!r} is no name of a file" for name in files if not _FILE.fullmatch(name)]
        return found

    def judge_answer(self, operation: Operation, status: int, body: Any) -> Findings:
        """What is wrong with this server's own answer."""
        answers = self._details[operation.name]["responses"]
        if str(status) not in answers:
            return Findings([f"answer: {status} is none of {sorted(answers)}"])
        content = answers[str(status)].get("content")
        if not content:
            return Findings([] if body is None else ["answer: has a body"])
        return self._judge.judge(content["application/json"]["schema"], body, "answer")

    def _judge_address(self, parameters: list[dict[str, Any]], values: dict[str, str], query: dict[str, list[str]]) -> Findings:
        found = Findings()
        asked = {one["name"] for one in parameters if one["in"] == "query"}
        for one in parameters:
            name, schema = one["name"], one["schema"]
            if one["in"] == "path":
                found.add(self._judge.judge(schema, values[name], f"path.{name}"))
            elif one["in"] == "query" and name in query:
                found.add(self._judge.judge(schema, _typed(schema, query[name]), f"query.{name}"))
            elif one.get("required"):
                found.errors.append(f"query.{name}: is missing")
        found.unknown += [f"query.{name}" for name in query if name not in asked]
        return found


ABSENT = "Discord's description is not here: set LYRA_DISCORD_SPEC to its openapi.json. Its requests are not judged."


def there() -> bool:
    """Whether the description can be read."""
    return _path().is_file()


def load() -> Spec | None:
    """The description, or none where it is not there. Raises SpecMissing under CI."""
    if there():
        return _read(_path())
    if required():
        raise SpecMissing(ABSENT)
    return None


def required() -> bool:
    """Whether this run may not go on without the description."""
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def _path() -> Path:
    return Path(os.environ.get("LYRA_DISCORD_SPEC") or PLACE)


@functools.cache
def _read(path: Path) -> Spec:
    return Spec(json.loads(path.read_text()))


def _typed(schema: dict[str, Any], given: list[str]) -> Any:
    text = given[-1]
    kinds = schema.get("type", "string")
    if "array" in kinds:
        return given
    if "boolean" in kinds and text.lower() in ("0", "1", "true", "false"):
        return text.lower() in ("1", "true")
    if "integer" in kinds and re.fullmatch(r"-?\d+", text):
        return int(text)
    return text
