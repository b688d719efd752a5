"""The contents of Lyra's messages.

Markdown as Matrix shows it: the subset of HTML that its specification lets clients show, and nothing else.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

from adapters.command_table import File
from adapters.markup import printable
from adapters.matrix.homeserver import Json
from localization.sentences import lazy

_DEEPEST = 100
"""How deeply Matrix lets tags nest."""
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
    """Return Markdown as HTML, '' if that would add nothing to the text.

    HTML in the text is shown as text, an image as its description, and a URL that is neither web nor mail as it was
    written. `clean` removes what Matrix does not let clients show.
    """
    tokens = _MARKDOWN.parse(text)
    # The parser drops what nests deeper. As plain text, code would not be shown as code, and its links would be live.
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        return f"<pre><code>{escapeHtml(text)}</code></pre>"
    if _says_no_more(tokens, text):
        return ""
    if len(tokens) == 3 and tokens[0].type == "paragraph_open":
        tokens[0].hidden = tokens[2].hidden = True
    # An entity may stand for a character that hides or reverses text.
    return printable(clean(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))).strip()


PART = "lyra.part"
"""Where a message holds the key of its part, for Lyra's use only."""
FILE_OF = "lyra.file_of"
"""Where a file's message holds the id of the message it goes with."""
REFLECTION = "lyra.reflection"
"""Marks a message as one of her thoughts."""
VERDICT = "lyra.verdict"
"""Marks a message that asks whether emoji match."""
AUTOMATED = "org.matrix.msc1767.automated"
"""Marks a message written by a program, so that other programs can tell (MSC3955)."""
FILE_NAME = "message.txt"
REACTION = "m.reaction"
SIGNS = {"❓": "reflection why", "🔉": "reflection less", "🗑️": "reflection delete"}
"""The signs under each of her thoughts."""
VERDICTS = {"✅": "yes", "❌": "no"}
"""The signs under the emoji of a verification, and what each says about them."""

_FORMAT = "org.matrix.custom.html"
_LONGEST_FALLBACK = 500
_CHANGED = lazy("I changed this message.")
_IN_A_FILE = lazy("This is too long for one message; it is in the file.")


def words(text: str, *, notice: bool, mentions: Iterable[str]) -> Json:
    """Return Markdown as a message that notifies only these people, whatever names the text holds."""
    people = list(mentions)
    content: Json = {
        "msgtype": "m.notice" if notice else "m.text",
        "body": text,
        "m.mentions": {"user_ids": people} if people else {},
        AUTOMATED: True,
    }
    if shown := html(text):
        content |= {"format": _FORMAT, "formatted_body": shown}
    return content


def unformatted(content: Json) -> Json:
    """Return a message without its HTML."""
    return {name: value for name, value in content.items() if name not in ("format", "formatted_body")}


def has_code(content: Json) -> bool:
    """Return whether a message contains code: as plain text it would not be shown as code, and its links would be live."""
    return "<code" in content.get("formatted_body", "")


def file(content: Json, source: Json, size: int) -> Json:
    """Return a message whose words are in a text file of `size` bytes; `source` says where it is."""
    said = {"msgtype": "m.file", "body": str(_IN_A_FILE), "filename": FILE_NAME, "info": {"mimetype": "text/plain", "size": size}}
    return unformatted(content) | said | source


def file_message(attached: File, source: Json) -> Json:
    """Return a file message; `source` says where the file is."""
    info = {"mimetype": "application/octet-stream", "size": len(attached.data)}
    said = {"msgtype": "m.file", "body": attached.name, "filename": attached.name, "info": info, "m.mentions": {}}
    return said | {AUTOMATED: True} | source


def placed(content: Json, *, thread: str, answers: str) -> Json:
    """Return a message with its place: in a thread, as a reply, both, or neither."""
    relation: Json = {"m.in_reply_to": {"event_id": answers}} if answers else {}
    if thread:
        relation = {
            "rel_type": "m.thread",
            "event_id": thread,
            "is_falling_back": True,
            "m.in_reply_to": {"event_id": answers or thread},
        }
    return content | ({"m.relates_to": relation} if relation else {})


def reaction(target: str, key: str) -> Json:
    """Return a reaction to a message."""
    return {"m.relates_to": {"rel_type": "m.annotation", "event_id": target, "key": key}}


def edit(target: str, content: Json) -> Json:
    """Return an edit that replaces a message's content without notifying anybody again."""
    body = content["body"]
    if len(body) > _LONGEST_FALLBACK or has_code(content):
        body = str(_CHANGED)
    return {
        "msgtype": content["msgtype"],
        AUTOMATED: True,
        # Only clients without edits show it, as plain text; it must not take up the room of the new words.
        "body": f"* {body}",
        "m.mentions": {},
        "m.new_content": content,
        "m.relates_to": {"rel_type": "m.replace", "event_id": target},
    } | {name: content[name] for name in ("url", "file", "filename", "info") if name in content}
