"""Lyra without a model: a writer of digests that copies sentences, and a voice that quotes what it found."""

from bot.offline.voice import Answer, Asked, OfflineVoice
from bot.offline.writer import ExtractiveWriter

__all__ = ["Answer", "Asked", "ExtractiveWriter", "OfflineVoice"]
