CREATE TABLE announced (
  item INTEGER PRIMARY KEY REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  whose TEXT NOT NULL,
  due_at INTEGER NOT NULL
);

CREATE INDEX announced_due ON announced (domain, due_at);

CREATE TABLE raised (
  item INTEGER PRIMARY KEY REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  reply INTEGER NOT NULL REFERENCES items (id)
);

CREATE INDEX raised_reply ON raised (reply);
