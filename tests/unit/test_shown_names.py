"""Two accounts of one name: the first keeps it, the second is NAME#xxxx, wherever their words are shown; Lyra is Lyra alone."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.context import layers, prompt_messages, tools
from memory.bank.block import HEAD
from memory.core import Memory
from memory.index.mentions import members_named
from memory.store.schema import migrations
from memory.text.display_names import is_reserved, likeness, untagged
from memory.tiers.messages import storing
from memory.types import Domain, DomainKind, DomainRef, Identity, Kind, NameUse, NewExchange, SessionRef
from memory.view.view import View
from tests.kits.memory_kit import START, opened
from tests.kits.tabled import tabled

TAGGED = re.compile(r"#[a-z2-7]{4}")
LIKE_LYRA = tabled("names", "like_lyra")

LIKE_A_LABEL = [
    *("user", "User", "ＵＳＥＲ", "uѕer", "as\u200bsistant", "Assistant:", "system", "bot", "memory", "Note", "human", "tool"),
    *(
        "System Message",
        "user prompt",
        "Lyra Bot",
        "today",
        "What you know",
        "Where things stand:",
        "Just before, others said here",
    ),
]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with opened(tmp_path / "lyra.db", None) as memory:
        yield memory


async def domain(memory: Memory, name: str, kind: DomainKind = DomainKind.SERVER) -> Domain:
    return await memory.places.domain(DomainRef(kind, "discord", name), "UTC", START)


async def view(memory: Memory, name: str = "here", kind: DomainKind = DomainKind.SERVER, *also: Domain) -> View:
    return memory.view(await domain(memory, name, kind), also)


class Teller:
    """Says things in views, and returns under which name each was kept."""

    said = 0

    async def __call__(
        self, where: View, account: str, name: str, text: str = "hello there", *, borne: NameUse = NameUse.NOT
    ) -> str:
        self.said += 1
        who = Identity("discord", account) if account else None
        new = NewExchange(Kind.SAID, text, f"m{self.said}", START + self.said, name, "user", who, borne=borne)
        session = await where.sessions.get(SessionRef("discord", "place"), "place")
        (kept,) = (await where.say(session, [new])).stored
        return kept.speaker


@pytest.fixture
def says() -> Teller:
    return Teller()


async def test_the_first_account_keeps_a_name_and_a_second_is_told_apart_for_good(memory: Memory, says: Teller) -> None:
    here = await view(memory)
    assert await says(here, "1", "Ada") == "Ada"
    second = await says(here, "2", "Ada")
    assert second.startswith("Ada") and TAGGED.fullmatch(second.removeprefix("Ada"))
    assert [await says(here, "1", "Ada"), await says(here, "2", "Ada")] == ["Ada", second]
    third = await says(here, "3", "ADA")
    assert third.startswith("ADA#") and third[-4:] != second[-4:]
    elsewhere = await view(memory, "elsewhere")
    assert await says(elsewhere, "2", "Ada") == "Ada", "who was first is asked in each domain by itself"
    assert (await says(elsewhere, "1", "Ada"))[-4:] not in (second[-4:], third[-4:]), "a tag tells nothing in another domain"


@pytest.mark.parametrize("alike", ["ADA", "Ａｄａ", "A\u200bda", "Adà", "Аda", "Ada!", " a d a"])
async def test_names_that_look_alike_are_the_same_name(memory: Memory, says: Teller, alike: str) -> None:
    here = await view(memory)
    await says(here, "1", "Ada")
    assert TAGGED.search(await says(here, "2", alike))


async def test_who_takes_anothers_former_name_is_not_taken_for_that_one(memory: Memory, says: Teller) -> None:
    here = await view(memory)
    assert [await says(here, "1", "Ada"), await says(here, "1", "Zoe")] == ["Ada", "Zoe"]
    assert TAGGED.search(await says(here, "2", "Ada"))
    assert await says(here, "1", "Ada") == "Ada"
    assert TAGGED.search(await says(here, "2", "Zoe"))


async def test_who_takes_the_name_of_one_who_was_silent_is_the_later_account_for_good(memory: Memory, says: Teller) -> None:
    here = await view(memory)
    bob = Identity("discord", "2")
    assert await says(here, "2", "Bob", borne=NameUse.NOW) == "Bob", "what an account first spoke as is its own"
    assert await here.messages.names([(bob, "Ada")], {(bob, "Ada"): NameUse.NOW}) != ["Ada"]
    taken = await says(here, "2", "Ada", borne=NameUse.NOW)
    assert TAGGED.fullmatch(taken.removeprefix("Ada"))
    assert (await here.messages.name_standings([(bob, "Ada")])).namesakes(bob, "Ada") == [], "nobody holds it"
    assert await says(here, "2", "Ada") == taken, "also once the other one has left"
    assert await here.messages.names([(bob, "Ada"), (Identity("discord", "1"), "Ada")]) == [taken, "Ada"]
    assert [await says(here, "1", "Ada"), await says(here, "2", "Аda", borne=NameUse.NOW)] == ["Ada", f"Аda{taken[3:]}"]
    assert await says(here, "2", "Bob") == "Bob"


async def test_a_free_name_is_the_own_one_of_who_takes_it(memory: Memory, says: Teller) -> None:
    here = await view(memory)
    assert [await says(here, "2", "Bob"), await says(here, "2", "Ada")] == ["Bob", "Ada"]
    assert TAGGED.search(await says(here, "1", "Bo b"))
    assert TAGGED.search(await says(here, "1", "Zoe", borne=NameUse.NOW)), (
        "who was only ever shown with a tag was somebody here, too"
    )
    stranger = Identity("discord", "9")
    assert (await here.messages.name_standings([(stranger, "BOB")])).namesakes(stranger, "BOB") is None, "somebody holds it"


async def test_a_name_cannot_be_made_up_to_look_like_a_tagged_one(memory: Memory, says: Teller) -> None:
    here = await view(memory)
    await says(here, "1", "Ada")
    second = await says(here, "2", "Ada")
    assert not (await says(here, "3", second)).startswith(second)
    assert not (await says(here, "5", "Ada#abcd")).startswith("Ada#")
    assert await says(here, "4", "") == f"someone#{(await says(here, '4', chr(0x200B)))[-4:]}"


@pytest.mark.parametrize("name", [*LIKE_LYRA, *LIKE_A_LABEL])
async def test_nobody_is_shown_as_lyra_or_as_a_role_or_label_of_a_prompt(memory: Memory, says: Teller, name: str) -> None:
    assert is_reserved(name)
    for place in (await view(memory), await view(memory, "1", DomainKind.DM)):
        assert TAGGED.search(await says(place, "1", name))
        assert TAGGED.search(await says(place, "", name)), "an import has no accounts"


async def test_what_an_import_calls_people_stays_and_takes_no_account_its_name(memory: Memory, says: Teller) -> None:
    here = await view(memory, "1", DomainKind.DM)
    assert await says(here, "", "Ada: [x]\n<b>") == "Ada: [x]\n<b>"
    assert [await says(here, "", "Ada"), await says(here, "1", "Ada")] == ["Ada", "Ada"]


async def test_names_from_before_they_were_told_apart_belong_to_those_who_had_them(memory: Memory, says: Teller) -> None:
    here = await view(memory)
    await says(here, "1", "Ada")
    async with memory.db.transaction() as tx:
        await tx.run("DELETE FROM shown_names")
    assert TAGGED.search(await says(here, "2", "Ada"))
    assert await says(here, "1", "Ada") == "Ada"


@pytest.mark.file
@pytest.mark.parametrize(("name", "since"), [("lyra", "shown_names"), ("User", "labels")])
async def test_who_was_shown_as_lyra_or_as_a_role_before_is_not_any_more(
    memory: Memory, says: Teller, name: str, since: str
) -> None:
    here = await view(memory)
    await says(here, "1", "Zoe", "the ferry is blue")
    (step,) = (one for one in migrations() if one.name.endswith(since))
    async with memory.db.transaction() as tx:
        for table in ("exchanges", "terms"):
            await tx.run(f"UPDATE {table} SET speaker = :name", {"name": name})
        for statement in step.statements():
            if statement.strip().startswith("UPDATE"):
                await tx.run(statement)
    (hit,) = await here.recall.messages("ferry", 9)
    assert hit.exchange.speaker == f"{name}#past" and TAGGED.search(hit.exchange.speaker)


async def test_no_name_is_kept_with_who_had_it_first(memory: Memory, says: Teller) -> None:
    await says(await view(memory), "1", "Adelheid")
    rows = await memory.db.all("SELECT * FROM shown_names")
    assert rows and not [row for row in rows if "del" in repr(tuple(row)).casefold()]


async def test_words_that_are_shown_and_not_kept_come_under_the_same_names(memory: Memory, says: Teller) -> None:
    here = await view(memory)
    await says(here, "1", "Ada")
    second = await says(here, "2", "Ada")
    people = [("2", "Ada"), ("1", "Ada"), ("3", "Bob"), ("4", "Bob"), ("5", "Lyra"), ("", "Lyra"), ("3", "Bob")]
    names = await here.messages.names([(Identity("discord", one) if one else None, name) for one, name in people])
    assert names[:3] == [second, "Ada", "Bob"] and names[6] == "Bob"
    assert all(TAGGED.search(name) for name in names[3:6])
    assert await says(here, "4", "Bob") == "Bob", "looking keeps nobody's name"


async def test_a_view_of_two_domains_tells_apart_who_was_first_in_each(memory: Memory, says: Teller) -> None:
    server = await view(memory, "server")
    channel = await view(memory, "channel", DomainKind.CHANNEL, server.home)
    await says(server, "1", "Ada", "the ferry leaves at nine")
    await says(server, "2", "Bob", "the ferry is blue")
    await says(channel, "3", "Ada", "the ferry is late")
    await says(channel, "2", "Bob", "the ferry is full")
    shown = {hit.exchange.text[10:]: hit.exchange.speaker for hit in await channel.recall.messages("ferry", 9)}
    assert (shown["is late"], shown["is full"], shown["is blue"]) == ("Ada", "Bob", "Bob")
    assert TAGGED.search(shown["leaves at nine"])
    assert {hit.exchange.speaker for hit in await server.recall.messages("ferry", 9)} == {"Ada", "Bob"}


async def test_in_a_dm_a_person_is_one_whatever_they_are_called_elsewhere(memory: Memory, says: Teller) -> None:
    server = await view(memory, "server")
    await says(server, "1", "Ada", "the ferry leaves at nine")
    tagged = await says(server, "2", "Ada", "the ferry is blue")
    other = await view(memory, "7", DomainKind.DM)
    await says(other, "7", "ada", "the ferry is full")
    dm = await view(memory, "2", DomainKind.DM, server.home, other.home)
    await says(dm, "2", "Ada", "the ferry is late")
    shown = {hit.exchange.text[10:]: hit.exchange.speaker for hit in await dm.recall.messages("ferry", 9)}
    assert TAGGED.search(tagged) and TAGGED.search(shown.pop("leaves at nine")), "the other Ada of the server"
    assert shown == {"is blue": "Ada", "is late": "Ada", "is full": "ada"}


async def test_what_did_one_of_them_say_asks_for_that_ones_words(memory: Memory, says: Teller) -> None:
    here = await view(memory)
    await says(here, "1", "Ada", "we should paint the kitchen")
    second = await says(here, "2", "Ada", "we should sell the barn")
    await says(here, "3", "Bob", "we should go for a swim")
    await says(here, "4", "Lyra", "we should obey")
    for asked, who in (("Ada", "Ada"), (second, second)):
        first, *_ = await here.recall.messages(f"What did {asked} say?", 9)
        assert first.exchange.speaker == who
        (voiced,) = [
            hit for hit in await here.recall.messages(f"What did {asked} say?", 9) if "whose words are asked for" in hit.why
        ]
        assert voiced.exchange.speaker == who


def test_a_text_names_whom_it_names() -> None:
    members = ["Ada", "Ada#k3xq", "Ada Miller", "Bob#abcd", "Jo"]
    assert members_named("Ada sails", members) == {"Ada", "Ada Miller"}
    assert members_named("Ada#k3xq sails", members) == {"Ada#k3xq"}
    assert members_named("Ada Miller#zzzz and Jo sail", members) == {"Jo"}
    assert members_named("Bob sails", members) == set()
    assert members_named("Ada and Ada#k3xq sail with Bob#abcd", members) == {"Ada", "Ada Miller", "Ada#k3xq", "Bob#abcd"}


@pytest.mark.parametrize(
    "title", [*layers._ARCS.values(), prompt_messages._ASIDE, prompt_messages._ANSWERED, tools._TITLE, tools._BEGUN, HEAD]
)
def test_what_stands_above_a_part_of_a_prompt_is_nobodys_name(title: str) -> None:
    assert is_reserved(untagged(title))


@pytest.mark.parametrize("name", ["Lyrɑ", "ꓡꓬꓣꓮ", "ᒪYᖇᗩ", "ᏞᎩᏒᎪ", "Ɫyra", "Lɏra", "ɭyɾa"])
def test_her_name_is_reserved_in_letters_of_whatever_script_that_are_drawn_like_its_own(name: str) -> None:
    assert is_reserved(name)


@pytest.mark.parametrize("name", ["Lyrae", "Lara", "Clara", "Лира", "Λύρα", "Myra", "Al", "Abbot", "Userina", "Ben Note", "Memo"])
def test_a_name_like_one_of_these_that_is_another_stays(name: str) -> None:
    assert not is_reserved(name) and likeness(name)


async def test_without_telling_apart_two_accounts_would_be_one(
    memory: Memory, says: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def as_called(*given: Any, **_: Any) -> str:
        return str(given[-1])

    monkeypatch.setattr(storing, "shown_name", as_called)
    here = await view(memory)
    assert [await says(here, one, "Lyra") for one in "12"] == ["Lyra", "Lyra"]
