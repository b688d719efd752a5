"""What was made of conversations, asked for at the terminal and on Matrix: the same commands, in those places' own ways."""

import re
from pathlib import Path

import pytest

from adapters.events import Person as Someone
from adapters.events import Place
from adapters.matrix.adapter import Matrix
from memory.types import DomainKind
from tests.fakes.matrix import Person
from tests.kits.awake import model_server
from tests.kits.ladder_talk import climbed, teller
from tests.kits.lyra_kit import Home as Machine
from tests.kits.lyra_kit import ModelServer, one_sentence
from tests.kits.matrix_home import Home, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

OFF = "The bank is off here; those who run this place turn it on with !memory bank on."


class Trusting(Matrix):
    """The guard switched off: everybody runs every room."""

    async def administers(self, person: Someone, place: Place) -> bool:
        """Say yes."""
        return True


async def fact_id(at_home: Home, who: Person, room: str) -> str:
    """Return the id of the first fact that the profile of a room shows."""
    shown = (await at_home.reads_aside(who, room, "!memory profile")).body
    return str(re.findall(r" id ([a-z2-7]{6,})$", shown, re.MULTILINE)[0])


# At the terminal


def test_at_the_terminal_each_part_is_shown_put_right_and_let_go(tmp_path: Path) -> None:
    with ModelServer(teller) as model:
        machine = Machine(tmp_path, model.config())
        machine.chat("my cat is called Turing")
        assert machine.lyra("summarize", "--all").code == 0
        shown = machine.chat("/memory profile", "/memory eras", "/memory narrative", "/memory self", "/memory bank")
        assert "1. ada said: my cat is called Turing" in shown.lines and ", from 1 conversation" in shown.out
        assert "1. Going on: ada said: my cat is called Turing" in shown.lines and "My mood here is" in shown.out
        assert shown.lines[-1] == "There is no bank here: it is for places that several people read."
        (number,) = set(re.findall(r" id ([a-z2-7]{6,})$", shown.out.partition(", from 1")[0], re.MULTILINE)[:1])
        put_right = machine.chat(f"/memory correct {number} my cat is called Alan", "/memory profile past:yes")
        assert "my cat is called Alan" in put_right.lines and ", replaced on " in put_right.out
        assert [row["content"] for row in machine.export()].count("my cat is called Alan") == 1
        (fact,) = machine.lyra("memory", "profile", "--json").rows
        let_go = machine.chat(f"/memory forget {fact['id']}", "/memory profile")
        assert "/forget ID forgets that too:" in let_go.out and let_go.lines[-1].startswith("I know no lasting facts here yet.")


@pytest.mark.first
@pytest.mark.parametrize(
    ("wish", "why"),
    [
        ("/privacy stop", "You told me to keep nothing of yours; /privacy resume undoes it."),
        ("/incognito on", "You are off the record here, where I keep nothing; /incognito shows what ends that."),
    ],
)
def test_whoever_wants_nothing_kept_corrects_nothing_on_the_command_line_either(tmp_path: Path, wish: str, why: str) -> None:
    with ModelServer(teller) as model:
        machine = Machine(tmp_path, model.config())
        machine.chat("my cat is called Turing")
        assert machine.lyra("summarize", "--all").code == 0
        (fact,) = machine.lyra("memory", "profile", "--json").rows
        before = len(machine.export())
        machine.chat(wish)
        assert one_sentence(machine.lyra("memory", "correct", fact["id"], "my cat is called Alan")) == why
        assert len(machine.export()) == before


def test_what_a_list_shows_is_answered_again_by_its_id(tmp_path: Path) -> None:
    with ModelServer(lambda request: "Yes.") as model:
        machine = Machine(tmp_path, model.config())
        machine.chat("is my cat called Turing?", "and my dog?")
        (hit,) = machine.lyra("recall", "cat Turing", "-k", "1", "--json").rows[0]["hits"]
        machine.chat(f"/again {hit['id'][:8]}")
        assert "is my cat called Turing?" in str(model.chats[-1].messages[-1]["content"])


def test_what_is_called_wrongly_at_the_terminal_is_told_how(tmp_path: Path) -> None:
    said = ("/memory correct", "/memory correct abc", "/memory eras 2024", "/memory era", "/memory boats")
    told = Machine(tmp_path).chat(*said).lines
    assert told[0].endswith("Usage: /memory correct FACT TEXT") and "needs FACT" in told[0] and "needs TEXT" in told[1]
    assert told[2] == '/memory eras does not know what to do with "2024". Usage: /memory eras [past:yes]'
    assert told[3] == "There is no /memory era; did you mean /memory eras?"
    assert told[4].startswith("/memory view: PART is one of summaries.")


# On Matrix


@pytest.mark.torture
async def test_in_a_room_it_is_shown_aside_and_a_correction_stands_as_long_as_its_message(
    at_home: Home, ada: Person, bob: Person
) -> None:
    async with model_server(teller) as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        await at_home.asks(ada, room, "My boat is called Petrel.", mentions=[at_home.user])
        await climbed(lyra)
        number = await fact_id(at_home, bob, room)
        refused = (await at_home.reads_aside(bob, room, f"!memory correct {number} It is called Tern.")).body
        assert refused.startswith("Only whoever said it of themselves, or an admin, can change that fact.")
        said = await ada.says(room, f"!memory correct {number} My boat is called Tern.")
        await at_home.reads_aside(ada, room, "!memory self")
        shown = (await at_home.reads_aside(bob, room, "!memory profile")).body
        assert shown.startswith("1. My boat is called Tern.") and "Petrel" not in shown
        assert "My boat is called Tern." in await lyra.kept(DomainKind.ROOM, room)
        await ada.redacts(room, said)
        await at_home.asks(bob, room, "hello", mentions=[at_home.user])
        shown = (await at_home.reads_aside(bob, room, "!memory profile")).body
        assert "Petrel" in shown and "Tern" not in shown
        assert all("boat" not in one.body for one in await at_home.said(bob, room))


async def test_only_who_runs_a_room_turns_its_bank_on_and_the_room_is_told(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server(teller) as model, at_home.lyra(model):
        room = await room_of(at_home, ada, bob)
        refused = (await at_home.reads_aside(bob, room, "!memory bank on")).body
        assert refused.startswith("Only those who run this place can turn its bank on or off.")
        assert (await at_home.reads_aside(bob, room, "!memory bank")).body.startswith(OFF)
        await ada.says(room, "!memory bank on")
        told = await bob.hears(room, lambda event: event.sender == at_home.user and "memory bank on" in event.body)
        assert "Everyone who can read this room can see the notes with !memory bank" in told.body
        assert (await at_home.reads_aside(bob, room, "!memory bank")).body.startswith("The bank is on, and empty so far.")


@pytest.mark.torture
async def test_that_others_do_not_turn_it_on_is_held_by_the_right_alone(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server(teller) as model, at_home.lyra(model, kind=Trusting):
        room = await room_of(at_home, ada, bob)
        assert (await at_home.reads_aside(bob, room, "!memory bank on")).body.startswith("The bank is on, and I said so here.")
