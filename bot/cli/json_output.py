"""JSON output for scripts: one object per item."""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby

from memory.index.hits import Condensed, Hit
from memory.text.time.times import iso
from memory.tiers.drives import NAMES
from memory.tiers.exchanges import PlacedMessage
from memory.tiers.selfstate import DatedState, SelfState, StateOfMind
from memory.types import Digest, Exchange, Session, Statement
from memory.view.pages import Page

Row = dict[str, object]
Receipts = Mapping[int, Sequence[Exchange]]


def say(row: object) -> None:
    """Print a row, or several as a list, on one line, at once."""
    print(json.dumps(row, ensure_ascii=False), flush=True)


def hit(found: Hit, time_zone: str) -> Row:
    """Return the row of a recalled message."""
    e = found.exchange
    return {
        "id": e.id, "source_id": e.source_id, "session": found.session, "speaker": e.speaker, "role": e.role,
        "created_at": iso(e.said_at, time_zone), "content": e.text, "score": found.score, "why": list(found.why),
        "confidence": found.certainty,
        **({"corrected_by": found.correction.id} if found.correction else {}),
        **({"corrects": found.corrects.id} if found.corrects else {}),
    }  # fmt: skip


def condensed(found: Condensed, time_zone: str) -> Row:
    """Return the row of a recalled gist or month paragraph, with the ids of the messages it rests on."""
    return {
        "id": found.id, "source_id": "", "session": found.where, "speaker": "", "role": found.tier,
        "created_at": iso(found.first_at, time_zone), "content": found.text, "score": found.score, "why": list(found.why),
        "confidence": found.certainty, "sources": [message.id for message in found.sources],
    }  # fmt: skip


def session(one: Session, time_zone: str) -> Row:
    """Return the row of a conversation."""
    return {
        "id": one.id, "name": one.name, "messages": one.messages,
        "started_at": iso(one.started_at, time_zone), "last_at": iso(one.last_at, time_zone),
    }  # fmt: skip


def digest(of: Session, one: Digest, time_zone: str) -> Row:
    """Return the row of a gist or summary."""
    return {
        "id": one.id, "session": of.name, "tier": one.tier, "level": one.level, "writer": one.writer,
        "first_at": iso(one.first_at, time_zone), "last_at": iso(one.last_at, time_zone), "text": one.text,
    }  # fmt: skip


def fact(one: Statement, said: Receipts, time_zone: str) -> Row:
    """Return the row of a profile fact; `ended` is when it was replaced."""
    return {
        "id": one.id, "text": one.text, "kind": one.kind, "since": iso(one.first_at, time_zone),
        "last": iso(one.last_at, time_zone), "sources": _ids(one, said), **_ended(one, time_zone),
    }  # fmt: skip


def line(one: Statement, said: Receipts, time_zone: str) -> Row:
    """Return the row of a narrative line."""
    return {
        "id": one.id, "kind": one.kind, "text": one.text, "since": iso(one.first_at, time_zone), "sources": _ids(one, said),
        **_ended(one, time_zone),
    }  # fmt: skip


def months(told: Sequence[Statement], said: Receipts, sessions: Mapping[str, int], time_zone: str) -> list[Row]:
    """Return one row per month of the eras; `sessions` maps a month to the number of its conversations."""
    by_month = groupby(sorted(told, key=lambda one: one.period), key=lambda one: one.period)
    return [
        {"month": month, "session_count": sessions.get(month, 0), "paragraphs": [_plain(one, said, time_zone) for one in some]}
        for month, some in by_month
    ]


def state(now: SelfState, told: Sequence[Statement], said: Receipts, time_zone: str, history: Sequence[DatedState] = ()) -> Row:
    """Return her self-state with its self-narrative, and the history of her states, newest first."""
    return {
        "version": now.mind.version, **mind(now.mind),
        **({"history": [{"at": iso(one.at, time_zone), **mind(one.mind)} for one in history]} if history else {}),
        "since": iso(now.since, time_zone) if now.since else None,
        "narrative": [_plain(one, said, time_zone) for one in told if one.kind != "reflection"],
        "reflections": [_plain(one, said, time_zone) for one in told if one.kind == "reflection"],
    }  # fmt: skip


def mind(of: StateOfMind) -> Row:
    """Return mood, energy and drives."""
    return {"mood": of.mood, "energy": of.energy, "drives": {name: round(of.drives[name], 3) for name in NAMES}}


def page(one: Page, said: Receipts, time_zone: str) -> Row:
    """Return the page of a person, pet, place or project."""
    return {
        "name": one.name, "kind": one.kind, "aliases": list(one.aliases),
        "facts": [fact(stated, said, time_zone) for stated in one.facts],
        "messages": [_message_row(placed, time_zone) for placed in one.said], "own": [_message_row(placed, time_zone) for placed in one.own],
    }  # fmt: skip


def _message_row(placed: PlacedMessage, time_zone: str) -> Row:
    e = placed.exchange
    return {
        "id": e.id, "session": placed.session, "speaker": e.speaker, "created_at": iso(e.said_at, time_zone), "content": e.text,
    }  # fmt: skip


def _plain(one: Statement, said: Receipts, time_zone: str) -> Row:
    return {"id": one.id, "text": one.text, "sources": _ids(one, said), **_ended(one, time_zone)}


def _ids(one: Statement, said: Receipts) -> list[str]:
    return [message.id for message in said[one.key]]


def _ended(one: Statement, time_zone: str) -> Row:
    return {} if one.ended_at is None else {"ended": iso(one.ended_at, time_zone)}
