CREATE TABLE terms (
  domain INTEGER NOT NULL,
  item INTEGER NOT NULL REFERENCES items (id),
  length INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  counts BLOB NOT NULL,
  PRIMARY KEY (domain, item)
) WITHOUT ROWID;

CREATE TABLE spaces (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  embedder TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  made_at INTEGER NOT NULL
);

CREATE TABLE vectors (
  space INTEGER NOT NULL REFERENCES spaces (id),
  domain INTEGER NOT NULL,
  item INTEGER NOT NULL REFERENCES items (id),
  passage INTEGER NOT NULL,
  text_hash BLOB NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (space, domain, item, passage)
) WITHOUT ROWID;
