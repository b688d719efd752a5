"""Import and export formats: pure parsing, no database.

JSONL or ChatGPT's export comes in; out come messages, and the unusable lines, each with its reason.
"""
