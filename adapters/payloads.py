"""Serialization of events to JSON, to be kept until they are answered."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from adapters.events import Asked, Attachment, Circle, Forward, Message, Person, Place, Quote, Reach


def payload(event: Message | Asked) -> str:
    """Serialize an event to JSON, without what people call its place."""
    raw = asdict(event)
    for one in (raw, raw.get("target")):
        if one:
            one["place"]["name"] = ""
    return json.dumps({"kind": type(event).__name__, **raw}, ensure_ascii=False)


def read_payload(text: str) -> Message | Asked:
    """Deserialize an event written by `payload`."""
    raw = json.loads(text)
    kind = raw.pop("kind", "Message")
    return _asked(raw) if kind == "Asked" else _message(raw)


def _message(raw: dict[str, Any]) -> Message:
    quoted = Quote(**{**raw["quoted"], **_attached(raw["quoted"])}) if raw.get("quoted") else None
    return Message(**{**raw, **_where(raw), **_attached(raw), "quoted": quoted})


def _attached(raw: dict[str, Any]) -> dict[str, Any]:
    forwards = (Forward(**{**one, "attachments": tuple(one["attachments"])}) for one in raw.get("forwards", ()))
    return {"attachments": tuple(Attachment(**one) for one in raw.get("attachments", ())), "forwards": tuple(forwards)}


def _asked(raw: dict[str, Any]) -> Asked:
    return Asked(**{**raw, **_where(raw), "target": _message(raw["target"]) if raw["target"] else None})


def _where(raw: dict[str, Any]) -> dict[str, Any]:
    return {"place": _place(raw["place"]), "person": Person(**raw["person"])}


def _place(raw: dict[str, Any]) -> Place:
    reach = Reach(raw["reach"])
    # Before circles had kinds, a place held bare ids and the epoch.
    told = {name: value for name, value in raw.items() if name != "epoch"}
    circle = _circle(raw["circle"], reach, raw.get("epoch", 0))
    wider = _circle(raw["wider"], Reach.PUBLIC)
    before = {name: _circles(raw.get(name, ())) for name in ("earlier", "unheard")}
    return Place(**{**told, "reach": reach, "circle": circle, "wider": wider, **before})


def _circles(raw: Sequence[dict[str, Any]]) -> tuple[Circle, ...]:
    return tuple(Circle(**{**one, "reach": Reach(one["reach"])}) for one in raw)


def _circle(raw: dict[str, Any] | str | None, reach: Reach, epoch: int = 0) -> Circle | None:
    if isinstance(raw, str):
        return Circle(reach, raw, epoch) if raw else None
    return Circle(**{**raw, "reach": Reach(raw["reach"])}) if raw else None
