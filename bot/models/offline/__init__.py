"""Lyra without a model.

A question or a transcript comes in; out comes an answer that quotes hits, or a digest of copied sentences.
"""
