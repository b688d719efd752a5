"""Lyra herself: she hears through adapters, remembers through memory, answers through a model or her offline voice.

`app` is the only container: it opens everything, wires it and closes it. Every other package is given what it works with.
"""
