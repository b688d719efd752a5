"""Lyra without a model.

A question or a transcript comes in; out comes an answer that quotes what was found, or a digest of copied sentences.
"""
