"""Forgetting and moving a memory, as a user pipes it: forget, export and import, backup and restore."""

import json
from pathlib import Path

import pytest

from tests.kits.lyra_kit import Done, Home, jsonl, one_sentence

DIARY = jsonl(
    {"session": "diary", "content": "Eve's number is 5550199.", "created_at": "2024-05-01T10:00:00Z", "id": "d1"},
    {"session": "diary", "role": "assistant", "content": "Noted.", "created_at": "2024-05-01T10:00:05Z", "id": "d2"},
    {"session": "diary", "content": "Noah plays the cello.", "created_at": "2024-05-02T10:00:00Z", "id": "d3"},
    {"session": "work", "content": "The server room is on floor 3.", "created_at": "2024-05-03T10:00:00Z", "id": "w1"},
)


@pytest.fixture(scope="module")
def diary(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A machine with an imported diary; it is only copied."""
    home = Home(tmp_path_factory.mktemp("diary"))
    (home.folder / "diary.jsonl").write_text(DIARY, "utf-8")
    assert home.lyra("import", "diary.jsonl").code == 0
    return home


@pytest.fixture
def home(diary: Home, tmp_path: Path) -> Home:
    """A machine with an imported diary."""
    return diary.copied(tmp_path / "one")


def texts(home: Home) -> list[str]:
    """Return what is kept."""
    return [row["content"] for row in home.export()]


def forget(home: Home, text: str) -> Done:
    """Forget the message that recall finds first for a text, by its id."""
    found = home.lyra("recall", text, "--json", "-k", "1").rows[0]["hits"][0]
    return home.lyra("forget", found["id"])


def test_a_forgotten_message_is_gone_from_everything_and_stays_gone(home: Home) -> None:
    assert "5550199" in home.lyra("summarize", "diary").out
    done = forget(home, "Eve's number")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Forgotten: 1 message, ")
    assert "5550199" not in "".join(texts(home))
    assert "5550199" not in home.lyra("memory", "summaries", "--json").out
    assert home.lyra("recall", "Eve's number 5550199").out.count("5550199") == 1  # the question itself
    again = home.lyra("import", "diary.jsonl")
    assert again.out == "Imported 0 messages in 2 conversations; 2 were here already; 2 had been forgotten and stay so.\n"
    assert "5550199" not in "".join(texts(home))
    assert "Noah plays the cello." in texts(home)
    renewed = home.lyra("summarize", "diary").out
    assert "cello" in renewed and "5550199" not in renewed
    by_its_id_in_the_export = home.lyra("forget", next(row["id"] for row in home.export() if "cello" in row["content"]))
    assert by_its_id_in_the_export.out.startswith("Forgotten: 1 message") and "cello" not in "".join(texts(home))


@pytest.mark.parametrize("format_", ["jsonl", "chatgpt"])
def test_a_file_under_another_name_brings_nothing_twice_and_nothing_forgotten_back(tmp_path: Path, format_: str) -> None:
    home = Home(tmp_path).begun()
    said = ["tea?", "ok", "Eve's number is 5550199.", "ok"]
    nodes = {
        str(n): {"parent": str(n - 1) if n else None, "message": {
            "id": f"m{n}", "author": {"role": "user"}, "content": {"content_type": "text", "parts": [text]},
        }}
        for n, text in enumerate(said)
    }  # fmt: skip
    export = json.dumps([{"title": "tea", "id": "c1", "mapping": nodes, "current_node": "3"}])
    first, second = home.folder / "first", home.folder / "second"
    first.write_text(jsonl(*({"content": text} for text in said)) if format_ == "jsonl" else export, "utf-8")
    assert home.lyra("import", "first").out.startswith("Imported 4 messages")
    forget(home, "Eve's number")
    first.rename(second)
    again = home.lyra("import", "second")
    assert again.out == "Imported 0 messages in 1 conversation; 3 were here already; 1 had been forgotten and stays so.\n"
    assert texts(home) == ["tea?", "ok", "ok"]


def test_a_conversation_is_forgotten_only_when_it_is_meant(home: Home) -> None:
    asked = home.lyra("forget", "--session", "diary")
    assert (asked.out, asked.code) == ("", 1)
    assert one_sentence(asked) == 'Nothing was forgotten. Say --yes to forget "diary" for good.'
    assert len(texts(home)) == 4
    meant = home.lyra("forget", "--session", "diary", "--yes")
    assert (meant.out, meant.code) == ("Forgotten: 2 messages, 1 reply.\n", 0)
    assert texts(home) == ["The server room is on floor 3."]
    home.lyra("import", "diary.jsonl")
    assert texts(home) == ["The server room is on floor 3."]


def test_a_topic_of_some_months_is_forgotten_as_it_was_shown_on_every_page_and_nothing_else(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    told = [(f"The divorce hearing number {n} was hard.", f"2026-0{1 + n // 15}-{10 + n % 15}") for n in range(30)]
    told += [
        ("The divorce is over.", "2026-03-01"),
        ("The divorce is over.", "2026-03-02"),
        ("My cat is called Mia.", "2026-03-03"),
    ]
    rows = [{"content": text, "created_at": f"{day}T10:00:00", "id": f"m{n}"} for n, (text, day) in enumerate(told)]
    (home.folder / "life.jsonl").write_text(jsonl(*rows), "utf-8")
    home.lyra("import", "life.jsonl")
    shown = home.lyra("forget", "--about", "the divorce", "--since", "2026-02")
    assert (shown.lines[0], shown.code) == ("17 messages", 1)
    assert [line.endswith("The divorce is over.") for line in shown.lines[16:18]] == [True, True]
    assert one_sentence(shown) == "Nothing was forgotten. Say --yes to forget this for good."
    assert len(texts(home)) == 33
    assert (
        home.lyra("forget", "--about", "the divorce", "--since", "2026-02", "--yes")
        .lines[-1]
        .startswith("Forgotten: 17 messages")
    )
    assert texts(home) == [text for text, day in told if day < "2026-02" or "Mia" in text]
    said = home.chat(
        "/forget since:2026-01-10 until:2026-01-11", "n", "/forget about:the divorce", "y", "/forget since:never"
    ).lines
    assert said[0] == "Nothing was forgotten." and said[1].startswith("Forgotten: 15 messages")
    assert said[2] == '"never" is not a time that I understand; write it like 2026-03-04, 2026-03 or "last March".'
    assert texts(home) == ["My cat is called Mia."]


def test_what_she_answered_from_a_forgotten_message_is_gone_too(home: Home) -> None:
    assert "5550199" in home.chat("what is Eve's number?").out
    forget(home, "5550199")
    assert "5550199" not in "".join(texts(home))


def test_forgetting_in_a_conversation(home: Home) -> None:
    found = home.lyra("recall", "cello", "--json", "-k", "1").rows[0]["hits"][0]["id"]
    done = home.chat(f"/forget {found}", f"/forget {found}", "/forget")
    assert done.lines[0].startswith("Forgotten: 1 message")
    assert done.lines[1] == "There is no message with that id here. Recall it first: every hit shows its id."
    assert done.lines[2].startswith("/forget needs WHAT: ")
    assert "Noah plays the cello." not in texts(home)


def test_what_stands_on_the_screen_is_not_said_to_be_deleted(home: Home) -> None:
    *_, forgotten, posts = home.chat("alpha zirconium one", "alpha zirconium?", "/forget session", "y", "/forget posts").lines
    assert forgotten.startswith("Forgotten: ") and "/forget posts" not in forgotten
    assert posts == "What stands on a screen I cannot take back; clear it there."


def test_an_export_imported_elsewhere_exports_the_same(home: Home) -> None:
    home.chat("my dog is Rex", "who is Rex?", 'he said "down, boy" \t\\ naïve 犬', options=["--session", "dogs"])
    home.lyra("forget", "--session", "work", "--yes")
    exported = home.lyra("export")
    assert (exported.err, exported.code) == ("", 0)
    assert len(exported.rows) == 9
    for row in exported.rows:
        assert list(row)[:6] == ["session", "role", "speaker", "content", "created_at", "id"]
        assert row.keys() - {"session", "role", "speaker", "content", "created_at", "id"} <= {"echo", "seen"}
    assert home.lyra("export", "--json").out == exported.out
    other = Home(home.folder.parent / "two")
    imported = other.lyra("import", "-", given=exported.out)
    assert imported.out == "Imported 9 messages in 2 conversations.\n"
    assert other.lyra("export").out == exported.out
    assert "9 were here already" in home.lyra("import", "-", given=exported.out).out
    readable = home.lyra("export", "--text").lines
    assert readable[0] == "[diary] 2024-05-01 10:00 ada: Eve's number is 5550199."


def test_a_backup_brings_everything_back_but_what_was_forgotten_since(home: Home) -> None:
    done = home.lyra("backup", "copy.lyra")
    assert (done.err, done.code) == ("", 0)
    assert done.out.startswith("Backed up 4 messages to copy.lyra, read back and sound. It opens with the same key, ")
    copy = home.folder / "copy.lyra"
    assert b"5550199" not in copy.read_bytes()
    assert copy.stat().st_mode & 0o077 == 0
    forget(home, "Eve's number")
    home.chat("said after the backup")

    (home.folder / "letter.txt").write_text("Dear Eve, this is not a backup.")
    for sure in ((), ("--yes",)):
        none = home.lyra("restore", "letter.txt", *sure)
        assert none.code == 1
        assert one_sentence(none).startswith(
            "Nothing was restored: letter.txt is not a backup, or it was made with a different key"
        )

    refused = home.lyra("restore", "copy.lyra")
    assert (one_sentence(refused), refused.code) == (
        "Nothing was restored. Say --yes to replace the memory with it.", 1
    )  # fmt: skip
    assert "said after the backup" in texts(home)

    restored = home.lyra("restore", "copy.lyra", "--yes")
    assert (restored.err, restored.code) == ("", 0)
    assert restored.out.startswith("Restored 2 messages from copy.lyra. 2 that were forgotten since stay forgotten. ")
    assert texts(home) == ["Noah plays the cello.", "The server room is on floor 3."]
    assert home.lyra("recall", "cello").lines[0] == "1. Noah plays the cello."
    assert home.chat("and on it goes").lines == ["Kept."]


def test_a_backup_moves_to_a_new_machine_with_its_key(home: Home) -> None:
    home.lyra("backup", "copy.lyra")
    other = Home(home.folder.parent / "two")
    other.path.mkdir(mode=0o700)
    other.key.write_bytes(home.key.read_bytes())
    done = other.lyra("restore", str(home.folder / "copy.lyra"))
    assert (done.out, done.err, done.code) == (f"Restored 4 messages from {home.folder / 'copy.lyra'}.\n", "", 0)
    assert other.export() == home.export()


def test_a_backup_never_takes_the_place_of_a_file(home: Home) -> None:
    taken = home.folder / "taken"
    taken.write_text("precious", "utf-8")
    done = home.lyra("backup", "taken")
    assert done.code == 1
    assert "already exists" in one_sentence(done)
    assert taken.read_text("utf-8") == "precious"
    nowhere = home.lyra("backup", "no/such/folder/copy")
    assert nowhere.code == 1
    assert "does not exist. Make it first" in one_sentence(nowhere)


@pytest.mark.parametrize("what", ["another key", "no backup", "half a backup"])
def test_what_cannot_be_restored_changes_nothing(home: Home, what: str) -> None:
    home.lyra("backup", "copy.lyra")
    before = home.export()
    file = home.folder / "copy.lyra"
    match what:
        case "another key":
            other = Home(home.folder.parent / "two")
            other.chat("a stranger's memory")
            other.lyra("backup", str(home.folder / "other.lyra"))
            file = home.folder / "other.lyra"
        case "no backup":
            file.write_text("just some text " * 1000, "utf-8")
        case "half a backup":
            file.write_bytes(file.read_bytes()[:20480])
    done = home.lyra("restore", file.name, "--yes")
    assert done.code == 1
    assert one_sentence(done).startswith(f"Nothing was restored: {file.name} is not a backup")
    assert home.export() == before
    assert not list(home.path.glob("*restor*"))


def test_a_line_typed_ahead_at_a_question_is_no_answer_but_a_message(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    done = home.chat("My locker is 12.", "/forget all", "Noah plays the cello.", "who plays the cello?")
    assert "[y/N]" in done.err and "(taken as no, and as your next message)" in done.err
    assert texts(home)[0] == "My locker is 12." and "Noah plays the cello." in texts(home)
    assert "Noah plays the cello." in done.lines[-1]


@pytest.mark.parametrize("said", ["yes!", "yep", "Oui", "sí", "ja."])
def test_yes_is_yes_in_the_languages_that_she_speaks(tmp_path: Path, said: str) -> None:
    home = Home(tmp_path).begun()
    done = home.chat("My locker is 12.", "/forget all", said)
    assert done.lines[-1].startswith("Forgotten: ") and home.export() == []


@pytest.mark.parametrize("said", ["non", "Nope!"])
def test_no_is_no_and_no_message(tmp_path: Path, said: str) -> None:
    home = Home(tmp_path).begun()
    assert home.chat("My locker is 12.", "/forget all", said).lines[-1] == "Nothing was forgotten."
    assert "My locker is 12." in texts(home) and said not in texts(home)


def test_input_that_ends_at_a_question_says_no_and_she_leaves(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    done = home.chat("My locker is 12.", "/forget all")
    assert done.code == 0 and "[y/N]" in done.err
    assert texts(home)[0] == "My locker is 12."


def test_she_counts_no_conversations_where_there_are_none(tmp_path: Path) -> None:
    done = Home(tmp_path).chat("/forget all", "yes")
    assert "Forget everything that I keep here, for good?" in done.err
    assert done.lines[-1] == "Nothing was left to forget."


def test_another_assistant_s_answers_go_with_their_own_conversation_alone(tmp_path: Path) -> None:
    home = Home(tmp_path).begun()
    lines = [
        {"session": "trip", "content": "Which ferry goes to Naxos?", "id": "t1"},
        {"session": "trip", "role": "assistant", "speaker": "ChatGPT", "content": "The Blue Star goes at noon.", "id": "t2"},
        {"session": "trip", "content": "My cabin code is 5550199.", "id": "t3"},
        {"session": "trip", "role": "assistant", "speaker": "ChatGPT", "content": "Noted: 5550199 opens the cabin.", "id": "t4"},
        {"session": "notes", "content": "The dentist is on Elm Street.", "id": "n1"},
        {"session": "notes", "role": "assistant", "speaker": "ChatGPT", "content": "Good to know.", "id": "n2"},
    ]
    (home.folder / "chats.jsonl").write_text(jsonl(*lines), "utf-8")
    assert home.lyra("import", "chats.jsonl").code == 0
    assert forget(home, "dentist on Elm Street").code == 0
    kept = texts(home)
    assert "The Blue Star goes at noon." in kept and "Noted: 5550199 opens the cabin." in kept
    assert forget(home, "My cabin code").code == 0
    kept = texts(home)
    assert "The Blue Star goes at noon." in kept and "5550199" not in "".join(kept)


def test_a_conversation_that_is_empty_is_not_called_by_another_name(home: Home) -> None:
    done = home.chat("/new garden", "/forget session", "n")
    assert "Forget everything in this conversation, for good?" in done.err
    assert done.lines[-1] == "Nothing was forgotten."


def test_without_a_model_a_name_that_is_forgotten_takes_along_what_says_it_and_no_quotes(tmp_path: Path) -> None:
    home = Home(tmp_path, 'embed = "off"\n').begun()
    home.chat("call me Captain", "my cat is called Turing", "what is my cat called?", "hello")
    quote = "You told me today"
    assert [text for text in texts(home) if text.startswith("Hello")] == ["Hello, Captain."]
    forget(home, "call me Captain")
    kept = texts(home)
    assert not any("Captain" in text for text in kept)
    assert any(text.startswith(quote) for text in kept) and "Kept." in kept
