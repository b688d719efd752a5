CREATE TABLE stays (
  platform TEXT NOT NULL,
  place TEXT NOT NULL,
  domain INTEGER NOT NULL REFERENCES domains (id),
  epoch INTEGER NOT NULL,
  PRIMARY KEY (platform, place)
);

CREATE INDEX sessions_place ON sessions (platform, place);

ALTER TABLE exchanges ADD COLUMN edited_at INTEGER NOT NULL DEFAULT 0;

ALTER TABLE lineage ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;

ALTER TABLE outbox RENAME TO outbox_before;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL REFERENCES domains (id),
  item INTEGER,
  platform TEXT NOT NULL,
  place TEXT NOT NULL,
  part INTEGER NOT NULL,
  key TEXT NOT NULL UNIQUE,
  operation TEXT NOT NULL DEFAULT 'send' CHECK (operation IN ('send', 'preview', 'edit', 'delete')),
  target TEXT NOT NULL DEFAULT '',
  text TEXT NOT NULL,
  actions TEXT NOT NULL DEFAULT '',
  answers TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'attempting', 'sent', 'cancelled')),
  remote_id TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  sent_at INTEGER
);

INSERT INTO outbox (id, domain, item, platform, place, part, key, operation, text, answers, state, remote_id, created_at, sent_at)
SELECT id, domain, item, platform, place, part, key, operation, text, answers, state, remote_id, created_at, sent_at
FROM outbox_before;

DROP TABLE outbox_before;

CREATE INDEX outbox_open ON outbox (platform, place, id) WHERE state IN ('pending', 'attempting');
CREATE INDEX outbox_item ON outbox (item) WHERE item IS NOT NULL;
CREATE INDEX outbox_remote ON outbox (platform, remote_id) WHERE remote_id <> '';
CREATE INDEX outbox_preview ON outbox (platform, place, answers) WHERE operation = 'preview';
CREATE INDEX outbox_target ON outbox (target) WHERE target <> '';
CREATE INDEX outbox_words ON outbox (domain) WHERE text <> '';
