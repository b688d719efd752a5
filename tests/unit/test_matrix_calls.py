"""Whether her name at the start of a message calls her, where the client finds nobody mentioned in it."""

import pytest

from adapters.matrix.incoming.heard_messages import names_her

ME = "@lyra:lyra.test"


@pytest.mark.parametrize(
    "said",
    [
        "Lyra: what is new?",
        "lyra, what is new?",
        "Lyra : quoi de neuf ?",
        "@Lyra what is new?",
        f"{ME} what is new?",
        f"{ME}: hi",
        "@lyra:\nhi",
    ],
)
def test_it_does_as_a_call(said: str) -> None:
    assert names_her({"m.mentions": {}}, ME, ["Lyra", "lyra"], said)


@pytest.mark.parametrize(
    "said",
    [
        "I told Lyra about it.",
        "Lyra's idea: a boat",
        "Lyra :) how nice",
        "Lyra:",
        "> Lyra: what is new?\n\nA good question.",
        "```\nLyra: what is new?\n```",
        "`Lyra: what is new?` is what I said",
        "@lyra:elsewhere.test what is new?",
        f"{ME}.org: what is new?",
        "@lyra-bot what is new?",
        "@lyra.two:lyra.test hi",
        "lyra:8080 is down",
        "[Lyra](https://stars.test) is a constellation",
    ],
)
def test_it_does_not_within_a_quote_a_smile_or_somebody_elses_name(said: str) -> None:
    assert not names_her({"m.mentions": {}}, ME, ["Lyra", "lyra"], said)
