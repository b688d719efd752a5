"""What can go wrong in memory. The docstring of every class is one sentence a person can read."""

from localization.sentences import Explained, Said


class MemoryFailure(Explained):
    """Base class of every error here; its text is shown to people, in their language."""


class KeyMissing(MemoryFailure):
    """The memory is encrypted and its key is not there."""


class KeyUnusable(MemoryFailure):
    """The key file cannot be read, or does not hold 64 hexadecimal digits."""


class WrongKey(MemoryFailure):
    """The key does not open this file, or the file is damaged."""


class NewerDatabase(MemoryFailure):
    """The file was written by a newer Lyra."""


class MemoryUnusable(MemoryFailure):
    """The memory cannot be used: it is not one of Lyra's, or its database reports an error."""


class MemoryMissing(MemoryFailure):
    """The database is missing or empty though there was one."""


class ForeignLog(MemoryFailure):
    """The log beside the database belongs to another one, or to another state of it."""


class TombstonesDamaged(MemoryFailure):
    """The log of what was forgotten is not what was written to it."""


class DatabaseBusy(MemoryFailure):
    """Another process kept the memory locked for longer than the busy timeout."""


class DatabaseAway(DatabaseBusy):
    """The server that keeps the memory is unreachable, takes no writes or lets nobody in for now."""


class DatabaseRefused(MemoryFailure):
    """The server lacks the database or a right, or is not fit to keep a memory."""


class MemoryOutdated(MemoryFailure):
    """The memory went back to an older state, in which something that was confirmed is not there."""


class DiskFull(MemoryFailure):
    """There is no space left to write; what was committed before stays."""


class NotWritable(MemoryFailure):
    """The folder or file is not writable."""


class HomeInUse(MemoryFailure):
    """Another process of Lyra holds this home."""


class BusyElsewhere(MemoryFailure):
    """Another process is doing the same work."""


class NotFound(MemoryFailure):
    """There is nothing by that name or id in this domain."""


class AmbiguousId(MemoryFailure):
    """Several ids begin with what was typed."""


class NotYours(MemoryFailure):
    """What is to be forgotten was said by somebody else."""


class NotShared(MemoryFailure):
    """What was asked for exists only in places that several people read."""


class ToldInConfidence(MemoryFailure):
    """What was told in confidence cannot become a fact for everybody."""


class LinkRefused(MemoryFailure):
    """What was typed links no accounts."""


class RotationFailed(MemoryFailure):
    """The memory's key was not changed."""


class SourceGone(MemoryFailure):
    """Something the answer rests on was forgotten or changed while the answer was made."""


class BackupFailed(MemoryFailure):
    """The copy could not be written, read or verified."""


class EmbeddingFailed(MemoryFailure):
    """No vectors came back, or unusable ones."""


class WriterFailed(MemoryFailure):
    """The writer is unavailable for now."""


class BudgetSpent(WriterFailed):
    """The day's model budget is spent."""


class WriterRefused(MemoryFailure):
    """The writer's answer cannot be used; `answer` is kept for inspection, `asked` counts the attempts."""

    def __init__(self, reason: Said, answer: str = "", asked: int = 1) -> None:
        super().__init__(reason)
        self.answer = answer
        self.asked = asked


class TooMuchToRead(WriterRefused):
    """A prompt does not fit the writer's context of `room` tokens (None: unknown).

    `share` is the fraction of the sources that fits, 0 for none. `sure` is False if the cause may be something else.
    """

    def __init__(self, reason: Said, room: int | None = None, *, sure: bool = True) -> None:
        super().__init__(reason)
        self.room = room
        self.sure = sure
        self.share = 0.5
