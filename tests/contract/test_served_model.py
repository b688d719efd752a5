"""Models behind the line of their server, over real HTTP on loopback: who goes first, what is cut off, where an answer ends."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256

import pytest

from bot.errors import ModelGarbled
from bot.models.port import ChatMessage, Toolbox, complete
from bot.models.queued_models import ServedModel
from bot.models.request_queue import RequestQueue
from bot.service.runtime_metrics import measures
from tests.contract.test_model import model_at
from tests.fakes import openai_behaviours as fake
from tests.fakes.openai_server import OpenAIServer


def asking(text: str) -> list[ChatMessage]:
    return [{"role": "user", "content": text}]


@dataclass
class Served:
    """One server behind a line, as people ask it and as housekeeping does."""

    server: OpenAIServer
    people: ServedModel
    others: ServedModel

    async def asked(self, number: int) -> list[str]:
        """Wait for so many requests, and return what each asked."""
        await self.server.heard(number)
        return [request.last_user for request in self.server.requests]


@asynccontextmanager
async def serving(places: int = 1, seconds: float = 5.0) -> AsyncIterator[Served]:
    async with OpenAIServer() as server:
        line = RequestQueue(places)
        model = model_at(server.base_url, name="m", timeout=seconds)
        yield Served(server, *(ServedModel("m", lambda: model, line, background=background) for background in (False, True)))
        await model.close()


async def test_a_question_cuts_off_what_nobody_waits_for_which_is_then_made_whole() -> None:
    async with serving() as at:
        at.server.script(fake.Hang("Ada said"))
        gist = asyncio.create_task(complete(at.others, asking("gist")))
        await at.asked(1)
        assert await complete(at.people, asking("tea?")) == "Echo: tea?"
        assert at.server.left.is_set()
        assert await gist == "Echo: gist"
        assert await at.asked(3) == ["gist", "tea?", "gist"]


async def test_what_was_cut_off_is_begun_again_only_once_the_burst_of_questions_is_over() -> None:
    async with serving() as at:
        at.server.script(fake.Hang("Ada said"))
        gist = asyncio.create_task(complete(at.others, asking("gist")))
        await at.asked(1)
        for text in ("tea?", "milk?", "sugar?"):
            assert await complete(at.people, asking(text)) == f"Echo: {text}"
        assert await gist == "Echo: gist"
        assert await at.asked(5) == ["gist", "tea?", "milk?", "sugar?", "gist"]


async def test_where_there_is_room_nothing_is_cut_off() -> None:
    async with serving(places=2) as at:
        at.server.script(fake.Held("Ada said"))
        gist = asyncio.create_task(complete(at.others, asking("gist")))
        await at.asked(1)
        assert await complete(at.people, asking("tea?")) == "Echo: tea?"
        assert not at.server.left.is_set()
        at.server.go.set()
        assert await gist == "Ada said"
        assert len(at.server.requests) == 2


async def test_people_are_answered_in_turn_and_before_all_else() -> None:
    async with serving() as at:
        at.server.script(fake.Held("first"))
        first = asyncio.create_task(complete(at.people, asking("1")))
        await at.asked(1)
        gist = asyncio.create_task(complete(at.others, asking("gist")))
        await asyncio.sleep(0)
        others = [asyncio.create_task(complete(at.people, asking(text))) for text in ("2", "3")]
        await asyncio.sleep(0)
        at.server.go.set()
        await asyncio.gather(first, gist, *others)
        assert await at.asked(4) == ["1", "2", "3", "gist"]


async def test_who_leaves_the_line_holds_nobody_up() -> None:
    async with serving() as at:
        at.server.script(fake.Held("first"))
        first = asyncio.create_task(complete(at.people, asking("1")))
        await at.asked(1)
        leaving = asyncio.create_task(complete(at.people, asking("2")))
        gist = asyncio.create_task(complete(at.others, asking("gist")))
        await asyncio.sleep(0)
        leaving.cancel()
        at.server.go.set()
        assert [await first, await gist] == ["first", "Echo: gist"]
        assert await at.asked(2) == ["1", "gist"]


async def test_work_that_is_cancelled_from_outside_is_not_done_again() -> None:
    async with serving() as at:
        at.server.script(fake.Hang())
        gist = asyncio.create_task(complete(at.others, asking("gist")))
        await at.asked(1)
        gist.cancel()
        await asyncio.wait([gist])
        assert gist.cancelled()
        assert await complete(at.people, asking("tea?")) == "Echo: tea?"
        assert await at.asked(2) == ["gist", "tea?"]


async def test_waiting_in_line_is_no_part_of_the_deadline() -> None:
    async with serving(seconds=2.0) as at:
        at.server.script(fake.Drip("a b c d", 0.3), fake.Drip("e f g h", 0.3))
        both = await asyncio.gather(*(complete(at.people, asking(text)) for text in ("1", "2")))
        assert both == ["a b c d", "e f g h"]


async def test_an_answer_that_runs_in_circles_ends_where_it_begins_to_and_is_hung_up_on() -> None:
    async with serving() as at:
        at.server.script(fake.Endless("I sail. I love to sail on the sea.\n"))
        pieces = [piece async for piece in at.people.stream(asking("tell"))]
        assert "".join(pieces) == "I sail. I love to sail on the sea.\n"
        assert len(pieces) > 3
        await asyncio.wait_for(at.server.left.wait(), 5)


async def test_receipts_that_a_model_invents_are_taken_out_of_what_people_read() -> None:
    answer = "> 16 August 2026 19:21, Lyra: She sails.\n> Sunday, 16 August 2026 19:28, ada: On 20 October.\n3 boats sail."
    async with serving() as at:
        at.server.script(fake.Drip(answer, 0.001))
        pieces = [piece async for piece in at.people.stream(asking("tell"))]
        assert "".join(pieces) == "She sails.\nOn 20 October.\n3 boats sail."
        for nothing in ("> 16 August 2026 19:21, Lyra:", "<|im_end|>", "\u200b", "[…]"):
            at.server.script(nothing, nothing)
            with pytest.raises(ModelGarbled, match="wrote nothing that can be shown") as caught:
                await complete(at.people, asking("tell"))
            assert caught.value.attempts == 2
            at.server.script(nothing)
            assert await complete(at.people, asking("tell")) == "Echo: tell", "it is asked for once more"


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("What is my cat called? Ludmilla.\nUser: and my dog?\nLyra: None.", "Ludmilla.\n"),
        ("[r1] Ludmilla, she is grey.\n[m2] And old.", "Ludmilla, she is grey.\nAnd old."),
        ("[m1][m2] Ludmilla.\n[m1] | [m2] And old.", "Ludmilla.\nAnd old."),
        ("Gladly: " + ", ".join(map(str, range(1, 260))), "Gladly: " + "".join(f"{n}, " for n in range(1, 21))),
        ("[1] The first.\n[x] Done.", "[1] The first.\n[x] Done."),
    ],
)
async def test_what_a_small_model_writes_around_its_answer_is_not_shown(answer: str, kept: str) -> None:
    async with serving() as at:
        for way in (fake.Drip(answer, 0.0), answer):
            at.server.script(way)
            assert await complete(at.people, asking("What is my cat called?")) == kept


async def test_a_dialogue_or_a_count_that_was_asked_for_is_shown_whole() -> None:
    async with serving() as at:
        for question, answer in (
            ("Write a short dialogue.", "Here it is.\nUser: hi\nLyra: hello"),
            ("Count to a hundred.", ", ".join(map(str, range(1, 101)))),
            ("Say again: What is my cat called?", "Say again: What is my cat called?"),
        ):
            at.server.script(fake.Drip(answer, 0.0))
            assert await complete(at.people, asking(question)) == answer


async def test_a_digest_that_runs_in_circles_ends_there_too() -> None:
    async with serving() as at:
        at.server.script(
            fake.Raw(b'{"choices": [{"message": {"content": "' + b"Ada sails a lot. " * 400 + b'"}}]}', "application/json")
        )
        assert await complete(at.others, asking("gist")) == "Ada sails a lot. "


RULES = "You write the memory of Lyra, a companion who talks with people. Write 4 sentences, each with its label.\nFirst sentence. [m1]"
TRANSCRIPT = "".join(f"[m{n}] 2026-03-02T19:0{n}+01:00 Mon · Ada\n| We sail to the island number {n}.\n" for n in range(1, 9))


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        (RULES, "You write the memory of Lyra, a companion who talks with"),
        (TRANSCRIPT, TRANSCRIPT.partition("[m3]")[0]),
        ("First sentence. [m1]\nSecond sentence.", "First sentence. [m1]\nSecond"),
    ],
    ids=["its rules", "what it should condense", "its form"],
)
async def test_a_digest_that_is_a_copy_of_its_request_is_read_no_further(answer: str, read: str) -> None:
    messages: list[ChatMessage] = [{"role": "system", "content": RULES}, {"role": "user", "content": TRANSCRIPT}]
    async with serving() as at:
        at.server.script(fake.Hang(answer), "Ada sails to the island. [m1]")
        assert len(await complete(at.others, messages)) <= len(read)
        assert await complete(at.others, messages) == "Ada sails to the island. [m1]"


async def test_an_answer_that_goes_on_copying_the_conversation_is_left_and_asked_for_again() -> None:
    told = [f"I moved to town number {n} with my {n} cats and my piano." for n in range(9)]
    messages = [ChatMessage(role="user", content=line) for line in (*told, "Where do I live?")]
    async with serving() as at:
        at.server.script(fake.Hang("\n".join(told)), "In town number 8.")
        assert await complete(at.people, messages) == "In town number 8."


class AtOnce:
    """A model whose whole answer is there before it is looked at."""

    name = "at once"

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        for n in range(1_000):
            yield f"{sha256(str(n).encode()).hexdigest()} "

    async def room(self) -> int | None:
        return None

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("background", [False, True])
async def test_an_answer_that_comes_at_once_leaves_others_their_turn_again_and_again(background: bool) -> None:
    model = ServedModel("m", AtOnce, RequestQueue(1), background=background)
    answering = asyncio.create_task(complete(model, asking("which links are there?")))
    turns = 0
    while not answering.done():
        await asyncio.sleep(0)
        turns += 1
    assert len((await answering).split()) == 1_000 and turns > 1_000 // 16


async def test_a_model_does_not_go_on_for_the_person_but_may_address_people_where_lines_name_them() -> None:
    day = 'Today is Thursday, 05 March 2026, 12:00. The message at the end is from "Ada", whom you call "you".\n\n'
    said = "Good evening.\nAda: I like it here."
    async with serving() as at:
        at.server.script(said, said)
        assert (await complete(at.people, asking(f"{day}good evening"))).strip() == "Good evening."
        assert await complete(at.people, asking(f"{day}Ada: good evening")) == said


SHARED = 'Today is Thursday, 05 March 2026, 12:00. The message at the end is from "Ada", whom you call "you".\n\nAda: '
HELGA = "Jan hier: Ich werde Helga zum Bahnhof bringen und dann einkaufen. Alles Gute, Helga!"


@pytest.mark.parametrize(
    "answer", [HELGA, HELGA.replace("Jan hier", "Ada"), f'"Ada": {HELGA.partition(": ")[2]}', f"Lyra: {HELGA}"]
)
async def test_an_answer_in_somebody_elses_role_is_shown_to_nobody_and_asked_for_again(answer: str) -> None:
    """As a small model gave it in a household that shares an account."""
    said = [
        {"role": "user", "content": "Ada: Jan hier: Ich koche heute."},
        {"role": "user", "content": f"{SHARED}Wann kommt Helga?"},
    ]
    messages = [ChatMessage(role="user", content=one["content"]) for one in said]
    async with serving() as at:
        for way in (answer, fake.Hang(answer)):
            at.server.script(way, "Am Samstag.")
            assert [piece async for piece in at.people.stream(messages)] == ["Am Samstag."]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Wann kommt Helga?", "Ada: Ich weiß es nicht."),
        ("When does she come?", "Ada: I told you on Monday, at nine."),
        ("When does she come?", "Ada: at nine."),
        ("When does she come?", "Adam comes first: at nine."),
        ("Wann kommt Helga?", "Lyra hier: Ich koche nie."),
        ("How are you?", "I am Lyra, and Today is a good day."),
        ("How are you?", "I'm ada, or Adam. Today is Thursday, 05 March 2026, 12:00. The message at the end"),
        ("Schreib Helga, dass ich sie abhole.", HELGA),
    ],
)
async def test_who_is_addressed_by_name_or_asked_for_words_to_send_reads_them(asked: str, answer: str) -> None:
    messages = [ChatMessage(role="user", content=text) for text in ("Ada: Jan hier: Ich koche heute.", f"{SHARED}{asked}")]
    async with serving() as at:
        for way in (answer, fake.Drip(answer, 0.0)):
            at.server.script(way)
            assert (await complete(at.people, messages)).removeprefix("Lyra: ") == answer


async def test_an_answer_that_says_it_is_who_asks_or_goes_on_with_the_line_about_the_time_ends_there() -> None:
    """As a small model gave both, one behind the other."""
    line = 'Today is Thursday, 05 March 2026, 12:00. The message at the end is from "Lena", whom you call "you".\n\n'
    async with serving() as at:
        for way in (str, lambda text: fake.Drip(text, 0.0)):
            at.server.script(
                way("I am Lena, and I teach biology in Ghent."), way(f"That is nice.\n{line}My class has 24 pupils.")
            )
            assert await complete(at.people, asking(f"{line}Hi, I am Lena and I teach biology in Ghent.")) == "That is nice.\n"


async def test_answers_without_text_are_counted_as_calls_they_cost_as_much() -> None:
    async with serving() as at:
        at.server.script(fake.Say(""), fake.Say(""))
        measures.take_usage()
        with pytest.raises(ModelGarbled):
            await complete(at.people, asking("tea?"))
        assert measures.take_usage()["conversation", "m"].calls == len(at.server.requests) == 2
