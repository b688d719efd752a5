"""Remembering and finding again. Knows nothing of chat platforms, HTTP or Lyra's voice.

Messages come in through a view that is bound to who may know; messages, digests and their sources come out. `core` opens
the memory; what it needs from outside (a clock, ids, a writer, an embedder) is declared in `ports` and passed in.
"""
