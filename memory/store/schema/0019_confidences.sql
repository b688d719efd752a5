-- A confidence is a domain within another: the same readers but for some. What is told in one stays an item of the outer domain.
CREATE TABLE confidences (
  domain INTEGER PRIMARY KEY REFERENCES domains (id),
  home INTEGER NOT NULL REFERENCES domains (id),
  excepted TEXT NOT NULL,
  UNIQUE (home, excepted)
);

CREATE TABLE confided (
  item INTEGER PRIMARY KEY REFERENCES items (id),
  domain INTEGER NOT NULL REFERENCES confidences (domain),
  told INTEGER NOT NULL DEFAULT 0
)
