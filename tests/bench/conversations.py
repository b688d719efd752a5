"""Two public sets of conversations with questions whose evidence is known, where they lie beside this repository.

LoCoMo (Maharana et al., ACL 2024) is talk between friends, BEAM (Tavakoli et al. 2025) talk with an assistant. Their licences
keep them out of the repository: `LYRA_EVAL` names their folder, `../shared/eval` is looked at otherwise.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.types import Kind, NewExchange

_MINUTE = 60_000_000


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the ids of the messages that answer it, what kind of question it is, and what is true."""

    text: str
    evidence: frozenset[str]
    kind: str
    answer: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages by session, and what is asked about them."""

    name: str
    sessions: dict[str, list[NewExchange]]
    questions: list[Question]


def conversations() -> dict[str, list[Conversation]]:
    """Return the sets that are there by name, none where there are none."""
    folder = Path(os.environ.get("LYRA_EVAL", "../shared/eval"))
    return {name: list(read(folder / name)) for name, read in (("locomo", _locomo), ("beam", _beam)) if (folder / name).is_dir()}


_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}


def _locomo(folder: Path) -> Iterator[Conversation]:
    for path in sorted(folder.glob("*.json")):
        for raw in json.loads(path.read_text()):
            sessions = dict(_locomo_sessions(raw["conversation"]))
            there = {message.source_id for said in sessions.values() for message in said}
            asked = [
                Question(
                    one["question"],
                    frozenset(_turns(one.get("evidence", ())) & there),
                    _CATEGORIES[one["category"]],
                    str(one.get("answer", "")),
                )
                for one in raw["qa"]
                if one["category"] in _CATEGORIES
            ]
            yield Conversation(raw["sample_id"], sessions, [one for one in asked if one.evidence])


def _locomo_sessions(raw: dict[str, Any]) -> Iterator[tuple[str, list[NewExchange]]]:
    n = 1
    while turns := raw.get(f"session_{n}"):
        at = _instant(raw[f"session_{n}_date_time"], "%I:%M %p on %d %B, %Y")
        yield (
            f"session {n}",
            [
                NewExchange(Kind.SAID, _seen(turn), turn["dia_id"], at + place * _MINUTE, turn["speaker"])
                for place, turn in enumerate(turns)
            ],
        )
        n += 1


def _seen(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [image: {caption}]" if caption else str(turn["text"])


def _turns(evidence: list[str]) -> set[str]:
    return {found for text in evidence for found in re.findall(r"D\d+:\d+", text)}


def _beam(folder: Path) -> Iterator[Conversation]:
    for path in sorted(folder.glob("chat-*.json")):
        raw = json.loads(path.read_text())
        sessions: dict[str, list[NewExchange]] = {}
        at = 0
        for turn in raw["turns"]:
            at = max(at + _MINUTE, _instant(turn["date"], "%B-%d-%Y") if turn.get("date") else 0)
            kind = Kind.REPLY if turn["role"] == "assistant" else Kind.SAID
            said = NewExchange(kind, turn["content"], str(turn["id"]), at, turn["role"], turn["role"])
            sessions.setdefault(f"session {turn['session']}", []).append(said)
        asked = [
            Question(one["question"], frozenset(map(str, one["source_ids"])), one["kind"], str(one["answer"]))
            for one in raw["questions"]
        ]
        yield Conversation(path.stem, sessions, [one for one in asked if one.evidence])


def _instant(text: str, form: str) -> int:
    return int(datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()) * 1_000_000
