"""Cards at the exit: what hostile words in them can show, and how many go into a message."""

import pytest

from adapters.command_table import Card, CardLimits
from adapters.markup import units
from bot.delivery import composer
from bot.delivery.composer import deserialize, gated_cards, serialize
from bot.delivery.exit_gate import ExitGate
from bot.delivery.urls import has_link

LIMITS = CardLimits(cards=10, units=6000, title=256, text=4096, note=2048)
JUMP = "https://discord.com/channels/1/2/3"
EVIL = "https://evil.example/x"


def gated(*given: Card) -> list[list[Card]]:
    return gated_cards(given, ExitGate({JUMP}, names=False), LIMITS)


def live(text: str) -> bool:
    """Say whether an address stands in a text outside of code."""
    return has_link("".join(text.split("`")[::2]))


HOSTILE = [
    Card(f"see [the minutes]({EVIL})", "ada", "sure", JUMP),
    Card("words", f"ada [here]({EVIL})", "sure", JUMP),
    Card("words", "ada", f"same words: {EVIL}", JUMP),
    Card(f"![picture]({EVIL}.png)", "ada", "sure", JUMP),
    Card("words", "ada", "sure", EVIL),
    Card("words", "ada", "sure", "javascript:alert(1)"),
]


def leaks(card: Card) -> bool:
    return any(map(live, (card.text, card.title, card.note))) or card.link not in ("", JUMP)


@pytest.mark.parametrize("card", HOSTILE, ids=["words", "title", "note", "image", "link", "script"])
def test_nothing_of_a_card_leads_where_nobody_may(card: Card) -> None:
    ((shown,),) = gated(card)
    assert leaks(card) and not leaks(shown)


def test_without_the_gate_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composer, "_gated", lambda card, gate, limits: [card])
    assert all(leaks(shown) for card in HOSTILE for (shown,) in gated(card))


def test_a_message_has_as_many_cards_as_it_takes_and_each_says_all() -> None:
    long = Card("walnut " * 1400, "t" * 300, "n" * 3000, JUMP)
    messages = gated(*[Card(f"words {n}", "ada", "sure", JUMP) for n in range(23)], long)
    assert [len(some) for some in messages[:2]] == [10, 10] and sum(map(len, messages)) > 24
    for some in messages:
        assert len(some) <= LIMITS.cards
        assert sum(units(one.title) + units(one.text) + units(one.note) for one in some) <= LIMITS.units
        assert all(units(one.title) <= 256 and units(one.text) <= 4096 and units(one.note) <= 2048 for one in some)
    said = [word for some in messages for one in some for word in one.text.split() if word == "walnut"]
    assert len(said) == 1400


def test_what_hides_or_moves_is_not_in_a_card_and_it_thaws_as_it_was_frozen() -> None:
    ((shown,),) = gated(Card("a\u202eb\x1b[2J", "c\u200ed\n\ne", "f\x07"))
    assert shown == Card("ab[2J", "cd e", "f")
    assert deserialize(serialize([shown])) == (shown,)
