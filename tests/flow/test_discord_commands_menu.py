"""Lyra's commands as Discord offers them: given once, and again only when they have changed."""

import re

import pytest

from adapters.command_table import AnswerAudience, CommandSpec, Parameter
from adapters.discord.interactions.menu import NAMES, localized, payload, sync
from adapters.errors import PlatformFailure
from tests.fakes.discord import DiscordServer, Status
from tests.kits.adapter_kit import Notebook
from tests.kits.discord_speech import desk, spec

RECALL = spec(
    "recall",
    Parameter("number", "how many", int),
    Parameter("query", "what to look for", required=True, suggests=True),
    Parameter("public", "show everyone", bool),
    Parameter("order", "which first", choices=("newest", "best")),
)


def table(*specs: CommandSpec) -> dict[str, CommandSpec]:
    return {one.name: one for one in specs}


def test_a_command_has_its_options_with_the_required_ones_first() -> None:
    [command] = payload(table(RECALL))
    assert command["name"] == "recall" and command["description"] == "what recall does" and command["type"] == 1
    assert command["contexts"] == [0, 1] and command["integration_types"] == [0]
    query, number, public, order = command["options"]
    assert (query["name"], query["type"], query["required"], query["autocomplete"]) == ("query", 3, True, True)
    assert (number["name"], number["type"], number["required"]) == ("number", 4, False)
    assert (public["name"], public["type"]) == ("public", 5)
    assert order["choices"] == [{"name": "newest", "value": "newest"}, {"name": "best", "value": "best"}]
    assert "autocomplete" not in order and "choices" not in query


def test_two_words_are_a_command_and_its_subcommand() -> None:
    [memory] = payload(table(spec("memory view"), spec("memory export", Parameter("format", "which"))))
    assert memory["name"] == "memory" and memory["description"] == "view, export"
    assert [(one["type"], one["name"]) for one in memory["options"]] == [(1, "view"), (1, "export")]
    assert memory["options"][1]["options"][0]["name"] == "format"


def test_names_are_localized_as_discord_allows() -> None:
    menu = spec("remember", menu="Remember this", hidden=True)
    view, command, entry = payload(table(spec("memory view"), RECALL, menu))
    assert view["name_localizations"] == {"de": "gedächtnis"} and view["options"][0]["name_localizations"] == {"de": "ansehen"}
    assert command["name_localizations"] == {"de": "suchen"} and command["options"][0]["name_localizations"] == {"de": "suche"}
    assert entry["name_localizations"] == {"de": "Das merken"}
    for one in NAMES:
        for name in localized(one).get("name_localizations", {}).values():
            assert one[0].isupper() or (re.fullmatch(r"[-_'\w]{1,32}", name) and name == name.lower()), name


def test_a_command_cannot_have_subcommands_and_be_used_itself() -> None:
    with pytest.raises(ValueError, match="rename"):
        payload(table(spec("memory"), spec("memory view")))


def test_what_is_hidden_is_not_offered_and_the_owners_only_in_private() -> None:
    menu = spec("remember", menu="Remember this", hidden=True)
    hidden, owners = spec("more", hidden=True), spec("model", who=AnswerAudience.OWNER)
    [command, hers, entry] = payload(table(RECALL, menu, hidden, owners))
    assert (hers["name"], hers["contexts"]) == ("model", [1])
    assert command["name"] == "recall"
    assert (entry["type"], entry["name"], "options" in entry, "description" in entry) == (3, "Remember this", False, False)


def test_long_texts_and_lists_are_cut() -> None:
    many = tuple(Parameter(f"word{number}", "x" * 150) for number in range(30))
    [command] = payload(table(CommandSpec("say", "y" * 150, RECALL.handler, many)))
    assert len(command["options"]) == 25
    assert {len(one["description"]) for one in (command, *command["options"])} == {100}


async def test_commands_are_given_once_and_again_when_they_change(server: DiscordServer) -> None:
    notes = Notebook()
    async with desk(server) as it:
        await sync(it.client, table(RECALL), notes)
        await sync(it.client, table(RECALL), notes)
        assert len(server.calls("bulk_set_application_commands")) == 1
        await sync(it.client, table(RECALL, spec("remember", menu="Remember this")), notes)
        assert {one["name"] for one in server.world.commands.values()} == {"recall", "Remember this"}
    async with desk(server) as it:
        await sync(it.client, table(RECALL, spec("remember", menu="Remember this")), notes)
    assert len(server.calls("bulk_set_application_commands")) == 2


async def test_another_application_is_given_them_too(server: DiscordServer) -> None:
    notes = Notebook()
    async with desk(server) as it:
        await sync(it.client, table(RECALL), notes)
    async with DiscordServer() as other:
        async with desk(other) as it:
            await sync(it.client, table(RECALL), notes)
        assert len(other.calls("bulk_set_application_commands")) == 1 and other.violations == []


async def test_commands_that_were_not_taken_are_given_again(server: DiscordServer) -> None:
    notes = Notebook()
    server.faults.script("bulk_set_application_commands", Status(503))
    async with desk(server) as it:
        with pytest.raises(PlatformFailure, match="keeps the old ones"):
            await sync(it.client, table(RECALL), notes)
        assert notes.values == {}
        await sync(it.client, table(RECALL), notes)
    assert len(server.world.commands) == 1
