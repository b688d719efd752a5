-- What is looked for by these is found without going through the whole table: the newest item of a domain, what cites a digest, what
-- took the place of a statement, and the events that were given up.
CREATE INDEX items_domain ON items (domain, id);
CREATE INDEX cites_item ON cites (item);
CREATE INDEX statements_successor ON statements (successor) WHERE successor IS NOT NULL;
CREATE INDEX inbox_parked ON inbox (id) WHERE state = 'parked';
