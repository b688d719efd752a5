"""Ids as people read and type them: six characters, more where two begin alike, and never somebody else's."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.commands.texts.receipts import in_words
from memory.errors import AmbiguousId, NotFound
from memory.types import Exchange
from tests.kits.importing import imported, lines, texts
from tests.kits.memory_kit import Corner, at_home, corner

ALIKE = ("aaaaaabcdefghijklmnopqrs22", "aaaaaabcdezzijklmnopqrs222")


async def renamed(here: Corner, message: Exchange, id: str) -> Exchange:
    """Give a message an id, as chance may."""
    async with here.memory.db.transaction() as tx:
        await tx.run("UPDATE items SET public_id = :id WHERE id = :key", {"id": id, "key": message.key})
    return message._replace(id=id)


async def test_six_characters_are_shown_and_mean_the_message(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        tea, cake = await here.say("I like tea"), await here.say("I like cake")
        shown = await here.view.ids.short([tea.id, cake.id])
        assert shown == {tea.id: tea.id[:6], cake.id: cake.id[:6]}
        assert await here.view.ids.full(f" {shown[tea.id].upper()} ") == tea.id
        assert (await here.view.forget_message(shown[tea.id])).messages == 1
        with pytest.raises(NotFound):
            await here.view.forget_message(shown[tea.id])
        assert await here.found("like") == ["I like cake"]


async def test_as_many_are_shown_as_tell_two_apart(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        one, other = [await renamed(here, await here.say(f"I like {id[-3:]}"), id) for id in ALIKE]
        shown = await here.view.ids.short([one.id, other.id])
        assert sorted(shown.values()) == ["aaaaaabcdef", "aaaaaabcdez"]
        assert {await here.view.ids.full(short) for short in shown.values()} == set(ALIKE)
        with pytest.raises(AmbiguousId, match='Several ids begin with "aaaaaabc". Type more of it.'):
            await here.view.forget_message("aaaaaabc")
        await here.view.forget_message(other.id)
        assert await here.view.ids.short([one.id]) == {one.id: "aaaaaa"}, "what is forgotten is in nobody's way"


async def test_fewer_than_six_mean_nothing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        tea = await here.say("I like tea")
        with pytest.raises(NotFound):
            await here.view.forget_message(tea.id[:5])
        assert await here.view.ids.full(tea.id) == tea.id


async def test_what_somebody_else_keeps_is_neither_meant_nor_told_apart_from(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        bobs = await corner(here.memory, here.clock, "bob")
        mine, theirs = (
            await renamed(here, await here.say("I like tea"), ALIKE[0]),
            await renamed(here, await bobs.say("no"), ALIKE[1]),
        )
        assert await here.view.ids.short([mine.id]) == {mine.id: "aaaaaa"}
        assert await here.view.ids.full("aaaaaa") == mine.id
        assert await here.view.ids.full(theirs.id[:12]) == theirs.id[:12]


async def test_the_id_that_a_message_had_where_it_comes_from_means_it_where_no_other_has_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "tea", lines(["I like green tea", "and cake"], id=0))
        assert (await here.view.forget_message("0")).messages == 1
        assert await texts(here) == ["and cake"]
        await imported(here, "cake", lines(["I like tea", "and more cake"], id=0))
        with pytest.raises(AmbiguousId, match='"1" is the source_id of several messages; take the id that recall shows.'):
            await here.view.forget_message("1")
        bobs = await corner(here.memory, here.clock, "bob")
        with pytest.raises(NotFound):
            await bobs.view.forget_message("0")
        assert len(await texts(here)) == 3


async def test_an_id_that_could_mean_two_means_neither(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        tea = await renamed(here, await here.say("I like tea"), ALIKE[0])
        await imported(here, "cake", [replace(line, source_id="AAAAAA") for line in lines(["I like cake"], id=0)])
        with pytest.raises(AmbiguousId):
            await here.view.forget_message("AAAAAA")
        assert await here.view.ids.full(tea.id[:7]) == tea.id


@pytest.mark.parametrize(
    ("why", "said"),
    [
        (("words: locker, code", "meaning 0.63"), "same words: locker, code; it means much the same"),
        (("meaning 0.31", "the time that is asked for"), "it means something like it; the time that is asked for"),
        (("beside a hit",), "it is next to what was found"),
    ],
)
def test_why_something_was_found_is_said_without_figures(why: tuple[str, ...], said: str) -> None:
    assert in_words(why) == said
