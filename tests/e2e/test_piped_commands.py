"""Each command as a user pipes it: chat, import, recall, sessions, status, and whose memory they act in."""

import json
import os
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.kits import lyra_kit
from tests.kits.lyra_kit import LYRA, STARTED, Home, jsonl
from tests.kits.size import few
from tests.kits.words_alone import words_alone

GARDEN = jsonl(
    {
        "session": "garden",
        "speaker": "Bo",
        "content": "The roses bloom in June.",
        "created_at": "2024-05-01T10:00:00",
        "id": "g1",
    },
    {"session": "garden", "role": "assistant", "content": "How lovely.", "created_at": "2024-05-01T10:00:05Z", "id": "g2"},
    {"session": "kitchen", "content": "I bake rye bread on Sundays.", "created_at": "2024-06-01T10:00:00+02:00"},
    {"session": "kitchen", "content": "Roses on the table, rye in the oven.", "created_at": "2024-06-02T10:00:00+02:00"},
)
HIT = ["id", "source_id", "session", "speaker", "role", "created_at", "content", "score", "why", "confidence"]

home = lyra_kit.home


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A machine with an imported memory, for commands that only read."""
    home = Home(tmp_path_factory.mktemp("garden"))
    done = home.lyra("import", "-", given=GARDEN)
    assert (done.out, done.code) == ("Imported 4 messages in 2 conversations.\n", 0)
    return home


def hits(home: Home, *words: str) -> list[str]:
    """Return the texts that `lyra recall` finds."""
    done = home.lyra("recall", *words, "--json")
    assert (done.code, done.err) == (0, "")
    return [hit["content"] for hit in done.rows[0]["hits"]]


def test_a_line_in_a_reply_out_and_the_greeting_aside(home: Home) -> None:
    done = home.chat("hello", "my dog is Rex", "", "   ", "who is Rex?")
    assert done.code == 0
    assert done.lines[:2] == ["Hello, ada.", "Kept."]
    assert re.fullmatch(r'You told me (today|yesterday) at \d\d:\d\d: "my dog is Rex"\.', done.lines[2])
    assert len(done.lines) == 3
    assert done.err.startswith("Lyra: hello ada. Nothing leaves this machine.\n")
    again = home.chat()
    assert (again.out, again.code) == ("", 0)
    assert again.err == "Welcome back, ada. 3 messages kept, just now.\n"


def test_a_last_line_without_its_end_counts(home: Home) -> None:
    assert home.lyra("chat", given="my dog is Rex").lines == ["Kept."]


def test_commands_in_a_conversation_are_answered_and_not_kept(home: Home) -> None:
    done = home.chat("I live in Graz", "/sessions", "/recall Graz", "/summarize", "/nonsense", "/status", "/help")
    assert done.code == 0
    said = done.out
    assert "* main: 2 messages, just now" in said
    assert "1. I live in Graz" in said
    assert 'ada said: "I live in Graz"' in said
    assert "There is no /nonsense. /help shows what there is." in said
    assert "1 message of yours kept" in said
    for command in ("/recall", "/summarize", "/sessions", "/new", "/model", "/memory", "/forget", "/status"):
        assert f"\n{command} " in said
    assert [row["content"] for row in home.export()] == ["I live in Graz", "Kept."]


def test_a_conversation_whose_reader_is_gone_ends_without_a_word_of_the_interpreter(home: Home) -> None:
    talk = "".join(f"I like number {n}.\n" for n in range(20))
    command = [*STARTED, "chat"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home.folder, env=home.environment()
    ) as chat:
        assert chat.stdin and chat.stdout and chat.stderr
        chat.stdin.write(b"I like number 0.\n")
        chat.stdin.flush()
        assert chat.stdout.readline() == b"Kept.\n"
        chat.stdout.close()
        with suppress(BrokenPipeError):
            chat.stdin.write(talk.encode())
            chat.stdin.close()
        told = chat.stderr.read().decode()
        assert chat.wait() == 1 and "roken" not in told and "Exception" not in told
    again = home.chat("hello")
    assert {*again.lines} == {"Kept.", "Hello, ada."}, "nothing went wrong on her side"


@pytest.mark.parametrize("number", few([signal.SIGTERM, signal.SIGINT]))
def test_a_conversation_that_waits_for_a_line_is_ended_by_a_signal_and_not_aborted(home: Home, number: signal.Signals) -> None:
    with home.started("chat", command=STARTED) as chat:
        assert chat.say("I like tea.") == "Kept."
        done = chat.stop(number)
    assert done.code == 128 + number and "Fatal" not in done.err


def test_words_off_the_record_are_not_kept_without_a_word(home: Home) -> None:
    done = home.chat("off the record: I saw a doctor", "my cat is called Turing")
    told, _kept = done.lines
    assert told.startswith("I keep what you tell me here, this too. /forget that takes it back; /incognito once TEXT")
    again = home.chat("/incognito on", "off the record: I saw a lawyer")
    assert "I keep what you tell me here" not in again.out and "lawyer" not in home.lyra("export").out


@pytest.mark.parametrize("asked", ["please forget that", "delete my last message"])
def test_what_is_forgotten_on_request_is_what_was_said_before_the_request(home: Home, asked: str) -> None:
    done = home.chat("My pin is 4187", asked, "/forget that", "y", "what is my pin?")
    assert "My pin is 4187" in done.err and asked not in done.err
    assert done.lines[-2].startswith("Forgotten: 1 message") and "4187" not in done.lines[-1]
    home.chat("My hat is green", asked, "/forget last")
    assert "green" not in home.lyra("export").out


def test_quit_ends_a_pipe_as_it_ends_a_conversation_at_a_screen(home: Home) -> None:
    assert home.chat("I live in Graz", "/quit", "I live in Linz").lines == ["Kept."]
    assert "Linz" not in home.lyra("export").out


def test_a_language_is_set_by_its_code_as_by_its_name(home: Home) -> None:
    assert home.chat("/settings language de").lines[0].startswith("language: german")


@pytest.mark.parametrize("line", ['/recall ""', "/recall “ ”", "/recall '"])
def test_quotation_marks_alone_are_no_question(home: Home, line: str) -> None:
    assert home.chat("I live in Graz", line).lines[-1].startswith("/recall needs QUERY: what to look for. Usage:")


def test_conversations_of_one_person_have_names(home: Home) -> None:
    home.chat("we met in Lisbon", options=["--session", "travels"])
    home.chat("the tap drips", options=["--session", "house"])
    assert [row["name"] for row in home.lyra("sessions", "--json").rows] == ["house", "travels"]
    listed = home.lyra("sessions").lines
    assert listed[0].startswith("house: 2 messages, ")
    assert listed[1].startswith("travels: 2 messages, ")


def test_each_command_starts_by_itself(home: Home) -> None:
    started = list(LYRA)
    home.lyra("import", "-", given=GARDEN, command=started)
    words_of_each = [
        ["sessions"], ["recall", "garden"], ["summarize"], ["dream"], ["backup", "copy"], ["memory", "profile"], ["export"], ["status"],
        ["forget", "--session", "garden", "--yes"], ["restore", "copy", "--yes"], ["chat"],
    ]  # fmt: skip
    # What a conversation, `recall` and `summarize` load by themselves is in test_start.
    for words in few(words_of_each, 0):
        done = home.lyra(*words, command=started)
        assert done.code == 0 and "Traceback" not in done.err, words
    assert {row["session"] for row in home.export()} >= {"garden", "kitchen"}


def test_importing_a_file_again_adds_nothing(home: Home) -> None:
    file = home.folder / "garden.jsonl"
    file.write_text(GARDEN, "utf-8")
    assert home.lyra("import", str(file)).out == "Imported 4 messages in 2 conversations.\n"
    before = home.export()
    again = home.lyra("import", str(file))
    assert (again.out, again.code) == ("Imported 0 messages in 2 conversations; 4 were here already.\n", 0)
    assert home.export() == before


def test_messages_that_name_no_conversation_go_where_the_user_says(home: Home) -> None:
    file = home.folder / "notes.jsonl"
    file.write_text(jsonl({"content": "plain"}), "utf-8")
    home.lyra("import", str(file))
    home.lyra("import", str(file), "--session", "diary", "--format", "jsonl")
    assert sorted(row["session"] for row in home.export()) == ["diary", "notes"]


def test_an_imported_conversation_is_as_old_as_its_messages(home: Home) -> None:
    home.chat("we speak today")
    home.lyra("import", "-", given=GARDEN)
    found = home.lyra("sessions", "--json").rows
    assert [row["name"] for row in found] == ["main", "kitchen", "garden"]
    assert found[1]["last_at"] == "2024-06-02T08:00:00+00:00"


def test_chatgpt_conversations_keep_their_dates_and_branches(home: Home) -> None:
    def node(key: str, parent: str | None, role: str, text: str, at: float) -> dict[str, object]:
        content = {"content_type": "text", "parts": [text]}
        message = {"id": key, "author": {"role": role}, "create_time": at, "content": content}
        return {"id": key, "parent": parent, "children": [], "message": message}

    nodes = [
        node("q", None, "user", "Which tea calms?", 1_700_000_000),
        node("a1", "q", "assistant", "Chamomile.", 1_700_000_010),
        node("a2", "q", "assistant", "Lemon balm.", 1_700_000_020),
    ]
    talk = {"title": "Tea", "conversation_id": "c1", "create_time": 1_700_000_000, "mapping": {n["id"]: n for n in nodes}}
    file = home.folder / "conversations.json"
    file.write_text(json.dumps([{**talk, "current_node": "a2"}]), "utf-8")
    assert home.lyra("import", str(file)).out == "Imported 3 messages in 2 conversations.\n"
    kept = {row["content"]: (row["session"], row["role"], row["created_at"]) for row in home.export()}
    assert kept == {
        "Which tea calms?": ("Tea", "user", "2023-11-14T22:13:20+00:00"),
        "Chamomile.": ("Tea (branch 2)", "assistant", "2023-11-14T22:13:30+00:00"),
        "Lemon balm.": ("Tea", "assistant", "2023-11-14T22:13:40+00:00"),
    }
    assert "3 were here already" in home.lyra("import", str(file), "--format", "chatgpt").out


def test_what_is_exported_and_imported_again_is_there_already_also_where_it_came_from_chatgpt(home: Home) -> None:
    message = {
        "id": "m1",
        "author": {"role": "user"},
        "create_time": 1.7e9,
        "content": {"content_type": "text", "parts": ["Hello"]},
    }
    told = [
        {"title": "New chat", "conversation_id": f"c{n}", "mapping": {"m1": {"id": "m1", "message": message}}} for n in range(2)
    ]
    (home.folder / "conversations.json").write_text(json.dumps(told), "utf-8")
    assert home.lyra("import", "conversations.json").out == "Imported 2 messages in 2 conversations.\n"
    home.chat("my cat is called Turing", "/new", "my dog is called Bruno")
    exported = home.lyra("export").out
    again = home.lyra("import", "-", given=exported)
    assert (again.out.startswith("Imported 0 messages"), again.code) == (True, 0)
    assert home.lyra("export").out == exported


def test_one_that_waits_for_a_pipe_is_ended_by_ctrl_c(home: Home) -> None:
    os.mkfifo(home.folder / "pipe")
    with home.started("import", "pipe") as lyra:
        writer = os.open(home.folder / "pipe", os.O_WRONLY)  # waits until it is read
        assert lyra.stop(signal.SIGINT).code == 130
        os.close(writer)


def test_recall_gives_scripts_exactly_the_fields_of_the_contract(garden: Home) -> None:
    done = garden.lyra("recall", "-", "--json", given="when do roses bloom\nrye bread\nzeppelin\n")
    assert (done.code, done.err) == (0, "")
    assert [list(row) for row in done.rows] == [["query", "hits"]] * 3
    assert [row["query"] for row in done.rows] == ["when do roses bloom", "rye bread", "zeppelin"]
    assert [list(hit) for row in done.rows for hit in row["hits"]] == [HIT] * sum(len(row["hits"]) for row in done.rows)
    first = done.rows[0]["hits"][0]
    assert {name: first[name] for name in HIT[1:7]} == {
        "source_id": "g1", "session": "garden", "speaker": "Bo", "role": "user",
        "created_at": "2024-05-01T10:00:00+00:00", "content": "The roses bloom in June.",
    }  # fmt: skip
    assert isinstance(first["score"], float)
    assert first["why"] and all(isinstance(reason, str) for reason in first["why"])
    assert done.rows[1]["hits"][0]["created_at"] == "2024-06-01T08:00:00+00:00"
    assert done.rows[2]["hits"] == []


def test_recall_says_where_nothing_that_it_found_is_sure(garden: Home) -> None:
    found = garden.lyra("recall", "who painted the bread portrait of my grandmother in the hall").lines
    assert found[0] == "I have nothing sure about that. The nearest is:"
    assert "perhaps about something else" in found[2]
    (row,) = garden.lyra("recall", "-", "--json", given="who painted the bread portrait of my grandmother in the hall").rows
    assert {hit["confidence"] for hit in row["hits"]} == {"weak"}


def test_recall_says_in_words_who_said_it_and_when(garden: Home) -> None:
    found = garden.lyra("recall", "rye bread").lines
    assert found[0] == "1. I bake rye bread on Sundays."
    assert re.fullmatch(r'    ada, on 1 June 2024 at 08:00, in "kitchen" · sure · same words: .*bread.* · id \w{6}', found[1])
    assert garden.lyra("recall", "zeppelin").out == 'Nothing was found about "zeppelin".\n'
    piped = garden.lyra("recall", "-", given="rye bread\nzeppelin\n").lines
    assert piped[:2] == ["rye bread", found[0]]
    assert piped[-1] == 'Nothing was found about "zeppelin".'


def test_recall_finds_as_many_as_asked_and_only_where_asked(garden: Home) -> None:
    assert len(hits(garden, "roses", "-k", "1")) == 1
    assert "The roses bloom in June." in hits(garden, "roses", "-k", "10")
    assert hits(garden, "roses", "--session", "kitchen")[0] == "Roses on the table, rye in the oven."
    assert "The roses bloom in June." not in hits(garden, "roses", "--session", "kitchen")


def test_status_counts_without_anybodys_words(garden: Home) -> None:
    done = garden.lyra("status", "--json")
    assert done.code == 0
    counts = json.loads(done.out)
    wanted = {"sessions", "dirty", "ripe", "unsummarized_total", "max_exchange_id", "profile_sessions_covered"}
    assert wanted <= set(counts)
    assert counts["sessions"] == 2
    assert counts["unsummarized_total"] == 4
    assert counts["dirty"] == counts["ripe"] == 2
    words = garden.lyra("status")
    assert words.code == 0
    assert "roses" not in words.out + done.out


def test_people_of_one_machine_know_nothing_of_each_other(garden: Home) -> None:
    for words in (["sessions", "--json"], ["export"], ["memory", "summaries", "--json"]):
        done = garden.lyra(*words, "--as", "bob")
        assert (done.out, done.err, done.code) == ("", "", 0)
    assert hits(garden, "roses", "--as", "bob") == []
    theirs = garden.lyra("recall", "roses", "--json").rows[0]["hits"][0]["id"]
    for words in (["forget", theirs], ["forget", "--session", "garden", "--yes"], ["summarize", "garden"]):
        denied = garden.lyra(*words, "--as", "bob")
        assert (denied.out, denied.code) == ("", 1)
        assert "here" in denied.err
    told = garden.chat("what do you know about roses?", "/recall roses", "/sessions", "/memory", options=["--as", "bob"])
    assert "Nothing about" in told.lines[0]
    assert "June" not in told.out and "garden" not in told.out
    assert "hello bob" in told.err
    assert len(garden.export()) == 4


def test_the_database_can_live_elsewhere(tmp_path: Path) -> None:
    home = Home(tmp_path)
    elsewhere = home.folder / "disk" / "memory.store.database"
    done = home.lyra("chat", given="the safe is behind the painting\n", env={"LYRA_DB_PATH": str(elsewhere)})
    assert (done.lines, done.code) == (["Kept."], 0)
    assert elsewhere.exists() and not home.db.exists()
    assert home.key.exists()
    assert home.lyra("export", env={"LYRA_DB_PATH": str(elsewhere)}).rows[0]["content"] == "the safe is behind the painting"


def test_the_configuration_can_live_elsewhere(home: Home) -> None:
    file = home.folder / "elsewhere.toml"
    file.write_text(words_alone('time_zone = "Asia/Tokyo"\n'), "utf-8")
    home.lyra("import", "-", given=GARDEN, env={"LYRA_CONFIG": str(file)})
    told = home.lyra("recall", "rye bread", env={"LYRA_CONFIG": str(file)}).lines[1]
    assert "on 1 June 2024 at 17:00" in told


def test_every_command_explains_itself(tmp_path: Path) -> None:
    home = Home(tmp_path)
    everything = home.lyra("--help", command=list(LYRA))  # by an interpreter of its own
    assert everything.code == 0
    commands = "chat run import recall sessions summarize memory forget export status doctor backup restore".split()
    assert [name for name in commands if re.search(rf"^\s*{name}\s+\w", everything.out, re.MULTILINE)] == commands
    for name in commands:
        explained = home.lyra(name, "--help")
        assert explained.code == 0
        assert "Usage:" in explained.out
    assert not home.path.exists()


def test_what_is_printed_cannot_move_the_cursor_or_turn_words_around(home: Home) -> None:
    hostile = "\x1b[2J\u202ezirconium\u2066\u2028\U000e0041"
    home.lyra("import", "-", given=jsonl({"content": hostile, "speaker": f"Ada\n{hostile}", "session": hostile}))
    home.lyra("summarize", "--all")
    for words in (["recall", "zirconium"], ["export", "--text"], ["sessions"], ["memory", "summaries"], ["summarize"]):
        shown = home.lyra(*words).out
        assert "zirconium" in shown and not set(shown) & set(hostile.replace("zirconium", "").replace("[2J", "")), words
    assert len(home.lyra("recall", "zirconium").lines) == 2, "a name stays on its line"


@pytest.mark.parametrize("option", ["--as", "--session"])
@pytest.mark.parametrize("name", ["x" * 201, "two\nlines"])
def test_a_name_that_no_list_could_show_is_refused(home: Home, option: str, name: str) -> None:
    refused = home.lyra("chat", option, name, given="hello\n")
    assert refused.code == 2 and "a name is one line of at most 200 characters" in refused.err


def test_a_conversation_cannot_be_named_with_a_book(home: Home) -> None:
    first, second, third = home.chat("/new " + "x" * 60_000, "/new roses", "The roses bloom in June.").lines
    assert first == "The name of a conversation has at most 200 characters."
    assert second == 'This is a new conversation: "roses".'
    assert third == "Kept."


def test_the_privacy_policy_names_the_hosts_that_get_words_how_long_things_are_kept_and_who_is_responsible(
    tmp_path: Path,
) -> None:
    remote = 'chat = "main"\nsummary = "near"\n[models.main]\nbase_url = "https://models.example.org/v1"\nmodel = "x"\n'
    near = '[models.near]\nbase_url = "http://192.168.1.5:1/v1"\nmodel = "y"\n'
    kept = '[retention]\nmessages = 90\n[privacy]\noperator = "The Garden Club"\ncontact = "garden@example.org"\n'
    told = Home(tmp_path / "far", remote + near + kept).lyra("privacy")
    assert (told.code, "Responsible: The Garden Club. You reach them at garden@example.org." in told.out) == (0, True)
    assert "- models.example.org: to answer\n" in told.out and "- messages, with all that was made of them: 90 days." in told.out
    assert "- 192.168.1.5, in the same network: to sum up and to think about what was said" in told.out
    alone = Home(tmp_path / "near").lyra("privacy").out
    assert "No word leaves the machine she runs on." in alone and "It stays until you forget it." in alone


def test_settings_lists_what_a_terminal_has(home: Home) -> None:
    shown, nothing = home.chat("/settings").out, home.chat("/settings buttons on").out
    assert "language: " in shown and "buttons: " not in shown
    assert nothing == "There is nothing to press under my answers here, and so nothing to set.\n"
