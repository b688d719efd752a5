"""Parts of answers, as they go out, and as they stand in the outbox."""

from dataclasses import dataclass

from memory.store.database import Row

TITLE = "title"
"""The form of the name of a thread, which answers the message that it is called after."""
OFF_RECORD = "off-record"
"""The form of a part whose words are held by the process that made it, and stand in no row."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an answer, as it goes out: the key makes sending it twice harmless where the platform allows.

    `operation` is send, preview, edit or delete; the last two change the message that the part of the key `target` became.
    `actions` is the caller's own JSON of what can be pressed under it, `form` the caller's word for how it is shown. An edit
    without a text changes nothing but its actions.
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

    It was made at the domain `domain` and may hold what was read of those in `also`. `unsure` says that an earlier attempt may
    have arrived. `target_remote` is the platform's id of what it changes, '' where that is not known. `first` says that it is its
    answer's first part; it was queued at `since`. `notice` says that it is no reply that is kept.
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


def outgoing(row: Row) -> OutboxRow:
    """Return a row of the outbox as the part that it is."""
    part = Part(row["key"], row["text"], row["operation"], row["target"], row["actions"], row["form"])
    return OutboxRow(
        row["id"], part, row["place"], row["domain"], row["answers"], row["state"] == "attempting",
        row["target_remote"], row["part"] == 0, row["created_at"], bool(row["notice"]),
        tuple(map(int, row["also"].split())),
    )  # fmt: skip
