ALTER TABLE statements ADD COLUMN holds_from INTEGER;
ALTER TABLE statements ADD COLUMN holds_until INTEGER;
ALTER TABLE statements ADD COLUMN holds_to TEXT;
CREATE INDEX statements_holding ON statements (domain, holds_from) WHERE holds_from IS NOT NULL AND ended_at IS NULL;
