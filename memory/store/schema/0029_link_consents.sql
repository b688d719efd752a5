-- Which accounts agreed beside whoever typed a code and whom it was shown to, of all that are linked with one of these, as JSON.
ALTER TABLE link_codes ADD COLUMN consents TEXT NOT NULL DEFAULT '[]'
