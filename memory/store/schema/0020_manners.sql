CREATE TABLE statements_anew (
  item INTEGER PRIMARY KEY REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  tier TEXT NOT NULL CHECK (tier IN ('profile', 'era', 'narrative', 'self', 'bank', 'manner')),
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

INSERT INTO statements_anew SELECT item, domain, tier, period, kind, text, writer, first_at, last_at, made_at, ended_at, successor
FROM statements;
DROP TABLE statements;
ALTER TABLE statements_anew RENAME TO statements;
CREATE INDEX statements_standing ON statements (domain, tier, period, item) WHERE ended_at IS NULL;
CREATE INDEX statements_all ON statements (domain, tier, item);
