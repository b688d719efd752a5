"""The exit's judgement of links and images: no client makes an address clickable, or fetches it, that nobody here gave.

Clients disagree about where code begins and ends. Where all of them must see the same code, an address that is not allowed
is shown as code. In any other text it is pulled apart by spaces, so that nothing depends on what is code.
"""

import html
import re
from collections.abc import Collection, Iterator

from adapters.splitting import split

# White space as browsers see it; what Python adds to that does not end an address.
_GAP = r"\t\n\v\f\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_SCHEME = r"[a-z][a-z0-9+.-]{1,31}:"
_WITHOUT_SLASHES = (
    "https?|ftps?|file|mailto|javascript|vbscript|data|blob|tel|callto|sms|smsto|sips?|xmpp|matrix|magnet|geo|im|news|urn"
    "|bitcoin|openpgp4fpr"
)
_DOMAIN = r"(?:[\w-]+\.)+(?:[^\W\d_]{2,}|xn--[\w-]+)"
# More than any client takes for the beginning of an address.
_BEGIN = (
    rf"(?:(?<![a-z0-9+.-])[a-z0-9+.-]+://(?=[^{_GAP}<])"
    rf"|(?<![a-z0-9])(?:{_WITHOUT_SLASHES}):(?=[^{_GAP}<])"
    rf"|(?<![a-z0-9])www\.(?=[^{_GAP}<])"
    r"|discord\.gg"
    rf"|(?<![\w-])(?<![\w-]\.)(?:{_DOMAIN}(?:/|[?#](?=\w)|:\d)|localhost:\d)"
    rf"|//{_DOMAIN}"
    rf"|(?<![\w.+%-])[\w.+%-]+@{_DOMAIN})"
)
_ADDRESS = re.compile(rf"(?<!\\)<(?:{_SCHEME}|[\w.+%-]+@)[^{_GAP}<>]*>|{_BEGIN}(?:(?!\]\()[^{_GAP}<])*", re.IGNORECASE)
_AFTER = "`\"'.,:;!?*_~|>}»”’。，：；！？、）】」』》"
_RUNS_CODE = re.compile(r"(?:javascript|vbscript|data):", re.IGNORECASE)

# A destination or a definition that could lead out of here, though it need not look like an address.
_LEADS_OUT = re.compile(rf"\](?:\(\s*<?(?:[/\\&]|{_SCHEME}|{_DOMAIN})|:\s*<?(?:[/\\&]|{_SCHEME}\S))", re.IGNORECASE)
_LINK = re.compile(
    r"!?\[(?P<text>[^\[\]]*)\]\((?![\w #-]*\))\s*<?(?P<to>(?:[^\s()<>\\]|\([^\s()<>\\]*\))+)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
)
_JOINT = re.compile(r"\](?=\(|:(?!\s*[\w-]+\s))")

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SPAN = re.compile(r"(?<!`)(?:`[^`\n]+`|``[^`\n]+(?:`[^`\n]+)*+``)(?!`)")
_FENCE = re.compile(r"( *)```[^`\n]*\n")
# What may hide a backtick in a tag; mentions, emoji and times of Discord are none.
_TAG = re.compile(r"<[a-z/!?](?!(?:\w*:\w+:\d+|:-?\d+(?::\w)?|[\w -]+:\d+)>)", re.IGNORECASE)
_BULLET = re.compile(r"^[ >]*\*[ \t]", re.MULTILINE)
# Discord lets an address in angle brackets run on into code.
_OPEN_ANGLE = re.compile(r"<[^ <>]*\Z")
# Emphasis that every client closes on its own line, with no code in it.
_CLOSED_MARKS = (
    re.compile(r"(?<![\\*_~|])(\*\*|~~|\|\||\*)(?=[^\s*_~|])[^*_~|\n\0\[\]]*(?<=[^\s\\])\1(?![*_~|])"),
    re.compile(r"(?<![\w\\*~|])(__|_)(?=[^\s*_~|])[^*_~|\n\0\[\]]*(?<=[^\s\\])\1(?![\w*~|])"),
)

_Pieces = list[tuple[str, str]]


def gated(text: str, allowed: Collection[str] | None) -> str:
    """Return a text as it may leave: no address in it is live unless it is allowed, word for word; links show where they lead.

    None allows everything, for text that code composed of people's own words. A text without addresses is left as it is.
    """
    if allowed is None or not any(_ADDRESS.search(form) or _LEADS_OUT.search(form) for form in (text, _decoded(text))):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    shown = "".join(_disarmed(piece, allowed) if kind == "text" else piece for kind, piece in _pieces(text))
    return shown if _is_safe(shown, allowed) else _pulled_apart(text, allowed)


def gated_parts(text: str, allowed: Collection[str] | None, most: int) -> list[str]:
    """Return a text as it may leave in parts of at most `most` UTF-16 units. What a cut brought to life is gated again."""
    parts: list[str] = []
    for part in split(gated(text, allowed), most):
        safe = gated(part, allowed)
        parts += [part] if safe == part else gated_parts(safe, allowed, most)
    return parts


def addresses(text: str) -> frozenset[str]:
    """Return every address in a text, word for word, without the punctuation around it."""
    return frozenset(_core(match[0]) for match in _ADDRESS.finditer(text))


def _core(found: str) -> str:
    """Return an address without what stands around it; a bracket that it opened itself belongs to it."""
    if found.startswith("<"):
        return found[1:-1]
    core = found.rstrip(_AFTER + ")]")
    opened = max(0, core.count("(") - core.count(")"))
    rest = found[len(core) :]
    return core + rest[: min(opened, len(rest) - len(rest.lstrip(")")))]


def _is_allowed(found: str, allowed: Collection[str]) -> bool:
    core = _core(found)
    return core in allowed and not _RUNS_CODE.match(core)


def _decoded(text: str) -> str:
    """Return a text as Markdown shows it: entities and escapes resolved."""
    return re.sub(
        r"\\([!-/:-@\[-`{-~])|&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,32});",
        lambda m: m[1] or html.unescape(m[0]),
        text,
        flags=re.IGNORECASE,
    )


def _disarmed(text: str, allowed: Collection[str]) -> str:
    """Show links as text and address, and what is not allowed as code. The text holds no code."""

    def unmasked(link: re.Match[str]) -> str:
        to = f"<{link['to']}>" if _ADDRESS.fullmatch(f"<{link['to']}>") else link["to"]
        return f"{link['text']} ({to})" if link["text"] else f"({to})"

    def judged(match: re.Match[str]) -> str:
        found = match[0]
        if _is_allowed(found, allowed):
            return found
        core = _core(found)
        return f"`{core}`" if found.startswith("<") else f"`{core}`{found[len(core) :]}"

    return _ADDRESS.sub(judged, _JOINT.sub("] ", _LINK.sub(unmasked, text)))


def _pulled_apart(text: str, allowed: Collection[str]) -> str:
    """Put a space behind every colon, dot and semicolon of the words that hold an address which is not allowed."""

    def judged(word: re.Match[str]) -> str:
        forms = (word[0], _decoded(word[0]))
        if all(_is_allowed(found[0], allowed) for form in forms for found in _ADDRESS.finditer(form)):
            return word[0]
        return re.sub(r"[:.;](?=.)", r"\g<0> ", word[0], flags=re.DOTALL)

    return re.sub(rf"[^{_GAP}]+", judged, _JOINT.sub("] ", text))


def _is_safe(text: str, allowed: Collection[str]) -> bool:
    """Say whether every client sees the same code in a text, and outside of it only addresses that are allowed."""
    pieces = list(_pieces(text))
    outside = [piece for kind, piece in pieces if kind == "text"]
    return (
        all(kind != "unclear" for kind, _ in pieces)
        and not any("~~~" in piece or _TAG.search(_ADDRESS.sub("", piece)) or _JOINT.search(piece) for piece in outside)
        and all(_is_allowed(found[0], allowed) for p in outside for form in (p, _decoded(p)) for found in _ADDRESS.finditer(form))
        and not any(_OPEN_ANGLE.search(piece) for piece in outside[:-1])
        and not any(found.end() == len(piece) for piece in outside[:-1] for found in _ADDRESS.finditer(piece))
        and not _is_crossed(pieces)
    )


def _is_crossed(pieces: _Pieces) -> bool:
    """Say whether a mark that is open outside of code could be closed inside of it, as some clients read it."""
    outside = "\0".join(piece for kind, piece in pieces if kind == "text")
    code = "\0".join(piece for kind, piece in pieces if kind != "text")
    spans = "".join(piece for kind, piece in pieces if kind == "span")
    in_addresses = "".join(_ADDRESS.findall(outside))
    left = _BULLET.sub("", _ADDRESS.sub("\0", outside))
    for _ in range(3):
        for closed in _CLOSED_MARKS:
            left = closed.sub("x", left)
    return (
        any(mark in left + in_addresses and mark in code for mark in ("*", "_", "~~", "||"))
        or ("|" in outside and "|" in spans)
        or ("[" in outside and "](" in code)
    )


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Divide a text into text, code spans and fenced code as all clients see it; the rest, from where they may not, is unclear."""
    lines = _LINE.findall(text)
    at = 0
    plain: list[str] = []
    while at < len(lines):
        fence = _FENCE.fullmatch(lines[at])
        if not fence:
            plain.append(lines[at])
            at += 1
            continue
        yield from _spans("".join(plain))
        plain = []
        end = _fence_end(lines, at, fence[1])
        yield ("fence" if end else "unclear", "".join(lines[at : end or len(lines)]))
        at = end or len(lines)
    yield from _spans("".join(plain))


def _fence_end(lines: list[str], at: int, indent: str) -> int:
    """Return the line after a fence that all clients close there, 0 where they may not."""
    blank = True
    for end in range(at + 1, len(lines)):
        line = lines[end]
        if line.rstrip() == f"{indent}```":
            return 0 if blank else end + 1
        if "```" in line or (line.strip() and not line.startswith(indent)):
            return 0
        blank = blank and not line.strip()
    return 0


def _spans(text: str) -> Iterator[tuple[str, str]]:
    """Divide a text without fences into text and code spans of one line each."""
    at = 0
    for span in _SPAN.finditer(text):
        before = text[at : span.start()]
        unclear = "`" in before or before.endswith("\\") or span[0].rstrip("`").endswith("\\")
        yield ("unclear" if unclear else "text", before)
        yield ("span", span[0])
        at = span.end()
    yield ("unclear" if "`" in text[at:] or "\0" in text else "text", text[at:])
