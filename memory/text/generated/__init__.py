"""What models write that nobody asked for: rows that count without an end, circles, their prompt again, invented turns and
receipts. Pieces of an answer come in, as they are made; what people may read goes out. Nothing here knows a model.
"""
