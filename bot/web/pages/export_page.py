"""Taking everything along: each message as a line, to import again or to read."""

from collections.abc import AsyncIterator, Sequence

from aiohttp import web

from bot.rights.exporting import Exporting, exported
from bot.web.desk import Desk

_AT_ONCE = 64 * 1024


class ExportPage:
    """/export."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> Sequence[web.RouteDef]:
        """Return what is answered here."""
        return (
            web.get("/export", self._show),
            web.get("/export/lyra.jsonl", self._as_jsonl),
            web.get("/export/lyra.txt", self._as_text),
            web.get("/export/own.jsonl", self._own_as_jsonl),
            web.get("/export/own.txt", self._own_as_text),
        )

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._desk.view(request)
        return self._desk.page(request, "export.html", view, messages=sum(one.messages for one in await view.calendar.months()))

    async def _as_jsonl(self, request: web.Request) -> web.StreamResponse:
        return await self._here(request, "lyra.jsonl", as_text=False)

    async def _as_text(self, request: web.Request) -> web.StreamResponse:
        return await self._here(request, "lyra.txt", as_text=True)

    async def _own_as_jsonl(self, request: web.Request) -> web.StreamResponse:
        return await self._own(request, "own.jsonl", as_text=False)

    async def _own_as_text(self, request: web.Request) -> web.StreamResponse:
        return await self._own(request, "own.txt", as_text=True)

    async def _here(self, request: web.Request, name: str, *, as_text: bool) -> web.StreamResponse:
        return await _sent(request, name, exported(await self._desk.view(request), as_text=as_text))

    async def _own(self, request: web.Request, name: str, *, as_text: bool) -> web.StreamResponse:
        exporting = Exporting(self._desk.app.memory, self._desk.app.domains)
        return await _sent(request, name, exporting.lines(self._desk.person(request), as_text=as_text))


async def _sent(request: web.Request, name: str, lines: AsyncIterator[str]) -> web.StreamResponse:
    kind = "application/jsonl" if name.endswith(".jsonl") else "text/plain"
    response = web.StreamResponse(
        headers={
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
    )
    await response.prepare(request)
    waiting = bytearray()
    async for line in lines:
        waiting += line.encode("utf-8", "replace") + b"\n"
        if len(waiting) >= _AT_ONCE:
            await response.write(bytes(waiting))
            waiting.clear()
    await response.write(bytes(waiting))
    await response.write_eof()
    return response
