"""How a server is that keeps a memory."""

from dataclasses import dataclass

from memory.store.database import Reader


@dataclass(frozen=True, slots=True)
class Server:
    """The version of a server, whether a commit waits for a copy as well, and how many connections are used of how many."""

    version: str
    has_copies: bool
    used: int
    most: int


async def condition(db: Reader) -> Server:
    """Ask the server how it is."""
    row = await db.one(
        "SELECT split_part(current_setting('server_version'), ' ', 1) AS version, "
        "CASE WHEN current_setting('synchronous_standby_names') <> '' THEN 1 ELSE 0 END AS copies, "
        "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used, "
        "CAST(current_setting('max_connections') AS BIGINT) AS most"
    )
    assert row is not None
    return Server(row["version"], bool(row["copies"]), row["used"], row["most"])
