"""Files into messages, messages into lines: pure parsing, no database.

JSONL or ChatGPT's export comes in; out come messages, and the lines that could not be used, each with its reason.
"""

from memory.transfer.chatgpt import read_chatgpt
from memory.transfer.detect import read_file
from memory.transfer.jsonl import line, read_jsonl
from memory.transfer.message import MAX_LINE, BadLine, FileUnusable, Incoming, Role, clean

__all__ = [
    "MAX_LINE",
    "BadLine",
    "FileUnusable",
    "Incoming",
    "Role",
    "clean",
    "line",
    "read_chatgpt",
    "read_file",
    "read_jsonl",
]
