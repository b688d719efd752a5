"""Lyra's replies as HTML: Markdown without links, images and raw HTML. Links are decided on by the exit gate."""

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from adapters.markup import count_marks, printable

_TAGS = {
    "p", "br", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_MARKDOWN = (
    MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 40})
    .enable(["table", "strikethrough"])
    .disable(["link", "image", "autolink", "reference"])
)
_MOST_MARKS = 2_000
"""Rendering more would block the event loop."""
_CLEANER = nh3.Cleaner(tags=_TAGS, attributes={"ol": {"start"}})


def prose(text: str) -> Markup:
    """Render a reply as HTML with text formatting alone; a text with more marks is shown as written."""
    if count_marks(text) > _MOST_MARKS:
        return Markup("<pre>{}</pre>").format(escape(printable(text)))
    return Markup(_CLEANER.clean(_MARKDOWN.render(printable(text))))
