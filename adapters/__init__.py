"""Platforms: what people say there, and what Lyra answers, in types that all platforms share.

A platform's events come in and leave as `events` that know nothing of Discord or Matrix; replies come in and leave as
messages there. An adapter knows one platform, and nothing of Lyra or her memory.
"""
