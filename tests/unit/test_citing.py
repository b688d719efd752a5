"""Which statements an answer draws on: by a name, a number or several words that few of the others have."""

import pytest

from bot.context.prompt import drawn_on

FACTS = {
    1: "Ada lives in Graz",
    2: "Ada's sister Iris studies medicine",
    3: "Ada's locker number is 7741",
    4: "Ada is learning to repair old wooden clocks",
    5: "Ada likes tea in the morning",
}
SPEAKERS = ("Ada", "Lyra")


@pytest.mark.parametrize(
    ("answer", "drawn"),
    [
        ("How is Iris?", {2}),
        ("You still live in Graz, as far as I know.", {1}),
        ("It is 7741.", {3}),
        ("Your sister, the one who studies medicine, could tell.", {2}),
        ("Did the clocks you repair all come from that old shop?", {4}),
        ("Iris told you 7741 in Graz?", {1, 2, 3}),
        ("Good morning, Ada! I am Lyra.", set()),
        ("Tea sounds fine.", set()),
        ("I do not know.", set()),
        ("", set()),
    ],
)
def test_an_answer_draws_on_what_it_shares_something_rare_with(answer: str, drawn: set[int]) -> None:
    assert drawn_on(answer, FACTS, SPEAKERS) == drawn


def test_the_name_of_who_speaks_tells_nothing_though_a_strangers_does() -> None:
    assert drawn_on("Hello Ada", {1: "Ada lives in Graz"}, SPEAKERS) == set()
    assert drawn_on("Hello Ada", {1: "Ada lives in Graz"}, ()) == {1}


def test_what_most_statements_say_tells_nothing_of_any() -> None:
    boats = {n: f"on day {n} the boat Kestrel sailed to island {n + 100}" for n in range(20)}
    assert drawn_on("The boat Kestrel sailed to an island.", boats, SPEAKERS) == set()
    assert drawn_on("To island 107, with Kestrel.", boats, SPEAKERS) == {7}


@pytest.mark.parametrize("answer", ["See you on Monday in May.", "That was in 2026.", "All 3 of them."])
def test_days_months_years_and_single_digits_tell_too_little(answer: str) -> None:
    assert drawn_on(answer, {1: "In May 2026 Ada saw 3 plays, all on a Monday"}, SPEAKERS) == set()


def test_a_script_without_capitals_is_known_by_several_words() -> None:
    facts = {1: "アダはウィーンに住んでいる", 2: "妹は医学を学んでいる"}
    assert drawn_on("アダさんはウィーンにいますね", facts, ()) == {1}
