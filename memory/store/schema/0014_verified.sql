CREATE TABLE doubts (
  platform TEXT NOT NULL,
  prefix TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (platform, prefix)
);

CREATE TABLE verified (
  platform TEXT NOT NULL,
  place TEXT NOT NULL,
  at INTEGER NOT NULL,
  through_at INTEGER NOT NULL,
  through_item INTEGER NOT NULL,
  compared INTEGER NOT NULL,
  PRIMARY KEY (platform, place)
)
