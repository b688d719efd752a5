"""The journal: the inbox with its cursors, and the outbox.

T1 commits events and cursors together; an event is finished only in the transaction that stores its answer (T3), which also
queues every part of that answer. The journal is not memory: texts are blanked when an event is done, and a day after a part
was sent.
"""

from memory.journal.inbox import Event, Inbox, InboxEvent, OpenEvents
from memory.journal.outbox import Outbox
from memory.journal.parts import OFF_RECORD, TITLE, OutboxRow, Part, UnseenAnswer
from memory.journal.thread_names import ThreadNames

__all__ = ["OFF_RECORD", "TITLE", "Event", "InboxEvent", "Journal", "OpenEvents", "OutboxRow", "Part", "UnseenAnswer"]


class Journal(Inbox, Outbox, ThreadNames):
    """The inbox, cursors and outbox of one database."""
