"""A memory from before wishes and announcements were read is read once by housekeeping, in steps."""

from pathlib import Path

from memory.tiers.profile import TIER as PROFILE
from memory.types import Discretion, DomainKind, Identity, Kind, NewExchange
from tests.kits.memory_kit import DAY, Corner, among, at_home

TALK = (
    "call me Captain",
    "keep it short",
    "my exam is on Friday",
    "call me Ida",
    "the move is on Thursday",
    "my exam was cancelled",
)
READ = ["Ada wants short answers.", 'Ada wants to be called "Ida".']


async def as_before(here: Corner) -> None:
    """Let a memory be as a version left it that read neither wishes nor announcements."""
    async with here.memory.db.transaction() as tx:
        await tx.run("DELETE FROM lineage WHERE child IN (SELECT item FROM statements WHERE tier = 'manner')")
        for table in ("statements", "announced", "raised"):
            await tx.run(f"DELETE FROM {table}")
        await tx.run(
            "INSERT INTO unheard (domain, item) SELECT domain, item FROM exchanges WHERE kind = 'said' AND role = 'user'"
        )


async def wanted(here: Corner) -> list[str]:
    return [one.text for one in await here.view.digests.statements(PROFILE)]


async def open_now(here: Corner) -> list[str]:
    rows = await here.memory.db.all(
        "SELECT e.text FROM announced a JOIN exchanges e ON e.item = a.item WHERE a.item NOT IN (SELECT item FROM raised)"
    )
    return [row["text"] for row in rows]


async def test_an_older_memory_is_read_once_in_steps(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in (*TALK, *(f"note {n} of a long day" for n in range(300))):
            await here.say(text)
        await as_before(here)
        assert (await wanted(here), await open_now(here)) == ([], [])
        before = here.memory.db.transactions
        assert await here.memory.read_again(here.domain) == 306
        assert here.memory.db.transactions - before == 2
        assert sorted(await wanted(here)) == READ
        assert await open_now(here) == ["the move is on Thursday"]
        assert await here.memory.read_again(here.domain) == 0


async def test_what_was_wished_since_holds_and_what_was_let_go_or_taken_up_stays_so(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("call me Captain")
        await here.say("keep it short")
        move = await here.say("the move is on Thursday")
        (short,) = [one for one in await here.view.digests.statements(PROFILE) if "short" in one.text]
        await here.view.facts.forget(short.id)
        await as_before(here)
        here.clock.forward(DAY)
        later = await here.say("call me Ida")
        async with here.memory.db.transaction() as tx:
            await tx.run(
                "INSERT INTO raised (item, domain, reply) VALUES (:item, :domain, :reply)",
                {"item": move.key, "domain": here.domain.key, "reply": later.key},
            )
        await here.memory.read_again(here.domain)
        assert await wanted(here) == ['Ada wants to be called "Ida".']
        assert await open_now(here) == []


async def test_what_was_forgotten_or_told_in_confidence_is_not_read(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        ada = Identity("console", "ada")
        for n, (text, discretion) in enumerate((("call me Captain", Discretion(("Ben",))), ("keep it short", None))):
            new = NewExchange(Kind.SAID, text, f"a{n}", here.clock.now() + n, "Ada", "user", ada, discretion=discretion)
            (said,) = (await here.view.say(here.session, [new])).stored
        await as_before(here)
        await here.view.forget_message(said.id)
        assert await here.count("unheard") == 1
        await here.memory.read_again(here.domain)
        assert await wanted(here) == []
        assert await here.count("unheard") == 0
