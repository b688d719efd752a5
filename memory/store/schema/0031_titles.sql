-- The names that Lyra gave to threads: a part each, sent, which answers the message that it is called after and goes with that.
CREATE INDEX outbox_titles ON outbox (answers) WHERE form = 'title'
