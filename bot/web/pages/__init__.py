"""The pages of the memory page, a module for each topic, and the table of their paths.

A request of a signed-in person comes in; HTML made from that identity's view goes out. Changes are made by forms, and a form
that forgets first shows what goes.
"""

from collections.abc import Sequence

from aiohttp import web

from bot.web.pages import (
    entry_page,
    health_pages,
    knowledge_pages,
    rights_pages,
    search_page,
    self_pages,
    talk_page,
    timeline_page,
)

_TOPICS = (entry_page, talk_page, search_page, timeline_page, knowledge_pages, rights_pages, self_pages, health_pages)
ROUTES: Sequence[web.RouteTableDef] = tuple(topic.routes for topic in _TOPICS)
