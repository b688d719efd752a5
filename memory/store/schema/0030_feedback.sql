-- That an answer was not good: an item that goes with the answer. Of who said so only the right by which they did is kept.
CREATE TABLE feedback (
  item INTEGER PRIMARY KEY REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  reply INTEGER NOT NULL REFERENCES items (id),
  given_by TEXT NOT NULL CHECK (given_by IN ('asker', 'ruler')),
  source_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (reply, given_by)
);
CREATE INDEX feedback_domain ON feedback (domain, at);
CREATE INDEX feedback_source ON feedback (source_id)
