-- The roles of a PostgreSQL server that keeps her memory, and the database. Once, by a superuser:
--   LYRA_DATABASE_PASSWORD=… psql --file deploy/database.sql postgres
-- She signs in as `lyra`, which owns nothing: so the server itself shows a conversation only what its readers may know. What changes
-- the tables when a newer version starts, she does for `lyra_owner`, as whom nobody signs in.
\set ON_ERROR_STOP on
\getenv password LYRA_DATABASE_PASSWORD
CREATE ROLE lyra_owner NOLOGIN;
CREATE ROLE lyra LOGIN PASSWORD :'password';
GRANT lyra_owner TO lyra WITH INHERIT FALSE, SET TRUE;
-- So that `lyra doctor` sees how many connections are in use, and how far behind a standby is.
GRANT pg_monitor TO lyra;
CREATE DATABASE lyra OWNER lyra_owner ENCODING 'UTF8' TEMPLATE template0;
