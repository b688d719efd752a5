"""Markdown as Matrix shows it: that part of HTML which its specification lets clients show, and nothing else."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

from adapters.markup import printable

_DEEPEST = 100
"""How deeply Matrix lets tags stand in each other."""
_ADDRESS = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_LANGUAGE = re.compile(r"language-[\w+#.-]{1,40}", re.ASCII)
_TAGS = frozenset("a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul".split())
_SAYS_NO_MORE = frozenset({"text", "softbreak", "hardbreak"})


def _says_no_more(tokens: Sequence[Token], text: str) -> bool:
    if any(token.type not in ("paragraph_open", "inline", "paragraph_close") for token in tokens):
        return False
    inside = [child for token in tokens for child in token.children or ()]
    if any(child.type not in _SAYS_NO_MORE for child in inside):
        return False
    return _letters("".join(child.content for child in inside)) == _letters(text)


def _letters(text: str) -> str:
    return "".join(text.split())


def _filtered(tag: str, attribute: str, value: str) -> str | None:
    if attribute == "class":
        return value if _LANGUAGE.fullmatch(value) else None
    return value


def _described(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return escapeHtml(renderer.renderInlineAsText(tokens[index].children, options, env))


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": _DEEPEST})
    markdown.enable(["table", "strikethrough"])
    markdown.validateLink = lambda url: bool(_ADDRESS.match(url))  # type: ignore[method-assign]
    markdown.add_render_rule("image", _described)
    markdown.add_render_rule("s_open", lambda *_: "<del>")
    markdown.add_render_rule("s_close", lambda *_: "</del>")
    return markdown


_MARKDOWN = _markdown()
_CLEANER = nh3.Cleaner(
    tags=set(_TAGS),
    attributes={"*": set(), "a": {"href"}, "ol": {"start"}, "code": {"class"}},
    attribute_filter=_filtered,
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    link_rel="noopener",
)


def html(text: str, *, clean: Callable[[str], str] = _CLEANER.clean) -> str:
    """Return Markdown as HTML, '' where that would say no more than the text does.

    HTML in the text is shown as text, an image as its description, and an address that is none of the web or of mail as it
    was written. `clean` takes out what Matrix does not let clients show.
    """
    tokens = _MARKDOWN.parse(text)
    # What stands deeper is left out by the parser. As plain text what is code here would be none, and its links live.
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        return f"<pre><code>{escapeHtml(text)}</code></pre>"
    if _says_no_more(tokens, text):
        return ""
    if len(tokens) == 3 and tokens[0].type == "paragraph_open":
        tokens[0].hidden = tokens[2].hidden = True
    # An entity may have been written for a character that hides or turns around what is read.
    return printable(clean(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))).strip()
