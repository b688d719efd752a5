"""Steering her: an answer that is stopped, a dream that is dreamt now, who she is."""

from playwright.sync_api import expect

from tests.browser.conftest import Window


def test_who_she_is_is_said_anew_and_undone(window: Window) -> None:
    page = window.open("/persona")
    page.get_by_label("Every model that answers for me is told this first.").fill("You are Ada's gardener.")
    page.get_by_role("button", name="Save it").click()
    expect(page.get_by_role("status")).to_contain_text("from my next answer on")
    expect(page.locator("textarea")).to_have_value("You are Ada's gardener.")
    page.get_by_role("button", name="Go back to who I was at first").click()
    expect(page.locator("textarea")).to_contain_text("a companion who remembers")


def test_she_dreams_when_she_is_told_to(window: Window) -> None:
    page = window.open("/dreams")
    before = page.locator("details.dream").count()
    page.get_by_role("button", name="Dream now").click()
    expect(page.locator("details.dream")).to_have_count(before + 1)


def test_there_is_nothing_to_stop_while_nothing_is_made(window: Window) -> None:
    page = window.talk("stopping")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    window.say("The sweet peas climb up the fence.")
    expect(page.locator(".message.hers em")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
