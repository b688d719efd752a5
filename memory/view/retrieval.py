"""What is found for a text: messages, and what stands above them."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from memory.index.indexing import BANK, ERAS, GISTS, MESSAGES
from memory.index.recall.finder import Found, Recall
from memory.index.recall.query import Query
from memory.places.shown_names import told_apart
from memory.store.database import Row
from memory.store.lineage import bound, placeholders
from memory.tiers import exchanges, statements, summaries
from memory.types import Condensed, Digest, DigestHit, DomainKind, Exchange, Hit, Session, Statement
from memory.view.binding import Binding


class Retrieval:
    """Finds in one home, and in the domains that may be read beside it."""

    def __init__(self, binding: Binding) -> None:
        self._b = binding
        self._recall = Recall(binding.shared.domain_indexes, binding.shared.vectors)

    async def messages(
        self, text: str, k: int, *, session: Session | None = None, exclude: Collection[int] = (), asker: str = ""
    ) -> list[Hit]:
        """Return the k messages that answer a text best, with their neighbours and receipts.

        `asker` is the name of who asks, where others talk here too: "what did I say" is then about that one.
        """
        asked_by = asker if self._b.home.ref.kind is not DomainKind.DM else ""
        found = await self._find(Query(text, k, session=session.key if session else None, exclude=exclude, asker=asked_by))
        return list((await self._messages(found)).values())

    async def everything(self, text: str, k: int) -> list[Hit | Condensed]:
        """Return the k messages, gists and paragraphs of months that answer a text best, in one ranking."""
        # What was merged from gists says what they say.
        found = await self._find(Query(text, 2 * k, kinds=(MESSAGES, GISTS, ERAS)))
        condensed = {key: one for key, one in (await self._condensed(found)).items() if one.tier in ("gist", "era")}
        hits: dict[int, Hit | Condensed] = {**await self._messages(found), **condensed}
        return [hits[one.item] for one in found if one.item in hits][:k]

    async def gists(self, text: str, k: int, *, exclude: Collection[int] = ()) -> list[DigestHit]:
        """Return the k digests that are nearest to a text."""
        found = await self._find(Query(text, k, kinds=(GISTS,), exclude=exclude))
        digests = await summaries.by_keys(self._b.db, self._b.domains, [hit.item for hit in found])
        sessions = await self._sessions_of({digest.session for digest in digests.values()})
        there = [(hit, digests[hit.item]) for hit in found if hit.item in digests]
        return [DigestHit(digest, sessions[digest.session]["name"], hit.score) for hit, digest in there]

    async def eras(self, text: str, k: int) -> list[Statement]:
        """Return the k paragraphs of eras that are nearest to a text."""
        return await self._stated(text, k, ERAS)

    async def banked(self, text: str, k: int) -> list[Statement]:
        """Return the k bullets of the bank that are nearest to a text, be they in its block or not any more."""
        return await self._stated(text, k, BANK)

    async def _messages(self, found: Sequence[Found]) -> dict[int, Hit]:
        """Return the messages among what was found, best first."""
        found = [hit for hit in found if hit.kind == MESSAGES]
        keys = {key for hit in found for key in (hit.item, hit.before, hit.after) if key is not None}
        there = await exchanges.at_their_places(self._b.db, self._b.domains, sorted(keys))
        messages = {key: placed.exchange for key, placed in there.items()}
        messages |= await told_apart(self._b.db, self._b.shared.seal, self._b.read, messages.values())

        def near(key: int | None) -> Exchange | None:
            return messages.get(key) if key is not None else None

        return {
            hit.item: Hit(
                messages[hit.item], at.session, hit.score, hit.why, near(hit.before), near(hit.after), at.platform, at.place
            )
            for hit in found if (at := there.get(hit.item))
        }  # fmt: skip

    async def _condensed(self, found: Sequence[Found]) -> dict[int, Condensed]:
        """Return what stands above messages among what was found, with what it rests on."""
        above = {hit.item: hit for hit in found if hit.kind != MESSAGES}
        said = await statements.cited(self._b.db, list(above))
        apart = await told_apart(
            self._b.db, self._b.shared.seal, self._b.read, [message for some in said.values() for message in some]
        )

        def condensed(one: Digest | Statement, where: str) -> Condensed:
            hit = above[one.key]
            sources = tuple(apart.get(message.key, message) for message in said[one.key])
            return Condensed(one.id, one.tier, where, one.text, one.first_at, hit.score, hit.why, sources)

        digests = await summaries.by_keys(self._b.db, self._b.domains, list(above))
        sessions = await self._sessions_of({digest.session for digest in digests.values()})
        told = await statements.by_keys(self._b.db, self._b.domains, list(above))
        return {
            **{key: condensed(digest, sessions[digest.session]["name"]) for key, digest in digests.items()},
            **{key: condensed(one, one.period) for key, one in told.items()},
        }

    async def _stated(self, text: str, k: int, kind: int) -> list[Statement]:
        found = await self._find(Query(text, k, kinds=(kind,)))
        told = await statements.by_keys(self._b.db, self._b.domains, [hit.item for hit in found])
        return [told[hit.item] for hit in found if hit.item in told]

    async def _find(self, query: Query) -> list[Found]:
        there = replace(query, now=self._b.shared.clock.now(), time_zone=self._b.home.time_zone)
        return await self._recall.find(there, self._b.domains)

    async def _sessions_of(self, keys: Collection[int]) -> dict[int, Row]:
        found = list(keys)
        rows = await self._b.db.all(
            f"SELECT id, name, platform, place FROM sessions WHERE id IN ({placeholders('s', found)})", bound("s", found)
        )
        return {row["id"]: row for row in rows}
