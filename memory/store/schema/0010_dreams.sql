-- "heard" was once "seen": this comment has every memory that met the step before looked at again.
CREATE TABLE dreams (
  id INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL REFERENCES domains (id),
  kind TEXT NOT NULL CHECK (kind IN ('night', 'interval', 'asked')),
  slot TEXT NOT NULL,
  at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('done', 'failed')),
  heard INTEGER NOT NULL,
  rested INTEGER NOT NULL,
  report TEXT NOT NULL
);

CREATE UNIQUE INDEX dreams_once ON dreams (domain, kind, slot) WHERE outcome = 'done';
CREATE INDEX dreams_at ON dreams (domain, at);

CREATE TABLE spent (
  domain INTEGER NOT NULL REFERENCES domains (id),
  day INTEGER NOT NULL,
  calls INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (domain, day)
) WITHOUT ROWID;

CREATE INDEX spent_day ON spent (day);

CREATE TABLE looked_at (
  domain INTEGER NOT NULL REFERENCES domains (id),
  first INTEGER NOT NULL REFERENCES items (id),
  second INTEGER NOT NULL REFERENCES items (id),
  PRIMARY KEY (domain, first, second)
) WITHOUT ROWID
;

CREATE TABLE reflections (
  item INTEGER PRIMARY KEY REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  made_at INTEGER NOT NULL,
  level REAL NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('kept', 'waiting', 'posted')),
  exchange INTEGER REFERENCES items (id),
  platform TEXT NOT NULL DEFAULT '',
  place TEXT NOT NULL DEFAULT '',
  posted_at INTEGER
);

CREATE INDEX reflections_waiting ON reflections (domain, item) WHERE state = 'waiting';
CREATE INDEX reflections_posted ON reflections (platform, place, posted_at) WHERE state = 'posted';

ALTER TABLE outbox ADD COLUMN form TEXT NOT NULL DEFAULT ''
