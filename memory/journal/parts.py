"""Parts of answers, as sent and as stored in the outbox."""

from dataclasses import dataclass

from memory.store.database import Row

TITLE = "title"
"""The form of a thread's name, which answers the message it is named after."""
OFF_RECORD = "off-record"
"""The form of a part whose text is held only in the memory of the process that made it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an answer; its key makes sending it twice harmless where the platform allows.

    `operation` is send, preview, edit or delete; the last two change the message sent for the part with key `target`.
    `actions` is the caller's own JSON of the buttons under it, `form` the caller's word for how it is shown. An edit
    without a text changes only its actions.
    """

    key: str
    text: str
    operation: str = "send"
    target: str = ""
    actions: str = ""
    form: str = ""


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A part in the outbox.

    It was made at the domain `domain` and may hold words read from those in `also`. `unsure` means an earlier attempt may
    have arrived. `target_remote` is the platform id of what it changes, '' if unknown. `first` marks its answer's first
    part; `since` is when it was queued. `notice` marks a part that belongs to no stored reply.
    """

    row: int
    part: Part
    place: str
    domain: int
    answers: str
    unsure: bool
    target_remote: str = ""
    first: bool = True
    since: int = 0
    notice: bool = False
    also: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class UnseenAnswer:
    """An answer that went before anybody saw it: its first part's key, its domain and place, and its question's platform id."""

    key: str
    domain: int
    place: str
    question: str


def outgoing(row: Row) -> OutboxRow:
    """Convert an outbox row."""
    part = Part(row["key"], row["text"], row["operation"], row["target"], row["actions"], row["form"])
    return OutboxRow(
        row["id"], part, row["place"], row["domain"], row["answers"], row["state"] == "attempting",
        row["target_remote"], row["part"] == 0, row["created_at"], bool(row["notice"]),
        tuple(map(int, row["also"].split())),
    )  # fmt: skip
