"""Domains and sessions: who may know, and where it was said."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from memory.errors import NotFound
from memory.forget.gone import present
from memory.places import confidences, scope_settings, titles
from memory.store import domains
from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess, Row, Transaction
from memory.store.domains import read_domain
from memory.store.lineage import Seal, bound, pages, placeholders
from memory.text.time.zones import moved
from memory.types import Arrival, Confidence, Domain, DomainRef, Identity, Session, SessionRef

_COUNTED = (
    "SELECT s.*, (SELECT count(*) FROM exchanges e WHERE e.session = s.id AND e.kind IN ('said', 'reply')) - (SELECT count(*) "
    "FROM confided c JOIN exchanges e ON e.item = c.item WHERE e.session = s.id) AS messages FROM sessions s "
)


@dataclass(frozen=True, slots=True)
class Places:
    """Finds and creates the domains and sessions of one database."""

    db: DatabaseAccess
    seal: Seal
    _refs: dict[int, DomainRef] = field(default_factory=dict)
    _confidences: dict[int, Confidence] = field(default_factory=dict)

    async def domain(self, ref: DomainRef, time_zone: str, now: int) -> Domain:
        """Return the domain of a natural key, creating it with this time zone if it is new."""
        found = await self.find_domain(ref)
        if found:
            return found
        async with self.db.transaction() as tx:
            await domains.create(tx, ref, time_zone, now)
            row = await tx.one(_DOMAIN, domains.natural_key(ref))
        assert row is not None
        return read_domain(row)

    async def tell_times_in(self, domain: Domain, time_zone: str) -> Domain:
        """Set a domain's time zone, for all its times, past ones included."""
        async with self.db.transaction() as tx:
            await domains.set_time_zone(tx, domain, time_zone)
        return Domain(domain.key, domain.ref, time_zone)

    async def move(self, domain: Domain, time_zone: str, now: int) -> Domain:
        """Change a domain's time zone from `now` on; earlier times keep the zone they were in."""
        async with self.db.transaction() as tx:
            row = await tx.one("SELECT max(last_at) AS at FROM sessions WHERE domain = :domain", {"domain": domain.key})
            last_said = int(row["at"]) if row and row["at"] is not None else 0
            zones = moved(domain.time_zone, now, time_zone, last_said=last_said)
            await domains.set_time_zone(tx, domain, zones)
        return Domain(domain.key, domain.ref, zones)

    async def find_domain(self, ref: DomainRef) -> Domain | None:
        """Return the domain of a natural key, or None if nothing was ever kept there."""
        row = await self.db.one(_DOMAIN, domains.natural_key(ref))
        return read_domain(row) if row else None

    async def arrive(self, refs: Sequence[DomainRef], platform: str, place: str) -> Arrival:
        """Return what there is of these domains, with the active session of a place in the first of them."""
        wanted = [domains.natural_key(ref) for ref in refs]
        among_them = " OR ".join(
            f"(d.kind = :kind{n} AND d.platform = :platform{n} AND d.native_id = :native_id{n} AND d.epoch = :epoch{n})"
            for n in range(len(wanted))
        )
        keys = {f"{name}{n}": value for n, one in enumerate(wanted) for name, value in one.items()}
        rows = await self.db.all(f"{_ARRIVAL} WHERE {among_them}", {"platform": platform, "place": place, **keys})
        by_ref = {domain.ref: domain for domain in map(read_domain, rows)}
        self._refs.update((domain.key, domain.ref) for domain in by_ref.values())
        confided = {one.domain.key: one for row in rows if (one := confidences.read(row, read_domain(row)))}
        self._confidences.update(confided)
        home = by_ref.get(refs[0])
        active = [row for row in rows if home and row["id"] == home.key and row["session"] and row["name"] != row["public_id"]]
        return Arrival(by_ref, list(confided.values()), _active(active[0], platform, place) if active else None)

    async def refs(self, keys: Collection[int]) -> tuple[dict[int, DomainRef], list[Confidence]]:
        """Return the natural keys, which never change, of stored domains by key, and those keys that are confidences."""
        unknown = [key for key in keys if key not in self._refs and key not in self._confidences]
        if unknown:
            within = placeholders("d", unknown)
            rows = await self.db.all(
                f"{_WITH_CONFIDENCES}WHERE d.id IN ({within}) OR c.domain IN ({within})", bound("d", unknown)
            )
            self._confidences.update((one.domain.key, one) for row in rows if (one := confidences.read(row, read_domain(row))))
            self._refs.update((row["id"], read_domain(row).ref) for row in rows if row["id"] not in self._confidences)
        confided = [self._confidences[key] for key in keys if key in self._confidences]
        return {key: self._refs[key] for key in keys if key in self._refs}, confided

    async def domains(self) -> list[Domain]:
        """Return every domain, oldest first, without confidences."""
        return [domain for domain, _ in await self.domains_with_confidences()]

    async def inhabited(self) -> list[Domain]:
        """Return every domain in which anything is kept, oldest first, without confidences: messages are kept in none."""
        kept = "EXISTS (SELECT 1 FROM exchanges WHERE domain = domains.id)"
        return [read_domain(row) for row in await self.db.all(f"SELECT * FROM domains WHERE {kept} ORDER BY id")]

    async def domains_with_confidences(self) -> list[tuple[Domain, list[Confidence]]]:
        """Return every domain with the confidences within it, oldest first."""
        found: dict[int, tuple[Domain, list[Confidence]]] = {}
        for row in await self.db.all(
            f"{_WITH_CONFIDENCES}WHERE d.id NOT IN (SELECT domain FROM confidences) ORDER BY d.id, c.domain"
        ):
            domain, confided = found.setdefault(row["id"], (read_domain(row), []))
            confided += [one] if (one := confidences.read(row, domain)) else []
        return list(found.values())

    async def session(self, domain: Domain, ref: SessionRef, name: str, now: int) -> Session:
        """Return the session for `ref`, creating it under `name`, numbered if the name is taken.

        It stays unnamed if `name` is empty, repeats a forgotten message, or if its thread is about to lose that name.
        """
        row = await self.db.within([domain.key]).one(_COUNTED + _SESSION, _session_key(domain, ref))
        if row and row["name"] != row["public_id"]:
            return _session(row)
        id = self.seal.id(domain.ref, "session", ref.platform, ref.place, str(ref.epoch))
        async with self.db.transaction(bounds=Bounds.of(domain.key)) as tx:
            named = await titles.usable_title(tx, self.seal, domain, ref, name) or id
            await tx.run(
                "INSERT INTO sessions (public_id, domain, platform, place, epoch, name, started_at, last_at) "
                "VALUES (:public_id, :domain, :platform, :place, :epoch, :name, :now, :now) "
                "ON CONFLICT (domain, platform, place, epoch) DO UPDATE SET name = excluded.name "
                "WHERE sessions.name = sessions.public_id",  # it is unnamed, or lost its name
                {**_session_key(domain, ref), "public_id": id, "name": named, "now": now},
            )
            row = await tx.one(_COUNTED + _SESSION, _session_key(domain, ref))
        assert row is not None
        return _session(row)

    async def active_epoch(self, platform: str, place: str, domain: Domain) -> int:
        """Return the epoch of a place's active session; begin a new one if the last belonged to another domain."""
        where = {"platform": platform, "place": place}
        row = await self.db.one(_ACTIVE, where)
        if row and row["domain"] == domain.key:
            return int(row["epoch"])
        async with self.db.transaction() as tx:
            row = await tx.one(_ACTIVE, where)
            if row and row["domain"] == domain.key:
                return int(row["epoch"])
            last = None if row else await tx.one(_LAST_EPOCH, {**where, "domain": domain.key})
            return await _activate(tx, where, domain, last["epoch"] if last else await _next_epoch(tx, where))

    async def latest_epoch(self, platform: str, place: str, domain: Domain) -> int:
        """Return the epoch of a domain's last session at a place, a free one if it has none; the active session stays."""
        where = {"platform": platform, "place": place}
        last = await self.db.one(_LAST_EPOCH, {**where, "domain": domain.key})
        return int(last["epoch"]) if last else await _next_epoch(self.db, where)

    async def begin(self, platform: str, place: str, domain: Domain) -> int:
        """Begin a new session at a place, and return its epoch."""
        where = {"platform": platform, "place": place}
        async with self.db.transaction() as tx:
            return await _activate(tx, where, domain, await _next_epoch(tx, where))

    async def rename(self, session: Session, domain: Domain, name: str) -> None:
        """Rename a session after its place; '' removes the name."""
        async with self.db.transaction(bounds=Bounds.of(domain.key)) as tx:
            now = await titles.usable_title(tx, self.seal, domain, session.ref, name, session.key) or session.id
            await tx.run(
                "UPDATE sessions SET name = :name WHERE domain = :domain AND public_id = :id",
                {"name": now, "domain": domain.key, "id": session.id},
            )

    async def sessions(self, domain: Domain) -> list[Session]:
        """Return a domain's sessions that hold anything not withheld, newest first."""
        rows = await self.db.within([domain.key]).all(
            f"{_COUNTED}WHERE s.domain = :domain AND EXISTS (SELECT 1 FROM exchanges e WHERE e.session = s.id AND {present('e')}) "
            "ORDER BY s.last_at DESC, s.id DESC",
            {"domain": domain.key},
        )
        return [_session(row) for row in rows]

    async def last_name(self, platform: str, place: str) -> str:
        """Return the name of the last session at a place, '' if there was none."""
        row = await self.db.one(
            "SELECT name FROM sessions WHERE platform = :platform AND place = :place AND name <> public_id ORDER BY last_at DESC",
            {"platform": platform, "place": place},
        )
        return row["name"] if row else ""

    async def find_session(self, domain: Domain, name: str) -> Session:
        """Return the session with this name or public id. Raises NotFound."""
        row = await self.db.within([domain.key]).one(
            _COUNTED + "WHERE s.domain = :domain AND (s.name = :name OR s.public_id = :name) ORDER BY s.name <> :name",
            {"domain": domain.key, "name": name},
        )
        if row is None:
            raise NotFound('There is no session "{name}" here. See them with: lyra sessions', name=name)
        return _session(row)

    async def session_by_id(self, public_id: str) -> tuple[Session, Domain]:
        """Return a session of any domain by its public id, with its domain. Raises NotFound."""
        row = await self.db.one(_COUNTED + "WHERE s.public_id = :id", {"id": public_id})
        if row is None:
            raise NotFound("There is no session with that id.")
        domain = await self.db.one("SELECT * FROM domains WHERE id = :id", {"id": row["domain"]})
        assert domain is not None
        return _session(row), read_domain(domain)

    def account_scope(self, who: Identity) -> str:
        """Return the scope of an account's permanent settings; it identifies nobody."""
        return scope_settings.account_scope(self.seal, who)

    def scope(self, domain: Domain) -> str:
        """Return the scope of a domain's settings; it identifies nobody."""
        return scope_settings.domain_scope(self.seal, domain)


async def note_span(tx: Transaction, session: Session) -> None:
    """Update when a session's first and last messages were said."""
    await tx.run(
        "UPDATE sessions SET last_at = (SELECT max(said_at) FROM exchanges WHERE session = :session), "
        "started_at = (SELECT min(said_at) FROM exchanges WHERE session = :session) WHERE id = :session",
        {"session": session.key},
    )


async def drop_names(tx: Transaction, domain: Domain) -> None:
    """Drop the names of empty sessions.

    Their rows stay: a turn may hold one, and their keys must never be reused for another session.
    """
    await tx.run(
        "UPDATE sessions SET name = public_id WHERE domain = :domain "
        "AND NOT EXISTS (SELECT 1 FROM exchanges e WHERE e.session = sessions.id)",
        {"domain": domain.key},
    )


async def drop_names_of(tx: Transaction, sessions: Sequence[int]) -> None:
    """Drop the names of these sessions."""
    for some in pages(sessions):
        await tx.run(f"UPDATE sessions SET name = public_id WHERE id IN ({placeholders('s', some)})", bound("s", some))


async def rekey(tx: Transaction, platform: str, places: Mapping[str, str]) -> None:
    """Rename the keys of a platform's places, from old to new."""
    for table in ("sessions", "active_sessions"):
        await tx.many(
            f"UPDATE {table} SET place = :now WHERE platform = :platform AND place = :before",
            ({"platform": platform, "before": before, "now": now} for before, now in places.items()),
        )


async def _activate(tx: Transaction, where: dict[str, str], domain: Domain, epoch: int) -> int:
    await tx.run(
        "INSERT INTO active_sessions (platform, place, domain, epoch) VALUES (:platform, :place, :domain, :epoch) "
        "ON CONFLICT (platform, place) DO UPDATE SET domain = excluded.domain, epoch = excluded.epoch",
        {**where, "domain": domain.key, "epoch": epoch},
    )
    return epoch


async def _next_epoch(db: DatabaseAccess | Transaction, where: dict[str, str]) -> int:
    row = await db.one(
        "SELECT coalesce(max(epoch), -1) + 1 AS epoch FROM ("
        "SELECT epoch FROM active_sessions WHERE platform = :platform AND place = :place "
        "UNION ALL SELECT epoch FROM sessions WHERE platform = :platform AND place = :place) AS known",
        where,
    )
    assert row is not None
    return int(row["epoch"])


_WITH_CONFIDENCES = "SELECT d.*, c.domain AS confidence, c.excepted FROM domains d LEFT JOIN confidences c ON c.home = d.id "
_ACTIVE = "SELECT domain, epoch FROM active_sessions WHERE platform = :platform AND place = :place"
_ARRIVAL = (
    "SELECT d.*, a.epoch AS active_epoch, s.id AS session, s.public_id, s.name, s.started_at, s.last_at, c.domain AS confidence, "
    "c.excepted FROM domains d LEFT JOIN confidences c ON c.home = d.id "
    "LEFT JOIN active_sessions a ON a.domain = d.id AND a.platform = :platform AND a.place = :place "
    "LEFT JOIN sessions s ON s.domain = d.id AND s.platform = a.platform AND s.place = a.place AND s.epoch = a.epoch"
)
_LAST_EPOCH = (
    "SELECT epoch FROM sessions WHERE platform = :platform AND place = :place AND domain = :domain ORDER BY epoch DESC LIMIT 1"
)
_DOMAIN = "SELECT * FROM domains WHERE kind = :kind AND platform = :platform AND native_id = :native_id AND epoch = :epoch"
_SESSION = "WHERE s.domain = :domain AND s.platform = :platform AND s.place = :place AND s.epoch = :epoch"


def _session_key(domain: Domain, ref: SessionRef) -> dict[str, object]:
    return {"domain": domain.key, "platform": ref.platform, "place": ref.place, "epoch": ref.epoch}


def _active(row: Row, platform: str, place: str) -> Session:
    ref = SessionRef(platform, place, row["active_epoch"])
    return Session(row["session"], row["public_id"], row["id"], ref, row["name"], row["started_at"], row["last_at"])


def _session(row: Row) -> Session:
    ref = SessionRef(row["platform"], row["place"], row["epoch"])
    return Session(
        row["id"], row["public_id"], row["domain"], ref, titles.display_title(row["name"], row["public_id"]), row["started_at"],
        row["last_at"], row["messages"],
    )  # fmt: skip
