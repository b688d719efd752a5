CREATE TABLE cursors (
  platform TEXT NOT NULL,
  stream TEXT NOT NULL,
  value TEXT NOT NULL,
  moved_at INTEGER NOT NULL,
  PRIMARY KEY (platform, stream)
);

CREATE TABLE inbox (
  id INTEGER PRIMARY KEY,
  platform TEXT NOT NULL,
  place TEXT NOT NULL,
  event_id TEXT NOT NULL,
  payload TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'held', 'done', 'parked')),
  tries INTEGER NOT NULL DEFAULT 0,
  note TEXT NOT NULL DEFAULT '',
  UNIQUE (platform, event_id)
);

CREATE INDEX inbox_open ON inbox (platform, place, id) WHERE state IN ('new', 'held');

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL REFERENCES domains (id),
  item INTEGER,
  platform TEXT NOT NULL,
  place TEXT NOT NULL,
  part INTEGER NOT NULL,
  key TEXT NOT NULL UNIQUE,
  operation TEXT NOT NULL DEFAULT 'send' CHECK (operation IN ('send', 'edit')),
  text TEXT NOT NULL,
  answers TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'attempting', 'sent', 'cancelled')),
  remote_id TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  sent_at INTEGER
);

CREATE INDEX outbox_open ON outbox (platform, place, id) WHERE state IN ('pending', 'attempting');
CREATE INDEX outbox_item ON outbox (item) WHERE item IS NOT NULL;
