ALTER TABLE stays RENAME TO active_sessions;
ALTER TABLE terms RENAME COLUMN imprint TO fingerprint;
UPDATE refusals SET reason = 'regression check' WHERE reason = 'exam';

-- Changes are numbered within their domain, under the lock on its row, so that a follower of it misses none.
ALTER TABLE domains ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
UPDATE domains SET changes = (SELECT coalesce(max(c.seq), 0) FROM changes c WHERE c.domain = domains.id);

ALTER TABLE changes RENAME TO changes_before;
CREATE TABLE changes (
  domain INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  item INTEGER NOT NULL,
  op TEXT NOT NULL CHECK (op IN ('add', 'drop', 'vector')),
  PRIMARY KEY (domain, seq)
) WITHOUT ROWID;
INSERT INTO changes (domain, seq, item, op) SELECT domain, seq, item, op FROM changes_before;
DROP TABLE changes_before;
DELETE FROM counters WHERE name = 'change';
