"""What can go wrong in memory. Every class is one sentence a person can read.

MemoryFailure
├── KeyMissing · KeyUnusable · WrongKey      the key and the file do not fit
├── NewerDatabase · NotADatabase             the file is not one this version can open
├── MemoryMissing                             the file is gone, though one was there
├── ForeignLog                                the log beside the file is not its own
├── TombstonesDamaged                         the log of what was forgotten is not what was written
├── DatabaseBusy · DiskFull · NotWritable    the file cannot be written now
├── DatabaseAway · DatabaseRefused            the server is out of reach, or not one to keep a memory on
├── HomeInUse                                another process holds what this one needs alone
├── BusyElsewhere                             another process is at the same work
├── NotFound                                 nothing by that name or id in this domain
├── AmbiguousId                               several ids begin with what was typed
├── NotYours                                 somebody else said it
├── NotShared                                only a shared place has that
├── LinkRefused                              accounts are not linked by that
├── BackupFailed                             the copy could not be made or read
├── RotationFailed                           the key could not be changed
├── SourceGone                                a message was forgotten or changed while an answer was made from it
├── EmbeddingFailed                          no vectors; the texts are kept
└── WriterFailed · WriterRefused             no digest; the messages are kept
    └── BudgetSpent                          no digest today; the messages are kept
"""

from localization.sentences import Explained, Said


class MemoryFailure(Explained):
    """The base of all; its text is shown to people, in their language."""


class KeyMissing(MemoryFailure):
    """The memory is encrypted and its key is not there."""


class KeyUnusable(MemoryFailure):
    """The key file cannot be read, or does not hold 64 hexadecimal digits."""


class WrongKey(MemoryFailure):
    """The key does not open this file, or the file is damaged."""


class NewerDatabase(MemoryFailure):
    """The file was written by a newer Lyra."""


class NotADatabase(MemoryFailure):
    """The path holds something else than Lyra's memory."""


class MemoryMissing(MemoryFailure):
    """The database is missing or empty where there was one."""


class ForeignLog(MemoryFailure):
    """The log beside the database belongs to another one, or to another state of it."""


class TombstonesDamaged(MemoryFailure):
    """The log of what was forgotten is not what was written to it."""


class DatabaseBusy(MemoryFailure):
    """Another process kept the memory locked for longer than the busy timeout."""


class DatabaseAway(DatabaseBusy):
    """The server that keeps the memory is out of reach for now."""


class DatabaseRefused(MemoryFailure):
    """The server does not let her in, has no such database, or is not fit to keep a memory."""


class DiskFull(MemoryFailure):
    """There is no room left to write to; what was committed before stays."""


class NotWritable(MemoryFailure):
    """The folder or file may not be written."""


class HomeInUse(MemoryFailure):
    """Another process of Lyra holds this home."""


class BusyElsewhere(MemoryFailure):
    """Another process is doing this very work."""


class NotFound(MemoryFailure):
    """There is nothing by that name or id in this domain."""


class AmbiguousId(MemoryFailure):
    """Several ids begin with what was typed of one."""


class NotYours(MemoryFailure):
    """Somebody else said what is to be forgotten."""


class NotShared(MemoryFailure):
    """Only a place that several people read has what was asked for."""


class ToldInConfidence(MemoryFailure):
    """What was told in confidence cannot become a fact for everybody."""


class LinkRefused(MemoryFailure):
    """What was typed links no accounts."""


class RotationFailed(MemoryFailure):
    """The key of the memory was not changed."""


class SourceGone(MemoryFailure):
    """Something the answer rests on was forgotten or changed while it was made."""


class BackupFailed(MemoryFailure):
    """The copy could not be written, read or verified."""


class EmbeddingFailed(MemoryFailure):
    """No vectors came back, or unusable ones."""


class WriterFailed(MemoryFailure):
    """The writer is out of reach for now."""


class BudgetSpent(WriterFailed):
    """What may be asked of a model in a day was asked."""


class WriterRefused(MemoryFailure):
    """The writer's answer cannot be used; `answer` is kept for inspection, `asked` is how often it was asked for."""

    def __init__(self, reason: Said, answer: str = "", asked: int = 1) -> None:
        super().__init__(reason)
        self.answer = answer
        self.asked = asked


class TooMuchToRead(WriterRefused):
    """A prompt does not fit the writer: it may have `room` tokens, None where that is not known.

    `share` is how much of the sources fits, from 0 for nothing. `sure` is false where it may be something else that is wrong.
    """

    def __init__(self, reason: Said, room: int | None = None, *, sure: bool = True) -> None:
        super().__init__(reason)
        self.room = room
        self.sure = sure
        self.share = 0.5
