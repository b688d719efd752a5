-- What models took, for whoever pays: by day (of UTC), purpose and backend, for all domains together.
CREATE TABLE usage (
  day INTEGER NOT NULL,
  purpose TEXT NOT NULL,
  backend TEXT NOT NULL,
  calls INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  PRIMARY KEY (day, purpose, backend)
)
