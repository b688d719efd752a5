"""One home that was lived in, served by `lyra web` to one Chromium; every test has a window of its own."""

import asyncio
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.fakes.pulse import PATIENCE
from tests.kits.browsing import site
from tests.kits.dream_talk import CURIOUS
from tests.kits.lived import companion, lived
from tests.kits.lyra_kit import REPO, Home, ModelServer

SHOTS = REPO / ".screenshots"
PHONE = {"width": 390, "height": 844}
_WAIT_MS = PATIENCE * 1000
# Else what is expected of a page has five seconds to come, which a busy machine takes for an answer.
expect.set_options(timeout=_WAIT_MS)


@dataclass
class Served:
    """The page, where it is served."""

    home: Home
    address: str
    cookies: list[Any]

    def link(self, name: str = "") -> str:
        """Return a link that lets somebody in once."""
        (link,) = self.home.lyra("web", "--no-open", *(["--as", name] if name else [])).lines
        return link


@dataclass
class Window:
    """A window of the browser. What its console complains of is an error of the page."""

    served: Served
    context: BrowserContext
    page: Page
    complaints: list[str]

    def open(self, path: str) -> Page:
        """Open a page of hers."""
        self.page.goto(self.served.address + path)
        return self.page

    def talk(self, conversation: str) -> Page:
        """Open a conversation, and wait until it listens."""
        self.open(f"/talk?in={conversation}")
        self.page.wait_for_selector('[data-listening="yes"]')
        return self.page

    def say(self, text: str) -> None:
        """Type something and press Enter."""
        self.page.get_by_label("Your message").fill(text)
        self.page.keyboard.press("Enter")

    @contextmanager
    def refused(self) -> Iterator[None]:
        """Have a page refused in the block, of which the console complains: perhaps only once the page is shown."""
        with self.page.expect_console_message(lambda said: "Failed to load resource" in said.text):
            yield
        self.complaints.clear()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, or the one that CHROMIUM names."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "There is no Chromium here. Install it (Debian: apt-get install chromium), or name one with CHROMIUM."
    with sync_playwright() as playwright:
        # As root it needs to be told that nothing else keeps it apart from the machine.
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"], timeout=_WAIT_MS
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A home that was lived in, and its model."""
    home = Home(tmp_path_factory.mktemp("browser"))
    with ModelServer(companion) as model, pytest.MonkeyPatch.context() as patch:
        asyncio.run(_live(home.path, patch, model))
        yield home


@pytest.fixture(scope="session")
def served(lived_in: Home, chromium: Browser) -> Iterator[Served]:
    """The page of that home. It is lived in before the browser's own event loop runs."""
    SHOTS.mkdir(exist_ok=True)
    with lived_in.started("web", "--no-open") as process:
        link = process.reply()
        context = chromium.new_context()
        context.set_default_timeout(_WAIT_MS)
        page = context.new_page()
        page.goto(link)
        page.wait_for_url("**/talk")
        cookies = list(context.cookies())
        context.close()
        yield Served(lived_in, link.partition("/enter")[0], cookies)
        done = process.stop()
        assert (done.code, "Traceback" in done.err) == (0, False), done.err


async def _live(folder: Path, patch: pytest.MonkeyPatch, model: ModelServer) -> None:
    async with site(folder, patch, CURIOUS, model=model.server) as served:
        await lived(served)


@pytest.fixture
def window(served: Served, chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Window]:
    """A window in which ada is signed in; `@pytest.mark.parametrize` may give it other settings. It is photographed at the end."""
    settings = getattr(request, "param", {})
    context = chromium.new_context(**{"viewport": {"width": 1200, "height": 800}, "accept_downloads": True, **settings})
    context.set_default_timeout(_WAIT_MS)
    context.add_cookies(served.cookies)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield Window(served, context, page, complaints)
    page.screenshot(path=SHOTS / f"{re.sub(r'[^a-z0-9]+', '-', request.node.name.removeprefix('test_'))}.png")
    context.close()
    assert complaints == []
