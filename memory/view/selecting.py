"""Messages of a topic or a time window, and everything that goes with them if they are forgotten."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from memory.forget.affected_replies import AffectedReplies, LostTexts
from memory.forget.erase import digests_above
from memory.forget.gone import ForgottenScope, Gone
from memory.forget.sparing import Nearness
from memory.index.hits import Hit
from memory.index.indexing import written_day
from memory.index.when.values import Window
from memory.places.confidences import common
from memory.store.lineage import paged, pages
from memory.text.function_words import ARTICLES
from memory.text.lexical import key_words
from memory.text.off_loop import off_loop
from memory.tiers import exchanges, statement_reads
from memory.tiers.messages import asides
from memory.types import Exchange, Forgotten, Identity
from memory.view import owners
from memory.view.binding import Binding, ViewPart
from memory.view.retrieval import Retrieval

MOST = 5_000
"""The most messages selected at once."""
_PAGE = 500
_AROUND = "\"'“”„‟‘’‚«»‹›.,;:!?()"
"""What stands around words that are quoted."""
_ALIKE = 0.5
"""The least similarity at which a message counts as about a topic without sharing its words."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What goes: messages, oldest first; the replies, gists and summaries that go along, and statements by tier.

    `elsewhere` counts replies that cannot be shown here. There may be more messages if `complete` is False.
    """

    messages: Sequence[Exchange]
    replies: Sequence[Exchange]
    gists: Sequence[str]
    stated: Mapping[str, Sequence[str]]
    elsewhere: int
    complete: bool

    @property
    def above(self) -> list[str]:
        """The texts of the gists and summaries, then of the statements."""
        return [*self.gists, *chain.from_iterable(self.stated.values())]


def combined(selections: Sequence[Selection]) -> Selection:
    """Combine the selections of several homes, messages and replies oldest first."""
    stated: dict[str, list[str]] = {}
    for tier, texts in (item for one in selections for item in one.stated.items()):
        stated.setdefault(tier, []).extend(texts)
    return Selection(
        _by_age(message for one in selections for message in one.messages),
        _by_age(reply for one in selections for reply in one.replies),
        [gist for one in selections for gist in one.gists],
        stated,
        sum(one.elsewhere for one in selections),
        all(one.complete for one in selections),
    )


def _without_articles(about: str) -> str:
    """Return a topic without little words such as "la" in "la moto", which would take along whatever else holds them.

    What has a capital is rather a name, but at the beginning; the last word is the thing itself ("my ma").
    """
    words = [bare for word in about.split() if (bare := word.strip(_AROUND))]
    telling = [word for at, word in enumerate(words[:-1]) if (word if at else word.lower()) not in ARTICLES]
    return " ".join([*telling, *words[-1:]]) or about


def _by_age(messages: Iterable[Exchange]) -> list[Exchange]:
    return sorted(messages, key=lambda one: (one.said_at, one.key))


class Selecting(ViewPart):
    """Selects messages of one home for forgetting."""

    def __init__(self, binding: Binding, recall: Retrieval) -> None:
        super().__init__(binding)
        self._recall = recall

    async def select(self, about: str, within: Window | None, by: Identity | None = None) -> Selection:
        """Return what goes with all messages of a topic ('': any) and window (None: any), or only with those said by `by`."""
        account = await owners.identity(self._db, by) if by else None
        if by and account is None:
            return Selection((), (), (), {}, 0, complete=True)
        found = await self._search(about, within, account) if about else await self._messages_within(within, account)
        chosen = _by_age(found)[:MOST]
        return await self._with_what_goes(chosen, complete=len(found) <= MOST)

    async def with_message(self, message: Exchange) -> Selection:
        """Return what goes with one message at home."""
        return await self._with_what_goes([message], complete=True)

    async def forget(self, selection: Selection) -> Forgotten:
        """Forget the selected messages and everything resting on them, but nothing said or found since the selection."""
        keys = [one.key for one in selection.messages]
        if not keys:
            return Forgotten(0, 0, 0)
        return await self._binding.shared.forgetting.forget(self._home, ForgottenScope(keys))

    async def _messages_within(self, within: Window | None, account: int | None) -> list[Exchange]:
        assert within is not None, "a topic or a time is needed"
        rows = await self._db.all(
            exchanges.SELECT + "WHERE e.domain = :domain AND e.kind = 'said' AND e.said_at >= :start AND e.said_at < :end "
            f"AND (CAST(:account AS INTEGER) IS NULL OR e.identity = :account) AND {common('e')} "
            "ORDER BY e.said_at, e.item LIMIT :most",
            {"domain": self._home.key, "start": within.start, "end": within.end, "account": account, "most": MOST + 1},
        )
        return [exchanges.exchange(row) for row in rows]

    async def _search(self, about: str, within: Window | None, account: int | None) -> list[Exchange]:
        """Search until nothing new is found: each search finds only one of several messages that say the same.

        Of a topic, half of the words are enough; in quotation marks, all of them are needed.
        """
        is_quoted, about = len(about) > 1 and {about[0], about[-1]} <= set(_AROUND), _without_articles(about)
        found: dict[int, Exchange] = {}
        looked: set[int] = set()
        words = await off_loop(len(about), lambda: len(set(key_words(about).values())))
        while len(found) <= MOST:
            hits = await self._recall.messages(about, _PAGE, exclude=looked)
            looked.update(hit.exchange.key for hit in hits)
            length = sum(len(hit.exchange.text) for hit in hits)
            fits = await off_loop(
                length, partial(self._about, hits, words if is_quoted else (words + 1) // 2, by_meaning=not is_quoted)
            )
            here = [one for one in fits if one.domain == self._home.key and (account is None or one.identity == account)]
            found |= {one.key: one for one in here if within is None or within.holds(one.said_at)}
            if not fits:
                return list(found.values())
        return list(found.values())

    def _about(self, hits: Sequence[Hit], least: int, *, by_meaning: bool) -> list[Exchange]:
        return [
            hit.exchange
            for hit in hits
            if (hit.words and len(self._in_text(hit.words, hit.exchange)) >= least)
            or (by_meaning and hit.cosine is not None and hit.cosine >= _ALIKE)
        ]

    def _in_text(self, words: Sequence[str], message: Exchange) -> Sequence[str]:
        """Return the words without those that only the day of a message holds: its date is found like its text."""
        stems = {word: set(key_words(word).values()) for word in words}
        day = set(key_words(written_day(message.said_at, self._home.time_zone)).values())
        if not any(day & one for one in stems.values()):
            return words
        day -= set(key_words(message.text).values())
        return [word for word in words if not day & stems[word]]

    async def _with_what_goes(self, chosen: Sequence[Exchange], *, complete: bool) -> Selection:
        going, above = await self._affected([one.key for one in chosen])
        there = await exchanges.at_their_places(self._db, self._domains, going)
        gists: list[str] = []
        stated: dict[str, list[str]] = {}
        for some in pages(above):
            read = await statement_reads.by_keys(self._db, self._domains, some)
            gists += [one.text for one in read.digests.values()]
            for one in read.statements.values():
                stated.setdefault(one.tier, []).append(one.text)
        replies = [there[key].exchange for key in going if key in there]
        return Selection(chosen, replies, gists, stated, len(going) - len(replies), complete)

    async def _affected(self, items: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        """Return the replies that would go along with messages at home, and the digests and statements above all of them."""
        if not items:
            return (), ()
        forgetting, domain = self._binding.shared.forgetting, self._home
        db = forgetting.db
        rows = await paged(
            db, f"{exchanges.SELECT_PLACED}WHERE e.domain = :domain AND e.item IN ({{within}})", items, {"domain": domain.key}
        )
        lost: LostTexts = {row["item"]: [row["text"]] for row in rows} | await asides.of_messages(
            db, forgetting.seal, domain, rows
        )
        walk = AffectedReplies(db, Nearness(forgetting.embedder), besides=Gone(0, domain, max(items), ForgottenScope(items)))
        replies = sorted((await walk.along(domain, lost)).difference(items))
        above = await digests_above(db, [*items, *replies])
        return replies, sorted(set(above).difference([*items, *replies]))
