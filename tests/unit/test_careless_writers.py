"""Writers that cite whatever there is, look back, or never take anything back: what stands is not swept away by them, and does not pile up."""

from pathlib import Path

import pytest

from memory.deriving import Deriving
from memory.ports import Entry, Task
from memory.tiers import narrative, profile, source_lines
from memory.types import DomainKind, DomainRef, Identity, Kind, NewExchange, SessionRef
from tests.kits.dream_kit import days, dreamt, forced
from tests.kits.ladder_kit import PAIRS, Teller, climbed, gists, standing
from tests.kits.memory_kit import DAY, Corner, Move, at_home

KNOWN = ["Ada lives in Graz", "Kiki is her parrot", "Bob plays the oboe", "Zoe drinks green tea"]


async def told(here: Corner, *texts: str) -> None:
    """Say these things, and bring the profile up to date with a good writer."""
    for text in texts:
        await here.say(text)
    await climbed(here, Teller())


async def profiled(here: Corner, move: Move) -> None:
    """Give every episode its gist, and update the profile with one answer."""
    writer = Teller()
    await gists(here, writer)
    writer.moves = [move]
    await Deriving(here.memory).ladder(here.domain, writer).climb(asked=True)


def labels(task: Task, *words: str) -> tuple[str, ...]:
    """Return the labels of the sources with one of these words."""
    return tuple(source.label for source in task.sources if any(word in source.text for word in words))


@pytest.mark.parametrize("guarded", [True, False])
async def test_a_fact_that_cites_every_label_there_is_ends_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    async def citing_all(task: Task) -> list[Entry]:
        return [Entry("Ada bakes rye bread", tuple(source.label for source in task.sources))]

    if not guarded:
        monkeypatch.setattr(source_lines, "_MOST_REPLACED", 99)
    async with at_home(tmp_path, habits=PAIRS) as here:
        await told(here, *KNOWN)
        await here.say("Ada bakes rye bread")
        await here.say("the day is fine")
        await profiled(here, citing_all)
        assert await standing(here, "profile") == ([*KNOWN, "Ada bakes rye bread"] if guarded else ["Ada bakes rye bread"])


async def test_a_fact_that_joins_many_takes_the_place_of_those_whose_words_it_holds(tmp_path: Path) -> None:
    async def joining(task: Task) -> list[Entry]:
        text = "Ada, who lives in Graz, bakes rye bread, and Kiki is her parrot, while Bob plays the oboe"
        return [Entry(text, tuple(source.label for source in task.sources))]

    async with at_home(tmp_path, habits=PAIRS) as here:
        await told(here, *KNOWN)
        await here.say("Ada bakes rye bread")
        await here.say("the day is fine")
        await profiled(here, joining)
        zoe, joined = await standing(here, "profile")
        assert zoe == "Zoe drinks green tea" and joined.startswith("Ada, who lives in Graz")


@pytest.mark.parametrize("cites", [True, False])
async def test_what_was_put_right_is_not_undone_from_words_said_before(tmp_path: Path, cites: bool) -> None:
    async def looking_back(task: Task) -> list[Entry]:
        assert labels(task, "still lives"), "what was said before is read after the correction"
        return [Entry("Ada still lives in Graz", labels(task, "still lives", *(["Vienna"] if cites else [])))]

    async with at_home(tmp_path, habits=PAIRS) as here:
        await told(here, *KNOWN[:2])
        (fact,) = [one for one in await here.view.digests.statements("profile") if "Graz" in one.text]
        await here.say("Ada still lives in Graz")
        await here.say("the tea is cold")
        here.clock.forward(DAY)
        await here.view.facts.correct(fact.id, await here.say("I live in Vienna"))
        await profiled(here, looking_back)
        assert await standing(here, "profile") == ["Kiki is her parrot", "I live in Vienna"]


async def test_a_fact_said_later_is_not_ended_by_what_was_said_before_it(tmp_path: Path) -> None:
    async def looking_back(task: Task) -> list[Entry]:
        return [Entry("Ada has a flat in Linz", labels(task, "flat", "lives in Graz"))]

    async with at_home(tmp_path, habits=PAIRS) as here:
        await told(here, *KNOWN[:2])
        here.clock.forward(-9 * DAY)
        await here.say("Ada has a flat in Linz")
        await here.say("the tea is cold")
        here.clock.forward(9 * DAY)
        await profiled(here, looking_back)
        assert await standing(here, "profile") == [*KNOWN[:2], "Ada has a flat in Linz"]


@pytest.mark.parametrize("guarded", [True, False])
async def test_in_a_group_a_fact_about_somebody_is_not_ended_by_what_others_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    async def against_ada(task: Task) -> list[Entry]:
        return [Entry("Nobody here lives in Graz any more", labels(task, "Graz"))]

    if not guarded:
        monkeypatch.setattr(profile._Keeping, "_may_tell", anything)
    async with at_home(tmp_path, habits=PAIRS) as home:
        room = await group(home)
        for name, text in (("Ada", "Ada lives in Graz"), ("Ben", "the club meets on Friday")):
            await tells(room, name, text)
        await climbed(room, Teller())
        assert "Ada lives in Graz" in await standing(room, "profile")
        await tells(room, "Ben", "Nobody here lives in Graz any more")
        await tells(room, "Ben", "the hall is cold")
        await profiled(room, against_ada)
        assert ("Ada lives in Graz" in await standing(room, "profile")) is guarded


async def anything(*_: object) -> bool:
    """Allow it."""
    return True


async def group(home: Corner) -> Corner:
    """Return a room with members of its own."""
    domain = await home.memory.places.domain(DomainRef(DomainKind.ROOM, "matrix", "!club"), "UTC", home.clock.now())
    view = home.memory.view(domain)
    return Corner(home.memory, home.clock, domain, view, await view.sessions.get(SessionRef("matrix", "club"), "club"))


async def tells(room: Corner, name: str, text: str) -> None:
    """Say something in a room."""
    room.said += 1
    room.clock.forward(60_000_000)
    who = Identity("matrix", f"@{name.casefold()}:example.org")
    await room.view.say(room.session, [NewExchange(Kind.SAID, text, f"r{room.said}", room.clock.now(), name, identity=who)])


class Rambles(Teller):
    """A writer that tells the same things in ever other words, and takes back nothing."""

    async def write(self, task: Task) -> list[Entry]:
        """Answer with new lines only."""
        if task.kind not in {"narrative", "self"}:
            return await super().write(task)
        self.tasks.append(task)
        told = [source for source in task.sources if not source.label.startswith("s")][-8:]
        return [Entry(f"Arc: {source.text} and so on{'e' * len(self.tasks)}", (source.label,)) for source in told]


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture, id="unguarded")])
async def test_lines_that_are_never_taken_back_do_not_pile_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(narrative, "_MOST_ENDED", 0)
    async with at_home(tmp_path, habits=PAIRS) as here:
        writer = Rambles()
        for n in range(6):
            await days(here, mark=f"week{n}")
            here.clock.forward(40 * DAY)
            await climbed(here, writer)
        most = max(len(task.sources) for task in writer.asked("self"))
        assert (len(await standing(here, "narrative")) <= 24 and most <= 40) is guarded
        assert len(await here.view.digests.statements("narrative", past=True)) > 0 or not guarded, "they are history"


class Declines(Teller):
    """A model that answers with a refusal."""

    async def write(self, task: Task) -> list[Entry]:
        """Decline."""
        self.tasks.append(task)
        return [Entry("I cannot help with that request.", (task.sources[0].label,))]


async def test_what_one_model_would_not_write_another_one_is_asked_for(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada lives in Graz")
        await here.say("Kiki is her parrot")
        for _ in range(2):
            await forced(here, weak := Declines("weak"))
        assert weak.asked("gist") == [], "after two refusals it is asked no more"
        assert {digest.writer for _, digest in await here.view.digests.all()} == {"extractive"}
        here.clock.forward(DAY)
        await dreamt(here, Teller("strong"))
        assert {digest.writer for _, digest in await here.view.digests.all()} == {"strong"}
