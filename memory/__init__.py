"""Remembering and finding again. Knows nothing of chat platforms, HTTP or Lyra's voice."""
