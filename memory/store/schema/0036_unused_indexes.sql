-- No statement is answered by these any more.
DROP INDEX IF EXISTS confided_domain;
DROP INDEX IF EXISTS digests_edge;
DROP INDEX IF EXISTS statements_holding
