"""Lyra herself: hears through adapters, remembers through memory, answers through a model or the offline voice.

`app` is the only container: it opens, wires and closes everything. Every other package is given what it works with.
"""
