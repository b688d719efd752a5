-- The domains that were read beside home when a part was made: it goes out only where all of them may still be known.
ALTER TABLE outbox ADD COLUMN also TEXT NOT NULL DEFAULT ''
