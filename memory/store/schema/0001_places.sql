CREATE TABLE install (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
);

CREATE TABLE domains (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('dm', 'server', 'channel', 'room')),
  platform TEXT NOT NULL,
  native_id TEXT NOT NULL,
  epoch INTEGER NOT NULL DEFAULT 0,
  time_zone TEXT NOT NULL,
  items INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  UNIQUE (platform, kind, native_id, epoch)
);

CREATE TABLE identities (
  id INTEGER PRIMARY KEY,
  platform TEXT NOT NULL,
  native_id TEXT NOT NULL,
  name TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  UNIQUE (platform, native_id)
);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  domain INTEGER NOT NULL REFERENCES domains (id),
  platform TEXT NOT NULL,
  place TEXT NOT NULL,
  epoch INTEGER NOT NULL DEFAULT 0,
  name TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  UNIQUE (domain, platform, place, epoch),
  UNIQUE (domain, name)
);

CREATE TABLE settings (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (scope, key)
);
