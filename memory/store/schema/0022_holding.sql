ALTER TABLE statements ADD COLUMN holds_from INTEGER;
ALTER TABLE statements ADD COLUMN holds_until INTEGER;
ALTER TABLE statements ADD COLUMN holds_to TEXT;
