CREATE INDEX activity_at ON activity (at);
