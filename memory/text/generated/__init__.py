"""Filters for unwanted model output: endless counting, loops, echoes of the prompt, invented turns and receipts.

Pieces of an answer come in as they are generated; what people may read goes out. Nothing here knows a model.
"""
