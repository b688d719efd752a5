"""Where a text runs in circles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.generated.loops import Unlooped

SONG = "Let it be, let it be, let it be, let it be. Whisper words of wisdom, let it be."
TABLE = "| name | age |\n|------|-----|\n| Rosa | 41 |\n| Nele | 41 |\n| Jan | 41 |\n"


REFRAIN = "Row, row, row your boat, gently down the stream.\n"


def shown(text: str, size: int) -> tuple[str, bool]:
    """Return what is shown of a text that comes in pieces of so many characters, and whether it was ended early."""
    loops = Unlooped()
    pieces = [loops.feed(text[at : at + size]) for at in range(0, len(text), size)]
    return "".join([*pieces, loops.flush()]), loops.ended


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I love my son and my daughter.\n\n" * 3, "I love my son and my daughter.\n\n"),
        ("Well. I know a lot of people in town. " * 2, "Well. I know a lot of people in town. " * 2),
        ("She said so because I know a lot of people" + " in town.\nI said so because I know a lot of people" * 3,
         "She said so because I know a lot of people in town.\nI said so because I know a lot of people in town."),
        ("ha" * 30, "ha" * 30),
        ("Good. " + "ha" * 300, "Good. ha"),
        (SONG, SONG),
        ("Wave.<|im_end|>\n<|im_start|>assistant\nWave", "Wave."),
        ("Wave.<end_of_turn>", "Wave."),
        ("</|im_end|>", ""),
        ("So it goes:\n```\n<|im_end|>\n```\nEnd. </s>", "So it goes:\n```\n<|im_end|>\n```\nEnd. "),
        ("a < b and <b>so</b> on", "a < b and <b>so</b> on"),
        *[
            (text, text)
            for text in (
                "Ask your assistant\nor me. 1.user\nassistants",
                "Das sind zwei Rollen.\nuser\nadmin",
                "The account is in request.user\nand nowhere else.",
                "It is in request.user\n\nand nowhere else.",
                "It is in request.user",
                "So it is.\nuser\n\n and so on",
                "角色：\nuser",
                "Fill in login (name)\nuser\npassword (pw)\nsecret",
                "Zwei:\nadmin\nuser",
                "1.\nuser",
                "So:\n```\nDone.\nuser\n",
                "model\n",
                "assistant",
            )
        ],
        ("So it is.\nuser\n", "So it is."),
        ("So it is!assistant", "So it is!"),
        ("So it is 🙂\nassistant\n\n", "So it is 🙂"),
        (TABLE, TABLE),
        (REFRAIN * 5 + "So it ends.", REFRAIN * 5 + "So it ends."),
        (REFRAIN * 5 + "Row, row", REFRAIN),
        (REFRAIN * 50 + "So it ends.", REFRAIN),
        ("| 0 | 0 | 0 |\n" * 20 + "| 1 | 0 | 0 |", "| 0 | 0 | 0 |\n" * 20 + "| 1 | 0 | 0 |"),
        ("Sum\n" + "-" * 200 + "\n42", "Sum\n" + "-" * 200 + "\n42"),
    ],
)  # fmt: skip
def test_a_text_ends_where_it_runs_in_circles_or_begins_another_turn(text: str, kept: str) -> None:
    assert shown(text, len(text))[0] == kept


@pytest.mark.parametrize("blank", ["\n", " ", "\n \n"])
def test_an_answer_that_begins_with_blanks_without_end_is_cut_off(blank: str) -> None:
    loops = Unlooped()
    for _ in range(1_000):
        loops.feed(blank)
    assert loops.ended


@given(
    st.text("ab .\n", max_size=400) | st.lists(st.sampled_from(["<|im_end|>", "```", "</s>", "a. ", "< b"])).map("".join),
    st.integers(1, 40),
)
def test_however_it_comes_it_ends_at_the_same_place(text: str, size: int) -> None:
    given_out, ended = shown(text, size)
    assert (given_out, ended) == shown(text, max(1, len(text)))
    assert text.startswith(given_out) and (ended or given_out == text)


TOKENED = {
    "ChatML": "<|im_start|>assistant\nGood evening.<|im_end|>\n<|im_start|>user\nTell me more.",
    "Llama, its tokens skipped": "assistant\n\nGood evening.assistant\n\nTell me more.",
    "ChatML, its tokens skipped": "assistant\nGood evening.\nuser\n",
    "Gemma, its tokens skipped": "model\nGood evening.",
    "Llama": "<|start_header_id|>assistant<|end_header_id|>\n\nGood evening.<|eot_id|>",
    "Llama, newer": "<|header_start|>assistant<|header_end|>\n\nGood evening.<|eot|>",
    "Phi": "<|assistant|>\nGood evening.<|end|>",
    "Gemma": "<start_of_turn>model\nGood evening.<end_of_turn>",
    "Gemma, newer": "<|turn>model\nGood evening.<turn|>",
    "Mistral": " [/INST] Good evening.</s>[INST] Tell me more. [/INST]",
    "Llama 2": "<s> Good evening. [/INST]",
    "DeepSeek": "<｜Assistant｜>Good evening.<｜end▁of▁sentence｜><｜User｜>Tell me more.",
    "Kimi": "<|im_assistant|>assistant<|im_middle|>Good evening.<|im_end|>",
    "Command": "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>Good evening.<|END_OF_TURN_TOKEN|>",
    "Granite": "<|start_of_role|>assistant<|end_of_role|>Good evening.<|end_of_text|>",
    "EXAONE": "[|assistant|]Good evening.[|endofturn|]",
    "SmolVLM": "Good evening.<end_of_utterance>",
}


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("kind", TOKENED)
def test_what_templates_put_around_an_answer_is_no_part_of_it(kind: str, size: int) -> None:
    assert shown(TOKENED[kind], size)[0].strip() == "Good evening."


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    "text",
    ["[1] and [2] are footnotes.", "<b>Bold</b> is markup.", "[a link](there) leads there.", "<", "[", "a < b, [x]", "<|unknown"],
)
def test_what_only_begins_alike_is_kept(text: str, size: int) -> None:
    assert shown(text, size) == (text, False)
