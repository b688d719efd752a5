DROP TABLE terms;

CREATE TABLE terms (
  domain INTEGER NOT NULL,
  item INTEGER NOT NULL REFERENCES items (id),
  passage INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  session INTEGER NOT NULL,
  said_at INTEGER NOT NULL,
  speaker TEXT NOT NULL,
  traits INTEGER NOT NULL,
  language TEXT NOT NULL,
  length INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  counts BLOB NOT NULL,
  imprint INTEGER NOT NULL,
  PRIMARY KEY (domain, item, passage)
) WITHOUT ROWID;

CREATE TABLE unfound (
  item INTEGER PRIMARY KEY REFERENCES items (id)
);

INSERT INTO unfound (item) SELECT item FROM exchanges WHERE kind IN ('said', 'reply') AND echo = 0;
INSERT INTO unfound (item) SELECT item FROM digests;
INSERT INTO unfound (item) SELECT item FROM statements WHERE tier IN ('era', 'bank') AND ended_at IS NULL
