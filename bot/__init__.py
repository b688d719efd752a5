"""Lyra herself: she hears through adapters, remembers through memory, answers through a model or her offline voice."""
