"""HTTP: the memory page for people, and a few paths for scripts.

Requests come in, each for one signed-in identity or with the token; HTML of that identity's own views goes out. This package is
part of `bot`, as it reads memory through views; the browser as a place to talk is an adapter, `adapters/browser/`.
"""
