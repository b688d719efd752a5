ALTER TABLE rungs RENAME TO derivations;

CREATE TABLE refused (
  id INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL REFERENCES domains (id),
  tier TEXT NOT NULL,
  slot TEXT NOT NULL,
  inputs TEXT NOT NULL,
  writer TEXT NOT NULL,
  reason TEXT NOT NULL,
  answer TEXT NOT NULL,
  refused_at INTEGER NOT NULL
);

INSERT INTO refused (domain, tier, slot, inputs, writer, reason, answer, refused_at)
SELECT domain, tier, CASE WHEN tier = 'reflection' THEN CAST(domain AS TEXT) ELSE domain || '/' || period END, inputs, writer,
  reason, answer, rejected_at FROM rejections;

INSERT INTO refused (domain, tier, slot, inputs, writer, reason, answer, refused_at)
SELECT r.domain, r.tier, s.public_id || '/' || r.level || '/' || r.position, coalesce(CAST(d.item AS TEXT), ''), r.writer,
  r.reason, r.answer, r.refused_at
FROM refusals r JOIN sessions s ON s.id = r.session
LEFT JOIN digests d ON d.session = r.session AND d.tier = r.tier AND d.level = r.level AND d.position = r.position
WHERE r.tier <> 'entry' AND r.refused_at >= coalesce(d.made_at, -1);

DROP TABLE rejections;
DROP TABLE refusals;
ALTER TABLE refused RENAME TO refusals;
CREATE INDEX refusals_target ON refusals (domain, tier, slot, inputs);
