"""Lines that people type are read as commands of the table, and what leaves hides nothing."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.command_table import Call, CommandSpec, Parameter, Reply
from adapters.errors import CommandUnclear
from adapters.markup import command_name, knows, parse_command, printable, usage


async def nothing(_: Call) -> Reply:
    """Answer nothing."""
    return Reply("", frozenset())


def spec(name: str, *parameters: Parameter, menu: str = "") -> CommandSpec:
    return CommandSpec(name, f"what {name} does", nothing, parameters, menu=menu)


SUMMARIZE = spec(
    "summarize",
    Parameter("session", "which", rest=True),
    Parameter("last", "how many", int, named=True),
    Parameter("public", "for all", bool, named=True),
)
TABLE = {
    one.name: one
    for one in (
        spec("recall", Parameter("query", "what to look for", required=True, rest=True)),
        SUMMARIZE,
        spec("status"),
        spec("memory view", Parameter("part", "what to see", choices=("summaries", "eras"))),
        spec("memory clear", Parameter("what", "what to remove", required=True)),
        spec("model", Parameter("name", "which server"), Parameter("model", "which of its models")),
        spec("again", Parameter("times", "how often", int, required=True), Parameter("loud", "loudly", bool)),
        spec("keep", menu="Remember this"),
        spec("drop", Parameter("what", "what to drop", required=True)),
        spec("drop this", menu="Drop this"),
        spec(
            "set", Parameter("what", "which", choices=("time zone", "time", "sound"), open=True), Parameter("to", "to", rest=True)
        ),
    )
}


def parsed(line: str, prefix: str = "/", *, answering: bool | None = None) -> tuple[str, dict[str, str | int | bool]] | None:
    """Return name and arguments of the command that a line calls."""
    found = parse_command(line, prefix, TABLE, answering=answering)
    return (found[0].name, found[1]) if found else None


def unclear(line: str, prefix: str = "/", *, answering: bool | None = None) -> str:
    """Return what a person is told of a line that cannot be read."""
    with pytest.raises(CommandUnclear) as caught:
        parse_command(line, prefix, TABLE, answering=answering)
    told = str(caught.value)
    assert "\n" not in told
    return told


@pytest.mark.parametrize("line", ["", "hello", "/", "/ recall", "//", "/1", "/-)", "recall tea", " /status", "!status"])
def test_a_line_that_begins_with_no_command_is_none(line: str) -> None:
    assert parsed(line) is None


@pytest.mark.parametrize("line", ["", "/status", "hello"])
def test_where_commands_are_not_typed_no_line_is_one(line: str) -> None:
    assert parsed(line, prefix="") is None


@pytest.mark.parametrize("line", ["!", "!!", "!!!", "! status", "!1", "!?", "well!status", "!\nstatus"])
def test_a_mark_alone_or_twice_is_talk(line: str) -> None:
    assert command_name(line, "!") is None


@pytest.mark.parametrize("line", ["!lyra status", "!Lyra status", "!LYRA  Status", "!lyra\tstatus!", "!lyra status:"])
def test_a_prefix_that_is_a_word_is_set_off_by_any_space_and_known_in_any_case(line: str) -> None:
    assert command_name(line.replace("\t", " "), "!lyra ") == "status"
    assert command_name("!lyrastatus", "!lyra ") is command_name("!lyra", "!lyra ") is None


def test_a_call_is_one_whether_there_is_such_a_command_or_not() -> None:
    assert [command_name(line, "!") for line in ("!weather Vienna", "!status.", "!Ärger")] == ["weather", "status", "ärger"]
    assert knows(TABLE, "status") and knows(TABLE, "memory") and not knows(TABLE, "weather")


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("!sumarize now", "summarize"),
        ("!recal", "recall"),
        ("!memroy", "memory"),
        ("!STAUTS", "status"),
        ("!clear it", "memory clear"),
    ],
)
def test_a_slip_is_told_with_the_nearest_name(line: str, near: str) -> None:
    assert unclear(line, "!") == f"There is no {line.split()[0].casefold()}; did you mean !{near}?"


@pytest.mark.parametrize(("slip", "near"), [("clera", "clear"), ("era", "eras"), ("Sumaries", "summaries"), ("vew", "view")])
def test_a_slip_in_a_part_of_a_command_is_told_with_the_nearest_part(slip: str, near: str) -> None:
    assert unclear(f"!memory {slip}", "!") == f"There is no !memory {slip}; did you mean !memory {near}?"
    assert unclear("!memory xyz", "!").startswith("!memory view: PART is one of ")


def test_a_name_without_end_is_told_cut_short() -> None:
    assert unclear("!" + "x" * 5000, "!") == f"There is no !{'x' * 40}…. !help shows what there is."


@pytest.mark.parametrize("prefix", ["/", "!", "!lyra "])
def test_a_command_is_known_by_the_prefix_in_any_case(prefix: str) -> None:
    assert parsed(f"{prefix}status", prefix) == ("status", {})
    assert parsed(f"{prefix}STATUS ", prefix) == ("status", {})
    assert unclear(f"{prefix}dance now", prefix) == f"There is no {prefix}dance. {prefix}help shows what there is."


def test_a_menu_entry_is_no_command_to_type_where_lines_answer_nothing() -> None:
    assert unclear("/keep") == "There is no /keep. /help shows what there is."
    assert parsed("/drop this") == ("drop", {"what": "this"})


@pytest.mark.parametrize(
    ("line", "name"), [("!keep", "keep"), ("!Keep This", "keep"), ("!drop", "drop this"), ("!drop this", "drop this")]
)
def test_a_menu_entry_is_typed_in_answer_to_its_message(line: str, name: str) -> None:
    assert parsed(line, "!", answering=True) == (name, {})


def test_in_answer_to_a_message_another_can_be_named() -> None:
    assert parsed("!drop that", "!", answering=True) == ("drop", {"what": "that"})


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("!keep", "!keep is said in answer to the message that it is about."),
        ("!keep this", "!keep is said in answer to the message that it is about."),
        ("!drop this", "!drop this is said in answer to the message that it is about."),
        ("!drop", "!drop needs WHAT: what to drop. Usage: !drop WHAT"),
    ],
)
def test_a_menu_entry_that_answers_nothing_is_told_how_it_is_said(line: str, told: str) -> None:
    assert unclear(line, "!", answering=False) == told


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("/set time zone Europe/Vienna", {"what": "time zone", "to": "Europe/Vienna"}),
        ("/set Time ZONE", {"what": "time zone"}),
        ("/set time out", {"what": "time", "to": "out"}),
        ("/set colour dark red", {"what": "colour", "to": "dark red"}),
    ],
)
def test_a_choice_may_be_of_two_words(line: str, arguments: dict[str, str | int | bool]) -> None:
    assert parsed(line) == ("set", arguments)


@pytest.mark.parametrize(
    ("line", "name", "arguments"),
    [
        ("/memory view", "memory view", {}),
        ("/memory VIEW eras", "memory view", {"part": "eras"}),
        ("/memory clear all", "memory clear", {"what": "all"}),
        ("/memory", "memory view", {}),
        ("/memory summaries", "memory view", {"part": "summaries"}),
    ],
)
def test_a_subcommand_is_named_by_the_second_word_and_the_first_is_meant_without(
    line: str, name: str, arguments: dict[str, str | int | bool]
) -> None:
    assert parsed(line) == (name, arguments)


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("/summarize", {}),
        ("/summarize my garden", {"session": "my garden"}),
        ("/summarize last:20", {"last": 20}),
        ("/summarize public:yes my garden", {"session": "my garden", "public": True}),
        ("/summarize my last:5 garden public:no", {"session": "my garden", "last": 5, "public": False}),
        ("/summarize last public", {"session": "last public"}),
        ("/summarize about:trees", {"session": "about:trees"}),
    ],
)
def test_named_words_stand_anywhere(line: str, arguments: dict[str, str | int | bool]) -> None:
    assert parsed(line) == ("summarize", arguments)


def test_a_time_or_an_address_in_what_follows_is_no_named_word() -> None:
    query = "at 12:30 on https://example.org last:5"
    assert parsed(f"/recall {query}") == ("recall", {"query": query})


@pytest.mark.parametrize(
    ("word", "meant"), [("yes", True), ("ON", True), ("y", True), ("True", True), ("no", False), ("OFF", False)]
)
def test_yes_and_no_are_said_as_people_say_them(word: str, meant: bool) -> None:
    assert parsed(f"/again 3 {word}") == ("again", {"times": 3, "loud": meant})
    assert parsed(f"/summarize public:{word}") == ("summarize", {"public": meant})


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/recall", "/recall needs QUERY: what to look for. Usage: /recall QUERY"),
        ("/status now", '/status does not know what to do with "now". Usage: /status'),
        ("/again", "/again needs TIMES: how often. Usage: /again TIMES [LOUD]"),
        ("/again often", "/again: TIMES is a whole number. Usage: /again TIMES [LOUD]"),
        ("/again -1", "/again: TIMES is a whole number. Usage: /again TIMES [LOUD]"),
        (f"/again {'9' * 5_000}", "/again: TIMES is a whole number. Usage: /again TIMES [LOUD]"),
        ("/again 3 perhaps", "/again: LOUD is yes or no. Usage: /again TIMES [LOUD]"),
        (f"/status {'x' * 5000}", f'/status does not know what to do with "{"x" * 40}…". Usage: /status'),
        ("/again 3 yes please", '/again does not know what to do with "please". Usage: /again TIMES [LOUD]'),
        ("/memory dreams", "/memory view: PART is one of summaries, eras. Usage: /memory view [PART]"),
        ("/memory clear", "/memory clear needs WHAT: what to remove. Usage: /memory clear WHAT"),
        ("/summarize last:many", "/summarize: last is a whole number. Usage: /summarize [SESSION] [last:N] [public:yes]"),
        ("/summarize public:", "/summarize: public is yes or no. Usage: /summarize [SESSION] [last:N] [public:yes]"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong_and_how_to_call(line: str, told: str) -> None:
    assert unclear(line) == told


def test_a_choice_is_given_in_any_case_and_kept_as_the_table_has_it() -> None:
    assert parsed("/memory view ERAS") == ("memory view", {"part": "eras"})


def test_usage_shows_what_must_what_may_and_what_is_named() -> None:
    named = spec("send", Parameter("to", "whom", required=True), Parameter("by", "which way", named=True))
    assert usage(named, "!") == "Usage: !send TO [by:BY]"
    assert usage(TABLE["status"], "/") == "Usage: /status"


@given(st.text(max_size=40), st.sampled_from(["/", "!", "!lyra ", ""]), st.sampled_from([None, True, False]))
def test_whatever_is_typed_is_a_command_no_command_or_unclear(line: str, prefix: str, answering: bool | None) -> None:
    found = None
    with suppress(CommandUnclear):
        found = parse_command(prefix + line, prefix, TABLE, answering=answering)
    assert found is None or found[0] in TABLE.values()


@given(st.text(alphabet=st.characters(), max_size=60))
def test_what_leaves_keeps_its_words_and_hides_nothing(text: str) -> None:
    safe = printable(text)
    assert printable(safe) == safe
    assert not set(safe) & set("\x1b\x07\x00\u202e\u2066\u200b\U000e0041\r")


def test_lines_tabs_and_joined_signs_stay() -> None:
    assert printable("one\r\ntwo\tthree \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👩\u200d🚀") == (
        "one\ntwo\tthree \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👩\u200d🚀"
    )
    assert printable("\x1b[31mred\u202eder") == "[31mredder"
