CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL REFERENCES domains (id),
  kind TEXT NOT NULL,
  public_id TEXT NOT NULL UNIQUE,
  dead_at INTEGER
);

CREATE TABLE lineage (
  child INTEGER NOT NULL REFERENCES items (id),
  parent INTEGER NOT NULL REFERENCES items (id),
  cited INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (child, parent)
);

CREATE INDEX lineage_parent ON lineage (parent, child);

CREATE TABLE episodes (
  id INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL REFERENCES domains (id),
  session INTEGER NOT NULL REFERENCES sessions (id),
  position INTEGER NOT NULL,
  month TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  closed_by TEXT NOT NULL CHECK (closed_by IN ('count', 'idle', 'month', 'asked', 'late')),
  closed_at INTEGER NOT NULL,
  digested INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session, position)
);

CREATE INDEX episodes_waiting ON episodes (domain, session, position) WHERE digested = 0;

CREATE TABLE exchanges (
  item INTEGER PRIMARY KEY REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  session INTEGER NOT NULL REFERENCES sessions (id),
  episode INTEGER REFERENCES episodes (id),
  kind TEXT NOT NULL CHECK (kind IN ('said', 'reply', 'notice', 'reflection', 'command')),
  role TEXT NOT NULL,
  identity INTEGER REFERENCES identities (id),
  speaker TEXT NOT NULL,
  text TEXT NOT NULL,
  source_id TEXT NOT NULL,
  echo INTEGER NOT NULL DEFAULT 0,
  said_at INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,
  UNIQUE (session, source_id)
);

CREATE INDEX exchanges_order ON exchanges (session, said_at, item);
CREATE INDEX exchanges_domain ON exchanges (domain, item);
CREATE INDEX exchanges_episode ON exchanges (episode) WHERE episode IS NOT NULL;
CREATE INDEX exchanges_open ON exchanges (session, said_at, item) WHERE episode IS NULL AND kind IN ('said', 'reply');

CREATE TABLE digests (
  item INTEGER PRIMARY KEY REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  session INTEGER NOT NULL REFERENCES sessions (id),
  tier TEXT NOT NULL CHECK (tier IN ('gist', 'merge', 'summary')),
  level INTEGER NOT NULL,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  writer TEXT NOT NULL,
  extractive INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  made_at INTEGER NOT NULL,
  merged INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session, tier, level, position)
);

CREATE INDEX digests_extractive ON digests (domain, session) WHERE tier = 'gist' AND extractive = 1;

CREATE INDEX digests_domain ON digests (domain, item);

CREATE TABLE refusals (
  id INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL REFERENCES domains (id),
  session INTEGER NOT NULL REFERENCES sessions (id),
  tier TEXT NOT NULL,
  level INTEGER NOT NULL,
  position INTEGER NOT NULL,
  writer TEXT NOT NULL,
  reason TEXT NOT NULL,
  answer TEXT NOT NULL,
  refused_at INTEGER NOT NULL
);

CREATE INDEX refusals_target ON refusals (session, tier, level, position);

CREATE TABLE tombstones (
  public_id TEXT PRIMARY KEY,
  buried_at INTEGER NOT NULL
);

CREATE TABLE changes (
  seq INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL,
  item INTEGER NOT NULL,
  op TEXT NOT NULL CHECK (op IN ('add', 'drop', 'vector'))
);

CREATE INDEX changes_domain ON changes (domain, seq);
