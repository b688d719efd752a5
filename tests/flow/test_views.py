"""A view knows one domain and what it was given beside it, and nothing that happens elsewhere shows in it."""

import asyncio
import random
import tempfile
from pathlib import Path

import pytest

from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.errors import NotFound
from memory.journal.journal import Part
from memory.tiers.episodes import EpisodeRules
from memory.types import DomainKind, DomainRef, SessionRef
from memory.view.view import Answer
from tests.kits.memory_kit import Clock, Corner, Writer, at_home, corner, gists_about, opened, said
from tests.kits.size import examples
from tests.unit.test_journal import reply
from tests.unit.test_recall import receipts

WORDS = "parrot tomato river garden running winter seven guitar".split()


async def two(here: Corner) -> tuple[Corner, Corner]:
    """Return Ada's corner and Bob's, each with something said."""
    bob = await corner(here.memory, here.clock, "bob")
    await here.say("Ada's parrot is green", source="a")
    await bob.say("Bob's parrot is red", source="b")
    return here, bob


async def test_a_view_reads_its_own_domain_and_no_other(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        ada, bob = await two(here)
        assert await ada.found("parrot") == ["Ada's parrot is green"]
        assert await bob.found("parrot") == ["Bob's parrot is red"]
        assert [m.text async for _, m in ada.view.messages.all()] == ["Ada's parrot is green"]
        assert [s.id for s in await bob.view.sessions.all()] == [bob.session.id]
        assert (await ada.view.messages.count_said())[0] == 1
        with pytest.raises(NotFound):
            await bob.view.sessions.find(ada.session.id)


async def test_a_session_of_another_domain_is_refused_by_every_method(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        ada, bob = await two(here)
        view = here.memory.view(bob.domain, [ada.domain])
        for attempt in (
            view.say(ada.session, [said("x", "x")]),
            view.answer(ada.session, Answer(reply(), (), (), ())),
            view.notices.queue(ada.session, [], []),
            view.preview(ada.session, Part("k", "x"), "a"),
            view.notices.greet(ada.session, [Part("k", "x")]),
            view.messages.window(ada.session, 10),
            view.messages.by_source(ada.session, "a"),
            view.digests.tiers(ada.session, 0),
            view.forget_session(ada.session),
        ):
            with pytest.raises(NotFound):
                await attempt
        assert await ada.count("exchanges") == 2 and await ada.count("outbox") == 0
        assert await view.recall.messages("parrot", 5, session=ada.session) == await ada.view.recall.messages(
            "parrot", 5, session=ada.session
        )
        assert await bob.view.recall.messages("parrot", 5, session=ada.session) == []


async def test_a_hit_says_at_which_place_it_stands(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        garden = await here.view.sessions.get(SessionRef("matrix", "garden"), "the garden")
        await here.say("a green parrot", session=garden)
        (hit,) = await here.view.recall.messages("parrot", 5)
        assert (hit.session, hit.platform, hit.place) == ("the garden", "matrix", "garden")


async def test_what_is_read_beside_is_read_and_never_written(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ConsolidationRules(EpisodeRules(count=1))) as here:
        ada, bob = await two(here)
        for one in (ada, bob):
            work = Deriving(here.memory).consolidator(one.domain, Writer(), Writer())
            await work.close_episodes(one.session)
            await work.digest(one.session)
        view = here.memory.view(bob.domain, [ada.domain])
        assert sorted(hit.exchange.text for hit in await view.recall.messages("parrot", 5)) == [
            "Ada's parrot is green",
            "Bob's parrot is red",
        ]
        assert len(await gists_about(view, "parrot", 5)) == 2
        assert [d.text for _, d in await view.digests.all()] == ["Bob's parrot is red"]
        session = await view.sessions.get(SessionRef("console", "new"), "new")
        await view.say(session, [said("a blue parrot", "n")])
        assert "a blue parrot" not in await ada.found("parrot") and "a blue parrot" in await bob.found("parrot")


async def test_a_domain_is_its_kind_place_and_epoch(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        places = here.memory.places
        keys = set()
        for kind in DomainKind:
            for epoch in (0, 1):
                ref = DomainRef(kind, "matrix", "!room", epoch)
                made = await places.domain(ref, "UTC", 0)
                assert await places.domain(ref, "Europe/Berlin", 5) == made == await places.find_domain(ref)
                keys.add(made.key)
        assert len(keys) == 8
        assert await places.find_domain(DomainRef(DomainKind.DM, "matrix", "!other")) is None


async def test_the_same_message_has_another_id_in_another_domain_and_the_same_after_a_new_start(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        bob = await corner(here.memory, here.clock, "bob")
        ids = {(await one.say("hello", source="s1")).id for one in (here, bob)}
        assert len(ids) == 2 and all(len(i) == 26 for i in ids)
        first = here.session.id
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock) as memory:
        again = await corner(memory, clock)
        assert again.session.id == first
        assert {m.id async for _, m in again.view.messages.all()} < ids


async def test_names_of_sessions_are_unique_in_their_domain(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        bob = await corner(here.memory, here.clock, "bob")
        names = ["general", "general", "general (2)", "100%", "100%", "a_b", "axb", "a_b"]
        made = [await here.view.sessions.get(SessionRef("x", str(n)), name) for n, name in enumerate(names)]
        assert [s.name for s in made] == [
            "general", "general (2)", "general (2) (2)", "100%", "100% (2)", "a_b", "axb", "a_b (2)",
        ]  # fmt: skip
        assert (await bob.view.sessions.get(SessionRef("x", "0"), "general")).name == "general"
        again = await here.view.sessions.get(SessionRef("x", "0"), "called otherwise now")
        assert again == made[0]


async def test_a_session_is_renamed_with_its_place(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        one = await here.view.sessions.get(SessionRef("x", "1"), "general")
        other = await here.view.sessions.get(SessionRef("x", "2"), "random")
        for _ in range(2):
            await here.memory.places.rename(one, here.domain, "general")
            assert (await here.view.sessions.get(one.ref, "")).name == "general", "a name it has already stays"
        await here.memory.places.rename(other, here.domain, "general")
        assert (await here.view.sessions.get(other.ref, "")).name == "general (2)"


async def test_sessions_come_newest_first_and_those_without_a_word_are_not_listed(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        other = await here.view.sessions.get(SessionRef("x", "1"), "other")
        assert await here.view.sessions.all() == []
        await here.say("one", session=other)
        await here.say("two")
        assert [(s.name, s.messages) for s in await here.view.sessions.all()] == [("dm", 1), ("other", 1)]
        await here.say("three", session=other)
        assert [(s.name, s.messages) for s in await here.view.sessions.all()] == [("other", 2), ("dm", 1)]


async def test_the_window_begins_with_an_episode_and_holds_at_least_what_was_asked(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ConsolidationRules(EpisodeRules(count=4))) as here:
        work = Deriving(here.memory).consolidator(here.domain, Writer(), Writer())
        begins = set()
        for n in range(1, 30):
            await here.say(f"remark {n}")
            await work.close_episodes(here.session)
            window = await here.view.messages.window(here.session, 5)
            assert [e.text for e in window] == [f"remark {m}" for m in range(n - len(window) + 1, n + 1)]
            assert len(window) >= min(n, 5) and len(window) <= 8
            begins.add(n - len(window))
        assert begins == {0, 4, 8, 12, 16, 20, 24}, "it moves from episode to episode only"


async def story(folder: str, seed: int, noise: int) -> list[str]:
    """Let Ada's life be the same whatever happens at Bob's; return all that could be seen in her view."""
    clock = Clock()
    habits = ConsolidationRules(EpisodeRules(count=3, least=2))
    seen = []
    chance, other = random.Random(seed), random.Random(noise)
    async with opened(Path(folder) / "lyra.db", None, clock=clock, habits=habits) as memory:
        ada = await corner(memory, clock, "ada")
        bob = await corner(memory, clock, "bob")
        for _ in range(25):
            now = clock.now()
            for _ in range(other.randrange(4) if noise else 0):
                message = await bob.say(" ".join(other.choices(WORDS, k=other.randrange(1, 9))))
                if other.random() < 0.3:
                    await bob.view.forget_message(message.id)
                await lived(bob, other)
            clock.at = now
            message = await ada.say(" ".join(chance.choices(WORDS, k=4)))
            if chance.random() < 0.2:
                await ada.view.forget_message(message.id)
            await lived(ada, chance)
            question = " ".join(chance.choices(WORDS, k=2))
            seen.append(receipts(await ada.view.recall.messages(question, 5)))
            seen.append(
                repr([(h.digest.id, h.digest.text, h.digest.made_at, h.score) for h in await gists_about(ada.view, question, 3)])
            )
            seen.append(repr([(e.id, e.text, e.said_at, e.stored_at) for e in await ada.view.messages.window(ada.session, 5)]))
            seen.append(repr([(d.id, d.text) for d in (await ada.view.digests.tiers(ada.session, 0)).frontier]))
            seen.append(repr([(s.id, s.name, s.messages, s.last_at) for s in await ada.view.sessions.all()]))
    return seen


async def lived(here: Corner, chance: random.Random) -> None:
    """Consolidate now and then."""
    work = Deriving(here.memory).consolidator(here.domain, Writer(), Writer())
    await work.close_episodes(here.session, asked=chance.random() < 0.1)
    if chance.random() < 0.5:
        await work.digest(here.session)
    if chance.random() < 0.3:
        await work.summary(here.session)


@pytest.mark.parametrize("seed", range(1, 1 + examples(2)))
def test_what_happens_elsewhere_changes_no_byte_that_can_be_seen_here(seed: int) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        assert asyncio.run(story(one, seed, 0)) == asyncio.run(story(other, seed, 77 + seed))


async def test_nothing_kept_twice_counts_twice(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        kept = await here.view.say(here.session, [said("one", "s1"), said("one", "s1"), said("two", "s2")])
        assert len(kept.stored) == 2
        again = await here.view.say(here.session, [said("one", "s1"), said("three", "s3")])
        assert (len(again.stored), again.known, again.forgotten) == (1, 1, 0)
        assert (await here.view.messages.by_source(here.session, "s3")) == again.stored[0]
        assert await here.view.messages.by_source(here.session, "s9") is None
