"""The terminal in German: by the environment or by the configuration, and not a sentence of it in English."""

import json

from tests.kits import lyra_kit
from tests.kits.in_english import said_in_english
from tests.kits.lyra_kit import Home
from tests.kits.tabled import tabled

GERMAN = {"LANG": "de_DE.UTF-8", "LC_ALL": ""}
TALK = tabled("german", "talk")


home = lyra_kit.home


def test_a_conversation_in_german_holds_no_english(home: Home) -> None:
    done = home.lyra("chat", "--as", "ada", given=TALK, env=GERMAN)
    assert done.code == 0 and "Hallo ada. Nichts verlässt diesen Rechner." in done.err
    assert "/forgot gibt es nicht; meintest du /forget?" in done.out and "Vergessen: 1 Nachricht" in done.out
    assert said_in_english(done.out + done.err) == []
    assert said_in_english(home.lyra("chat", "--as", "ada", given=TALK).out) != [], "in English it holds some"


def test_who_wrote_german_is_answered_so_where_words_tell_no_language(home: Home) -> None:
    assert home.lyra("chat", given="Ich wohne in Graz.\nPizza!\n").out == "Gemerkt.\nGemerkt.\n"
    assert home.lyra("chat", given="Pizza!\nI live in Graz.\nPizza!\n").out == "Gemerkt.\nKept.\nKept.\n"


def test_off_the_record_what_was_said_last_is_answered_again_in_its_language(home: Home) -> None:
    given = "My cat is Turing.\nMeine Katze heißt Turing.\nWho is Turing?\n/incognito on\nWie heißt meine Katze?\n/again\nPizza?\n/again\n"
    *_, first, again, pizza, anew = home.lyra("chat", given=given).lines
    assert first.startswith("Du hast mir") and (again, anew) == (first, pizza)
    assert pizza == "Noch nichts über „Pizza“."
    assert "Wie heißt" not in str(home.export())


COMMANDS: tuple[list[str], ...] = (
    [], ["recall", "--help"], ["memory", "--help"], ["status"], ["doctor"], ["sessions"], ["summarize"], ["recall", "Katze"],
    ["recall", "Flugzeug"], ["recall", " "], ["recall", "x", "-k", "0"], ["recall", "--loud"], ["foo"], ["memory", "self"],
    ["memory", "dreams"], ["memory", "forget", "abc"], ["forget", "abc"], ["dream"], ["import", "nowhere"], ["restore", "nowhere"],
)  # fmt: skip


def test_no_command_says_a_sentence_in_english(home: Home) -> None:
    home.lyra("chat", given="Meine Katze heißt Turing.\n", env=GERMAN)
    for words in COMMANDS:
        done = home.lyra(*words, env=GERMAN)
        assert (words, said_in_english(done.out + done.err)) == (words, [])


def test_the_configuration_decides_before_the_environment(home: Home) -> None:
    home.configure('language = "de"')
    home.lyra("chat", given="Hallo.\n")
    assert home.lyra("sessions", env={"LANG": "en_GB"}).out == "main: 2 Nachrichten, gerade eben\n"
    home.configure('language = "en"')
    assert home.lyra("sessions", env=GERMAN).out == "main: 2 messages, just now\n"
    home.configure('language = "klingon"')
    assert home.lyra("sessions").err.endswith('"language": "klingon" is not a language that I speak; write one of en, de.\n')


def test_what_scripts_read_is_the_same_in_every_language(home: Home) -> None:
    home.lyra("chat", given="Meine Katze heißt Turing.\n")
    for words in (["status", "--json"], ["recall", "Katze", "--json"], ["sessions", "--json"], ["export"]):
        german, plain = home.lyra(*words, env=GERMAN).out, home.lyra(*words).out
        assert [json.loads(line) for line in german.splitlines()] == [json.loads(line) for line in plain.splitlines()]


def test_a_question_takes_yes_in_both_languages(home: Home) -> None:
    given = "Meine Katze heißt Turing.\n/forget all ja\nMeine Katze heißt Turing.\n/forget all yes\n"
    assert home.lyra("chat", given=given, env=GERMAN).out.count("Vergessen: ") == 2
