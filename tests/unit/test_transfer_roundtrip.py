"""What is exported imports again: the same words, names, times and ids."""

import io
import json

from hypothesis import example, given
from hypothesis import strategies as st

from memory.text.sanitize import clean
from memory.transfer.jsonl import line, read_jsonl
from memory.transfer.message import BadLine, Incoming

LAST = 253_402_300_800_000_000 - 1  # the last microsecond of 9999

names = st.text(min_size=1).map(clean).filter(bool)
zones = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Africa/Monrovia", "Pacific/Kiritimati"])
roles = st.sampled_from(["user", "assistant", "system"])


def back(text: str, zone: str = "UTC") -> Incoming | BadLine:
    (found,) = read_jsonl(io.BytesIO(text.encode()), zone)
    return found


@given(names, roles, names, names, st.integers(0, LAST), names, zones, zones)
@example("s", "user", "Ada", "line\u2028 \x85 \x7f \ufeff \n\t", 0, "1", "America/New_York", "UTC")
@example("s", "user", "Ada", "late", LAST, "1", "Pacific/Kiritimati", "UTC")
@example("s", "user", "Ada", "the hour that came twice", 1_792_891_800_000_000, "1", "Europe/Berlin", "UTC")
def test_any_message_comes_back_exactly(
    session: str, role: str, speaker: str, content: str, at: int, source_id: str, written_in: str, read_in: str
) -> None:
    text = line(session, role, speaker, content, at, source_id, written_in)
    assert "\n" not in text
    assert back(text, read_in) == Incoming(1, session, None, role, speaker, content, at, source_id)  # type: ignore[arg-type]


def test_a_line_reads_as_the_contract_says() -> None:
    text = line("küche", "user", "Ada", "Tee?", 1_782_907_200_000_000, "m1", "Europe/Berlin")
    assert text == (
        '{"session": "küche", "role": "user", "speaker": "Ada", "content": "Tee?", '
        '"created_at": "2026-07-01T14:00:00+02:00", "id": "m1"}'
    )


def test_microseconds_are_written_only_where_there_are_some() -> None:
    assert json.loads(line("s", "user", "Ada", "hi", 1_500_000, "1", "UTC"))["created_at"] == "1970-01-01T00:00:01.500000+00:00"


def test_what_came_without_an_id_keeps_its_id_through_export_and_import() -> None:
    first = back('{"content": "hello", "session": "s", "speaker": "Ada", "created_at": "2026-07-01T12:00:00"}')
    assert isinstance(first, Incoming) and first.created_at is not None
    text = line("s", first.role, "Ada", first.content, first.created_at, first.source_id, "Asia/Tokyo")
    assert back(text) == first


def test_what_earlier_versions_kept_without_a_word_comes_back_as_an_empty_message() -> None:
    found = back(line("s", "user", "Ada", "\0", 0, "1", "UTC"))
    assert isinstance(found, Incoming) and found.content == "[an empty message]"


def test_a_line_can_always_be_written_to_a_file() -> None:
    line("s\ud800", "user", "Ada\ud800", "half an emoji \ud83d", 0, "1\ud800", "UTC").encode()
