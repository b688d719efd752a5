"""What answers had in view is taken from one memory into another, also where it was a digest of what was said."""

import json
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import pytest

from memory.deriving import Deriving
from memory.store.lineage import derive
from memory.transfer.seen_record import SeenItems, SeenRecord, read_seen
from memory.types import Exchange, Kind, NewExchange
from memory.view.view import Answer
from tests.kits.memory_kit import Corner, Writer, at_home

SAFE, SHED = "The safe opens with quixotic seventy.", "The shed has a green door."


async def asked(here: Corner, question: str, answer: str, view: dict[int, str]) -> None:
    """Ask something, and answer it with these items in view."""
    said = await here.say(question)
    new = NewExchange(Kind.REPLY, answer, f"r-{said.source_id}", here.clock.now() + 1, "Lyra", "assistant")
    assert await here.view.answer(here.session, Answer(new, (), (), (), [said], seen=view))


async def talked(here: Corner) -> None:
    """Talk of the safe and the shed, have both summarized, and ask about each with nothing but that summary in view."""
    for text in (SAFE, SHED):
        await here.say(text)
    work = Deriving(here.memory).consolidator(here.domain, Writer(), Writer())
    await work.close_episodes(here.session, asked=True)
    await work.digest(here.session)
    (gist,) = await here.memory.db.all("SELECT item, text FROM digests")
    await asked(here, "how do I get in?", "Say quixotic seventy.", {gist["item"]: gist["text"]})
    await asked(here, "and which colour was that?", "Green, I think.", {gist["item"]: gist["text"]})


async def taken(here: Corner, there: Corner) -> None:
    """Take all messages and the records of views into another memory."""
    export, sessions = await here.view.seen_records.export(), {"dm": there.session}
    messages = [message async for _, message in here.view.messages.all()]
    records = {key: carried(record) for key, record in (await here.view.seen_records.read(messages, export)).items()}
    for one in messages:
        if one.key in records:
            await there.view.seen_records.keep_digests(records[one.key].made_from, sessions)
        (kept,) = (await there.view.say(there.session, [again(one)])).stored
        if one.key in records:
            await there.view.seen_records.keep({kept.key: records[one.key]}, sessions)


def carried(record: SeenRecord) -> SeenRecord:
    """Return a record as it is read again from a file."""
    read = read_seen(json.loads(json.dumps(record.fields())))
    assert read and read == record
    return read


def again(one: Exchange) -> NewExchange:
    """Return a message as an import offers it."""
    return NewExchange(one.kind, one.text, one.source_id, one.said_at, one.speaker, one.role)


async def left(here: Corner, forgotten: str) -> Sequence[str]:
    """Forget a message by its words, and return what is left."""
    (id_,) = [message.id async for _, message in here.view.messages.all() if message.text == forgotten]
    await here.view.forget_message(id_)
    return [message.text async for _, message in here.view.messages.all()]


async def test_an_answer_that_saw_a_summary_goes_with_what_that_was_made_from(tmp_path: Path) -> None:
    async with at_home(tmp_path / "here") as here, at_home(tmp_path / "there") as there:
        await talked(here)
        await taken(here, there)
        stays = await left(here, SAFE)
        assert await left(there, SAFE) == stays and "Say quixotic seventy." not in stays and SHED in stays


async def test_views_of_what_rests_on_more_later_are_taken_along(tmp_path: Path) -> None:
    async with at_home(tmp_path / "here") as here, at_home(tmp_path / "there") as there:
        await talked(here)
        later = await here.say("The ladder is in the barn.")
        (gist,) = await here.memory.db.all("SELECT item, text FROM digests")
        # As when a dream hears again what it has stated before.
        async with here.memory.db.transaction() as tx:
            await derive(tx, gist["item"], [later.key])
        await asked(here, "where is it?", "Look in the barn.", {gist["item"]: gist["text"]})
        await taken(here, there)
        assert await there.count("seen") == await here.count("seen") == 3
        assert "Say quixotic seventy." not in await left(there, SAFE)
        assert "Look in the barn." not in await left(there, "The ladder is in the barn.")


async def test_what_is_imported_is_exported_again_with_the_same_views(tmp_path: Path) -> None:
    async with at_home(tmp_path / "here") as here, at_home(tmp_path / "there") as there, at_home(tmp_path / "third") as third:
        await talked(here)
        await taken(here, there)
        await taken(there, third)
        assert await here.count("seen") == await third.count("seen") == 2
        assert "Say quixotic seventy." not in await left(third, SAFE)


async def test_an_answer_that_saw_a_digest_of_unknown_sources_counts_as_having_seen_all_before_it(tmp_path: Path) -> None:
    async with at_home(tmp_path / "here") as here, at_home(tmp_path / "there") as there:
        await talked(here)
        export = await here.view.seen_records.export()
        messages = [message async for _, message in here.view.messages.all()]
        records = await here.view.seen_records.read(messages, export)
        for one in messages:
            (kept,) = (await there.view.say(there.session, [again(one)])).stored
            if one.key in records:
                await there.view.seen_records.keep({kept.key: records[one.key]}, {"dm": there.session})
        assert await there.count("seen") == 0 and "Say quixotic seventy." not in await left(there, SAFE)


@pytest.mark.parametrize("name", ["cited", "answered"])
async def test_a_record_by_which_an_answer_rests_on_what_came_later_counts_as_none(tmp_path: Path, name: str) -> None:
    record = read_seen({name: {"dm": ["later"]}})
    assert record
    async with at_home(tmp_path) as there:
        new = [
            NewExchange(Kind.REPLY, f"It is {id_}.", id_, there.clock.now(), "Lyra", "assistant") for id_ in ("first", "later")
        ]
        first, _ = (await there.view.say(there.session, new)).stored
        await there.view.seen_records.keep({first.key: record}, {"dm": there.session})
        assert await there.count("seen") == await there.count("lineage") == 0


async def test_many_digests_of_a_file_are_looked_up_together(tmp_path: Path) -> None:
    async with at_home(tmp_path) as there:
        said = await there.say(SAFE)
        below = SeenItems({"dm": (said.source_id,)})
        began = process_time()
        await there.view.seen_records.keep_digests({f"d{n}": below for n in range(1_500)}, {"dm": there.session})
        assert process_time() - began < 2
