-- What somebody corrected by a message of its own: item puts right what corrects told. What was said before this was read waits to be
-- read again, a bounded step at a time.
CREATE TABLE corrections (
  item INTEGER NOT NULL REFERENCES items (id),
  corrects INTEGER NOT NULL REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES domains (id),
  PRIMARY KEY (corrects, item)
);

CREATE INDEX corrections_item ON corrections (item);

INSERT INTO unheard (domain, item) SELECT domain, item FROM exchanges
WHERE kind = 'said' AND role = 'user' AND echo = 0 ON CONFLICT DO NOTHING
