"""Where a sentence ends, and where it only looks so."""

import pytest

from memory.text.sentence_splitting import clauses, sentences


@pytest.mark.parametrize(
    "told",
    [
        ["Dr. Miller came at 3 p.m. today.", 'He said "Yes. Now." and left!', "Ok?", "Am 20. November."],
        ["It was 5 p.m.", "We ate pears etc. in the U.S. Army.", "J. Smith paid 3.50, e.g. for tea."],
        ["I am 42.", "My sister is 9.", "We met in 2019.", "So did I.", "Then …", "nothing?!"],
        ["Am 24.12. um acht, z. B. im 3. Stock.", "Termin: 5. Mai.", "Der 2. Advent."],
        ["See https://a.org/b?c=1.5.", "(Not there.)", "**Bold.**", "Go on!"],
        ["He said „Ich komme. Warte.“ und ging.", '"Why?"', "She left.", "“I am here. Come in,” he said."],
        ["猫です。", "「行こう。」と言った。", "क्या हुआ।", "वह आया।", "هل رأيته؟", "نعم."],
    ],
)
def test_a_text_is_cut_where_a_reader_would(told: list[str]) -> None:
    assert sentences(" ".join(told)) == sentences("\n\n".join(told)) == told


def test_an_item_of_a_list_is_one_with_its_number() -> None:
    assert sentences("1. Milk\n2. Two eggs. Brown ones.\n- Tea") == ["1. Milk", "2. Two eggs.", "Brown ones.", "- Tea"]


def test_a_message_that_is_a_quotation_is_cut() -> None:
    assert sentences('"Dear all. We eat at 8. Esma"') == ['"Dear all.', "We eat at 8.", 'Esma"']


def test_clauses_end_at_commas_and_between_what_is_joined() -> None:
    told = "I like tea, but Dr. Wu drinks 1,5 litres of coffee und ich nicht – not from 10–12: never."
    assert clauses(told) == [
        "I like tea", "Dr. Wu drinks 1,5 litres of coffee", "ich nicht", "not from 10–12", "never."
    ]  # fmt: skip
