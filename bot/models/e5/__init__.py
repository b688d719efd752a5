"""The local model for every language: multilingual-e5-small in four bits, run by the engine that its package brings.

Texts come in; out come unit vectors, of one space for all languages. The weights are files of a package, checked before use.
"""
