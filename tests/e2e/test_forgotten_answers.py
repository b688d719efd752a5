"""What was forgotten is in no answer either: at the terminal, over many turns, while an answer is made, and after a kill."""

from collections import Counter
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.kits import lyra_kit
from tests.kits.entered import entered
from tests.kits.lyra_kit import Done, Home, ModelServer, NewMachine
from tests.kits.lyra_terminal import Terminal
from tests.kits.size import TORTURE

TURNS = 40 if TORTURE else 8
TOLD, ASKED, CODE = "My locker code is 4711", "what is my locker code?", "4711"
REPEATED = [
    "Your locker code is 4711.",
    "It is 4711, as you said.",
    "Still 4711.",
    "4711, of course.",
    "The locker opens with 4711.",
]
SMALL_TALK = {
    "what shall I cook tonight?": "A soup of leeks and potatoes would be quick.",
    "is it going to rain?": "Clouds come in from the west, so take an umbrella.",
    "recommend a novel": "Middlemarch, if you have long evenings.",
    "how do I sharpen a chisel?": "Use a flat stone and keep the bevel steady.",
    "tell me about whales": "Blue whales sing so low that you feel it more than you hear it.",
    "what about tulips?": "Plant the bulbs in autumn, twice as deep as they are tall.",
    "which cheese melts best?": "Gruyère, and a little Comté beside it.",
    "I slept badly": "I am sorry. A walk before breakfast may help.",
}


model = entered(ModelServer)
home = lyra_kit.home_with_model


def forget(home: Home, text: str) -> Done:
    """Forget the message that says a text, by its id."""
    (told,) = [hit for hit in home.lyra("recall", text, "--json").rows[0]["hits"] if hit["content"] == text]
    done = home.lyra("forget", told["id"])
    assert (done.code, done.err) == (0, "")
    return done


def left(home: Home) -> list[str]:
    """Return what is kept of her answers."""
    return [row["content"] for row in home.export() if row["role"] == "assistant"]


def nowhere(home: Home, model: ModelServer) -> bool:
    """Say whether the code is neither kept, nor found, nor shown to the model at the next question."""
    home.chat(ASKED)
    found = home.lyra("recall", ASKED, "--json", "-k", "50").rows[0]["hits"]
    texts = [*(row["content"] for row in home.export()), *(hit["content"] for hit in found), str(model.chats[-1].body)]
    return not any(CODE in text for text in texts)


def test_no_answer_repeats_what_was_forgotten(home: Home, model: ModelServer) -> None:
    model.script("I keep that.", *REPEATED[:3])
    home.chat(TOLD, ASKED, "and which number opens my locker?", "say it once more")
    assert [text for text in left(home) if CODE in text] == REPEATED[:3]
    assert "4711" in str(model.chats[-1].body)
    assert forget(home, TOLD).out.startswith("Forgotten: 1 message, 4 replies")
    assert nowhere(home, model)


@pytest.mark.torture
def test_no_answer_of_many_repeats_it_and_of_those_about_something_else_some_stay(tmp_path: Path, model: ModelServer) -> None:
    home = NewMachine(tmp_path, model.config()).begun()
    spoken = Counter[str]()

    def answer(request: b.Request) -> str:
        question = request.last_user.rpartition("\n")[2]
        spoken[question] += 1
        if question == ASKED:
            return REPEATED[spoken[question] % len(REPEATED)]
        return SMALL_TALK.get(question) or (b.sensible(request) if question != TOLD else "I keep that.")

    model.server.default = answer
    home.chat(TOLD, *(ASKED if turn % 2 else list(SMALL_TALK)[turn // 2 % len(SMALL_TALK)] for turn in range(TURNS)))
    assert sum(CODE in text for text in left(home)) == spoken[ASKED] == TURNS // 2
    forget(home, TOLD)
    innocent = [text for text in left(home) if text in SMALL_TALK.values()]
    assert len(innocent) >= TURNS // 8, f"{len(innocent)} of {TURNS // 2} that hold nothing of it are left"
    model.server.default = b.echo
    assert nowhere(home, model)


def forgotten_meanwhile(home: Home, model: ModelServer) -> None:
    """Wait until the model is asked for the code, and have it forgotten before it answers."""
    model.wait(2)
    assert CODE in str(model.chats[-1].body)
    forget(home, TOLD)


@pytest.mark.parametrize("goes_on", [True, False], ids=["the model goes on", "the model never goes on"])
def test_what_is_forgotten_while_it_is_answered_is_not_said_and_the_question_is_answered_without_it_at_once(
    home: Home, model: ModelServer, goes_on: bool
) -> None:
    model.script("I keep that.", b.Held("It is 4711."), "I do not know it.")
    with home.started("chat") as chat:
        chat.say(TOLD)
        chat.write(ASKED)
        forgotten_meanwhile(home, model)
        if goes_on:
            model.go()
        assert chat.reply() == "I do not know it."
        chat.finish()
    assert CODE not in str(model.chats[2].body)
    assert left(home) == ["I do not know it."]
    assert not goes_on or nowhere(home, model)


def test_what_is_on_the_screen_of_an_answer_is_taken_back_and_a_line_says_so(home: Home, model: ModelServer) -> None:
    model.script("I keep that.", b.Held(" 711, as you said.", first="It is 4 and"), "I do not know it.")
    with Terminal(home) as terminal:
        terminal.say(TOLD)
        terminal.type(ASKED)
        terminal.until("It is 4")
        forgotten_meanwhile(home, model)
        model.go()
        terminal.until("I do not know it.")
        screen = terminal.lines
        assert terminal.leave() == 0
    assert "It is 4" not in "\n".join(screen)
    assert any(line.startswith("(taken back: ") for line in screen)
    assert b"711" not in terminal.raw.split(b"It is 4")[-1]
    assert left(home) == ["I do not know it."]


@pytest.mark.first
@pytest.mark.parametrize("killed", ["before", "after"])
def test_what_is_forgotten_stays_away_though_the_answer_to_it_is_cut_off_by_a_kill(
    home: Home, model: ModelServer, killed: str
) -> None:
    anew = [b.Hang()] if killed == "after" else []
    model.script("I keep that.", b.Held("It is 4711."), *anew, "I do not know it.")
    with home.started("chat") as chat:
        chat.say(TOLD)
        chat.write(ASKED)
        model.wait(2)
        if killed == "before":
            chat.kill()
        forgotten_meanwhile(home, model)
        if killed == "after":
            model.wait(3)
            chat.kill()
    assert home.chat().lines == ["I do not know it."]
    assert len(model.chats) == 3 + len(anew)
    assert not any(CODE in str(asked.body) for asked in model.chats[2:])
    assert left(home) == ["I do not know it."]
    assert nowhere(home, model)
