-- What was said before wishes, announcements and longer names were read as they are now waits to be read again, a bounded step at
-- a time: names in unnamed, the rest here.
CREATE TABLE unheard (
  domain INTEGER NOT NULL REFERENCES domains (id),
  item INTEGER NOT NULL REFERENCES items (id),
  PRIMARY KEY (domain, item)
) WITHOUT ROWID;

INSERT INTO unheard (domain, item) SELECT domain, item FROM exchanges
WHERE kind = 'said' AND role = 'user' AND echo = 0;
INSERT INTO unnamed (domain, item) SELECT domain, item FROM exchanges WHERE kind = 'said' AND echo = 0 ON CONFLICT DO NOTHING;
INSERT INTO unnamed (domain, item) SELECT domain, item FROM statements WHERE tier IN ('profile', 'narrative', 'era')
ON CONFLICT DO NOTHING
