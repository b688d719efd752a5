-- What a message tells of beside its own time ("in October we were in Rome", said in November): beginnings and ends. What was
-- stored before is read once more when a file is opened.
ALTER TABLE terms ADD COLUMN tells BLOB;
INSERT INTO unfound (item) SELECT DISTINCT item FROM terms WHERE kind = 0 ON CONFLICT DO NOTHING;
DELETE FROM terms WHERE kind = 0
