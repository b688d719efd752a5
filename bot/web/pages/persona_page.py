"""Who she is: the persona, shown to everyone who is signed in, and edited by who runs this machine."""

from collections.abc import Sequence

from aiohttp import web

from bot.errors import BadInput
from bot.web.desk import Desk, go
from localization.sentences import _, told


class PersonaPage:
    """/persona."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> Sequence[web.RouteDef]:
        """Return what is answered here."""
        return web.get("/persona", self._show), web.post("/persona", self._change), web.post("/persona/reset", self._reset)

    async def _show(self, request: web.Request, text: str = "", problem: str = "") -> web.Response:
        view, persona = await self._desk.view(request), self._desk.app.persona
        return self._desk.page(
            request, "persona.html", view, text=text or persona.current(), owner=self._desk.owns(request), problem=problem,
            is_own=persona.is_own and not persona.named, told=request.query.get("told", "")[:200],
        )  # fmt: skip

    async def _change(self, request: web.Request) -> web.Response:
        text = str((await self._owned(request)).get("text", "")).replace("\r\n", "\n")
        try:
            self._desk.app.persona.write(text)
        except BadInput as error:
            return await self._show(request, text, told(error))
        return go("/persona", told=_("That is who I am from my next answer on."))

    async def _reset(self, request: web.Request) -> web.Response:
        await self._owned(request)
        try:
            self._desk.app.persona.reset()
        except BadInput as error:
            return await self._show(request, "", told(error))
        return go("/persona", told=_("I am again who I was at first."))

    async def _owned(self, request: web.Request) -> "dict[str, object]":
        if not self._desk.owns(request):
            raise web.HTTPForbidden
        return dict(await request.post())
