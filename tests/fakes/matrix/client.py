"""Requests to a homeserver, as one device makes them."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import aiohttp
from yarl import URL

Json = dict[str, Any]
API = "/_matrix/client/v3"
MEDIA = "/_matrix/client/v1/media"
UPLOAD = "/_matrix/media/v3/upload"


class Refused(Exception):
    """The homeserver said no: with a status and Matrix's code."""

    def __init__(self, status: int, body: Json) -> None:
        super().__init__(f"{status} {body.get('errcode')}: {body.get('error')}")
        self.status, self.body = status, body
        self.errcode = str(body.get("errcode", ""))


class Client:
    """A device's line to a homeserver. `url` may be that of a proxy."""

    def __init__(self, url: str, session: aiohttp.ClientSession, token: str = "") -> None:
        self.url = url
        self.token = token
        self._session = session

    async def call(self, method: str, *path: str, body: Json | None = None, query: Mapping[str, str] | None = None) -> Json:
        """Make a request and return what it is answered with. The parts of the path are quoted here. Raises Refused."""
        return await self._json(method, API + at(*path), query or {}, json=body if body or method == "GET" else {})

    async def upload(self, data: bytes, content_type: str) -> str:
        """Upload a file and return its mxc address. Raises Refused."""
        answer = await self._json("POST", UPLOAD, {}, data=data, headers={"Content-Type": content_type})
        return str(answer["content_uri"])

    async def download(self, mxc: str) -> bytes:
        """Return the bytes behind an mxc address. Raises Refused."""
        server, media = mxc.removeprefix("mxc://").split("/")
        async with self._request("GET", MEDIA + at("download", server, media), {}) as answer:
            if answer.status != 200:
                raise Refused(answer.status, await answer.json())
            return bytes(await answer.read())

    async def _json(self, method: str, path: str, query: Mapping[str, str], **more: Any) -> Json:
        async with self._request(method, path, query, **more) as answer:
            body: Json = await answer.json()
            if answer.status >= 400:
                raise Refused(answer.status, body)
            return body

    def _request(self, method: str, path: str, query: Mapping[str, str], **more: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        url = URL(self.url + path, encoded=True).with_query(query)
        return self._session.request(method, url, **more | {"headers": headers | more.get("headers", {})})


def at(*path: str) -> str:
    """Join the parts of a path, each quoted."""
    return "".join("/" + quote(part, safe="") for part in path)
