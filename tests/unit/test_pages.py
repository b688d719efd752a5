"""Pages: what is known of whom and what is named, put together from items and gone with them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from memory.index.hits import RecallLimits
from memory.store.database import Database, Parameters, Row
from memory.tiers import entities
from memory.types import MINUTE, Discretion, DomainKind, Identity, Kind, NewExchange
from memory.view.pages import Page
from tests.kits.fresh import with_words
from tests.kits.ladder_kit import Teller, climbed, gists
from tests.kits.memory_kit import Corner, among, at_home

TALK = ("My dog Bruno is a beagle.", "Bruno is afraid of thunder.", "My sister Lea lives in Graz.", "Lea plays the piano.")


async def told(here: Corner, *texts: str) -> None:
    for text in texts:
        await here.say(text)
    await here.memory.read_names(here.domain)


async def page(here: Corner, name: str) -> Page:
    (found,) = await here.view.pages.about(name)
    return found


def texts(of: Page) -> list[str]:
    return [placed.exchange.text for placed in of.said]


async def test_a_page_has_what_names_it_in_the_order_it_was_said(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here, *TALK, "yesterday bruno ate a shoe", "How is Bruno?", "We met Bo at the lake")
        bruno, lea, graz = [await page(here, name) for name in ("bruno", "my sister", "Graz")]
        assert (bruno.name, bruno.kind, bruno.aliases) == ("Bruno", "pet", ["dog"])
        assert texts(bruno) == [TALK[0], TALK[1], "yesterday bruno ate a shoe"]
        assert (lea.name, lea.kind, texts(lea)) == ("Lea", "person", [TALK[2], TALK[3]])
        assert (graz.kind, texts(graz)) == ("place", [TALK[2]])
        assert await here.view.pages.about("Nemo") == []


async def test_who_writes_all_small_is_told_what_was_said_with_a_name(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here, "my dog is called bruno", "ma soeur s'appelle élodie", "bruno ate a shoe", "how is bruno?", "We met Bo")
        bruno, elodie = [await page(here, name) for name in ("bruno", "élodie")]
        assert (bruno.name, bruno.kind, texts(bruno)) == ("bruno", "", ["my dog is called bruno", "bruno ate a shoe"])
        assert texts(elodie) == ["ma soeur s'appelle élodie"]
        assert await here.view.pages.about("nemo") == []


async def test_facts_stand_on_the_page_with_what_they_rest_on(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here, *TALK)
        writer = Teller()
        await gists(here, writer)
        await climbed(here, writer)
        await here.memory.read_names(here.domain)
        bruno = await page(here, "Bruno")
        assert bruno.facts and all("Bruno" in fact.text for fact in bruno.facts)
        receipts = await here.view.digests.receipts(bruno.facts)
        assert all(receipts[fact.key] for fact in bruno.facts)


async def test_nothing_is_known_under_no_name(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here, *TALK)
        assert [await here.view.pages.about(name) for name in ("", "  ", "\n")] == [[], [], []]


async def test_a_first_word_stands_for_several_names_and_merges_none(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here, "I saw Ben Miller today.", "Then I met Ben Smith there.", "And I called Ben#abcd too")
        assert [one.name for one in await here.view.pages.about("Ben")] == ["Ben Miller", "Ben Smith"]
        assert (await page(here, "Ben#abcd")).name == "Ben#abcd"


async def test_what_is_forgotten_or_changed_is_on_no_page(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        kept = [await here.say(text) for text in TALK]
        await here.memory.read_names(here.domain)
        await here.view.forget_message(kept[0].id)
        bruno = await page(here, "Bruno")
        assert (bruno.kind, bruno.aliases, texts(bruno)) == ("", [], [TALK[1]])
        await here.view.forget_message(kept[1].id)
        assert await here.view.pages.about("Bruno") == []
        assert await with_words(here.memory.db, "entities", "name", "Bruno") == []
        await here.memory.kept.revise("console", "dm", kept[2].source_id, "My sister Mia lives in Linz.", here.clock.now())
        assert texts(await page(here, "my sister")) == ["My sister Mia lives in Linz."]
        assert await here.view.pages.about("Graz") == []
        await here.view.forget_all()
        assert [await here.count(table) for table in ("entities", "mentions", "unnamed")] == [0, 0, 0]


async def test_a_word_is_no_name_any_more_once_what_told_so_is_forgotten(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        kept = [
            await here.say(text)
            for text in ("My cat is called Storm.", "yesterday the storm kept me awake", "I met Bo at the lake.")
        ]
        await here.memory.read_names(here.domain)
        assert texts(await page(here, "Storm")) == [one.text for one in kept[:2]]
        await here.view.forget_message(kept[0].id)
        assert [one.name for one in await here.view.pages.names(9)] == ["Bo"]
        assert await here.view.pages.about("Storm") == []
        assert await with_words(here.memory.db, "entities", "name", "Storm") == []


async def test_an_older_memory_is_looked_through_in_steps(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here, *TALK, *(f"Note {n} of Iris." for n in range(50)))
        async with here.memory.db.transaction() as tx:
            await tx.run("DELETE FROM mentions")
            await tx.run("DELETE FROM entities")
            await tx.run("INSERT INTO unnamed (domain, item) SELECT domain, item FROM exchanges")
        before = here.memory.db.transactions
        assert await here.memory.read_names(here.domain) == 54
        assert here.memory.db.transactions - before == 3
        assert len((await page(here, "Iris")).said) == 50


async def brought(here: Corner, question: str, asker: str = "") -> list[str]:
    """Return what comes up for a question because it is named there."""
    came = await here.view.recall.at_once(question, RecallLimits(0, 0, 0), (), asker)
    return [hit.exchange.text for hit in came.hits] + [one.text for one in came.facts]


async def test_who_is_named_brings_up_what_tells_of_them(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here, *TALK)
        assert await brought(here, "is Bruno well?") == [TALK[0]]
        assert await brought(here, "how old is my sister?") == [TALK[2]]
        assert await brought(here, "how are you?") == []


async def test_somebody_elses_sister_is_not_ones_own(tmp_path: Path) -> None:
    async with among(tmp_path, "Ada: My sister Lea lives in Graz", "Ben: My sister Mia lives in Linz") as here:
        await here.memory.read_names(here.domain)
        assert await brought(here, "how is my sister?", "Ada") == ["My sister Lea lives in Graz"]
        assert [one.name for one in await here.view.pages.about("my sister", "Ben")] == ["Mia"]
        (ben,) = await here.view.pages.about("Ben")
        assert [placed.exchange.text for placed in ben.own] == ["My sister Mia lives in Linz"]


async def test_what_was_told_in_confidence_is_on_no_page(tmp_path: Path) -> None:
    async def says(text: str, discretion: Discretion | None = None) -> None:
        here.said += 1
        here.clock.forward(MINUTE)
        new = NewExchange(Kind.SAID, text, f"a{here.said}", here.clock.now(), "Ada", "user", Identity("console", "ada"))
        await here.view.say(here.session, [replace(new, discretion=discretion)])
        await here.memory.read_names(here.domain)

    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        await says("My dog Bruno is a beagle")
        await says("Bruno is very ill")
        assert texts(await page(here, "Bruno")) == ["My dog Bruno is a beagle", "Bruno is very ill"]
        await says("Keep that between us", Discretion(back=True))
        await says("And Bruno bit the postman", Discretion(("Ben",)))
        assert texts(await page(here, "Bruno")) == ["My dog Bruno is a beagle"]
        await says("All of it may be told", Discretion(ends=True, every=True))
        assert len(texts(await page(here, "Bruno"))) == 3


async def test_a_page_is_found_by_what_a_thing_is_called_and_what_it_is(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here, "Project Atlas starts in March", *TALK)
        for name in ("Atlas", "project Atlas", "Project Atlas", "the Atlas project", "project atlas"):
            assert texts(await page(here, name)) == ["Project Atlas starts in March"], name
        for name in ("Lea", "my sister Lea", "Lea's", "sister", "meine Schwester Lea"):
            assert texts(await page(here, name)) == [TALK[2], TALK[3]], name
        assert (await page(here, "my dog")).name == "Bruno"


async def test_who_is_only_called_sister_stands_on_the_page_of_the_only_sister(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here, "My sister hates plums")
        (unnamed,) = await here.view.pages.about("my sister")
        assert (unnamed.name, texts(unnamed)) == ("sister", ["My sister hates plums"])
        await told(here, "My sister Lea lives in Graz", "my sister has a cold")
        assert texts(await page(here, "Lea")) == ["My sister hates plums", "My sister Lea lives in Graz", "my sister has a cold"]
        assert (await page(here, "my sister")).name == "Lea"
        await told(here, "My other sister Mia lives in Linz")
        assert texts(await page(here, "Lea")) == ["My sister Lea lives in Graz"], "which of the two is not told"


async def test_somebody_elses_sister_does_not_stand_on_the_page_of_ones_own(tmp_path: Path) -> None:
    async with among(tmp_path, "Ada: My sister Lea lives in Graz", "Ben: My sister hates plums", "Ada: My sister is 30") as here:
        await here.memory.read_names(here.domain)
        assert texts(await page(here, "Lea")) == ["My sister Lea lives in Graz", "My sister is 30"]


async def test_a_longer_name_is_somebody_else_unless_something_tells_that_they_are_one(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        mine = ["My friend Ben plays chess", "My dog Bruno is a beagle", "My cat Turing sleeps all day"]
        await told(
            here, *mine, "Ben Miller is my boss", "Bruno Mars gave a concert", "I read about Alan Turing. Turing was English"
        )
        await told(here, "Yesterday Ben came by", "Ich habe mit Ben Huber geredet")
        assert texts(await page(here, "Ben")) == [mine[0], "Yesterday Ben came by"]
        assert texts(await page(here, "Bruno")) == [mine[1]]
        assert texts(await page(here, "Turing")) == [mine[2]]
        assert (await page(here, "Ben Miller")).aliases == ["boss"]
        assert texts(await page(here, "Bruno Mars")) == ["Bruno Mars gave a concert"]


async def test_a_longer_name_is_the_same_where_somebody_says_so(tmp_path: Path) -> None:
    for n, one in enumerate(("We met Ben, Ben Miller that is", "Ben's last name is Miller", "I mean my friend Ben Miller")):
        async with at_home(tmp_path / str(n)) as here:
            await told(here, "My friend Ben plays chess", one, "Ben Miller moved to Linz", "Ben Smith is a singer")
            assert texts(await page(here, "Ben")) == ["My friend Ben plays chess", one, "Ben Miller moved to Linz"], one
            assert texts(await page(here, "Ben Miller")) == texts(await page(here, "Ben"))
            assert texts(await page(here, "Ben Smith")) == ["Ben Smith is a singer"]


async def test_two_friends_of_one_first_name_are_kept_apart(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here, "My friend Ben plays chess", "My friend Ben Miller cooks", "My friend Ben Smith sings")
        assert texts(await page(here, "Ben")) == ["My friend Ben plays chess"]
        assert texts(await page(here, "Ben Smith")) == ["My friend Ben Smith sings"]


class Counting:
    """A database that counts what its transactions ask it."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    @asynccontextmanager
    async def transaction(self, **given: Any) -> AsyncIterator[Any]:
        """Open a transaction, each question of which counts."""
        async with self._db.transaction(**given) as tx:
            ask = tx.all

            async def counted(sql: str, parameters: Parameters | None = None) -> list[Row]:
                self.asked += 1
                return await ask(sql, parameters)

            tx.all = counted  # type: ignore[method-assign]
            yield tx


async def test_many_names_are_kept_with_as_few_questions_as_few_names(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        asked = []
        for names in (("Bruno",), ("Ada", "Bela", "Carla", "Dora", "Edgar", "Frieda", "Gustav", "Hanna")):
            for name in names:
                await here.say(f"My friend {name} likes {name}ville.")
            counting = Counting(here.memory.db)
            await entities.catch_up(counting, here.memory.places.seal, here.domain)
            asked.append(counting.asked)
        assert asked[0] == asked[1] > 0
        assert (await page(here, "Hanna")).kind == "person"


async def test_a_question_states_nothing_unless_something_is_told_before_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        telling = "My sister Mila is allergic to hazelnuts and walnuts. What can I bake for her?"
        await told(here, telling, "What would my sister Mila like to drink?", "Does my friend Wanda drink tea?")
        assert [placed.exchange.text for placed in (await page(here, "Mila")).said] == [telling]
        assert [placed.exchange.text for placed in (await page(here, "Wanda")).said] == ["Does my friend Wanda drink tea?"]
        for often in await here.view.pages.names(10):
            assert await here.view.pages.about(often.name), often
