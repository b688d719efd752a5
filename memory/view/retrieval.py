"""What is found for a text: messages, and what stands above them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain
from typing import TypeVar

from localization.sentences import marked
from memory.index.hits import Condensed, DigestHit, Hit
from memory.index.indexing import BANK, ERAS, GISTS, MESSAGES
from memory.index.recall.finder import Found, Recall
from memory.index.recall.query import Query, ends
from memory.index.recall.timeline import around, during
from memory.index.when.birthdays import Birthday, birthday, celebrated
from memory.index.when.days import EARLIEST, LATEST
from memory.index.when.question import asked
from memory.index.when.telling import asked_ahead
from memory.index.when.values import Window
from memory.places.shown_names import told_apart
from memory.text import lexical
from memory.text.apart import apart
from memory.text.told.claims import asks_for_older
from memory.text.told.related_words import beside
from memory.tiers import above, entities, exchanges, statements
from memory.tiers.above import Above
from memory.tiers.entities import BroughtUp
from memory.types import Digest, DomainKind, Exchange, Session, Statement
from memory.view.binding import Binding
from memory.view.holding_now import newest_claims_first, newest_first
from memory.view.recalled import Recalled, Wanted
from memory.view.short_ids import ShortIds

_TELLING = 100
"""How many messages are read for when a birthday is."""
A = TypeVar("A")

_NAMED = (marked("named in the question"),)
_CONSIDERED = 40
"""How many messages are looked at, where fewer are wanted, for what took the place of the first of them."""
_BESIDE = 16
_MOST_STATED, _MOST_SAID, _FIRST = 8, 4, 5
"""How many statements and messages on who and what a question names are told, and behind how many that were found."""


class Retrieval:
    """Finds in one home, and in the domains that may be read beside it."""

    def __init__(self, binding: Binding) -> None:
        self._b = binding
        self._recall = Recall(binding.shared.domain_indexes, binding.shared.tongues)

    async def messages(
        self, text: str, k: int, *, session: Session | None = None, exclude: Collection[int] = (), asker: str = ""
    ) -> list[Hit]:
        """Return the k messages that answer a text best, with their neighbours and receipts.

        `asker` is the name of who asks: where others talk here too, "what did I say" is about that one.
        """
        ask = partial(Query, session=session.key if session else None, exclude=exclude, asker=self._asker(asker))
        found, *beside = await self._find(ask(text, max(k, _CONSIDERED)), *await apart(len(text), partial(_beside, ask, text)))
        every = _each_once(found, *beside)
        if k > _CONSIDERED // 2:
            return list((await self._as_it_is(text, await self._messages(every), asker)).values())[:k]
        # Many are looked at for what holds now: only of those that are shown the neighbours are read.
        alone = await self._messages(every, beside=False)
        first = {hit.exchange.key: hit for hit in list((await self._as_it_is(text, alone, asker)).values())[:k]}
        whole = await self._messages([one for one in every if one.item in first])
        return [replace(whole[key], score=hit.score) for key, hit in first.items() if key in whole]

    async def during(self, window: Window, k: int, *, speaker: str = "", ahead: bool = False) -> list[Hit]:
        """Return k messages of a time, spread over it where there are more, in their order, with neighbours and receipts.

        They are what people said then or told of it at another time; with `speaker`, what the one of that name did. What only
        looked forward to it counts where it lies `ahead`.
        """
        loaded = await self._b.shared.domain_indexes.of(self._b.domains, await self._recall.spaces())
        return list((await self._messages(during(loaded, window, k, speaker, ahead=ahead))).values())

    async def lookup(self, text: str, k: int, within: Window | None, speaker: str, asker: str) -> list[Hit]:
        """Return the k messages that answer a text best, of a time and of a speaker alone where these are given.

        Where a text finds nothing there, and for '', they are any of that time or speaker, in their order. No neighbours come along.
        """
        found: Sequence[Found] = ()
        if text:
            (found,) = await self._find(Query(text, k, asker=self._asker(asker), within=within, speaker=speaker))
        if not found and (within or speaker):
            loaded = await self._b.shared.domain_indexes.of(self._b.domains, await self._recall.spaces())
            ahead = within is not None and within.end > self._b.shared.clock.now()
            found = during(loaded, within or Window(EARLIEST, LATEST), k, speaker, ahead=ahead)
        return list((await self._messages([replace(one, before=None, after=None) for one in found])).values())

    async def around(self, public_id: str, n: int) -> list[Hit]:
        """Return a message by its id, with the n before and the n behind it in its conversation, in their order.

        Nothing is returned for an id that no message has which may be read.
        """
        item = await exchanges.item(self._b.db, self._b.domains, await ShortIds(self._b).full(public_id))
        if item is None:
            return []
        loaded = await self._b.shared.domain_indexes.of(self._b.domains, await self._recall.spaces())
        return list((await self._messages(around(loaded, item, n))).values())

    async def at_once(self, text: str, wanted: Wanted, exclude: Collection[int], asker: str) -> Recalled:
        """Return what answers a text best, of each kind as much as is wanted, in one ranking; the text is embedded once.

        `exclude` are the items that are in view.
        """
        text = ends(text)
        ask = partial(Query, text, exclude=exclude, asker=self._asker(asker))
        stated = BANK if self._b.home.ref.kind is not DomainKind.DM else ERAS
        found = _merged(
            await self._find(ask(k=wanted.messages), ask(k=wanted.digests, kinds=(GISTS,)), ask(k=wanted.eras, kinds=(stated,)))
        )
        named = await apart(len(text), partial(entities.brought_up, text, self._asker(asker)))
        keys = [hit.item for hit in found if hit.kind != MESSAGES]
        there = await above.by_keys(self._b.db, self._b.domains, keys, named)
        came, order = await self._messages(found, named), {hit.item for hit in found}
        messages = await self._as_it_is(text, {item: hit for item, hit in came.items() if item in order}, asker)
        read: dict[int, DigestHit | Statement] = {**there.statements}
        read |= {hit.item: _digest_hit(hit, there) for hit in found if hit.item in there.digests}
        ranked = _in_order(found, messages, read)
        known = order.union(exclude)
        heard = [hit for item, hit in came.items() if item not in known][:_MOST_SAID]
        stands = [one for item, one in sorted(there.statements.items(), reverse=True) if item not in known][:_MOST_STATED]
        return Recalled([*ranked[:1], *stands, *ranked[1:_FIRST], *heard, *ranked[_FIRST:]])

    async def everything(self, text: str, k: int) -> list[Hit | Condensed]:
        """Return the k messages, gists and paragraphs of months that answer a text best, in one ranking."""
        # What was merged from gists says what they say.
        (found,) = await self._find(Query(text, 2 * k, kinds=(MESSAGES, GISTS, ERAS)))
        condensed = {key: one for key, one in (await self._condensed(found)).items() if one.tier in ("gist", "era")}
        return _in_order(found, await self._as_it_is(text, await self._messages(found)), condensed)[:k]

    async def gists(self, text: str, k: int, *, exclude: Collection[int] = ()) -> list[DigestHit]:
        """Return the k digests that are nearest to a text."""
        (found,) = await self._find(Query(text, k, kinds=(GISTS,), exclude=exclude))
        there = await above.by_keys(self._b.db, self._b.domains, [hit.item for hit in found])
        return [_digest_hit(hit, there) for hit in found if hit.item in there.digests]

    async def _messages(self, found: Sequence[Found], named: BroughtUp | None = None, *, beside: bool = True) -> dict[int, Hit]:
        """Return the messages among what was found, best first, and behind them those that tell most of who and what is `named`.

        They come with their neighbours, or, without what is `beside`, with those only that were found as well.
        """
        found = [hit for hit in found if hit.kind == MESSAGES]
        keys = {hit.item for hit in found}
        if beside:
            keys |= {key for hit in found for key in (hit.before, hit.after) if key is not None}
        there = await exchanges.at_their_places(self._b.db, self._b.domains, sorted(keys), named)
        messages = {key: placed.exchange for key, placed in there.items()}
        found += [Found(item, MESSAGES, 0.0, _NAMED, None, None, 0) for item in sorted(set(there) - keys, reverse=True)]
        messages |= await told_apart(self._b.db, self._b.shared.seal, self._b.read, messages.values())

        def near(key: int | None) -> Exchange | None:
            return messages.get(key) if key is not None else None

        return {
            hit.item: Hit(
                messages[hit.item], at.session, hit.score, hit.why, near(hit.before), near(hit.after), at.platform, at.place,
                at.corrected, hit.certainty,
            )
            for hit in found if (at := there.get(hit.item))
        }  # fmt: skip

    async def _as_it_is(self, text: str, hits: Mapping[int, Hit], asker: str = "") -> Mapping[int, Hit]:
        """Return hits with what was superseded since behind what holds now, unless a text asks how something was.

        Where anything of it is long, it is read beside the event loop.
        """
        longest = max(map(len, (text, *(hit.exchange.text for hit in hits.values()))))
        return await apart(longest, partial(self._holding_now, text, hits, asker))

    def _holding_now(self, text: str, hits: Mapping[int, Hit], asker: str) -> Mapping[int, Hit]:
        when = asked_ahead(ends(text), self._b.shared.clock.now(), self._b.home.time_zone)
        if asks_for_older(text):
            return newest_claims_first(text, hits, asker)
        return hits if when.past or when.window or when.around else newest_claims_first(text, newest_first(hits), asker)

    async def _condensed(self, found: Sequence[Found]) -> dict[int, Condensed]:
        """Return what stands above messages among what was found, with what it rests on."""
        found_above = {hit.item: hit for hit in found if hit.kind != MESSAGES}
        said = await statements.cited(self._b.db, list(found_above))
        apart = await told_apart(
            self._b.db, self._b.shared.seal, self._b.read, [message for some in said.values() for message in some]
        )

        def condensed(one: Digest | Statement, where: str) -> Condensed:
            hit = found_above[one.key]
            sources = tuple(apart.get(message.key, message) for message in said[one.key])
            return Condensed(one.id, one.tier, where, one.text, one.first_at, hit.score, hit.why, sources, hit.certainty)

        there = await above.by_keys(self._b.db, self._b.domains, list(found_above))
        return {
            **{key: condensed(digest, there.names[digest.session]) for key, digest in there.digests.items()},
            **{key: condensed(one, one.period) for key, one in there.statements.items()},
        }

    async def _find(self, *queries: Query) -> list[list[Found]]:
        now, time_zone = self._b.shared.clock.now(), self._b.home.time_zone
        queries = tuple(replace(query, text=ends(query.text), now=now, time_zone=time_zone) for query in queries)
        if day := birthday(queries[0].text):
            queries = await self._on(day, queries)
        return await self._recall.each(queries, self._b.domains)

    async def _on(self, day: Birthday, queries: Sequence[Query]) -> tuple[Query, ...]:
        """Return queries that ask about a birthday as ones that ask about its day, if anybody said when that is."""
        first = queries[0]
        found = await self._recall.find(replace(first, text=day.sought, k=_TELLING, kinds=(MESSAGES,)), self._b.domains)
        told = [hit.exchange for hit in (await self._messages(found)).values()]
        within = asked(first.text.replace(day.phrase, " "), first.now, first.time_zone).window
        window = celebrated(day, told, first.asker, first.now, first.time_zone, within)
        return tuple(replace(one, text=one.text.replace(day.phrase, " "), window=window) if window else one for one in queries)

    def _asker(self, name: str) -> str:
        return name if self._b.home.ref.kind is not DomainKind.DM else ""


def _beside(ask: Callable[[str, int], Query], text: str) -> list[Query]:
    """Return what else is looked for: words that tell of the everyday thing that a text asks for, "moved" for "live"."""
    words = beside(lexical.query_stems(text))
    return [replace(ask(words, _BESIDE), by_words=True)] if words else []


def _each_once(*lists: Sequence[Found]) -> list[Found]:
    """Return what is in some lists, one behind the other."""
    placed: dict[int, Found] = {}
    for hit in chain(*lists):
        placed.setdefault(hit.item, hit)
    return list(placed.values())


def _in_order(found: Sequence[Found], messages: Mapping[int, Hit], above_them: Mapping[int, A]) -> list[Hit | A]:
    """Return what was read in the order in which it was found, messages in their own order in the places of messages."""
    ordered = iter(messages.values())
    read = (next(ordered) if hit.item in messages else above_them.get(hit.item) for hit in found)
    return [one for one in read if one is not None]


def _merged(lists: Sequence[Sequence[Found]]) -> list[Found]:
    """Return what is in some lists, best first, each in its own order: what waited there for others waits here as well."""
    placed = [
        (score, hit) for found in lists for score, hit in zip(accumulate((hit.score for hit in found), min), found, strict=True)
    ]
    return [hit for _, hit in sorted(placed, key=lambda one: -one[0])]


def _digest_hit(hit: Found, there: Above) -> DigestHit:
    digest = there.digests[hit.item]
    return DigestHit(digest, there.names[digest.session], hit.score)
