"""`make realmodel`: Lyra lives a day with a small model that really answers, and what came of it is said.

A life is imported, then somebody talks over the terminal, asks and tells, housekeeping writes digests meanwhile; then everything is
summed up, and she dreams. Ends with 1 where a tier holds junk, a message waits without an answer, or an episode has no gist.
"""

import argparse
import asyncio
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

from bot.context.prompt import RULES
from memory.derive import prompts
from memory.ports import Source, Task, TaskKind
from memory.store import keys
from memory.store.sqlite.database import SqliteDatabase
from memory.text.generated.loops import Unlooped
from tests.kits.lyra_kit import Home
from tests.realmodel.recorder import Recorder

_LIFE = Path(__file__).parents[1] / "sets" / "life" / "messages.jsonl"
_IMPORTED = 20
_WHO = "Ines"
_SAID = [
    "Hi! What is my cat called?", "I bought a blue kayak today, she is called Wanda.", "What am I allergic to?",
    "Mats has learnt to say kayak.", "Where does my sister live?", "My new phone number at work is 0761 5550143.",
    "What did I tell you about Olga?", "On Friday I go to Basel with Wenke.", "What is my kayak called?", "Good night!",
]  # fmt: skip
_CONFIG = """chat = "main"
embed = "off"
summarize_after = 10
[models.main]
base_url = "{base_url}"
model = "local"
timeout = 600
max_tokens = 250
"""
_SHINGLE = 6
_MARKS = re.compile(r"^\s*[|>]|\[[a-z]\d+\]|^\s*\[|=== ?[0-9a-f]{16}|<\w+>|\d{4}-\d\d-\d\dT\d\d:")


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that was made: the tier it stands in, its words, and who wrote it."""

    tier: str
    text: str
    writer: str


class Day:
    """The day, in a home of its own; `say` prints a line of the report."""

    def __init__(self, folder: Path, recorder: Recorder) -> None:
        self.home = Home(folder, _CONFIG.format(base_url=recorder.base_url), USER=_WHO, LOGNAME=_WHO)
        self._calls = recorder.calls
        self.troubles: list[str] = []

    async def live(self) -> None:
        """Live it."""
        life = "".join(_LIFE.read_text("utf-8").splitlines(keepends=True)[:_IMPORTED])
        self.say("imported", (await self._lyra("import", "-", given=life)).splitlines()[-1])
        answers = (await self._lyra("chat", given="".join(f"{line}\n" for line in _SAID))).splitlines()
        self.say("conversation", f"{len(_SAID)} messages, {len(answers)} lines came back, {self._took()}")
        again = (await self._lyra("chat")).splitlines()
        self.say("a next start", f"{len(again)} lines for what had no answer, {self._took()}")
        self.say("everything summed up", (await self._lyra("summarize", "--all", "--yes", codes=(0, 1))).splitlines()[-1])
        self.say("and the calls", self._took())
        self.say("a dream", " ".join((await self._lyra("dream", "--force", codes=(0, 1))).split())[:300])
        self.say("and the calls", self._took())
        print(await self._lyra("doctor", codes=(0, 1)))

    async def look(self) -> None:
        """Look at what came of it, and note what is not as it should be."""
        database = await SqliteDatabase.open(self.home.db, keys.load(self.home.key))
        try:
            pieces = [
                Piece(row["tier"], row["text"], row["writer"])
                for row in await database.all(
                    "SELECT tier, text, writer FROM digests UNION ALL SELECT tier, text, writer FROM statements WHERE ended_at IS NULL"
                )
            ]
            for piece in pieces:
                if piece.writer.startswith("model") and (why := junk(piece.text)):
                    self.troubles.append(f"{piece.tier} {why}: {piece.text[:200]!r}")
            for (tier, writer), number in sorted(Counter((one.tier, one.writer) for one in pieces).items()):
                self.say(f"{tier} by {writer}", str(number))
            for piece in pieces:
                if piece.writer.startswith("model"):
                    print(f"    {piece.tier}: {piece.text[:300]}")
            waiting = await database.all(
                "SELECT state, note, count(*) AS n FROM inbox WHERE state <> 'done' GROUP BY state, note"
            )
            self.troubles += [f"{row['n']} messages are {row['state']}: {row['note']}" for row in waiting]
            bare = await database.one("SELECT count(*) AS n FROM episodes WHERE digested = 0")
            if bare and bare["n"]:
                self.troubles.append(f"{bare['n']} episodes have no gist")
            refused = await database.all("SELECT tier, reason, count(*) AS n FROM refusals GROUP BY tier, reason ORDER BY tier")
            for row in refused:
                self.say(f"{row['tier']} refused", f"{row['n']} times: {row['reason']}")
            same = await database.all(
                "SELECT tier FROM refusals WHERE answer <> '' GROUP BY tier, slot, inputs, answer HAVING count(*) > 2"
            )
            self.troubles += [f"{row['tier']}: the same answer was taken three times" for row in same]
        finally:
            await database.close()
        repeated = Counter(str(call.messages) for call in self._calls if call.status == 200 and not call.cut)
        self.say("the same prompt sent", f"{max(repeated.values(), default=0)} times at most")
        self.say("refused for length", f"{sum(call.status == 400 for call in self._calls)} of {len(self._calls)} calls")

    def say(self, what: str, how: str) -> None:
        """Print a line of the report."""
        print(f"{what}: {how}", flush=True)

    def _took(self) -> str:
        done = [call for call in self._calls if call.status]
        spent = f"{sum(call.tokens_in for call in done):,} tokens in and {sum(call.tokens_out for call in done):,} out"
        cut = sum(call.cut for call in done)
        return f"{len(done)} calls so far ({cut} cut off), {spent}, {sum(call.seconds for call in done):,.0f} s"

    async def _lyra(self, *words: str, given: str = "", codes: Sequence[int] = (0,)) -> str:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", *words, env=self.home.environment(), cwd=self.home.folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            out, err = await process.communicate(given.encode())
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode not in codes:
            self.troubles.append(f"lyra {words[0]} ended with {process.returncode}: {err.decode()[-500:]}")
        return out.decode() or err.decode() or "nothing was said"


def junk(text: str) -> str:
    """Return what is wrong with something that a model wrote, '' for nothing that can be told by looking."""
    if len(text.split()) < 3:
        return "says nothing"
    loops = Unlooped()
    if loops.feed(text) + loops.flush() != text:
        return "runs in circles"
    if _MARKS.search(text):
        return "has marks of a prompt"
    if set(_shingles(text)) & _INSTRUCTIONS:
        return "repeats its instructions"
    return ""


def _shingles(text: str) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return (tuple(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1))


def _instructions() -> Iterator[str]:
    yield RULES
    yield files("bot").joinpath("persona.md").read_text("utf-8")
    for kind in get_args(TaskKind):
        yield prompts.render(Task(kind, (Source("m1", "", "", ""), Source("m2", "", "", "")))).system


_INSTRUCTIONS = frozenset(shingle for text in _instructions() for shingle in _shingles(text))


async def _day(serve: Sequence[str], log: Path) -> int:
    with tempfile.TemporaryDirectory() as name:
        server = await asyncio.create_subprocess_exec(
            *serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert server.stdin and server.stdout
        try:
            address = ""
            while not address.startswith("http"):
                if not (line := await server.stdout.readline()):
                    print("The model server did not start.", file=sys.stderr)
                    return 1
                address = line.decode().strip()
            async with Recorder(address, log) as recorder:
                day = Day(Path(name), recorder)
                await day.live()
                await day.look()
        finally:
            server.stdin.close()
            await server.wait()
    for trouble in day.troubles:
        print(f"!! {trouble}")
    print(f"Every call with its answer is in {log}.")
    print("No junk in any tier, nothing unanswered." if not day.troubles else f"{len(day.troubles)} troubles.")
    return 1 if day.troubles else 0


async def _until_terminated(day: Coroutine[Any, Any, int]) -> int:
    """Live the day, and end what it started where it is terminated."""
    living = asyncio.ensure_future(day)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, living.cancel)
    try:
        return await living
    except asyncio.CancelledError:
        print("Terminated; the model server has ended.", file=sys.stderr)
        return 1


def main() -> int:
    """Run the day."""
    parser = argparse.ArgumentParser(description="Live a day with a small model that really answers.")
    parser.add_argument("--python", required=True, help="the Python that has the model and llama.cpp")
    parser.add_argument("--model", type=Path, help="another model, a GGUF file with a chat template, instead of Gemma 3 270M")
    parser.add_argument("--context", type=int, default=2048, help="the context of the model, in tokens")
    parser.add_argument(
        "--log", type=Path, default=Path(tempfile.gettempdir()) / "lyra-realmodel.jsonl", help="where the calls go"
    )
    options = parser.parse_args()
    options.log.unlink(missing_ok=True)
    serve = [options.python, str(Path(__file__).with_name("server.py")), str(options.context)]
    if options.model:
        serve.append(str(options.model.resolve()))
    return asyncio.run(_until_terminated(_day(serve, options.log)))


if __name__ == "__main__":
    sys.exit(main())
