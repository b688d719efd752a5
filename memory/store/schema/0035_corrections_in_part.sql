-- Whether something of what is corrected still holds: "no, Saturday at 6", of which "I meant at 8" leaves the day. What was said before
-- is read once more, as more is known to correct.
ALTER TABLE corrections ADD COLUMN in_part INTEGER NOT NULL DEFAULT 0;

INSERT INTO unheard (domain, item) SELECT domain, item FROM exchanges
WHERE kind = 'said' AND role = 'user' AND echo = 0 ON CONFLICT DO NOTHING
