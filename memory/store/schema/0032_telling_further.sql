-- What a message in seven further languages tells of beside its own time is read: what was stored before is read once more when a
-- file is opened.
INSERT INTO unfound (item) SELECT DISTINCT item FROM terms WHERE kind = 0 ON CONFLICT DO NOTHING;
DELETE FROM terms WHERE kind = 0
