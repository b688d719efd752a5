"""Platforms: what people say there, and what Lyra answers, in words that every platform shares.

Events of a platform come in and leave as `events` that know nothing of Discord or Matrix; replies come in and leave as
messages there. An adapter knows one platform and nothing of Lyra or of her memory.
"""
