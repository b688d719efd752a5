"""The memory page of a real home, served in this process, and a visitor who asks for it over HTTP as a browser would."""

import asyncio
import html
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest

from bot.app import App, open_app
from bot.talk import Talk, talking
from bot.web.serving import BrowserPlatform, link, serving
from memory.types import Identity, Kind, NewExchange, Session
from memory.view.view import View
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE
from tests.kits.awake import configured
from tests.kits.fresh import fresh, stored
from tests.kits.memory_kit import KEY
from tests.kits.words_alone import words_alone

HTML = {"Accept": "text/html,application/xhtml+xml"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: status, headers and body."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def words(self) -> str:
        """What a person reads of a page, its spaces as they are shown."""
        body = re.sub(r"<(script|style)\b.*?</\1>", " ", self.text, flags=re.DOTALL)
        return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())

    @property
    def links(self) -> list[str]:
        """Where its links lead, in order."""
        return [html.unescape(one) for one in re.findall(r'<a[^>]*? href="([^"]*)"', self.text)]

    @property
    def form_token(self) -> str:
        """The word that its forms carry."""
        found = re.search(r'name="form_token" value="([^"]*)"', self.text)
        assert found, self.text
        return found[1]


@dataclass
class Visitor:
    """One browser: its cookies, and nothing of another's."""

    url: str
    http: aiohttp.ClientSession
    token: str = field(default="", repr=False)

    async def get(self, path: str, **headers: str) -> Answer:
        """Open a page."""
        async with self.http.get(self.url + path, headers={**HTML, **headers}, allow_redirects=False) as came:
            return Answer(came.status, dict(came.headers), await came.text())

    async def post(self, path: str, headers: dict[str, str] | None = None, /, **form: str) -> Answer:
        """Send a form of the page, with the word that its forms carry."""
        if not self.token:
            self.token = (await self.get("/talk")).form_token
        given = {"form_token": self.token, **form}
        async with self.http.post(
            self.url + path, data=given, headers={**HTML, **(headers or {})}, allow_redirects=False
        ) as came:
            return Answer(came.status, dict(came.headers), await came.text())

    async def enter(self, path: str, **headers: str) -> Answer:
        """Open a link that signs in, and send on what its page holds."""
        asked = await self.get(path, **headers)
        assert asked.status == 200, asked.text
        (word,) = re.findall(r'name="key" value="([^"]*)"', asked.text)
        url = f"{self.url}/enter"
        async with self.http.post(url, data={"key": word}, headers={**HTML, **headers}, allow_redirects=False) as came:
            return Answer(came.status, dict(came.headers), await came.text())

    async def follows(self, answer: Answer) -> Answer:
        """Go where an answer leads, and on from there."""
        assert answer.status == 303, answer.text
        while answer.status == 303:
            answer = await self.get(answer.headers["Location"])
        return answer

    @asynccontextmanager
    async def watching(self, conversation: str = "main") -> AsyncIterator["Watched"]:
        """Keep a tab open on a conversation for the block."""
        async with self.http.get(f"{self.url}/talk/stream", params={"in": conversation}) as came:
            assert came.status == 200
            watched = Watched(came.content)
            await watched.until("open")
            yield watched


@dataclass
class Watched:
    """What a tab is shown."""

    stream: aiohttp.StreamReader

    async def until(self, kind: str) -> dict[str, object]:
        """Return the facts of the next event of a kind."""
        while True:
            name, facts = await asyncio.wait_for(self.next(), PATIENCE)
            if name == kind:
                return facts

    async def next(self) -> tuple[str, dict[str, object]]:
        """Return the next event."""
        kind = ""
        while line := (await self.stream.readline()).decode():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ").rstrip("\n")
            elif line.startswith("data: "):
                return kind, json.loads(line.removeprefix("data: "))
        raise EOFError("The stream ended.")


@dataclass(frozen=True, slots=True)
class Site:
    """A served page, and what serves it."""

    app: App
    talk: Talk
    place: BrowserPlatform
    url: str
    stack: AsyncExitStack

    async def stranger(self) -> Visitor:
        """Return a browser in which nobody is signed in."""
        jar = aiohttp.CookieJar(unsafe=True)
        return Visitor(self.url, await self.stack.enter_async_context(aiohttp.ClientSession(cookie_jar=jar)))

    async def visitor(self, name: str = "ada") -> Visitor:
        """Return a browser in which somebody is signed in, by a link."""
        visitor = await self.stranger()
        entered = await visitor.enter(await link(self.app, "", name))
        assert entered.status == 303, entered.text
        return visitor

    async def view(self, name: str = "ada") -> View:
        """Return the memory of somebody at this terminal."""
        return await self.app.view(name)

    async def told(self, *texts: str, name: str = "ada", conversation: str = "main", at: int = 0) -> Session:
        """Keep what somebody said before, a minute apart, ending at an instant (0: now)."""
        view = await self.view(name)
        platform = self.place.browser.platform
        ref = await view.sessions.active(platform, json.dumps(["", name, conversation]))
        session = await view.sessions.get(ref, conversation)
        last = (at or self.app.base.clock.now()) - len(texts) * 60_000_000
        said = [
            NewExchange(Kind.SAID, text, self.app.base.ids.new(), last + n * 60_000_000, name, "user", Identity(platform, name))
            for n, text in enumerate(texts)
        ]
        await view.say(session, said)
        return session


@asynccontextmanager
async def site(
    home: Path, monkeypatch: pytest.MonkeyPatch, config: str = "", model: OpenAIServer | None = None
) -> AsyncIterator[Site]:
    """Serve the page of a home for the block."""
    home.mkdir(exist_ok=True)
    web = "" if "[web]" in config else "[web]\nport = 0\n"
    keys, sections = ("", config) if config.startswith("[") else (config, "")
    (home / "lyra.toml").write_text(stored(words_alone(configured(model, keys, f"{web}{sections}")), home / "lyra.db"))
    for name, value in {"LYRA_HOME": str(home), "OLLAMA_HOST": "127.0.0.1:1", "LOGNAME": "ada", "USER": "ada"}.items():
        monkeypatch.setenv(name, value)
    if not (home / "key").exists():
        (home / "key").write_text(KEY.hex())
        (home / "key").chmod(0o600)
        await fresh(home / "lyra.db", KEY)
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(open_app())
        place = BrowserPlatform.of(app)
        talk = await stack.enter_async_context(talking(app, {place.browser.platform: place.browser}))
        url = await stack.enter_async_context(serving(app, talk, place))
        yield Site(app, talk, place, url, await stack.enter_async_context(AsyncExitStack()))


@pytest.fixture
async def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    """The page as a fixture, which a test module takes with `served = browsing.served`."""
    async with site(tmp_path, monkeypatch) as served:
        yield served


@pytest.fixture
async def ada(served: Site) -> Visitor:
    """Somebody who came by a link of hers, as a fixture."""
    return await served.visitor()
