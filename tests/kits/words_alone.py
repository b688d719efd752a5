"""The one place that switches the local model off in tests: loading it for each of their homes would double their time.

What is about the local model itself asks for it: tests/contract/test_minilm.py and tests/e2e/test_local_model.py.
"""

import re


def words_alone(config: str) -> str:
    """Return the text of a configuration with `embed` off, unless it says itself what embeds."""
    return config if re.search(r"(?m)^embed\b", config) else f'embed = "off"\n{config}'
