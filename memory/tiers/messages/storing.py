"""How messages are stored, changed and erased: the only module that writes exchanges."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memory.index.indexing import index_entries, index_new, last_language, message
from memory.places.identities import upsert
from memory.places.places import note_span
from memory.places.shown_names import shown_name, unaccounted
from memory.store.database import Transaction
from memory.store.lineage import Seal, add_items, run_paged
from memory.tiers import entities
from memory.tiers.exchanges import DISLIKED, recallable
from memory.tiers.messages import known
from memory.types import DiscretionScope, Domain, Exchange, Identity, Kind, NewExchange, Session

_Speaker = tuple[Identity | None, str, str]
"""A speaker: account, name, role."""


@dataclass(frozen=True, slots=True)
class StoringOutcome:
    """The outcome of storing messages: newly stored, known before, or refused because they were forgotten.

    `ended` counts the messages that may be told again because of them; `covered` is what those that ask for discretion keep
    back.
    """

    stored: list[Exchange]
    known: int = 0
    forgotten: int = 0
    ended: int = 0
    covered: Mapping[int, DiscretionScope] = field(default_factory=dict)
    late: bool = False
    """Whether something that was said after one of them was stored before."""


async def store(
    tx: Transaction,
    seal: Seal,
    domain: Domain,
    session: Session,
    offered: Sequence[NewExchange],
    now: int,
    before: Collection[int] = (),
) -> StoringOutcome:
    """Store messages of one session, each once; known or forgotten ones, and repetitions, are skipped and counted.

    `before` is as in `shown_name`.
    """
    ids = [known.public_id(seal, domain.ref, session.ref, new.source_id) for new in offered]
    wanted: dict[str, NewExchange] = {}
    for pid, new in zip(ids, offered, strict=True):
        wanted.setdefault(pid, new)
    since = min((new.said_at for new in wanted.values()), default=now)
    # Numbers that are not used are no loss, and asking for them later would take another trip.
    (living, buried), language, later, numbers = await tx.gather(
        known.met_before(tx, seal, domain, session, wanted),
        last_language(tx, domain),
        tx.one(_LATER, {"session": session.key, "domain": domain.key, "since": since}),
        tx.numbers("item", len(wanted)),
    )
    fresh = {pid: new for pid, new in wanted.items() if pid not in living and pid not in buried}
    refused = sum(pid in buried for pid in ids)
    if not fresh:
        return StoringOutcome([], len(ids) - refused, refused)
    keys = await add_items(tx, domain, "exchange", list(fresh), numbers)
    speakers = await _speakers(tx, seal, domain, fresh.values(), now, before)
    stored: list[Exchange] = []
    for key, (pid, new) in zip(keys, fresh.items(), strict=True):
        account, name = speakers[new.identity, new.speaker, new.role]
        stored.append(
            Exchange(key, pid, session.domain, session.key, new.kind, new.role, name, new.text, new.source_id, new.said_at, now,
                     new.echo, identity=account)
        )  # fmt: skip
    await _insert(tx, stored, [known.origin(seal, domain.ref, new.imported) for new in fresh.values()])
    await index_new(tx, domain, [message(e, domain.time_zone) for e in stored if recallable(e)], language)
    await entities.queue(tx, domain, [e.key for e in stored if e.kind is Kind.SAID and not e.echo])
    await note_span(tx, session)
    return StoringOutcome(stored, len(ids) - len(fresh) - refused, refused, late=later is not None)


_LATER = "SELECT 1 AS later FROM exchanges WHERE session = :session AND domain = :domain AND said_at > :since LIMIT 1"


async def _insert(tx: Transaction, stored: Sequence[Exchange], origins: Iterable[str]) -> None:
    await tx.many(
        "INSERT INTO exchanges "
        "(item, domain, session, kind, role, identity, speaker, text, source_id, origin, echo, said_at, stored_at) VALUES "
        "(:item, :domain, :session, :kind, :role, :identity, :speaker, :text, :source_id, :origin, :echo, :said_at, :stored_at)",
        (
            {"item": e.key, "domain": e.domain, "session": e.session, "kind": e.kind.value, "role": e.role,
             "identity": e.identity, "speaker": e.speaker, "text": e.text, "source_id": e.source_id, "origin": origin,
             "echo": int(e.echo), "said_at": e.said_at, "stored_at": e.stored_at}
            for e, origin in zip(stored, origins, strict=True)
        ),
    )  # fmt: skip


async def reword(tx: Transaction, domain: Domain, item: int, text: str, at: int) -> None:
    """Set the text of a person's message, edited at an instant. One without text is read nowhere, as a command is, until it has one again."""
    await tx.run(
        "UPDATE exchanges SET text = :text, edited_at = :at, kind = :kind WHERE domain = :domain AND item = :item",
        {"text": text, "at": at, "kind": Kind.SAID if text else Kind.COMMAND, "domain": domain.key, "item": item},
    )


async def judge(tx: Transaction, item: int, *, disliked: bool) -> None:
    """Set or clear the dislike mark of a reply."""
    await tx.run(
        "UPDATE exchanges SET echo = CASE WHEN echo >= :bit THEN echo - :bit ELSE echo END + CASE WHEN :disliked = 1 THEN :bit ELSE 0 END "
        "WHERE item = :item",
        {"bit": DISLIKED, "disliked": int(disliked), "item": item},
    )


async def put_into(tx: Transaction, episode: int, items: Sequence[int]) -> None:
    """Assign messages to an episode."""
    await run_paged(tx, "UPDATE exchanges SET episode = :episode WHERE item IN ({within})", items, {"episode": episode})


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Delete the messages among these items."""
    await run_paged(tx, "DELETE FROM exchanges WHERE item IN ({within})", items)


async def _speakers(
    tx: Transaction, seal: Seal, domain: Domain, offered: Iterable[NewExchange], now: int, before: Collection[int]
) -> dict[_Speaker, tuple[int | None, str]]:
    """Return the account of each speaker, None without one, and the name under which they are shown.

    Accounts are written in a fixed order, so that transactions of people who talk in several places at once do not deadlock.
    """
    spoken = {(new.identity, new.speaker, new.role): new.borne for new in offered}
    having = [(identity, name, role) for identity, name, role in spoken if identity is not None]
    accounts: dict[_Speaker, int] = {}
    for identity, name, role in sorted(having, key=lambda who: (who[0].platform, who[0].native_id)):
        accounts[identity, name, role] = await upsert(tx, identity, name, now)
    found: dict[_Speaker, tuple[int | None, str]] = {}
    for (who, name, role), borne in spoken.items():
        account, shown = accounts.get((who, name, role)), name
        if who is not None and account is not None:
            shown = await shown_name(tx, seal, domain, account, who, name, borne=borne, before=before)
        elif role == "user":
            shown = unaccounted(seal, domain.ref, name)
        found[who, name, role] = account, shown
    return found


async def index(tx: Transaction, domain: Domain, exchanges: Sequence[Exchange]) -> None:
    """Index messages by text, speaker and date."""
    await index_entries(tx, domain, [message(exchange, domain.time_zone) for exchange in exchanges])
