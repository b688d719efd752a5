"""Which messages answer a question, without a model.

`columns`, `documents`, `postings`, `meaning` hold one kind of item of one domain in memory; `domain_index` puts them together
and `domain_indexes` keeps them true to the file. `words` and `ranking` score, `selection` picks, `finder` is the way in.
"""
