-- Of a long conversation, what is not merged yet is a handful of thousands of gists, and every turn reads it.
CREATE INDEX digests_frontier ON digests (session, merged, tier)
