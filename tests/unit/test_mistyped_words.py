"""A question with a mistyped word is answered as it was meant, and one about something that nobody mentioned as it stands."""

import pytest

from bot.models.offline.question_analysis import as_meant
from tests.kits.memory_kit import table

SAID = ["The greenhouse needs a new pane.", "Der Regenschirm steht im Flur.", "I like the desert at night."]
READ = """
what does the greenhose need?   | what does the greenhouse need?
Where is the GREENHOSE?         | Where is the greenhouse?
Wo steht der Regenschrim?       | Wo steht der regenschirm?
where is the new greenhouse?    | where is the new greenhouse?
what grows in the greenery?     | what grows in the greenery?
who broke the plane?            | who broke the plane?
"""


@pytest.mark.parametrize(("asked", "meant"), table(READ))
def test_a_mistyped_word_is_read_as_what_was_said(asked: str, meant: str) -> None:
    assert as_meant(asked, SAID) == meant
