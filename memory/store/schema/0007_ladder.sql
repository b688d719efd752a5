CREATE TABLE cites (
  digest INTEGER NOT NULL REFERENCES items (id),
  line INTEGER NOT NULL,
  item INTEGER NOT NULL REFERENCES items (id),
  PRIMARY KEY (digest, line, item)
) WITHOUT ROWID;

CREATE TABLE statements (
  item INTEGER PRIMARY KEY REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  tier TEXT NOT NULL CHECK (tier IN ('profile', 'era', 'narrative', 'self', 'bank')),
  period TEXT NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  writer TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  made_at INTEGER NOT NULL,
  ended_at INTEGER,
  successor INTEGER REFERENCES items (id)
);

CREATE INDEX statements_standing ON statements (domain, tier, period, item) WHERE ended_at IS NULL;
CREATE INDEX statements_all ON statements (domain, tier, item);

CREATE TABLE rungs (
  domain INTEGER NOT NULL REFERENCES domains (id),
  tier TEXT NOT NULL,
  period TEXT NOT NULL,
  inputs TEXT NOT NULL,
  mark INTEGER NOT NULL,
  size INTEGER NOT NULL,
  sessions INTEGER NOT NULL,
  stale INTEGER NOT NULL DEFAULT 0,
  made_at INTEGER NOT NULL,
  PRIMARY KEY (domain, tier, period)
) WITHOUT ROWID;

CREATE TABLE rejections (
  id INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL REFERENCES domains (id),
  tier TEXT NOT NULL,
  period TEXT NOT NULL,
  inputs TEXT NOT NULL,
  writer TEXT NOT NULL,
  reason TEXT NOT NULL,
  answer TEXT NOT NULL,
  rejected_at INTEGER NOT NULL
);

CREATE INDEX rejections_target ON rejections (domain, tier, period);

CREATE TABLE unwanted (
  domain INTEGER NOT NULL REFERENCES domains (id),
  mark TEXT NOT NULL,
  PRIMARY KEY (domain, mark)
) WITHOUT ROWID;

CREATE TABLE selves (
  domain INTEGER NOT NULL REFERENCES domains (id),
  at INTEGER NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (domain, at)
) WITHOUT ROWID;

ALTER TABLE digests ADD COLUMN profiled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE digests ADD COLUMN aged INTEGER NOT NULL DEFAULT 0;
ALTER TABLE episodes ADD COLUMN banked INTEGER NOT NULL DEFAULT 0;

CREATE INDEX digests_unprofiled ON digests (domain, item) WHERE tier = 'gist' AND profiled = 0;
CREATE INDEX digests_unaged ON digests (domain, item) WHERE tier = 'gist' AND aged = 0;
CREATE INDEX episodes_unbanked ON episodes (domain, last_at) WHERE banked = 0;
CREATE INDEX exchanges_speakers ON exchanges (domain, speaker) WHERE kind = 'said';
