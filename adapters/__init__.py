"""Platforms. An adapter knows one platform and nothing of Lyra or of her memory."""
