CREATE TABLE seen (
  reply INTEGER PRIMARY KEY REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  items BLOB NOT NULL
);

CREATE INDEX seen_domain ON seen (domain, reply);

CREATE TABLE abroad (
  reply INTEGER NOT NULL REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  holds INTEGER NOT NULL,
  PRIMARY KEY (reply, domain)
) WITHOUT ROWID;

CREATE INDEX abroad_domain ON abroad (domain, reply);

INSERT INTO abroad (reply, domain, holds)
SELECT DISTINCT l.child, p.domain, 1 FROM lineage l JOIN items c ON c.id = l.child JOIN items p ON p.id = l.parent
WHERE c.kind = 'exchange' AND p.domain <> c.domain;

CREATE TABLE gone (
  id INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL REFERENCES domains (id),
  upto INTEGER NOT NULL,
  session INTEGER REFERENCES sessions (id),
  identity INTEGER REFERENCES identities (id),
  items BLOB,
  words TEXT,
  at INTEGER NOT NULL
);

CREATE INDEX gone_domain ON gone (domain);

ALTER TABLE domains ADD COLUMN forgotten_at INTEGER NOT NULL DEFAULT 0
;

CREATE INDEX exchanges_source ON exchanges (source_id);

CREATE TABLE vanished (
  id INTEGER PRIMARY KEY,
  platform TEXT NOT NULL,
  prefix TEXT NOT NULL,
  at INTEGER NOT NULL,
  due INTEGER NOT NULL,
  withheld INTEGER NOT NULL DEFAULT 0,
  UNIQUE (platform, prefix)
);

CREATE TABLE withheld (
  item INTEGER PRIMARY KEY REFERENCES items (id),
  vanished INTEGER NOT NULL REFERENCES vanished (id)
);

CREATE INDEX withheld_vanished ON withheld (vanished)
