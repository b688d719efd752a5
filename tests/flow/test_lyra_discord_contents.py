"""What comes with messages on Discord, and what does not fit into one: files, images, voice messages, long answers."""

import base64
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, DiscordServer, Message, Person
from tests.fakes.openai_server import OpenAIServer
from tests.flow.test_lyra_discord_changes import answer_to, asks, caught_up, kept
from tests.kits.discord_home import awake, prompt
from tests.kits.discord_knowing import Thoughtful
from tests.kits.entered import entered_in_loop

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 56
NOTE = {"list.txt": b"buy cardamom"}

model = entered_in_loop(lambda: Thoughtful(lambda request: "I see."))


@pytest.fixture
def ada(server: DiscordServer, general: Channel) -> Person:
    ada = server.person("ada")
    assert general.guild
    ada.joins(general.guild)
    return ada


def config(model: OpenAIServer, *, sees: bool) -> str:
    """Return a configuration with a model that sees, or does not."""
    backend = f'[models.main]\nbase_url = "{model.base_url}"\nmodel = "fake-model"\nparallel = 64\nsees = {str(sees).lower()}\n'
    return f'chat = "main"\n{backend}'


async def test_a_text_file_is_answered_kept_and_found_by_its_words(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        await answer_to(server, await ada.says(general, f"{server.mention} my list", attachments=NOTE))
        assert "my list\n| [file list.txt]\n| buy cardamom" in prompt(her.chats[0])
        assert "[file list.txt] buy cardamom" in await asks(ada, general, "recall", query="cardamom")


@pytest.mark.parametrize("sees", [True, False])
async def test_an_image_is_shown_to_a_model_that_sees_and_described_to_any(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, sees: bool, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async with awake(server, tmp_path, monkeypatch, config=config(model, sees=sees)) as her:
        photo = server.world.file("cat.png", PNG, "image/png", "a cat on a wall")
        said = Message(server.world.ids.next(), general, ada.user, f"{server.mention} who is it?", attachments=[photo])
        await answer_to(server, server.acts.post(said))
        words = "who is it?\n[image cat.png, 64 bytes: a cat on a wall]"
        assert model.requests[0].last_user.endswith(words.replace("\n", "\n| "))
        shown = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
        assert model.requests[0].images == ([shown] if sees else [])
        assert words in await kept(her, general)
        assert "cat.png" in await asks(ada, general, "recall", query="a cat on a wall")


async def test_what_cannot_be_read_is_described_as_not_read(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "voice-message.ogg": b"OggS",
        "report.pdf": b"%PDF-1.7",
        "long.txt": b"x" * (128 * 1024 + 1),
        "huge.png": PNG + b"\0" * (5 << 20),
        "gone.txt": b"too late",
        "gone.png": PNG,
    }
    async with awake(server, tmp_path, monkeypatch, config=config(model, sees=True)) as her:
        said = await ada.says(general, server.mention, attachments=files)
        for one in said.attachments[-2:]:
            one.expired = True
        await answer_to(server, said)
        described = [
            "[audio voice-message.ogg, 4 bytes, not read]",
            "[file report.pdf, 8 bytes, not read]",
            "[file long.txt, 128 KB, not read]",
            "[image huge.png, 5 MB, not read]",
            "[file gone.txt, 8 bytes, not read]",
            "[image gone.png, 64 bytes, not read]",
        ]
        assert (await kept(her, general)).splitlines() == [*described, "I see."]
        assert model.requests[0].last_user.endswith("\n| ".join(described)) and model.requests[0].images == []


async def test_several_files_come_together_in_their_order(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"a.md": b"# anise", "one.png": PNG, "b.csv": b"basil;2", "two.png": PNG + b"2", "voice.ogg": b"OggS"}
    async with awake(server, tmp_path, monkeypatch, config=config(model, sees=True)) as her:
        await answer_to(server, await ada.says(general, f"{server.mention} all of it", attachments=files))
        assert len(model.requests[0].images) == 2
        assert (await kept(her, general)).splitlines() == [
            "all of it", "[file a.md]", "# anise", "[image one.png, 64 bytes]", "[file b.csv]", "basil;2",
            "[image two.png, 65 bytes]", "[audio voice.ogg, 4 bytes, not read]", "I see.",
        ]  # fmt: skip


async def test_an_edit_keeps_the_files_and_what_they_say(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        said = await ada.says(general, f"{server.mention} my list", attachments=NOTE)
        await answer_to(server, said)
        await ada.edits(said, f"{server.mention} our list")
        await caught_up(server)
        assert (await kept(her, general)).startswith("our list\n[file list.txt]\nbuy cardamom")
        assert "our list" in await asks(ada, general, "recall", query="cardamom")
        server.acts.edit(said, attachments=[], content=f"{server.mention} no list")
        await caught_up(server)
        assert (await kept(her, general)).splitlines() == ["no list"], (
            "without an embedder her answer cannot be weighed, and goes"
        )


async def test_an_edit_before_the_answer_keeps_the_files_too(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, config=config(model, sees=True)):
        model.thinks = True
        said = await ada.says(general, f"{server.mention} my things", attachments=NOTE | {"dot.png": PNG})
        await model.heard(1)
        await ada.edits(said, f"{server.mention} our things")
        await caught_up(server)
        model.go.set()
        await answer_to(server, said)
        first, _, again = model.requests
        assert [words in again.last_user for words in ("my", "our things", "buy cardamom")] == [False, True, True]
        assert again.images == first.images and len(again.images) == 1


async def test_a_long_answer_comes_in_parts_with_its_code_whole(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = [f"print({number}, 'a line of code that is long enough')" for number in range(90)]
    model.script("\n".join(["Here it is:", "```python", *code, "```", "Run it."]))
    async with awake(server, tmp_path, monkeypatch, model=model):
        question = await ada.says(general, f"{server.mention} write it")
        first = await answer_to(server, question)
        await server.pulse.until(lambda: "Run it." in server.world.by_bot(general)[-1].content, "the end of the answer")
        parts = [one for one in server.world.by_bot(general) if one.id >= first.id]
        assert len(parts) > 2 and all(len(one.content) <= 2000 for one in parts)
        assert [one.reply_to for one in parts] == [question.id] + [None] * (len(parts) - 1)
        lines = [line for one in parts for line in one.content.splitlines()]
        assert [line for line in lines if line.startswith("print")] == code
        assert lines[0] == "Here it is:" and lines[-1] == "Run it."
        for one in parts:
            fences = [line for line in one.content.splitlines() if line.startswith("```")]
            assert fences == ["```python", "```"], "each part shows its code as code"


async def test_the_parts_of_two_answers_do_not_mix(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def long(request: b.Request) -> str:
        who = request.last_user.rpartition("\n\n")[2].partition(":")[0]
        return "\n\n".join(f"{who} {number}: " + " ".join(f"word{n}" for n in range(110)) for number in range(8))

    model.default = long
    async with awake(server, tmp_path, monkeypatch, model=model):
        people = [ada, server.person("bob")]
        for one in people:
            await one.says(general, f"{server.mention} everything")
        await server.pulse.until(lambda: any("bob 7" in one.content for one in server.world.by_bot(general)), "both answers")
        text = "\n\n".join(one.content for one in server.world.by_bot(general)[1:])
        told = [block.partition(":")[0] for block in text.split("\n\n")]
        assert told == [f"{who} {number}" for who in ("ada", "bob") for number in range(8)]
