CREATE TABLE asides (
  item INTEGER PRIMARY KEY REFERENCES items (id),
  platform TEXT NOT NULL,
  place TEXT NOT NULL,
  source_id TEXT NOT NULL,
  said_at INTEGER NOT NULL,
  edited_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
);

CREATE INDEX asides_order ON asides (platform, place, said_at, item);

ALTER TABLE seen ADD COLUMN asides BLOB
