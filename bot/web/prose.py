"""What Lyra says, as HTML: Markdown without links, images and HTML of its own. What may be a link is decided where she sends."""

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from adapters.markup import printable

_TAGS = {
    "p", "br", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_MARKDOWN = (
    MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 40})
    .enable(["table", "strikethrough"])
    .disable(["link", "image", "autolink", "reference"])
)
_CLEANER = nh3.Cleaner(tags=_TAGS, attributes={"ol": {"start"}})


def prose(text: str) -> Markup:
    """Return a text of hers as HTML that holds nothing but words and their form."""
    return Markup(_CLEANER.clean(_MARKDOWN.render(printable(text))))
