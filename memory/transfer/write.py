"""Messages as JSONL: the lines that `read_jsonl` reads back unchanged."""

import json
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from memory.transfer.message import EPOCH, clean


def line(
    session: str, role: str, speaker: str, content: str, created_at: int, source_id: str, time_zone: str, *, echo: bool = False
) -> str:
    """Return one message as a line of JSON, without the newline.

    `created_at` is in microseconds UTC and is written as ISO 8601 with the offset of `time_zone` (an IANA name). `echo` marks a
    reply that only repeats memory; the mark is written only where it is set.
    """
    fields: dict[str, str | bool] = {
        "session": clean(session),
        "role": role,
        "speaker": clean(speaker),
        "content": clean(content),
        "created_at": _local(created_at, ZoneInfo(time_zone)).isoformat(),
        "id": clean(source_id),
    }
    if echo:
        fields["echo"] = True
    return json.dumps(fields, ensure_ascii=False)


def _local(instant: int, zone: ZoneInfo) -> datetime:
    moment = EPOCH + timedelta(microseconds=instant)
    try:
        return moment.astimezone(zone)
    except OverflowError:  # the last hours of 9999 have no local time east of Greenwich
        return moment
