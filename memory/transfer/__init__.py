"""Files into messages, messages into lines: pure parsing, no database.

JSONL or ChatGPT's export comes in; out come messages, and the lines that could not be used, each with its reason.
"""
