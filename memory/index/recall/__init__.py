"""Ranked search over messages and digests, without a model.

A question and the domains in view come in; scored items come out. `columns`, `documents` and `meaning` hold one kind of item of
one domain in memory; `domain_index` combines them and `domain_indexes` keeps them in step with the database. `ranking` scores,
`selection` picks the results, and `finder` is the entry point.
"""
