-- Which message last asked to keep an item from some people, or permitted to tell them (frees): what a permission freed is kept from
-- them again as it goes. The people are those of a confidence.
CREATE TABLE heeded (
  item INTEGER NOT NULL REFERENCES items (id),
  confidence INTEGER NOT NULL REFERENCES confidences (domain),
  request INTEGER NOT NULL REFERENCES items (id),
  frees INTEGER NOT NULL,
  PRIMARY KEY (item, confidence)
);

CREATE INDEX heeded_request ON heeded (request)
