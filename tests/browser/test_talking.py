"""Coming in and talking, as a person does it."""

from itertools import combinations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import PHONE, Served, Window

_CUT_PLACEHOLDERS = """() => [...document.querySelectorAll('input, textarea')].filter(one => one.placeholder && one.offsetParent).filter(one => {
    const style = getComputedStyle(one), pen = document.createElement('canvas').getContext('2d');
    pen.font = `${getComputedStyle(one, '::placeholder').fontSize} ${style.fontFamily}`;
    return pen.measureText(one.placeholder).width > one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
}).map(one => one.placeholder)"""


def test_a_link_lets_in_once(served: Served, window: Window) -> None:
    window.context.clear_cookies()
    link = served.link()
    window.page.goto(link)
    window.page.wait_for_url("**/talk")
    expect(window.page.get_by_text("Signed in as ada")).to_be_visible()
    window.context.clear_cookies()
    with window.refused():
        window.page.goto(link)
    expect(window.page.get_by_text("That link was used already")).to_be_visible()


def test_what_is_said_is_answered(window: Window) -> None:
    page = window.talk("answers")
    expect(page.get_by_text("Nothing was said here yet.")).to_be_visible()
    window.say("The sweet peas climb up the fence.")
    expect(page.locator(".message.theirs .words")).to_have_text("The sweet peas climb up the fence.")
    expect(page.locator(".message.hers em")).to_have_text("The sweet peas climb up the fence.")
    expect(page.locator(".message.hers li")).to_have_count(2)
    expect(page.get_by_label("Your message")).to_have_value("")
    page.reload()
    expect(page.locator(".message.hers em")).to_have_text("The sweet peas climb up the fence.")


def test_shift_and_enter_begin_a_new_line(window: Window) -> None:
    page = window.talk("lines")
    page.get_by_label("Your message").press_sequentially("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".message.theirs .words")).to_have_text("one\ntwo")


def test_two_tabs_show_one_conversation(window: Window) -> None:
    window.talk("tabs")
    other = window.context.new_page()
    other.goto(window.page.url)
    other.wait_for_selector('[data-listening="yes"]')
    window.say("Do both hear me?")
    for page in (window.page, other):
        expect(page.locator(".message.theirs .words")).to_have_text("Do both hear me?")
        expect(page.locator(".message.hers .prose")).to_be_visible()


def test_commands_are_answered(window: Window) -> None:
    page = window.talk("commands")
    window.say("/recall heron")
    expect(page.locator(".message.notice")).to_contain_text("A heron stood in the reeds")
    page.get_by_role("button", name="Forget 1", exact=True).hover()
    window.say("/help")
    expect(page.locator(".message.notice").last).to_contain_text("/recall")


def test_a_mistyped_command_is_said_to_be_one(window: Window) -> None:
    page = window.talk("mistyped")
    window.say("/recal heron")
    expect(page.locator(".message.notice")).to_contain_text("/recal")


@pytest.mark.parametrize("answer", ["No", "Yes"])
def test_a_question_is_asked_and_answered(window: Window, answer: str) -> None:
    page = window.talk(f"question-{answer}")
    window.say("My pin is 1234.")
    expect(page.locator(".message.hers .prose")).to_be_visible()
    window.say("/forget session")
    expect(page.get_by_role("alertdialog")).to_contain_text("for good?")
    page.get_by_role("button", name=answer, exact=True).click()
    expect(page.locator(".message.notice").last).to_contain_text("Forgotten:" if answer == "Yes" else "Nothing was forgotten.")
    page.reload()
    expect(page.locator(".words", has_text="My pin is 1234.")).to_have_count(0 if answer == "Yes" else 1)


def test_a_new_conversation_begins_in_the_list(window: Window) -> None:
    page = window.open("/talk")
    page.get_by_text("Conversations", exact=True).click()
    expect(page.get_by_role("link", name="garden")).to_be_visible()
    page.get_by_label("Begin a new one").fill("Road trip")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("heading", name="Road trip")).to_be_visible()
    page.wait_for_selector('[data-listening="yes"]')
    window.say("We drive to the sea.")
    expect(page.locator(".message.hers .prose")).to_be_visible()
    page.reload()
    page.get_by_text("Conversations", exact=True).click()
    expect(page.get_by_role("link", name="Road trip")).to_be_visible()


def test_the_command_new_leads_there(window: Window) -> None:
    page = window.talk("leaving")
    window.say("/new Another room")
    page.wait_for_url("**/talk?in=Another+room")
    expect(page.get_by_role("heading", name="Another room")).to_be_visible()


def test_markup_that_is_said_stays_text(window: Window) -> None:
    page = window.talk("markup")
    said = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    window.say(said)
    expect(page.locator(".message.theirs .words")).to_have_text(said)
    expect(page.locator(".message.hers em")).to_have_text(said)
    assert page.locator(".thread img, .thread script").count() == 0


def test_what_is_written_from_right_to_left_is_shown_so(window: Window) -> None:
    page = window.talk("right to left")
    window.say("مرحبا يا صديقي!")
    expect(page.locator(".message.theirs .words")).to_have_text("مرحبا يا صديقي!")
    first, last = page.evaluate(
        """() => {
            const words = document.querySelector(".theirs .words").firstChild, range = document.createRange();
            return [0, words.length - 1].map((at) => {
                range.setStart(words, at);
                range.setEnd(words, at + 1);
                return range.getBoundingClientRect().left;
            });
        }"""
    )
    assert last < first, "the exclamation mark ends the sentence, on its left"


@pytest.mark.parametrize("window", [{"java_script_enabled": False}], indirect=True)
def test_it_works_without_scripts(window: Window) -> None:
    page = window.open("/talk?in=plain")
    page.get_by_label("Your message").fill("Is this enough?")
    with page.expect_navigation():
        page.get_by_role("button", name="Send").click()
    # Nothing but another look tells such a browser that an answer came; the time that a test may take is the bound.
    while not page.locator(".message.hers .prose").count():
        page.reload()
    expect(page.locator(".message.theirs .words")).to_have_text("Is this enough?")
    expect(page.locator(".message.hers .prose")).to_contain_text("Is this enough?")


@pytest.mark.parametrize("window", [{"viewport": PHONE, "is_mobile": True, "has_touch": True}], indirect=True)
def test_talking_fits_a_phone(window: Window) -> None:
    page = window.talk("phone")
    window.say("The train is late again, so I have time to write you a longer message about nothing in particular.")
    expect(page.locator(".message.hers .prose")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_signing_out_ends_it(served: Served, window: Window) -> None:
    window.context.clear_cookies()
    window.page.goto(served.link())
    window.page.wait_for_url("**/talk")
    window.page.get_by_role("button", name="Sign out").click()
    expect(window.page.get_by_text("You are signed out.")).to_be_visible()
    with window.refused():
        window.open("/talk")
    expect(window.page.get_by_text("Nobody is signed in here.")).to_be_visible()


def test_somebody_else_sees_nothing_of_it(served: Served, window: Window) -> None:
    window.context.clear_cookies()
    window.page.goto(served.link("bob"))
    window.page.wait_for_url("**/talk")
    for path in ("/talk?in=garden", "/search?q=tulips", "/timeline", "/facts", "/people"):
        page = window.open(path)
        expect(page.get_by_text("tulips opened")).to_have_count(0)
    page.get_by_text("Signed in as bob").hover()


@pytest.mark.parametrize(
    "window", [{"viewport": {"width": 360, "height": 780}, "locale": locale} for locale in ("en-US", "de-DE")], indirect=True
)
def test_what_stands_in_a_small_window_can_be_read(window: Window) -> None:
    page = window.open("/talk")
    text = page.locator("#text")
    assert text.evaluate("one => [one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth]") == [0, 0]
    page = window.open("/search")
    assert page.evaluate(_CUT_PLACEHOLDERS) == []
    for path in ("/health", "/dreams"):
        page = window.open(path)
        assert page.locator("table").count() > 0
        cut = page.locator(".wide").evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length")
        assert cut == 0


@pytest.mark.parametrize("window", [{"viewport": {"width": 360, "height": 780}}], indirect=True)
def test_a_chart_can_be_read_in_a_small_window(window: Window) -> None:
    page = window.open("/numbers")
    for at in range(page.locator(".chart").count()):
        chart = page.locator(".chart").nth(at)
        boxes = _boxes(chart.locator("text:visible"))
        assert min(box["height"] for box in boxes) >= 9
        assert [pair for pair in combinations(boxes, 2) if _meet(*pair)] == []
        drawn = _boxes(chart.locator(".bar"))
        assert [bar for bar in drawn if any(_meet(bar, box) for box in boxes)] == []


def _meet(one: dict[str, float], other: dict[str, float]) -> bool:
    """Say whether what is drawn in two boxes meets: above and below letters, a box has room that stays empty."""
    across = min(one["right"], other["right"]) - max(one["left"], other["left"])
    down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
    return across > 0 and down > min(one["height"], other["height"]) / 4


def _boxes(shown: Locator) -> list[dict[str, float]]:
    return list(shown.evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())"))
