"""Broken files, keys, folders and disks: one clear sentence, the exit code of a failure, and nothing that was kept is lost."""

import asyncio
import json
from pathlib import Path

import pytest

from memory.store.sqlite.database import SqliteDatabase
from tests.kits.customized import customized, full
from tests.kits.lyra_kit import Home, jsonl, one_sentence
from tests.kits.size import few

GOOD = jsonl({"content": "The key is under the mat.", "id": "1"}, {"content": "Oma bakes on Friday.", "id": "2"})


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A machine on which something was said; it is only copied."""
    home = Home(tmp_path_factory.mktemp("told"))
    assert home.chat("my cat is called Turing").lines == ["Kept."]
    return home


@pytest.fixture
def home(told: Home, tmp_path: Path) -> Home:
    """A machine on which something was said."""
    return told.copied(tmp_path)


def kept(home: Home) -> list[str]:
    """Return what people said."""
    return [row["content"] for row in home.export() if row["role"] == "user"]


FILES = {
    "missing": (None, "does not exist"),
    "a folder": ("folder", "is a folder"),
    "UTF-16": (GOOD.encode("utf-16"), "UTF-16"),
    "a ZIP": (b"PK\x03\x04" + bytes(100), "ZIP"),
    "an export cut off": (b'[{"title": "x", "mapping": {', "middle of conversation 1"),
}


@pytest.mark.parametrize(("content", "named"), few(FILES.values(), 3), ids=few(FILES, 3))
def test_a_file_that_cannot_be_imported_is_named(home: Home, content: bytes | str | None, named: str) -> None:
    file = home.folder / "given"
    if content == "folder":
        file.mkdir()
    elif isinstance(content, bytes):
        file.write_bytes(content)
    done = home.lyra("import", "given")
    assert done.code == 1
    assert named in one_sentence(done)
    assert kept(home) == ["my cat is called Turing"]


LINES = {
    "session too long": (b'{"content": "x", "session": "' + b"s" * 60_000 + b'"}\n', "session is longer than 200 characters"),
    "half written": (b'{"content": "and then', "not JSON: the file ends in the middle of this line"),
    "no JSON": (b"hello\n", "not JSON"),
    "no object": (b'["content"]\n', "not a JSON object"),
    "not UTF-8": (b'{"content": "caf\xe9"}\n', "not UTF-8"),
    "10 MB": (b'{"content": "' + b"x" * 10_000_000 + b'"}\n', "longer than 1 MiB"),
    "no content": (b'{"speaker": "Bo"}\n', "no content"),
    "no time": (b'{"content": "x", "created_at": "once upon a time"}\n', "created_at is not ISO 8601"),
    "no role": (b'{"content": "x", "role": "king"}\n', "role is none of"),
}


@pytest.mark.parametrize(("line", "reason"), few(LINES.values(), 3), ids=few(LINES, 3))
def test_a_bad_line_is_counted_and_named_and_the_good_ones_are_kept(home: Home, line: bytes, reason: str) -> None:
    first, second = GOOD.encode().splitlines(keepends=True)
    given = first + second + line if not line.endswith(b"\n") else first + line + second
    done = home.lyra("import", "-", given=given)
    assert (done.out, done.code) == ("Imported 2 messages in 1 conversation.\n", 1)
    number = 3 if not line.endswith(b"\n") else 2
    assert one_sentence(done).startswith(f"1 line could not be used: line {number}: {reason}")
    assert kept(home) == ["my cat is called Turing", "The key is under the mat.", "Oma bakes on Friday."]


def test_two_messages_under_one_id_are_told_and_one_line_twice_is_counted(home: Home) -> None:
    given = [
        {"content": "The boat is blue.", "id": "1"},
        {"content": "Nils can swim.", "id": "1"},
        {"content": "The boat is blue.", "id": "1"},
    ]
    done = home.lyra("import", "-", given="".join(f"{json.dumps(one)}\n" for one in given))
    assert (done.out, done.code) == ("Imported 1 message in 1 conversation; 1 was here already.\n", 1)
    assert one_sentence(done) == "1 line could not be used: line 2: its id is that of an earlier line with other words."


def test_many_bad_lines_are_counted_and_the_first_are_named(home: Home) -> None:
    done = home.lyra("import", "-", given="rubbish\n" * 1200 + GOOD)
    assert (done.out, done.code) == ("Imported 2 messages in 1 conversation.\n", 1)
    sentence = one_sentence(done)
    assert sentence.startswith("1,200 lines could not be used: line 1: ")
    assert sentence.endswith("and 1,195 more.")


def test_a_conversation_of_an_export_that_is_partly_unreadable_is_told_once_and_not_taken_for_a_line(home: Home) -> None:
    def said(ident: str, before: str, **fields: object) -> dict[str, object]:
        return {"parent": before, "message": {"author": {"role": "user"}, "content": {"parts": [ident]}, **fields}}

    broken = {"root": {"children": ["gone"]}, "a": said("The boat is blue.", "root"), "b": said("x", "a", create_time="noon")}
    export = [{"title": "Boats", "mapping": broken}, {"title": "Empty"}]
    done = home.lyra("import", "-", given=json.dumps(export))
    assert (done.out, done.code) == ("Imported 2 messages in 1 conversation.\n", 1)
    assert one_sentence(done) == (
        "2 conversations could not be read in full (the rest of them is imported): conversation 1: a message that should follow "
        "is not there, a create_time is not a time in seconds since 1970; conversation 2 has no messages."
    )
    assert kept(home)[1:] == ["The boat is blue.", "x"]


def test_nul_and_lone_surrogates_never_enter_memory(home: Home) -> None:
    given = b'{"content": "a\\u0000b \\ud800 c", "speaker": "B\\u0000o", "session": "s\\udfff", "id": "x\\u0000"}\n'
    assert home.lyra("import", "-", given=given).code == 0
    said = home.lyra("chat", given=b"d\0e \x1b[31mf\n\0\n\x01\x02\n")
    assert (len(said.lines), said.code) == (1, 0), "a line without a word says nothing"
    contents = kept(home)
    assert "ab \ufffd c" in contents
    for content in contents:
        assert "\0" not in content and "\x1b" not in content
    again = home.lyra("import", "-", given=home.lyra("export").out)
    assert again.out.startswith("Imported 0 messages")
    assert (again.err, again.code) == ("", 0)


CHAT = {
    "not UTF-8": (b"caf\xe9\n", "A line is not UTF-8 and was not kept; convert it first."),
    "lone surrogate": (b"x \xed\xa0\x80 y\n", "A line is not UTF-8 and was not kept; convert it first."),
    "10 MB": (b"x" * 10_000_000 + b"\n", "A line is longer than 256 KiB and was not kept; send it in pieces."),
    "UTF-16": ("hello\n".encode("utf-16"), "A line is not UTF-8 and was not kept; convert it first."),
}


@pytest.mark.parametrize(("line", "named"), few(CHAT.values(), 3), ids=few(CHAT, 3))
def test_a_line_that_cannot_be_read_is_named_and_the_others_are_answered(home: Home, line: bytes, named: str) -> None:
    done = home.lyra("chat", given=b"my dog is Rex\n" + line + b"\nwho is Rex?\n")
    assert done.code == 1
    assert done.lines[0] == "Kept."
    assert done.lines[-1].endswith('"my dog is Rex".')
    assert done.err.count(named) == 1
    assert "Traceback" not in done.err
    assert kept(home)[:2] == ["my cat is called Turing", "my dog is Rex"]


def test_a_question_that_cannot_be_read_is_named_and_the_others_are_looked_for(home: Home) -> None:
    done = home.lyra("recall", "-", "--json", given=b"cat\ncaf\xe9\n" + b"x" * 150_000 + b"\n\ndog\n")
    assert (done.code, [row["query"] for row in done.rows]) == (1, ["cat", "", "dog"])
    assert done.err.splitlines() == [
        "Line 2 is not UTF-8 and was not looked for; convert the input first.",
        "Line 3 is longer than 64 KiB and was not looked for; ask in fewer words.",
    ]


def test_several_questions_are_told_apart(home: Home) -> None:
    cat, dog = home.lyra("recall", "-", given="cat\n\ndog\n").out.split("\n\n")
    assert cat.startswith("cat\n1. my cat is called Turing\n") and dog == 'dog\nNothing was found about "dog".\n'


@pytest.mark.parametrize("words", [["recall", "\udcff"], ["sessions", "--as", "\udcff"], ["chat", "--session", "\udcff"]])
def test_words_of_the_command_line_that_are_not_utf_8_do_no_harm(home: Home, words: list[str]) -> None:
    done = home.lyra(*words)
    assert "Traceback" not in done.err
    assert done.code in (0, 1, 2)
    assert kept(home) == ["my cat is called Turing"]


KEYS = {
    "rubbish": (b"rubbish\n", "is not 64 hexadecimal digits"),
    "not text": (b"\xff\xfe\x00", "cannot be read"),
    "empty": (b"", "is not 64 hexadecimal digits"),
    "of another memory": (b"ab" * 32, "The key does not open the memory"),
    "gone": (None, "Put your copy of the key there"),
}


@pytest.mark.parametrize(("content", "named"), few(KEYS.values(), 3), ids=few(KEYS, 3))
def test_a_key_that_does_not_fit_is_explained_and_nothing_is_lost(home: Home, content: bytes | None, named: str) -> None:
    good = home.key.read_bytes()
    home.key.unlink()
    if content is not None:
        home.key.write_bytes(content)
    for words in (["chat"], ["status", "--json"]):
        done = home.lyra(*words, given="hello\n")
        assert (done.out, done.code) == ("", 1)
        assert named in one_sentence(done)
        assert "rubbish" not in done.err and "abab" not in done.err
    assert home.key.exists() == (content is not None)
    home.key.write_bytes(good)
    assert kept(home) == ["my cat is called Turing"]


@pytest.mark.parametrize("place", ["no folder can be made", "a file stands there"])
def test_a_home_that_cannot_be_written_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("precious", "utf-8")
    home = Home(tmp_path)
    home.path = Path("/proc/lyra") if place == "no folder can be made" else tmp_path / "file"
    for words in (["chat"], ["import", "-"]):
        done = home.lyra(*words, given=GOOD)
        assert (done.out, done.code) == ("", 1)
        sentence = one_sentence(done)
        assert str(home.path) in sentence and "LYRA_HOME" in sentence
    done = home.lyra("doctor")
    assert done.lines[0].startswith("!!") and str(home.path) in done.lines[0] and "LYRA_HOME" in done.lines[0]
    assert (done.err, done.code) == ("", 1)
    assert (tmp_path / "file").read_text("utf-8") == "precious"


@pytest.mark.parametrize("what", ["folder", "text"])
def test_a_database_that_is_none_is_named(home: Home, what: str) -> None:
    path = home.folder / what
    if what == "folder":
        path.mkdir()
    else:
        path.write_text("just some text " * 1000, "utf-8")
    done = home.lyra("chat", given="hello\n", env={"LYRA_DB_PATH": str(path)})
    assert (done.out, done.code) == ("", 1)
    assert str(path) in one_sentence(done)


def test_a_memory_of_a_newer_lyra_is_refused_and_left_alone(home: Home) -> None:
    async def grow_newer() -> None:
        async with await SqliteDatabase.open(home.db, bytes.fromhex(home.key.read_text("ascii"))) as db, db.transaction() as tx:
            await tx.run("INSERT INTO migrations (version, name, digest) VALUES (999, '0999_future', 'x')")

    asyncio.run(grow_newer())
    before = home.db.read_bytes()
    done = home.chat("hello")
    assert (done.out, done.code) == ("", 1)
    assert "written by a newer Lyra" in one_sentence(done)
    assert home.db.read_bytes() == before


def test_a_full_disk_is_named_and_everything_before_is_kept(home: Home) -> None:
    many = jsonl(*({"session": "s", "content": f"line {n} " + "x" * 500, "id": str(n)} for n in range(1001)))
    nearly = customized(home.folder / "full", full(home.db.stat().st_size + 500_000))
    done = home.lyra("import", "-", given=many, env=nearly)
    *progress, sentence = done.err.splitlines()
    assert done.code == 1 and "no room is left" in sentence
    assert all(line.startswith("Imported lines:") for line in progress)
    kept_then = kept(home)
    assert kept_then[0] == "my cat is called Turing"
    assert len(kept_then) - 1 in (0, 500, 1000, 1001)  # the last step may just fit, and what follows it not
    assert home.lyra("import", "-", given=many).code == 0
    assert len(kept(home)) == 1002


def test_a_disk_that_fills_in_the_middle_of_a_turn_is_named_and_the_turn_is_made_later(home: Home) -> None:
    """Of these sizes some leave room for the message and none for its turn; whichever they are, none ends in silence."""
    for number, room in enumerate(range(24_000, 60_000, 6_000)):
        nearly = customized(home.folder / f"full{number}", full(room))
        done = home.lyra("chat", given=f"my dog is Rex{number}\n", env=nearly)
        assert "Traceback" not in done.err
        assert (done.code, "no room is left" in done.err) == ((0, False) if "Kept." in done.lines else (1, True)), room
        later = home.lyra("chat", given="")
        accepted = f"my dog is Rex{number}" in kept(home)
        assert later.code == 0 and (done.lines + later.lines).count("Kept.") == accepted, room


def test_a_full_disk_in_a_conversation_is_named(home: Home) -> None:
    nearly = customized(home.folder / "full", full(home.db.stat().st_size + 60_000))
    done = home.lyra("chat", given="".join(f"line {n} {'x' * 3000}\n" for n in range(100)), env=nearly)
    assert done.code == 1
    assert "Traceback" not in done.err
    assert "no room is left" in done.err + done.out
    acknowledged = done.lines.count("Kept.")
    assert 0 < acknowledged < 100
    assert len(kept(home)) - 1 >= acknowledged
