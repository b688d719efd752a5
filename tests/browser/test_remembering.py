"""Searching, leafing back, putting right, letting go and forgetting, as a person does it."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, Window

PAGES = (
    "/talk?in=garden", "/search?q=kayak", "/timeline", "/timeline/2026-09", "/facts", "/people", "/people/Lea", "/self", "/numbers", "/dreams",
    "/export", "/health", "/activity",
)  # fmt: skip


def test_searching_shows_receipts(window: Window) -> None:
    page = window.open("/search")
    page.get_by_label("What to look for").fill("heron")
    page.keyboard.press("Enter")
    hit = page.locator(".hits .message").first
    expect(hit).to_contain_text("A heron stood in the reeds")
    expect(hit).to_contain_text("in boats")
    expect(hit).to_contain_text("same words: heron")
    hit.get_by_role("link", name="In context").click()
    expect(page.locator(".message.meant")).to_contain_text("A heron stood in the reeds")
    expect(page.get_by_text("My arms hurt for three days.")).to_be_visible()


def test_a_search_is_narrowed(window: Window) -> None:
    page = window.open("/search")
    page.get_by_label("What to look for").fill("Lea")
    page.get_by_text("By person, time and place").click()
    page.locator("select[name=where]").select_option(label="boats")
    page.locator("select[name=who]").select_option("ada")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".hits")).to_contain_text("Lea wants to come along next year.")
    expect(page.locator(".hits")).not_to_contain_text("lives in Graz")
    expect(page.locator("select[name=where]")).to_be_visible()


def test_what_is_nowhere_is_said_to_be_nowhere(window: Window) -> None:
    page = window.open("/search?q=xylophone")
    expect(page.get_by_text("Nothing was found.")).to_be_visible()


def test_the_timeline_opens_to_months_gists_and_messages(window: Window) -> None:
    page = window.open("/timeline")
    expect(page.locator(".chart .bar")).not_to_have_count(0)
    page.locator(".months a", has_text="gist").last.click()
    expect(page.get_by_role("heading", name="What was going on")).to_be_visible()
    page.locator(".gists a").first.click()
    expect(page.get_by_role("heading", name="As it was said")).to_be_visible()
    expect(page.locator(".thread-page .message").first).to_contain_text("We planted the first tulips along the fence.")


def test_a_bar_of_the_chart_leads_to_its_month(window: Window) -> None:
    page = window.open("/timeline")
    page.locator(".chart a").first.click()
    expect(page.get_by_role("heading", name="What was talked about")).to_be_visible()


def test_a_fact_shows_its_sources_and_is_put_right(window: Window) -> None:
    page = window.open("/facts")
    fact = page.locator(".statements li", has_text="The rain barrel leaks").first
    fact.get_by_text("1 source").click()
    expect(fact.locator(".sources li").first).to_contain_text("The rain barrel leaks at the tap.")
    fact.get_by_role("link", name="Put right").click()
    page.get_by_label("Say it as a full sentence").fill("The rain barrel has a new tap.")
    page.get_by_role("button", name="Put it right").click()
    expect(page.get_by_text("The rain barrel has a new tap.").first).to_be_visible()
    page.get_by_role("link", name="What was replaced").click()
    expect(page.get_by_text("The rain barrel leaks at the tap.").first).to_be_visible()


def test_a_fact_is_let_go(window: Window) -> None:
    page = window.open("/facts")
    page.locator(".statements li", has_text="Lea gave me seeds").first.get_by_role("link", name="Let go").click()
    expect(page.get_by_text("What it is based on stays")).to_be_visible()
    page.get_by_role("link", name="Keep it").click()
    page.locator(".statements li", has_text="Lea gave me seeds").first.get_by_role("link", name="Let go").click()
    page.get_by_role("button", name="Let it go").click()
    expect(page.get_by_role("heading", name="It is gone.")).to_be_visible()


def test_a_message_is_forgotten_after_it_was_said_what_goes(window: Window) -> None:
    page = window.open("/search?q=accordion")
    page.locator(".hits .message", has_text="accordion").first.get_by_role("link", name="Forget").click()
    expect(page.get_by_text("What will be gone with it, for good")).to_be_visible()
    expect(page.locator(".going li").first).to_be_visible()
    page.get_by_role("button", name="Forget it for good").click()
    expect(page.get_by_text("Forgotten: 1 message")).to_be_visible()
    window.open("/search?q=accordion")
    expect(page.get_by_text("I started to learn the accordion.")).to_have_count(0)


def test_people_and_things_have_pages(window: Window) -> None:
    page = window.open("/people")
    page.get_by_role("link", name="Bruno").click()
    expect(page.get_by_role("heading", name="Bruno")).to_be_visible()
    expect(page.get_by_text("My dog Bruno loves the compost.").first).to_be_visible()


def test_how_she_is_is_drawn(window: Window) -> None:
    page = window.open("/self")
    expect(page.locator("svg.chart")).to_have_count(2)
    expect(page.locator(".chart .line")).to_have_count(6)
    expect(page.get_by_role("meter", name="Curiosity")).to_be_visible()


def test_numbers_are_drawn(window: Window) -> None:
    page = window.open("/numbers")
    expect(page.locator("svg.chart")).to_have_count(4)


def test_dreams_have_reports(window: Window) -> None:
    page = window.open("/dreams")
    expect(page.locator("details.dream table").first).to_be_visible()
    page.locator("details.dream summary").nth(1).click()
    expect(page.locator("details.dream table").nth(1)).to_be_visible()


def test_everything_is_taken_along(window: Window) -> None:
    page = window.open("/export")
    with page.expect_download() as loading:
        page.get_by_role("link", name="lyra.jsonl").first.click()
    assert '"content"' in loading.value.path().read_text("utf-8")
    assert loading.value.suggested_filename == "lyra.jsonl"


def test_how_things_are_is_looked_at(window: Window) -> None:
    page = window.open("/health")
    page.get_by_role("link", name="Check now").click()
    expect(page.locator("li.sound", has_text="Memory:")).to_be_visible()


def test_what_she_does_shows_up_by_itself(window: Window) -> None:
    page = window.open("/activity")
    before = page.locator("#activity li").count()
    assert window.served.home.lyra("dream", "--force").code == 0
    expect(page.locator("#activity li")).not_to_have_count(before)


def test_every_page_is_reached_by_keyboard(window: Window) -> None:
    page = window.open("/timeline")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("window", [{"viewport": PHONE, "is_mobile": True, "has_touch": True}], indirect=True)
def test_every_page_fits_a_phone(window: Window) -> None:
    for path in PAGES:
        page = window.open(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
        expect(page.locator("header nav [aria-current]")).to_be_in_viewport(ratio=1)


def test_everything_to_fill_in_or_to_press_has_a_name_and_every_page_one_heading(window: Window) -> None:
    for path in PAGES:
        page = window.open(path)
        assert page.locator("h1").count() == 1, path
        nameless = page.evaluate(
            "[...document.querySelectorAll('input:not([type=hidden]), textarea, select, button, a')].filter(one =>"
            " !(one.labels?.length || one.textContent.trim() || one.getAttribute('aria-label'))).map(one => one.outerHTML)"
        )
        assert nameless == [], path


@pytest.mark.parametrize("window", [{"color_scheme": "dark"}], indirect=True)
def test_it_is_dark_where_the_system_is(window: Window) -> None:
    page = window.open("/facts")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    page.emulate_media(color_scheme="dark")


def test_a_thought_of_hers_is_told_why_and_taken_back(window: Window) -> None:
    page = window.talk("thoughts")
    window.say("I wonder what the winter brings.")
    expect(page.locator(".message.hers .prose")).to_be_visible()
    window.say("/settings reflections on")
    expect(page.locator(".message.notice").last).to_contain_text("reflections")
    assert window.served.home.lyra("dream", "--force").code == 0
    page.reload()
    expect(page.locator(".message.thought")).to_be_visible()
    window.open("/dreams")
    page.get_by_text("Why", exact=True).first.click()
    expect(page.locator(".sources li").first).to_be_visible()
    with page.expect_navigation():
        page.get_by_role("button", name="Fewer of these").first.click()
    page.get_by_role("link", name="Take it back").first.click()
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_text("Nothing yet. I share a thought only")).to_be_visible()
