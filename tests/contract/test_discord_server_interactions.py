"""The loopback Discord's commands, buttons and menus, answered by discord.py."""

from collections.abc import Awaitable

import discord
import pytest
from discord import app_commands

from tests.fakes.discord import Channel, DiscordServer, Listener, running


class Asked(Listener):
    """A client with one command of each kind."""

    async def setup_hook(self) -> None:
        add_commands(self.tree)
        await self.tree.sync()


class Buttons(discord.ui.View):
    """A button that changes its message, and one that promises."""

    @discord.ui.button(label="Show more", custom_id="more")
    async def more(self, asked: discord.Interaction, _: "discord.ui.Button[Buttons]") -> None:
        await asked.response.edit_message(content="more", view=None)

    @discord.ui.button(label="Forget", custom_id="forget")
    async def forget(self, asked: discord.Interaction, _: "discord.ui.Button[Buttons]") -> None:
        await asked.response.defer()
        await asked.edit_original_response(content="forgotten", view=None)
        await asked.followup.send("It is gone.", ephemeral=True)


class Form(discord.ui.Modal, title="Correct"):
    """A form of one field."""

    text: discord.ui.TextInput["Form"] = discord.ui.TextInput(label="What is true?", custom_id="text")

    async def on_submit(self, asked: discord.Interaction) -> None:
        await asked.response.send_message(f"noted: {self.text.value}", ephemeral=True)


def add_commands(tree: app_commands.CommandTree[discord.Client]) -> None:
    @tree.command(description="Find it again")
    async def recall(asked: discord.Interaction, query: str, number: int = 1) -> None:
        await asked.response.defer(ephemeral=True, thinking=True)
        await asked.edit_original_response(content=f"{number}: {query}")
        await asked.followup.send("and more", ephemeral=True)

    @recall.autocomplete("query")
    async def offer(asked: discord.Interaction, text: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=f"{text}{end}", value=f"{text}{end}") for end in ("a", "b")]

    @tree.command(description="Say how it is")
    async def status(asked: discord.Interaction, who: discord.User | None = None) -> None:
        shown = who.name if who else "all"
        answer = await asked.response.send_message(f"well, {shown}", view=Buttons(timeout=None))
        assert answer.message_id and isinstance(answer.resource, discord.InteractionMessage)

    @tree.command(description="Fill the promise by a follow-up")
    async def summarize(asked: discord.Interaction) -> None:
        await asked.response.defer(thinking=True)
        first = await asked.followup.send("a summary", wait=True)
        await first.edit(content="a better summary")
        second = await asked.followup.send("of two parts", wait=True)
        await second.delete()

    @tree.command(description="Open a form")
    async def correct(asked: discord.Interaction) -> None:
        await asked.response.send_modal(Form())

    @tree.context_menu(name="Remember this")
    async def remember(asked: discord.Interaction, message: discord.Message) -> None:
        await asked.response.send_message(f"kept: {message.content}", ephemeral=True)

    memory = app_commands.Group(name="memory", description="What is kept")

    @memory.command(description="See it")
    async def view(asked: discord.Interaction) -> None:
        await asked.response.send_message("all of it", ephemeral=True)
        await asked.delete_original_response()

    tree.add_command(memory)


async def test_a_sync_replaces_all_commands_and_keeps_their_ids(server: DiscordServer) -> None:
    async with running(server, Asked()) as client:
        before = {one["name"]: one["id"] for one in server.world.commands.values()}
        assert set(before) == {"recall", "status", "summarize", "correct", "Remember this", "memory"}
        client.tree.remove_command("status")
        await client.tree.sync()
        after = {one.name: str(one.id) for one in await client.tree.fetch_commands()}
        assert after == {name: number for name, number in before.items() if name != "status"}
    assert len(server.calls("bulk_set_application_commands")) == 2


async def test_a_promise_is_filled_by_an_edit(server: DiscordServer, general: Channel) -> None:
    async with running(server, Asked()):
        asked = await server.person("ada").runs(general, "recall", query="tea", number=2)
        assert await asked.acknowledged() == 5
        answer = await asked.answer()
        assert answer.content == "2: tea" and answer.ephemeral
        more = await asked.followup()
        assert more.content == "and more" and more.ephemeral and more is not answer
        assert general.history() == []
        assert all("authorization" not in call.headers for call in server.calls("create_interaction_response"))


async def test_a_promise_is_filled_by_the_first_follow_up(server: DiscordServer, general: Channel) -> None:
    async with running(server, Asked()) as client:
        asked = await server.person("ada").runs(general, "summarize")
        second = await asked.followup(2)
        assert asked.original is asked.followups[0] and not asked.original.loading and second.content == "of two parts"
        await server.heard("delete_webhook_message")
        assert [one.content for one in general.history()] == ["a better summary"]
        assert asked.original.revisions == ["", "a summary", "a better summary"]
        assert (await client.got("raw_message_edit")).cached_message.flags.loading
        assert [one.content for one in server.world.said] == ["a better summary", "of two parts"]


async def test_autocomplete_offers_choices(server: DiscordServer, general: Channel) -> None:
    async with running(server, Asked()):
        offered = await server.person("ada").completes(general, "recall", "query", "te")
        assert [one["name"] for one in offered] == ["tea", "teb"]


async def test_a_button_changes_its_message(server: DiscordServer, general: Channel) -> None:
    async with running(server, Asked()):
        ada = server.person("ada")
        said = await (await ada.runs(general, "status", who=server.person("bob"))).answer()
        assert said.content == "well, bob" and [one["label"] for one in said.controls()] == ["Show more", "Forget"]
        pressed = await ada.clicks(said, "Show more")
        assert await pressed.acknowledged() == 7
        assert await pressed.answer() is said and said.content == "more" and said.controls() == []
        with pytest.raises(LookupError):
            await ada.clicks(said, "Show more")


async def test_a_button_promises_a_change_and_says_more(server: DiscordServer, general: Channel) -> None:
    async with running(server, Asked()):
        ada = server.person("ada")
        said = await (await ada.runs(general, "status")).answer()
        pressed = await ada.clicks(said, "forget")
        assert await pressed.acknowledged() == 6
        assert (await pressed.answer()).content == "forgotten"
        assert (await pressed.followup()).ephemeral


async def test_a_message_menu_brings_the_whole_message(server: DiscordServer, general: Channel) -> None:
    server.world.content_intent = False
    async with running(server, Asked(discord.Intents.default())) as client:
        ada = server.person("ada")
        said = await ada.says(general, "my birthday is in May")
        assert (await client.got("message")).content == ""
        answer = await (await ada.uses_menu("Remember this", said)).answer()
        assert answer.content == "kept: my birthday is in May"


async def test_commands_work_in_a_dm_and_in_groups(server: DiscordServer) -> None:
    async with running(server, Asked()):
        ada = server.person("ada")
        place = await ada.opens_dm()
        answer = await (await ada.runs(place, "memory view")).answer()
        await server.heard("delete_original_webhook_message")
        assert answer.content == "all of it" and answer.deleted


async def test_a_form_is_opened_filled_and_sent(server: DiscordServer, general: Channel) -> None:
    async with running(server, Asked()):
        ada = server.person("ada")
        sent = await ada.submits(await ada.runs(general, "correct"), text="tea, not coffee")
        assert (await sent.answer()).content == "noted: tea, not coffee"


async def test_what_is_not_offered_cannot_be_used(server: DiscordServer, general: Channel) -> None:
    async with running(server, Asked()):
        ada = server.person("ada")
        for command, options in (("nothing", {}), ("recall", {}), ("recall", {"query": "x", "colour": 1}), ("memory", {"x": 1})):
            with pytest.raises(LookupError):
                await ada.runs(general, command, **options)
        with pytest.raises(TypeError):
            await ada.runs(general, "recall", query=5)


async def test_a_call_does_not_say_who_may_read_its_channel(server: DiscordServer, general: Channel) -> None:
    assert general.guild
    async with running(server, Asked()) as client:
        ada = server.person("ada")
        staff = server.world.channel(general.guild, "staff", only=(ada.user,))
        await ada.runs(staff, "status")
        heard = await client.got("interaction")
        assert heard.channel.id == staff.id and heard.channel.overwrites == {} and heard.permissions.view_channel


async def test_late_and_second_answers_are_refused(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        server.world.commands[1] = {"id": "1", "name": "status", "type": 1, "default_member_permissions": None}
        client._connection._command_tree = None  # the test answers instead
        ada = server.person("ada")
        await ada.runs(general, "status")
        first = await client.got("interaction")
        await first.response.defer()
        first.response._response_type = None
        await _refused(first.response.send_message("again"), 40060)
        server.interactions.deadline = 0.0
        await ada.runs(general, "status")
        second = await client.got("interaction", 2)
        await _refused(second.response.defer(), 10062)
        server.interactions.all[0].expire()
        await _refused(first.edit_original_response(content="too late"), 50027)


async def _refused(asked: Awaitable[object], code: int) -> None:
    with pytest.raises(discord.HTTPException) as refused:
        await asked
    assert refused.value.code == code
