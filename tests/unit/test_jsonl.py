"""Importing JSONL: what is said in the file is kept as it is; what cannot be used is named, never silently lost."""

import io
import json
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.sanitize import clean
from memory.transfer.detect import lines_in, read_file
from memory.transfer.jsonl import read_jsonl
from memory.transfer.message import MAX_LINE, BadLine, FileUnusable, Incoming

BERLIN = "Europe/Berlin"


def read(text: str | bytes, zone: str = "UTC") -> list[Incoming | BadLine]:
    return list(read_jsonl(io.BytesIO(text.encode() if isinstance(text, str) else text), zone))


def one(zone: str = "UTC", **fields: object) -> Incoming:
    (found,) = read(json.dumps({"content": "hello", **fields}), zone)
    assert isinstance(found, Incoming), found
    return found


def reason(text: str | bytes) -> str:
    (found,) = read(text)
    assert isinstance(found, BadLine), found
    return str(found.reason)


def micros(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp()) * 1_000_000  # type: ignore[misc,arg-type]


def test_a_message_with_all_fields_comes_back_as_written() -> None:
    text = (
        '{"session": "kitchen", "role": "assistant", "speaker": "Ada", "content": "Tea is ready.", '
        '"created_at": "2026-03-01T10:00:00.25+01:00", "id": "m1", "mood": "unknown fields are ignored"}\n'
    )
    at = micros(2026, 3, 1, 9) + 250_000
    assert read(text) == [Incoming(1, "kitchen", None, "assistant", "Ada", "Tea is ready.", at, "m1")]


def test_how_many_lines_will_come_is_known_before(tmp_path: Path) -> None:
    for text, lines in (('{"content": "a"}\n' * 3, 3), ("", 0), ('[{"mapping": {}}]\n', 0)):
        (tmp_path / "given").write_text(text, "utf-8")
        assert lines_in(tmp_path / "given", "auto") == lines
    assert [lines_in(tmp_path / name, "auto") for name in ("nothing", ".")] == [0, 0]


def test_content_alone_is_enough() -> None:
    found = one()
    assert (found.session, found.place, found.role, found.speaker, found.created_at) == (None, None, "user", None, None)


@pytest.mark.parametrize(
    ("written", "kept"), [("user", "user"), ("Assistant", "assistant"), ("SYSTEM", "system"), ("tool", "system"), (None, "user")]
)
def test_roles(written: str | None, kept: str) -> None:
    assert one(role=written).role == kept


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("2026-07-01T12:00:00", micros(2026, 7, 1, 10)),  # no zone: the user's, here in summer
        ("2026-01-01T12:00:00", micros(2026, 1, 1, 11)),
        ("2026-07-01T12:00:00Z", micros(2026, 7, 1, 12)),
        ("2026-07-01 12:00:00-05:00", micros(2026, 7, 1, 17)),
        ("2026-07-01", micros(2026, 6, 30, 22)),
        (1_782_907_200, micros(2026, 7, 1, 12)),
        (1_782_907_200.5, micros(2026, 7, 1, 12) + 500_000),
        ("1970-01-01T00:00:00Z", 0),
    ],
)
def test_times(written: object, kept: int) -> None:
    assert one(BERLIN, created_at=written).created_at == kept


@pytest.mark.parametrize(
    "written", ["1969-12-31T23:59:59Z", "0001-01-01", "9999-12-31T23:00:00-05:00", -1, 1e300, float("nan"), float("inf"), 10**400]
)
def test_a_time_outside_the_calendar_is_named(written: object) -> None:
    assert reason(json.dumps({"content": "hello", "created_at": written})) == "created_at is outside the years 1970 to 9999"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("hello", "not JSON"),
        ('{"content": "hel', "not JSON: the file ends in the middle of this line"),
        ('{"content": "hel\n', "not JSON"),
        ("[1, 2]", "not a JSON object"),
        ("[" * 100_000, "not JSON"),
        ('{"content": ' + "9" * 5_000 + "}\n", "not JSON"),
        ("{}", "no content"),
        ('{"content": null}', "no content"),
        ('{"content": "\\u0000\\r"}', "no content"),
        ('{"content": ["secret"]}', "content is not text"),
        ('{"content": "secret", "role": "ghost"}', "role is none of user, assistant, system, tool"),
        ('{"content": "secret", "role": 1}', "role is none of user, assistant, system, tool"),
        ('{"content": "secret", "session": {}}', "session is not text"),
        ('{"content": "secret", "speaker": true}', "speaker is not text"),
        ('{"content": "secret", "id": 1.5}', "id is neither text nor a whole number"),
        ('{"content": "secret", "created_at": "31.12.2024"}', "created_at is not ISO 8601: 31.12.2024"),
        ('{"content": "secret", "created_at": "a secret"}', "created_at is not ISO 8601"),
        ('{"content": "secret", "created_at": []}', "created_at is neither text nor a number"),
        (b'{"content": "caf\xe9"}', "not UTF-8"),
        (b'{"content": "\xed\xa0\x80"}', "not UTF-8"),
    ],
)
def test_a_bad_line_is_named_without_its_text(line: str | bytes, why: str) -> None:
    assert reason(line) == why


def test_good_lines_around_a_bad_one_are_kept_and_numbered_as_in_the_file() -> None:
    found = read('{"content": "one"}\n\nbroken\n   \n{"content": "two"}')
    assert [(item.line, isinstance(item, BadLine)) for item in found] == [(1, False), (3, True), (5, False)]


def test_numbers_are_accepted_as_names_and_ids() -> None:
    found = one(session=7, speaker=1.5, id=42)
    assert (found.session, found.speaker, found.source_id) == ("7", "1.5", "42")


def test_empty_names_and_ids_count_as_missing() -> None:
    found = one(session="", speaker="\x00", id="")
    assert (found.session, found.speaker) == (None, None)
    assert found.source_id.startswith("h:")


def test_nul_lone_surrogates_and_windows_line_ends_are_cleaned() -> None:
    assert read('{"content": "a\\u0000b \\ud800 c\\r\\nd\\te\x1b\x00"}\r\n')[0].content == "ab \ufffd c\nd\te"  # type: ignore[union-attr]
    assert clean("smile \U0001f600") == "smile \U0001f600"


def test_a_file_with_a_utf8_mark_reads_like_one_without() -> None:
    assert read(b'\xef\xbb\xbf{"content": "hello"}\n') == read('{"content": "hello"}\n')


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_utf16_is_refused_in_one_clear_sentence(encoding: str) -> None:
    with pytest.raises(FileUnusable, match="UTF-16; save it as UTF-8"):
        read('{"content": "hello"}\n'.encode(encoding))


def ids(text: str) -> list[str]:
    return [item.source_id for item in read(text) if isinstance(item, Incoming)]


def test_importing_again_gives_the_same_ids_and_a_repeated_line_is_kept_each_time() -> None:
    text = "".join(f'{{"content": "{word}"}}\n' for word in ("yes", "no", "yes", "ok", "ok", "ok", "ok"))
    assert ids(text) == ids(text)
    assert len(set(ids(text))) == 7


def test_the_same_words_behind_others_are_another_message() -> None:
    one, other = ids('{"content": "tea?"}\n{"content": "ok"}\n'), ids('{"content": "now?"}\n{"content": "ok"}\n')
    assert set(one).isdisjoint(other)


def test_what_is_added_at_the_end_or_in_another_session_changes_no_id() -> None:
    first, second = '{"session": "a", "content": "tea?"}\n', '{"session": "a", "content": "ok"}\n'
    between = '{"session": "b", "content": "now?"}\n'
    assert ids(first + second) == [id_ for id_ in ids(first + between + second + first) if id_ in ids(first + second)]


def test_only_what_names_no_session_has_a_name_that_holds_in_any() -> None:
    assert one(id="m1").origin and one().origin and one(id="m1").origin != one().origin
    assert one(session="a", id="m1").origin == one(session="a").origin == ""


def test_ids_do_not_confuse_one_field_with_the_next() -> None:
    assert one(session="a", speaker="bc").source_id != one(session="ab", speaker="c").source_id


def test_ids_stay_when_the_time_zone_is_set_differently_later() -> None:
    at = "2026-07-01T12:00:00"
    assert one(BERLIN, created_at=at).source_id == one("Asia/Tokyo", created_at=at).source_id


def test_a_line_of_exactly_one_mebibyte_is_kept_and_one_byte_more_is_not() -> None:
    frame = len('{"content": ""}')
    fits = '{"content": "' + "x" * (MAX_LINE - frame) + '"}'
    for end in ("", "\n"):
        assert isinstance(read(fits + end)[0], Incoming)
    assert reason(fits.replace("x", "xx", 1) + "\n") == "longer than 1 MiB"


def test_a_ten_megabyte_line_costs_little_memory_and_nothing_else() -> None:
    line = b'{"content": "' + b"x" * 10_000_000 + b'"}\n'
    stream = io.BytesIO(b'{"content": "before"}\n' + line + b'{"content": "after"}')
    tracemalloc.start()
    try:
        found = list(read_jsonl(stream, "UTC"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [item.content for item in found if isinstance(item, Incoming)] == ["before", "after"]
    assert isinstance(found[1], BadLine) and (found[1].line, str(found[1].reason)) == (2, "longer than 1 MiB")
    assert peak < 4_000_000


def test_messages_come_before_the_file_was_read_to_its_end() -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            line = b'{"content": "again"}\n'
            buffer[: len(line)] = line
            return len(line)

    found: Iterator[Incoming | BadLine] = read_jsonl(io.BufferedReader(Endless()), "UTC")
    assert [next(found).line for _ in range(3)] == [1, 2, 3]


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_but_the_clear_error(data: bytes) -> None:
    with suppress(FileUnusable):
        read(data)


@given(
    st.fixed_dictionaries(
        {"content": st.text() | st.none()},
        optional={
            name: st.none()
            | st.booleans()
            | st.text()
            | st.integers()
            | st.floats()
            | st.lists(st.integers())
            | st.datetimes().map(str)
            for name in ("session", "role", "speaker", "created_at", "id")
        },
    )
)
def test_no_fields_raise_and_what_is_kept_can_be_stored(fields: dict[str, object]) -> None:
    (found,) = read(json.dumps(fields), BERLIN)
    if isinstance(found, Incoming):
        assert found.content
        for text in (found.content, found.session or "", found.speaker or "", found.source_id):
            assert "\0" not in text
            text.encode()


class TestOpening:
    def read(self, path: Path, kind: str = "auto") -> list[Incoming | BadLine]:
        return list(read_file(path, kind, "UTC"))

    def test_a_file_of_lines_is_recognized(self, tmp_path: Path) -> None:
        path = tmp_path / "chat.jsonl"
        path.write_text('\n{"content": "hello", "mapping": "a word"}\n{"mapping": {}, "content": "two"}\n')
        assert [item.line for item in self.read(path)] == [2, 3]

    @pytest.mark.parametrize("kind", ["auto", "jsonl", "chatgpt"])
    @pytest.mark.parametrize("data", [b"", b"\n \n", b"\xef\xbb\xbf"])
    def test_an_empty_file_holds_nothing(self, tmp_path: Path, kind: str, data: bytes) -> None:
        path = tmp_path / "empty"
        path.write_bytes(data)
        assert self.read(path, kind) == []

    def test_what_cannot_be_opened_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(FileUnusable, match=r'missing\.jsonl" does not exist\.'):
            self.read(tmp_path / "missing.jsonl")
        with pytest.raises(FileUnusable, match="is a folder"):
            self.read(tmp_path)
        with pytest.raises(FileUnusable, match="cannot be opened"):
            self.read(tmp_path / ("x" * 5_000))
        with pytest.raises(FileUnusable, match="no file name can have"):
            self.read(tmp_path / "a\0b")
        with pytest.raises(FileUnusable, match="'xml' is not a format"):
            self.read(tmp_path, "xml")

    def test_the_archive_itself_is_explained(self, tmp_path: Path) -> None:
        path = tmp_path / "export.zip"
        path.write_bytes(b"PK\x03\x04 and so on")
        with pytest.raises(FileUnusable, match="unpack it and import"):
            self.read(path)

    def test_utf16_names_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.jsonl"
        path.write_bytes('{"content": "hello"}\n'.encode("utf-16"))
        with pytest.raises(FileUnusable, match=r"notes\.jsonl: the file is UTF-16"):
            self.read(path)

    def test_a_dash_is_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        long = '{"content": "' + "x" * 200_000 + '"}\n'
        piped = io.TextIOWrapper(io.BytesIO((long * 2 + '{"content": "last"}').encode()))
        monkeypatch.setattr("sys.stdin", piped)
        assert [len(item.content) for item in self.read(Path("-")) if isinstance(item, Incoming)] == [200_000, 200_000, 4]
        assert not piped.buffer.closed


def test_the_name_of_a_conversation_may_bear_a_number_as_earlier_versions_exported_it() -> None:
    before, longer = "x" * 199 + "… (1234)", "x" * 211
    lines = [json.dumps({"session": name, "content": "tea"}).encode() for name in (before, longer)]
    kept, refused = read_jsonl(io.BytesIO(b"\n".join(lines)), "UTC")
    assert isinstance(kept, Incoming)
    assert kept.session == before
    assert isinstance(refused, BadLine)


def test_a_time_that_counts_milliseconds_or_microseconds_is_that_time() -> None:
    times: list[object] = [1709200000, 1709200000000, 1709200000000000, "1709200000", "1709200000000"]
    assert {one(created_at=at).created_at for at in times} == {1709200000 * 1_000_000}


@pytest.mark.parametrize("format", ["auto", "jsonl"])
def test_messages_in_one_array_are_read_as_those_of_lines(tmp_path: Path, format: str) -> None:
    lines = [json.dumps({"content": text, "session": "boat", "id": text}) for text in ("at seven" * 10_000, "on friday")]
    (tmp_path / "lines").write_text("\n".join(lines))
    (tmp_path / "array").write_text(f"[\n {lines[0]},\n{lines[1]}, 5, {lines[0][:-3]}")
    *found, no_message, cut = read_file(tmp_path / "array", format, "UTC")
    assert found == list(read_file(tmp_path / "lines", format, "UTC"))
    reasons = [str(bad.reason) for bad in (no_message, cut) if isinstance(bad, BadLine)]
    assert reasons == ["not a JSON object", "not JSON"]
