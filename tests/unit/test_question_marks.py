"""Which texts are questions, whatever script they are in."""

import pytest

from memory.text.questions import is_question


@pytest.mark.parametrize(
    "text", ["Who is it? ", "我的船叫什么？", "ما اسم القارب؟\n", "Πού είναι το καράβι;", "Πού είναι το καράβι\u037e"]
)
def test_a_text_that_ends_with_the_mark_of_its_script_is_a_question(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["", "I know.", "我的船叫小燕。", "int main() { return 0; };", "το καράβι λέγεται Ίρις"])
def test_no_other_text_is(text: str) -> None:
    assert not is_question(text)
