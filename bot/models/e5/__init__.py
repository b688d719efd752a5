"""The multilingual local model: multilingual-e5-small in four bits, run by the engine in its package.

Texts come in; out come unit vectors, in one space for all languages. The weights are files of a package, verified before use.
"""
