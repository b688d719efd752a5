"""Lyra's reflections: those waiting to be posted, those posted, and those taken back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from localization.sentences import lazy
from memory.errors import NotFound
from memory.forget import erase
from memory.journal import outbox
from memory.journal.parts import Part
from memory.places import opted_out
from memory.store.database import Row
from memory.store.lineage import derive
from memory.text.lexical import key_words
from memory.tiers import exchanges, profile, reflections, statement_reads, statements
from memory.tiers.exchanges import PlacedMessage
from memory.tiers.messages import storing
from memory.types import MINUTE, Exchange, Kind, NewExchange, Session, Statement
from memory.view.binding import ViewPart
from memory.view.notices import Notices
from memory.view.short_ids import ShortIds

_BAR, _OFFERED = "reflection bar", "reflections offered"
_NAME = "Lyra"
_AHEAD = 60 * MINUTE
_SAME = 2
"""A fact that shares at least this many key words with a thought is about the same."""


@dataclass(frozen=True, slots=True)
class PostableThought:
    """A reflection with the messages it rests on, and her curiosity level then. `exchange` is the posted item, if posted."""

    statement: Statement
    said: Sequence[PlacedMessage]
    level: float
    exchange: int | None = None


class RetractedThought(NamedTuple):
    """Where a thought was posted ('' and '' if nowhere), and the parts that delete its messages there."""

    platform: str
    place: str
    parts: Sequence[Part]


class Thoughts(ViewPart):
    """The thoughts of one home."""

    async def waiting(self) -> list[PostableThought]:
        """Return the thoughts waiting to be posted, newest first."""
        return await self._thoughts(await self._reflections("state = 'waiting' ORDER BY item DESC"))

    async def posted(self, n: int) -> list[PostableThought]:
        """Return the last n thoughts posted at home, newest first."""
        return await self._thoughts(await self._reflections("state = 'posted' ORDER BY posted_at DESC LIMIT :n", {"n": n}))

    async def is_outdated(self, thought: PostableThought) -> bool:
        """Return whether, since the thought was made, a fact on its subject was added or ended, or somebody it names opted out."""
        if await opted_out.is_named(self._db, self._binding.seal, self._home, thought.statement.text):
            return True
        changed = await self._db.all(
            "SELECT text FROM statements WHERE domain = :domain AND tier = :tier AND (made_at > :then OR ended_at > :then)",
            {"domain": self._home.key, "tier": profile.TIER, "then": thought.statement.made_at},
        )
        about = set(key_words(thought.statement.text).values())
        return any(len(about & set(key_words(row["text"]).values())) >= _SAME for row in changed)

    async def find(self, public_id: str = "", *, platform: str = "", place: str = "", remote: str = "") -> PostableThought:
        """Return a posted thought: by its id, by the platform id of its message, or the last one at a place.

        Raises NotFound.
        """
        parameters = {"id": await ShortIds(self._binding).full(public_id), "platform": platform, "place": place, "remote": remote}
        only = (
            "item = (SELECT id FROM items WHERE public_id = :id)" if public_id
            else "exchange IN (SELECT item FROM outbox WHERE platform = :platform AND remote_id = :remote AND remote_id <> '')" if remote
            else "platform = :platform AND place = :place"
        )  # fmt: skip
        rows = await self._reflections(f"state = 'posted' AND {only} ORDER BY posted_at DESC LIMIT 1", parameters)
        found = await self._thoughts(rows)
        if not found:
            raise NotFound(
                lazy("There is no thought of mine with that id here.") if public_id else lazy("There is no thought of mine here.")
            )
        return found[0]

    async def posted_since(self, then: int) -> int:
        """Count the thoughts posted at home since an instant, but for those of a time when the clock was ahead."""
        ahead = self._binding.now() + _AHEAD
        return len(
            await self._reflections(
                "state = 'posted' AND posted_at >= :then AND posted_at < :ahead", {"then": then, "ahead": ahead}
            )
        )

    async def post(self, session: Session, thought: PostableThought, text: str, parts: Sequence[Part]) -> Exchange | None:
        """Post a thought: store it with every part to be sent, in one transaction; None if it is already posted or gone."""
        self._binding.require_own(session)
        now, ref, said = self._binding.now(), session.ref, [placed.exchange.key for placed in thought.said]
        async with self._binding.writing() as tx:
            if not await reflections.say(tx, thought.statement.key, ref, now):
                return None
            new = NewExchange(Kind.REFLECTION, text, f"reflection:{thought.statement.id}", now, _NAME, "assistant")
            (kept,) = (await storing.store(tx, self._binding.seal, self._home, session, [new], now)).stored
            await derive(tx, kept.key, {thought.statement.key, *said}, said)
            await reflections.said_as(tx, thought.statement.key, kept.key)
            await self._binding.queue(tx, session, parts, item=kept.key)
        return kept

    async def stop_waiting(self, thought: PostableThought) -> None:
        """Stop a thought from waiting, without posting it."""
        async with self._binding.writing() as tx:
            await reflections.keep_back(tx, thought.statement.key)

    async def take_back(self, thought: PostableThought, keys: Iterator[str]) -> RetractedThought:
        """Take a posted thought back for good; `keys` supplies the keys of the parts that delete its messages."""
        now = self._binding.now()
        items = [thought.statement.key, *([thought.exchange] if thought.exchange is not None else [])]
        async with self._binding.changing(items) as tx:
            rows = await tx.all(
                "SELECT key, platform, place FROM outbox WHERE item = :item AND operation = 'send' ORDER BY id",
                {"item": thought.exchange},
            )
            parts = [Part(key, "", "delete", row["key"]) for row, key in zip(rows, keys, strict=False)]
            platform, place = (rows[0]["platform"], rows[0]["place"]) if rows else ("", "")
            if parts:
                await outbox.queue(tx, self._home, platform, place, parts, now)
            await erase.retire(tx, self._home, items, now)
        return RetractedThought(platform, place, parts)

    async def bar(self) -> float:
        """Return the curiosity needed beyond the threshold for a thought to be posted at home; 0 unless it was raised."""
        value = await self._binding.shared.settings.get(self._binding.scope, _BAR)
        return float(value) if isinstance(value, int | float) else 0.0

    async def raise_bar(self, to: float) -> None:
        """Raise the bar, so that fewer thoughts are posted at home."""
        await self._binding.shared.settings.set(self._binding.scope, _BAR, to)

    async def are_to_offer(self) -> bool:
        """Return whether thoughts are waiting, and nobody was told so yet."""
        if not await reflections.any_waiting(self._db, self._home):
            return False
        return not await self._binding.shared.settings.is_marked(self._binding.scope, _OFFERED)

    async def offer(self, session: Session, parts: Sequence[Part]) -> bool:
        """Queue a notice that thoughts are waiting, once in the life of this domain; return whether it was queued."""
        return await Notices(self._binding).once(self._binding.scope, _OFFERED, session, parts)

    async def _reflections(self, condition: str, parameters: Mapping[str, object] = {}) -> list[Row]:
        return await self._db.all(
            f"SELECT item, level, exchange FROM reflections WHERE domain = :domain AND {condition}",
            {"domain": self._home.key, **parameters},
        )

    async def _thoughts(self, rows: Sequence[Row]) -> list[PostableThought]:
        """Return the thoughts of these rows; those of what is being forgotten, or of a home where anything is, are not there."""
        stated = (await statement_reads.by_keys(self._db, [self._home.key], [row["item"] for row in rows])).statements
        cited = await statements.cited(self._db, list(stated))
        keys = {message.key for some in cited.values() for message in some}
        there = await exchanges.at_their_places(self._db, [self._home.key], list(keys))
        return [
            PostableThought(
                stated[row["item"]],
                [there[message.key] for message in cited[row["item"]] if message.key in there],
                *(row["level"], row["exchange"]),
            )
            for row in rows
            if row["item"] in stated
        ]
