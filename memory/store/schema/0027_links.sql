-- A code that was shown to an account, as a keyed hash, until it ends, with who typed it, and whether they agreed.
CREATE TABLE link_codes (
  platform TEXT NOT NULL,
  native_id TEXT NOT NULL,
  name TEXT NOT NULL,
  place TEXT NOT NULL,
  code TEXT NOT NULL UNIQUE,
  ends_at INTEGER NOT NULL,
  other_platform TEXT,
  other_id TEXT,
  other_name TEXT,
  other_place TEXT,
  agreed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (platform, native_id)
);
-- When an account, by a keyed hash, typed a code that is none.
CREATE TABLE link_tries (
  account TEXT NOT NULL,
  at INTEGER NOT NULL
);
CREATE INDEX link_tries_account ON link_tries (account, at)
