"""Retrieval for a text: messages, and the tiers above them."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TypeVar

from localization.sentences import marked
from memory.index.hits import (
    CORRECTS,
    Condensed,
    DigestHit,
    Hit,
    RawHit,
    Recalled,
    RecallLimits,
    apart_from_sure,
    each_once,
    merged,
    with_what_corrects,
)
from memory.index.indexing import BANK, ERAS, GISTS, MESSAGES
from memory.index.recall.about_whom import apart_from_others
from memory.index.recall.certainty import likelier_as_told
from memory.index.recall.current_first import newest_claims_first, newest_first, with_corrections
from memory.index.recall.finder import Recall
from memory.index.recall.only_hers import as_borne_out, is_hers
from memory.index.recall.query import Query, ends
from memory.index.recall.timeline import around, during
from memory.index.recall.unknown_words import likelier_by_compounds
from memory.index.when.birthdays import Birthday, birthday, celebrated
from memory.index.when.days import EARLIEST, LATEST
from memory.index.when.question_times import parse_question
from memory.index.when.told_times import asked_ahead
from memory.index.when.values import Window
from memory.places.shown_names import told_apart
from memory.text.off_loop import off_loop
from memory.text.told.claims import asks_for_older
from memory.text.told.related_words import Sought, sought
from memory.tiers import entities, exchanges, statement_reads, statements
from memory.tiers.entities import MentionedNames
from memory.tiers.exchanges import PlacedMessage
from memory.types import Digest, DomainKind, Exchange, Session, Statement
from memory.view.binding import Binding, ViewPart
from memory.view.short_ids import ShortIds

_TELLING = 100
"""How many messages to read to find the date of a birthday."""
A = TypeVar("A")
_NAMED = (marked("named in the question"),)
_CONSIDERED = 40
"""How many messages to consider, even if fewer are wanted, for what superseded the top ones."""
_BESIDE = 16
"""How many messages to consider for words that are only related to those of the question."""
_MOST_STATED, _MOST_SAID, _FIRST = 8, 4, 5
"""The most statements and the most messages on whom or what a question names, and after how many hits they come."""


class Retrieval(ViewPart):
    """Retrieval from one home and the domains that may be read beside it."""

    def __init__(self, binding: Binding) -> None:
        super().__init__(binding)
        self._recall = Recall(binding.shared.domain_indexes, binding.shared.embedder_routing)

    async def messages(
        self, text: str, k: int, *, session: Session | None = None, exclude: Collection[int] = (), asker: str = ""
    ) -> list[Hit]:
        """Return the k messages that best match a text, with neighbours and receipts.

        `asker` is the name of whoever asks: in shared places, "what did I say" is about them.
        """
        ask = partial(Query, session=session.key if session else None, exclude=exclude, asker=self._asker(asker))
        asked = await off_loop(len(text), partial(sought, text))
        related = [ask(asked.words, _BESIDE)._replace(by_words=True)] if asked.words else []
        found = each_once(*await self._find(ask(text, max(k, _CONSIDERED)), *related))
        # Many candidates are considered for what holds now; neighbours are read only for those that are first, as most stay.
        whole = k if k <= _CONSIDERED // 2 else len(found)
        hits = await self._as_it_is(text, await self._messages(found, whole=whole, exclude=exclude), asker, asked)
        best = dict(list(hits.items())[:k])
        risen = {one.item: one for one in found[whole:] if one.item in best}
        again = await self._messages(list(risen.values()), exclude=exclude) if risen else {}
        return [
            hit._replace(before=again[key].before, after=again[key].after) if key in again else hit
            for key, hit in best.items()
            if key in again or key not in risen
        ]

    async def during(self, window: Window, k: int, *, ahead: bool = False) -> list[Hit]:
        """Return k messages of a time window, spread over it if there are more, in order, with neighbours and receipts.

        What puts one of them right comes after it. These are what people said then, or said at another time about it. What looks
        ahead to the window counts only if `ahead`.
        """
        loaded = await self._binding.shared.domain_indexes.load(self._domains, await self._recall.spaces())
        return list((await self._messages(during(loaded, window, k, ahead=ahead))).values())

    async def lookup(self, text: str, k: int, within: Window | None, speaker: str, asker: str) -> list[Hit]:
        """Return the k messages of a window and a speaker, if given, that best match a text, each before what puts it right.

        If the text is '' or finds nothing, return any messages of these, in order. What only she said is marked.
        """
        found, at_large = list[RawHit](), list[list[RawHit]]()
        if text:
            ask = partial(Query, text, k, asker=self._asker(asker))
            # What bears out her words may be told at another time, or by somebody else.
            elsewhere = [ask(by_words=True)] if within or speaker else []
            found, *at_large = await self._find(ask(within=within, speaker=speaker), *elsewhere)
        if not found and (within or speaker):
            loaded = await self._binding.shared.domain_indexes.load(self._domains, await self._recall.spaces())
            ahead = within is not None and within.end > self._binding.now()
            found = during(loaded, within or Window(EARLIEST, LATEST), k, speaker, ahead=ahead)
        came = await self._messages(found)
        hits: Mapping[int, Hit] = came
        if at_large:
            hits = {**await self._messages(each_once(*at_large)), **came}
        hits = await off_loop(_length(hits), partial(as_borne_out, text, hits))
        return [hits[key]._replace(before=None, after=None) for key in came]

    async def around(self, public_id: str, n: int) -> list[Hit]:
        """Return a message by id, with up to n messages before and n after it in its conversation, in order.

        Empty if no readable message has that id. What only she said is marked.
        """
        item = await exchanges.item(self._db, self._domains, await ShortIds(self._binding).full(public_id))
        if item is None:
            return []
        loaded = await self._binding.shared.domain_indexes.load(self._domains, await self._recall.spaces())
        found = around(loaded, item, n)
        hits: Mapping[int, Hit] = await self._messages(found)
        if hers := ends("\n".join(hit.exchange.text for hit in hits.values() if is_hers(hit.exchange))):
            (told,) = await self._find(Query(hers, _CONSIDERED, by_words=True))
            hits = {**await self._messages(told), **hits}
            hits = await off_loop(_length(hits), partial(as_borne_out, "", hits))
        return [hits[one.item]._replace(before=None) for one in found if one.item in hits]

    async def at_once(self, text: str, wanted: RecallLimits, exclude: Collection[int], asker: str) -> Recalled:
        """Return what best matches a text, up to the wanted number of each kind, in one ranking; the text is embedded once.

        `exclude` holds the items already in view.
        """
        text = ends(text)
        ask = partial(Query, text, exclude=exclude, asker=self._asker(asker))
        stated = BANK if self._home.ref.kind is not DomainKind.DM else ERAS
        found = merged(
            await self._find(ask(k=wanted.messages), ask(k=wanted.digests, kinds=(GISTS,)), ask(k=wanted.eras, kinds=(stated,)))
        )
        named = await off_loop(len(text), partial(entities.brought_up, text, self._asker(asker)))
        keys = [hit.item for hit in found if hit.kind != MESSAGES]
        there = await statement_reads.by_keys(self._db, self._domains, keys, named)
        came = await self._messages(found, named, exclude=exclude)
        found = with_what_corrects(found, came)
        order = {hit.item for hit in found}
        messages = await self._as_it_is(text, {item: hit for item, hit in came.items() if item in order}, asker)
        read: dict[int, DigestHit | Statement] = {**there.statements}
        for hit in found:
            if digest := there.digests.get(hit.item):
                read[hit.item] = DigestHit(digest, there.names[digest.session], hit.score)
        ranked = _in_order(found, messages, read)
        known = order.union(exclude)
        heard = [hit for item, hit in came.items() if item not in known][:_MOST_SAID]
        stands = [one for item, one in sorted(there.statements.items(), reverse=True) if item not in known][:_MOST_STATED]
        return Recalled([*ranked[:1], *stands, *ranked[1:_FIRST], *heard, *ranked[_FIRST:]])

    async def everything(self, text: str, k: int) -> list[Hit | Condensed]:
        """Return the k messages, gists and era paragraphs that best match a text, in one ranking."""
        # Merges are left out: they repeat their gists.
        (found,) = await self._find(Query(text, 2 * k, kinds=(MESSAGES, GISTS, ERAS)))
        condensed = {key: one for key, one in (await self._condensed(found)).items() if one.tier in ("gist", "era")}
        messages = await self._as_it_is(text, await self._messages(found))
        return _in_order(with_what_corrects(found, messages), messages, condensed)[:k]

    async def _messages(
        self,
        found: Sequence[RawHit],
        named: MentionedNames | None = None,
        *,
        whole: int | None = None,
        exclude: Collection[int] = (),
    ) -> dict[int, Hit]:
        """Return the messages among `found`, best first, then those that mention most about whom or what is `named`.

        Each that was put right is followed by the message that did so, unless that is among `exclude`.
        The first `whole` of them (None: all) come with their neighbours, the others only with those that are read anyway.
        """
        found = [hit for hit in found if hit.kind == MESSAGES]
        wanted = {hit.item for hit in found}
        keys = wanted.union(key for hit in found[:whole] for key in (hit.before, hit.after) if key is not None)
        there = await exchanges.at_their_places(self._db, self._domains, sorted(keys), named, amending=wanted)
        messages = {key: placed.exchange for key, placed in there.items()}
        put_right = {key for key, placed in there.items() if placed.amended}
        if put_right:
            found = _with_amendments(found, there, exclude)
        beside = keys.union(hit.item for hit in found)
        # What puts one right and is in view already was read, too, whoever it mentions.
        mentioned = there.keys() - beside - {key for placed in there.values() for key in placed.amended} if named else ()
        found += [RawHit(item, MESSAGES, 0.0, _NAMED, None, None, 0) for item in sorted(mentioned, reverse=True)]
        messages |= await told_apart(self._db, self._binding.seal, self._binding.readable, messages.values())
        latest_first = sorted(((messages[key].said_at, key) for key in put_right & beside), reverse=True)
        near = dict[int | None, Exchange](messages.items())
        amends = {right: messages[key] for _, key in latest_first for right in there[key].amended}

        return {
            hit.item: Hit(
                messages[hit.item], at.session, hit.score, hit.why, near.get(hit.before), near.get(hit.after), at.platform, at.place,
                at.amended[0] if at.amended else at.corrected, hit.certainty, hit.words, hit.cosine,
                corrects=amends.get(hit.item),
            )
            for hit in found if (at := there.get(hit.item))
        }  # fmt: skip

    async def _as_it_is(
        self, text: str, hits: Mapping[int, Hit], asker: str = "", asked: Sought | None = None
    ) -> Mapping[int, Hit]:
        """Return hits with the superseded ones after what holds now, unless the text asks how something was.

        What is far below a sure one is weak then. Long texts are compared off the event loop.
        """
        longest = max(map(len, (text, *(hit.exchange.text for hit in hits.values()))))
        return apart_from_sure(await off_loop(longest, partial(self._holding_now, text, hits, asker, asked)))

    def _holding_now(self, text: str, hits: Mapping[int, Hit], asker: str, asked: Sought | None) -> Mapping[int, Hit]:
        hits = apart_from_others(text, likelier_by_compounds(text, hits), asker)
        hits = likelier_as_told(asked or sought(text), hits, asker)
        hits = with_corrections(as_borne_out(text, hits))
        if asks_for_older(text):
            return newest_claims_first(text, hits, asker)
        hits = newest_first(hits, slips_alone=True)
        newest = newest_claims_first(text, newest_first(hits), asker)
        # Most hits superseded none of the others, and then it does not matter whether the text asks for a time.
        if newest is hits:
            return hits
        when = asked_ahead(ends(text), self._binding.now(), self._home.time_zone)
        return hits if when.past or when.window or when.around else newest

    async def _condensed(self, found: Sequence[RawHit]) -> dict[int, Condensed]:
        """Return the digests and statements among `found`, with their sources."""
        found_above = {hit.item: hit for hit in found if hit.kind != MESSAGES}
        cited = await statements.cited(self._db, list(found_above))
        apart = await told_apart(
            self._db, self._binding.seal, self._binding.readable, [message for some in cited.values() for message in some]
        )

        def condensed(one: Digest | Statement, where: str) -> Condensed:
            hit = found_above[one.key]
            sources = tuple(apart.get(message.key, message) for message in cited[one.key])
            return Condensed(one.id, one.tier, where, one.text, one.first_at, hit.score, hit.why, sources, hit.certainty)

        there = await statement_reads.by_keys(self._db, self._domains, list(found_above))
        return {
            **{key: condensed(digest, there.names[digest.session]) for key, digest in there.digests.items()},
            **{key: condensed(one, one.period) for key, one in there.statements.items()},
        }

    async def _find(self, *queries: Query) -> list[list[RawHit]]:
        now, time_zone = self._binding.now(), self._home.time_zone
        queries = tuple(query._replace(text=ends(query.text), now=now, time_zone=time_zone) for query in queries)
        if day := birthday(queries[0].text):
            queries = await self._on(day, queries)
        return await self._recall.each(queries, self._domains)

    async def _on(self, day: Birthday, queries: Sequence[Query]) -> tuple[Query, ...]:
        """Replace a question about somebody's birthday with one about its date, if somebody said when it is."""
        first = queries[0]
        found = await self._recall.find(first._replace(text=day.sought, k=_TELLING, kinds=(MESSAGES,)), self._domains)
        messages = [hit.exchange for hit in (await self._messages(found)).values()]
        within = parse_question(first.text.replace(day.phrase, " "), first.now, first.time_zone).window
        window = celebrated(day, messages, first.asker, first.now, first.time_zone, within)
        return tuple(one._replace(text=one.text.replace(day.phrase, " "), window=window) if window else one for one in queries)

    def _asker(self, name: str) -> str:
        return name if self._home.ref.kind is not DomainKind.DM else ""


def _with_amendments(found: Sequence[RawHit], there: Mapping[int, PlacedMessage], exclude: Collection[int]) -> list[RawHit]:
    """Return hits, each followed by the messages that put it right, which were found as surely as what they correct."""
    behind = {
        hit.item: [
            hit._replace(item=key, why=(CORRECTS,), before=None, after=None, said_at=there[key].exchange.said_at)
            for key in (there[hit.item].amended if hit.item in there else ())
            if key in there and key not in exclude
        ]
        for hit in found
    }
    amended = {one.item: one for one in each_once(*behind.values())}
    return each_once([amended.get(one.item, one) for hit in found for one in (hit, *behind[hit.item])])


def _length(hits: Mapping[int, Hit]) -> int:
    return sum(len(hit.exchange.text) for hit in hits.values())


def _in_order(found: Sequence[RawHit], messages: Mapping[int, Hit], above_them: Mapping[int, A]) -> list[Hit | A]:
    """Return the loaded results in the order found; the message slots are filled in the order of `messages`."""
    ordered = iter(messages.values())
    read = (next(ordered) if hit.item in messages else above_them.get(hit.item) for hit in found)
    return [one for one in read if one is not None]
