"""Switches the local model off in tests: loading it for every home would double their time.

Limits are off as well, unless a test is about them: tests write faster than people, and more.

What is about the local model itself asks for it: tests/contract/test_minilm.py and tests/e2e/test_local_model.py.
"""

import re


def words_alone(config: str) -> str:
    """Return the text of a configuration with `embed` off, unless it says itself what embeds."""
    found = config if re.search(r"(?m)^embed\b", config) else f'embed = "off"\n{config}'
    return found if "[limits" in config else f"{found}\n[limits]\nin_a_row = 0\nperson.turns_per_minute = 0\n"
