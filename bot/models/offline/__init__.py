"""Lyra without a model.

A question or a transcript comes in; out comes an answer that quotes what was found, or a digest of copied sentences.
"""

from bot.models.offline.extractive import ExtractiveWriter
from bot.models.offline.voice import OfflineVoice, VoiceAnswer, VoiceQuestion

__all__ = ["VoiceAnswer", "VoiceQuestion", "ExtractiveWriter", "OfflineVoice"]
