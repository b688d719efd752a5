-- Who and what is named where: derived from items, and gone with them. What waits to be looked through is in unnamed.
CREATE TABLE entities (
  id INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL REFERENCES domains (id),
  name_key TEXT NOT NULL,
  first_key TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (domain, name_key)
);

CREATE INDEX entities_first ON entities (domain, first_key);

CREATE TABLE mentions (
  entity INTEGER NOT NULL REFERENCES entities (id),
  item INTEGER NOT NULL REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  kind TEXT NOT NULL,
  alias TEXT NOT NULL,
  weight INTEGER NOT NULL,
  PRIMARY KEY (entity, item)
) WITHOUT ROWID;

CREATE INDEX mentions_item ON mentions (item);
CREATE INDEX mentions_telling ON mentions (entity, weight, item);
CREATE INDEX mentions_alias ON mentions (domain, alias, item) WHERE alias <> '';

CREATE TABLE unnamed (
  domain INTEGER NOT NULL REFERENCES domains (id),
  item INTEGER NOT NULL REFERENCES items (id),
  PRIMARY KEY (domain, item)
) WITHOUT ROWID;

INSERT INTO unnamed (domain, item) SELECT domain, item FROM exchanges WHERE kind = 'said' AND echo = 0;
INSERT INTO unnamed (domain, item) SELECT domain, item FROM statements WHERE tier IN ('profile', 'narrative', 'era')
