"""Remembering and finding again. Knows nothing of chat platforms, HTTP or Lyra's voice.

Messages come in through a view that is bound to who may know; out come messages, digests and what rests on them. `core` opens
it; what it needs from outside (a clock, ids, a writer, an embedder) is declared in `ports` and handed in.
"""
