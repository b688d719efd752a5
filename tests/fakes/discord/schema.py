"""Judges a JSON value by a schema of Discord's description, as tolerantly as Discord itself does.

Tolerant means three things. Ids may be numbers or texts; wide integers may be texts of digits; and `oneOf` asks for at least
one branch that fits. A keyword that this file does not know is refused when it is met, so nothing passes unread.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

_READ = frozenset(
    "type enum const allOf oneOf anyOf items properties required additionalProperties minLength maxLength pattern minimum "
    "maximum minItems maxItems uniqueItems minProperties maxProperties format".split()
)
_COMBINING = frozenset(("allOf", "oneOf", "anyOf"))
_INNER = _COMBINING | {"type", "items", "properties", "required", "additionalProperties"}
_ID = re.compile(r'"[1-9]\d{16,19}"')
_NOTES = frozenset("description title x-discord-union contentEncoding components".split())


@dataclass
class Findings:
    """What was wrong with a value, and which of its keys the description does not know."""

    errors: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def add(self, other: "Findings") -> None:
        """Take over what another part found."""
        self.errors += other.errors
        self.unknown += other.unknown


@dataclass
class _Read:
    """A schema, and what has to be looked at in it."""

    schema: Mapping[str, Any]
    kinds: Sequence[str]
    plain: bool
    combines: bool


class Judge:
    """Judges values by schemas that refer to the named ones."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = named
        self._legible: dict[int, _Read] = {}
        self._fits: set[tuple[int, str]] = set()
        self._orders: dict[tuple[int, type, str], Sequence[tuple[bool, Mapping[str, Any]]]] = {}

    def judge(self, schema: Mapping[str, Any], value: Any, where: str = "body") -> Findings:
        """Everything that is wrong with the value; nothing, if it fits."""
        if "$ref" in schema:
            return self.judge(self._named[schema["$ref"].rpartition("/")[2]], value, where)
        read = self._legible.get(id(schema)) or self._read(schema)
        found = Findings()
        if read.kinds and not any(_is(kind, value, schema) for kind in read.kinds):
            found.errors.append(f"{where}: {_short(value)} is not {' or '.join(read.kinds)}")
            return found
        if read.plain:
            found.errors += [f"{where}: {_short(value)} {wrong}" for wrong in _plain_faults(schema, value)]
        if read.combines:
            self._combined(schema, value, where, found)
        if isinstance(value, dict):
            self._members(schema, value, where, found)
        if isinstance(value, list) and "items" in schema:
            self._items(schema["items"], value, where, found)
        return found

    def _read(self, schema: Mapping[str, Any]) -> _Read:
        if strange := set(schema) - _READ - _NOTES:
            raise ValueError(f"the description uses keywords this server does not read: {sorted(strange)}")
        kinds = schema.get("type", ())
        combines = not _COMBINING.isdisjoint(schema)
        read = _Read(schema, [kinds] if isinstance(kinds, str) else kinds, bool(set(schema) - _INNER - _NOTES), combines)
        self._legible[id(schema)] = read
        return read

    def _items(self, schema: Mapping[str, Any], value: list[Any], where: str, found: Findings) -> None:
        def judged() -> Findings:
            inside = Findings()
            for place, item in enumerate(value):
                inside.add(self.judge(schema, item, f"{where}[{place}]"))
            return inside

        self._once(schema, value, judged, found)

    def _once(self, schema: Mapping[str, Any], value: Any, judged: Callable[[], Findings], found: Findings) -> None:
        # A table of commands is the same in every test but for its ids, and takes longest of all, and who somebody is stands in all
        # they say: what was found to fit is not judged again.
        known = id(schema), _without_ids(json.dumps(value))
        if known in self._fits:
            return
        inside = judged()
        if not inside.errors and not inside.unknown:
            self._fits.add(known)
        found.add(inside)

    def _combined(self, schema: Mapping[str, Any], value: Any, where: str, found: Findings) -> None:
        for part in schema.get("allOf", ()):
            found.add(self.judge(part, value, where))
        for key in ("oneOf", "anyOf"):
            if branches := schema.get(key):
                found.add(self._of_the_best(branches, value, where))

    def _of_the_best(self, branches: Sequence[Mapping[str, Any]], value: Any, where: str) -> Findings:
        # A fault is told by the branch that was meant, not by the one with the fewest faults. Descriptions have dozens of
        # branches: none is judged that cannot be better than the best so far.
        tried: list[tuple[bool, Findings]] = []
        for other, branch in self._ordered(branches, value):
            if any(not found.errors and (other > was or not found.unknown) for was, found in tried):
                break
            tried.append((other, self.judge(branch, value, where)))
        return min(tried, key=lambda one: (bool(one[1].errors), one[0], len(one[1].errors), len(one[1].unknown)))[1]

    def _ordered(self, branches: Sequence[Mapping[str, Any]], value: Any) -> Sequence[tuple[bool, Mapping[str, Any]]]:
        # Of a text it depends on what stands there, of all else on its kind alone.
        kind = repr(value) if isinstance(value, str) else repr(value.get("type")) if isinstance(value, dict) else ""
        known = id(branches), type(value), kind
        if known not in self._orders:
            pairs = ((self._is_other_kind(one, value), one) for one in branches)
            self._orders[known] = sorted(pairs, key=itemgetter(0))
        return self._orders[known]

    def _is_other_kind(self, branch: Mapping[str, Any], value: Any) -> bool:
        branch = self._named[branch["$ref"].rpartition("/")[2]] if "$ref" in branch else branch
        kinds = branch.get("type", [])
        if kinds and not any(_is(kind, value, branch) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
            return True
        named = branch.get("properties", {}).get("type", {}).get("enum")
        return isinstance(value, dict) and named is not None and value.get("type") not in named

    def _members(self, schema: Mapping[str, Any], value: dict[str, Any], where: str, found: Findings) -> None:
        known = schema.get("properties", {})
        found.errors += [f"{where}: {key!r} is missing" for key in schema.get("required", ()) if key not in value]
        others = schema.get("additionalProperties")
        for key, item in value.items():
            inside = f"{where}.{key}"
            if key in known:
                self._member(known[key], item, inside, found)
            elif isinstance(others, dict):
                found.add(self.judge(others, item, inside))
            elif others is False:
                found.errors.append(f"{where}: {key!r} is not allowed")
            elif known:
                found.unknown.append(inside)

    def _member(self, schema: Mapping[str, Any], value: Any, where: str, found: Findings) -> None:
        if isinstance(value, dict):
            self._once(schema, value, lambda: self.judge(schema, value, where), found)
        else:
            found.add(self.judge(schema, value, where))


def _without_ids(text: str) -> str:
    """Return JSON with each id in it as its place among them: what fits, fits with other ids as well, if as many are the same."""
    places: dict[str, str] = {}
    return _ID.sub(lambda found: places.setdefault(found[0], f'"{len(places):0{len(found[0]) - 2}}"'), text)


def _is(kind: str, value: Any, schema: Mapping[str, Any]) -> bool:
    form = schema.get("format")
    match kind:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            digits = isinstance(value, str) and form != "int32" and re.fullmatch(r"-?\d+", value) is not None
            return digits or (isinstance(value, int) and not isinstance(value, bool))
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "string":
            number = form in ("snowflake", "nonce") and isinstance(value, int) and not isinstance(value, bool)
            return isinstance(value, str) or number
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
    raise ValueError(f"the description uses a type this server does not read: {kind}")


def _plain_faults(schema: Mapping[str, Any], value: Any) -> list[str]:
    wrong = []
    if "enum" in schema and value not in schema["enum"]:
        wrong.append(f"is none of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        wrong.append(f"is not {schema['const']!r}")
    if isinstance(value, str):
        wrong += _sizes(schema, len(value), "minLength", "maxLength")
        if "pattern" in schema and not re.search(schema["pattern"], value):
            wrong.append(f"does not match {schema['pattern']}")
        if schema.get("format") == "uri" and "://" not in value:
            wrong.append("is not an address")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        wrong += [f"is below {schema['minimum']}"] if value < schema.get("minimum", value) else []
        wrong += [f"is above {schema['maximum']}"] if value > schema.get("maximum", value) else []
        wrong += ["is no id"] if schema.get("format") == "snowflake" and value < 0 else []
    elif isinstance(value, list):
        wrong += _sizes(schema, len(value), "minItems", "maxItems")
        if schema.get("uniqueItems") and len({json.dumps(item, sort_keys=True) for item in value}) != len(value):
            wrong.append("has the same item twice")
    elif isinstance(value, dict):
        wrong += _sizes(schema, len(value), "minProperties", "maxProperties")
    return wrong


def _sizes(schema: Mapping[str, Any], size: int, least: str, most: str) -> list[str]:
    wrong = [f"has {size} {least[3:].lower()}, min {schema[least]}"] if size < schema.get(least, size) else []
    return wrong + ([f"has {size} {most[3:].lower()}, max {schema[most]}"] if size > schema.get(most, size) else [])


def _short(value: Any) -> str:
    text = json.dumps(value, default=repr)
    return text if len(text) <= 80 else text[:77] + "..."
