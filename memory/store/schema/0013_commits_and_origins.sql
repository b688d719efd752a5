CREATE TABLE commits (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  number INTEGER NOT NULL,
  log INTEGER NOT NULL
)
;

ALTER TABLE exchanges ADD COLUMN origin TEXT NOT NULL DEFAULT '';

CREATE INDEX exchanges_origin ON exchanges (origin) WHERE origin <> ''
