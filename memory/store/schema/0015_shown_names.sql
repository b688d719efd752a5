CREATE TABLE shown_names (
  domain INTEGER NOT NULL REFERENCES domains (id),
  likeness TEXT NOT NULL,
  identity INTEGER NOT NULL REFERENCES identities (id),
  PRIMARY KEY (domain, likeness)
) WITHOUT ROWID;

UPDATE exchanges SET speaker = speaker || '#past' WHERE role = 'user' AND lower(trim(speaker)) = 'lyra';
UPDATE terms SET speaker = speaker || '#past' WHERE traits % 2 = 0 AND lower(trim(speaker)) = 'lyra'
