"""What stood in view of a reply is recorded, and forgetting follows it, whatever became of it meanwhile."""

import asyncio
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from memory.errors import SourceGone
from memory.forget import affected_replies, discretion_targets, erase, gone, shared_content
from memory.forget.gone import ForgottenScope
from memory.store.database import Transaction
from memory.tiers import statements
from memory.tiers.statements import Grounds, NewStatement
from memory.types import Discretion, Exchange, Forgotten, Identity, Kind, NewExchange, Statement
from memory.view.view import Answer
from tests.fakes.pulse import PATIENCE
from tests.kits.memory_kit import BagOfWords, Corner, at_home, opened, said
from tests.unit.test_forget import digested

SECRET, OTHER = "the parrot is called Xerxes", "the tomatoes are ripe"


async def made(
    here: Corner, text: str, seen: Mapping[int, str], *, cites: Collection[int] = (), begun: int = 0
) -> Exchange | None:
    """Keep a reply that had these items in view, cites some of them and answers none."""
    here.said += 1
    new = NewExchange(Kind.REPLY, text, f"r{here.said}", here.clock.now(), "Lyra", "assistant")
    replied = await here.view.answer(here.session, Answer(new, cites, (), (), seen=seen, begun=begun))
    return replied.exchange if replied else None


async def kept(here: Corner) -> list[str]:
    """Return every text that is kept."""
    return [message.text async for _, message in here.view.messages.all()]


async def gists(here: Corner) -> dict[int, str]:
    """Return the gists that stand now."""
    return {digest.key: digest.text for _, digest in await here.view.digests.all()}


async def rewritten(here: Corner) -> None:
    """Have every gist replaced by another one of the same messages."""
    async with here.memory.db.transaction() as tx:
        await erase.retire(tx, here.domain, list(await gists(here)), here.clock.now())
    await digested(here)


@pytest.mark.parametrize("through", ["as it is", "a gist", "a gist that was replaced", "a gist that went with something else"])
async def test_a_reply_goes_with_what_it_had_in_view(tmp_path: Path, through: str) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        secret, other, third = [await here.say(text) for text in (SECRET, OTHER, "winter comes early")]
        await digested(here)
        seen = {secret.key: secret.text} if through == "as it is" else await gists(here)
        assert seen
        await made(here, "Xerxes it is, as you told me.", seen)
        await made(here, "Good evening to you, and sleep well.", seen)
        if through == "a gist that was replaced":
            await rewritten(here)
        if through == "a gist that went with something else":
            await here.view.forget_message(third.id)
        assert "Xerxes it is, as you told me." in await kept(here)
        await here.view.forget_message(secret.id)
        assert await kept(here) == [
            other.text,
            *([third.text] if "else" not in through else []),
            "Good evening to you, and sleep well.",
        ]


async def test_to_cite_a_digest_is_not_to_cite_all_that_it_was_made_of(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        secret, other = [await here.say(text) for text in (SECRET, OTHER)]
        await digested(here)
        seen = await gists(here)
        innocent = await made(here, "So the tomatoes are ripe, at last!", seen, cites=list(seen))
        await rewritten(here)
        await here.view.forget_message(secret.id)
        assert innocent and await kept(here) == [other.text, innocent.text]
        await here.view.forget_message(other.id)
        assert await kept(here) == []


# While an answer is made


@pytest.mark.parametrize("what", ["forgotten", "changed", "taken out of a gist"])
async def test_a_reply_is_not_kept_where_something_in_its_view_went_meanwhile(tmp_path: Path, what: str) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        secret = await here.say(SECRET, source="s1")
        await here.say(OTHER)
        await digested(here)
        seen, begun = await gists(here) if "gist" in what else {secret.key: secret.text}, here.clock.now()
        here.clock.forward(1)
        if what == "changed":
            assert await here.memory.kept.revise("console", "dm", "s1", "the parrot is called Otto", here.clock.now())
        else:
            await here.view.forget_message(secret.id)
        with pytest.raises(SourceGone):
            await made(here, "Xerxes it is, as you told me.", seen, begun=begun)
        assert await made(here, "I do not know.", {}, begun=begun)


async def known(here: Corner, rests: Exchange) -> Statement:
    """Have a fact known that rests on a message, and return it."""
    async with here.memory.db.transaction() as tx:
        now = here.clock.now()
        grounds = Grounds((rests.key,), (rests.key,), now, now)
        fact = NewStatement("profile", "", "said", "Ada's parrot is called Xerxes", "model:main", grounds)
        await statements.publish(tx, here.memory.places.seal, here.domain, fact, now)
    (one,) = await here.view.digests.statements("profile")
    return one


@pytest.mark.parametrize("how", ["let go", "corrected"])
async def test_a_reply_is_not_kept_where_a_fact_in_its_view_went_meanwhile(tmp_path: Path, how: str) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        secret, begun = await here.say(SECRET), here.clock.now()
        fact = await known(here, secret)
        here.clock.forward(1)
        if how == "let go":
            await here.view.facts.forget(fact.id)
        else:
            await here.view.facts.correct(fact.id, await here.say(OTHER))
        with pytest.raises(SourceGone):
            await here.view.validity.require({}, {fact.key: fact.text}, begun)
        with pytest.raises(SourceGone):
            await made(here, "Your parrot is called Xerxes.", {fact.key: fact.text}, begun=begun)
        assert await kept(here) == [SECRET, *([OTHER] if how == "corrected" else [])], "the message itself stays"


async def test_a_fact_that_was_corrected_before_may_stand_beside_the_one_that_holds(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        fact = await known(here, await here.say(SECRET))
        await here.view.facts.correct(fact.id, await here.say(OTHER))
        here.clock.forward(1)
        begun = here.clock.now()
        assert await made(here, "It was called Xerxes once.", {fact.key: fact.text}, begun=begun)


async def test_housekeeping_meanwhile_costs_no_answer(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        secret = await here.say(SECRET)
        await digested(here)
        seen, begun = await gists(here), here.clock.now()
        here.clock.forward(1)
        await rewritten(here)
        assert await made(here, "Xerxes it is, as you told me.", seen, begun=begun)
        await here.view.forget_message(secret.id)
        assert await kept(here) == []


async def test_who_wants_to_read_again_waits_until_what_is_being_forgotten_is_erased(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        secret = await here.say(SECRET)
        async with here.memory.db.transaction() as tx:
            # As another process does that has only begun.
            await gone.add(tx, here.domain, ForgottenScope([secret.key]), here.clock.now())
        await here.view.validity.readable(0.0)
        waiting = asyncio.create_task(here.view.validity.readable(PATIENCE))
        await asyncio.wait([waiting], timeout=0.2)
        assert not waiting.done() and await kept(here) == []
        await here.memory.sweep()
        await waiting


@pytest.mark.usefixtures("store")
async def test_what_is_committed_in_another_process_is_noticed_without_a_read(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        secret, begun = await here.say(SECRET), here.clock.now()
        before, reads = await here.view.validity.commits(), here.memory.db.reads
        assert await here.view.validity.commits() == before and here.memory.db.reads == reads
        await here.view.validity.require({}, {secret.key: secret.text}, begun)
        async with opened(tmp_path / "lyra.db", clock=here.clock) as other:
            await other.view(here.domain).forget_message(secret.id)
        assert await here.view.validity.commits() != before
        with pytest.raises(SourceGone):
            await here.view.validity.require({}, {secret.key: secret.text}, begun)


async def test_long_texts_are_compared_beside_the_event_loop_by_edits_and_confidences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where: dict[str, set[threading.Thread]] = {}

    def watched(name: str, read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(*texts: Any, **how: Any) -> Any:
            where.setdefault(name, set()).add(threading.current_thread())
            return read(*texts, **how)

        return reading

    monkeypatch.setattr(affected_replies, "content", watched("edit", shared_content.content))
    for name in ("count_held", "goes_on"):
        monkeypatch.setattr(discretion_targets, name, watched(name, getattr(discretion_targets, name)))
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        secret = await here.say(SECRET)
        assert await made(here, "Good to hear.", {secret.key: secret.text})
        assert await here.memory.kept.revise("console", "dm", secret.source_id, OTHER, here.clock.now())
        ada = Identity("console", "ada")
        for n, (text, ask) in enumerate(
            ((SECRET, None), ("It bites.", None), ("Not a word.", Discretion(topic=frozenset({"parrot"}))))
        ):
            here.clock.forward(1)
            new = NewExchange(Kind.SAID, text, f"told{n}", here.clock.now(), "Ada", identity=ada, discretion=ask)
            kept = await here.view.say(here.session, [new])
        assert [one.earlier for one in kept.covered.values()] == [2]
    assert where.keys() == {"edit", "count_held", "goes_on"}
    assert not any(threading.main_thread() in threads for threads in where.values())


async def test_a_bound_of_five_hundred_messages_a_step_forgets_all_of_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []

    async def erased(tx: Transaction, items: Sequence[int], now: int) -> Forgotten:
        steps.append(len(items))
        assert not await here.found("parrot Xerxes"), "nothing of it is read any more"
        return await erase.erase(tx, items, now)

    monkeypatch.setattr("memory.forget.forgetting.erase", erased)
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        for start in range(0, 1_200, 400):
            await here.view.say(here.session, [said(f"{SECRET} {n}", f"b{n}") for n in range(start, start + 400)])
        log = tmp_path / "tombstones.log"
        assert (await here.view.forget_session(here.session)).messages == 1_200
        assert steps == [500, 500, 200]
        assert len(set(log.read_text().split())) >= 2 * 2 * 1_200 and await kept(here) == []
