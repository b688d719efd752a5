"""A text that is one long run of stops or of white space is gone through once: again from each of its characters takes minutes."""

import time

import pytest

from adapters.plain_words import offered
from bot.models.offline.message_kinds import MessageKind, hear
from bot.models.offline.question_analysis import parts
from memory.index.when.told_times import times_told
from memory.text.sentence_splitting import sentences
from memory.text.unmarked_questions import opens_like_a_question

MANY = 200_000


@pytest.mark.parametrize("run", [".", "!)", "… "])
def test_stops_end_one_sentence(run: str) -> None:
    assert len(sentences(f"Well{'.' * MANY}x. Yes.")) == 2
    assert len(times_told(f"Yesterday we met Ana{run * MANY}x", 10**15, "UTC").times) == 1


def test_white_space_parts_no_questions() -> None:
    text = f"Where is it,{' ' * MANY}and what{chr(9) * MANY}is that?"
    assert [one.text for one in parts(text, 0, "UTC")] == ["Where is it", "what is that?"]


@pytest.mark.parametrize("run", ["!", "please ", "lyra, ", "forget about ", "vergiss bitte ", "can you "])
def test_courtesy_around_a_request_is_looked_for_at_its_ends(run: str) -> None:
    assert offered(f"{run * MANY}x", "/") is None


@pytest.mark.parametrize("run", ["x", "xo", "so much ", ", "])
def test_what_stands_behind_a_greeting_is_gone_through_once(run: str) -> None:
    assert hear(f"hi {run * MANY}y").act is MessageKind.STATEMENT


def test_a_long_word_behind_a_code_asks_for_nothing() -> None:
    for asked in ("code de", "clave de"):
        began = time.process_time()
        assert not opens_like_a_question(f"{asked} {'a' * 180}1")
        assert time.process_time() - began < 0.2


@pytest.mark.parametrize("run", [" ", "mot ", " maintenant", "et ", "il a "])
def test_a_long_run_asks_nothing_in_french_or_spanish(run: str) -> None:
    assert not opens_like_a_question(f"a{run * MANY}b")
