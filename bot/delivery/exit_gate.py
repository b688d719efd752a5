"""The exit gate for links and images: no client makes a URL clickable, or fetches it, unless somebody here gave it.

A URL that may not pass is shown as code, with a remark. Clients disagree about where code begins and ends, so markup on which
they might disagree is removed first. A text is checked as it goes out, part by part, including what a cut makes of it.

The Markdown code recognized here is what all clients agree on.
"""

import re
from collections.abc import Collection, Container, Iterator
from dataclasses import dataclass, replace

from adapters.markup import printable, units
from adapters.splitting import split
from bot.delivery.urls import ADDRESS, ADDRESS_OR_NAME, DOMAIN, SCHEME, WITHOUT_SLASHES, WORD, bare, decoded
from localization.current_language import LANGUAGES
from localization.sentences import lazy

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SPAN = re.compile(r"(?<!`)(?:`[^`\n]+`|``[^`\n]+(?:`[^`\n]+)*+``)(?!`)")
_FENCE = re.compile(r"( *)```[^`\n]*\n")

Pieces = list[tuple[str, str]]


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Divide a text into "text", code "span" and "fence" as all clients see it; from where they may disagree, it is "unclear"."""
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
    """Return the line after a fence that all clients close there, 0 if they may disagree."""
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


REMARK = lazy("link removed")
_REMARKS = "|".join(re.escape(REMARK.read_in(code)) for code in LANGUAGES)
_LONGEST_WORD = 1_000
_DEEPEST = 5

_RUNS_CODE = re.compile(r"(?:javascript|vbscript|data):", re.IGNORECASE)
# The others may as well be names of files or people, which get no remark.
_IS_LINK = re.compile(rf"(?:{WITHOUT_SLASHES}):|www\.|discord\.gg", re.IGNORECASE)

# A destination or definition that could lead elsewhere, though it need not look like a URL.
_LEADS_OUT = re.compile(rf"\](?:\(\s*<?(?:[/\\&]|{SCHEME}|{DOMAIN})|:\s*<?(?:[/\\&]|{SCHEME}\S))", re.IGNORECASE)
_LINK = re.compile(
    r"!?\[(?P<text>[^\[\]]*)\]\((?![\w #-]*\))\s*<?(?P<to>(?:[^\s()<>\\]|\([^\s()<>\\]*\))+)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
)
_JOINT = re.compile(r"\](?=\(|:(?!\s*[\w-]+\s))")

# What may hide a backtick in a tag; Discord's mentions, emoji and timestamps are not tags.
_TAG = re.compile(r"<[a-z/!?](?!(?:\w*:\w+:\d+|:-?\d+(?::\w)?|[\w -]+:\d+)>)", re.IGNORECASE)
_NO_MENTION = re.compile(r"<(?!(?:@[!&]?\d+|#\d+|a?:\w+:\d+|t:-?\d+(?::\w)?|/[\w -]+:\d+)>)")
_TILDES = re.compile(r"~{3,}")
_BULLET = re.compile(r"^[ >]*\*[ \t]", re.MULTILINE)
# Discord lets a URL in angle brackets run on into code.
_OPEN_ANGLE = re.compile(r"<[^ <>]*\Z")
# Emphasis that every client closes on the same line, without code in it.
_CLOSED_MARKS = (
    re.compile(r"(?<![\\*_~|])(\*\*|~~|\|\||\*)(?=[^\s*_~|])[^*_~|\n\0\[\]]*(?<=[^\s\\])\1(?![*_~|])"),
    re.compile(r"(?<![\w\\*~|])(__|_)(?=[^\s*_~|])[^*_~|\n\0\[\]]*(?<=[^\s\\])\1(?![\w*~|])"),
)
_MARKS_IN_CODE = re.compile(r"[*_~|\\]")
_REMARKED = re.compile(rf"`(?:, (?:{_REMARKS})\)| \((?:{_REMARKS})\))")


def word_at(text: str, end: int) -> int:
    """Return the start of the word that ends at or contains an offset."""
    return next((at for at in range(end, 0, -1) if text[at - 1].isspace()), 0)


@dataclass(frozen=True, slots=True)
class ExitGate:
    """Lets no URL be live that is not `allowed` verbatim. A text without URLs passes unchanged.

    If `names`, clients also turn a bare name with a dot into a link. At most `longest` characters of a blocked URL are shown.
    """

    allowed: Container[str]
    names: bool
    longest: int = 300

    @property
    def _pattern(self) -> re.Pattern[str]:
        return ADDRESS_OR_NAME if self.names else ADDRESS

    def gated(self, text: str) -> str:
        """Return a text as it may leave: blocked URLs as code, and links with their destination."""
        if not any(self._pattern.search(form) or _LEADS_OUT.search(form) for form in (text, decoded(text))):
            return text
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if self._is_safe(shown := self._disarmed(text)):
            return shown
        for code in (("span", "fence"), ("fence",), ()):
            if self._is_safe(shown := self._simplified(text, code)):
                return shown
        return f"({REMARK})"

    def parts(self, text: str, most: int) -> list[str]:
        """Return a text as it may leave, in parts of at most `most` UTF-16 units. Each part is checked by itself."""
        gate = replace(self, longest=min(self.longest, most // 3))
        return [part for cut in split(gate._shortened(text), most) for part in gate._fitting(cut, most)]

    def without_partial_url(self, text: str) -> str:
        """Return a text still being written, without its last word if that looks like the beginning of a URL."""
        last = word_at(text, len(text))
        return text if len(text) - last <= _LONGEST_WORD and self.is_plain(text[last:]) else text[:last]

    def is_plain(self, words: str) -> bool:
        """Return whether `gated` would leave these whole words unchanged in any context."""
        found = (match[0] for form in (words, decoded(words)) for match in self._pattern.finditer(form))
        return not _JOINT.search(words) and not _LEADS_OUT.search(decoded(words)) and all(map(self._passes, found))

    def _fitting(self, part: str, most: int, deep: int = 0) -> list[str]:
        """Gate a part; if that makes it too long, cut it and gate the pieces again."""
        safe = self.gated(part)
        if units(safe) <= most:
            return [safe]
        if deep == _DEEPEST:
            return [f"({REMARK})"]
        return [done for cut in split(safe, most) for done in self._fitting(cut, most, deep + 1)]

    def _shortened(self, text: str) -> str:
        """Truncate blocked URLs that are too long to be shown, so that they do not fill whole parts."""

        def judged(match: re.Match[str]) -> str:
            address = bare(match[0])
            too_long = len(address) > self.longest and not self._passes(match[0])
            return match[0].replace(address, self._in_short(address), 1) if too_long else match[0]

        if not any(len(word[0]) > self.longest for word in WORD.finditer(text)):
            return text
        return "".join(piece if kind in ("span", "fence") else self._pattern.sub(judged, piece) for kind, piece in pieces(text))

    def _in_short(self, address: str) -> str:
        return address if len(address) <= self.longest else f"{address[: self.longest]}…"

    def _disarmed(self, text: str) -> str:
        """Show links as text and URL, and blocked URLs as code. Code is left unchanged."""
        return "".join(self._as_code(_unmasked(piece, angled=True)) if kind == "text" else piece for kind, piece in pieces(text))

    def _simplified(self, text: str, code: Collection[str]) -> str:
        """Like `disarmed`, for a text in which clients may disagree about code: only these kinds of code are kept."""
        if code:
            return "".join(piece if kind in code else self._simplified(piece, ()) for kind, piece in pieces(text))
        text = _REMARKED.sub("`", text)
        while (shown := decoded(text)) != text:
            text = shown
        text = _NO_MENTION.sub("< ", printable(_unmasked(text, angled=False)).replace("`", "'"))
        return self._as_code(_TILDES.sub(lambda run: " ".join(run[0]), text), simply=True)

    def _is_safe(self, text: str) -> bool:
        """Return whether every client sees the same code in a text, and only allowed URLs outside of it."""
        divided = list(pieces(text))
        outside = [piece for kind, piece in divided if kind == "text"]
        found = [match[0] for piece in outside for form in (piece, decoded(piece)) for match in self._pattern.finditer(form)]
        return (
            all(kind != "unclear" for kind, _ in divided)
            and not any("~~~" in piece or _TAG.search(self._pattern.sub("", piece)) or _JOINT.search(piece) for piece in outside)
            and all(map(self._passes, found))
            and not any(_OPEN_ANGLE.search(piece) for piece in outside[:-1])
            and not any(match.end() == len(piece) for piece in outside[:-1] for match in self._pattern.finditer(piece))
            and not self._is_crossed(divided)
        )

    def _passes(self, found: str) -> bool:
        """Return whether a URL as found, with trailing punctuation, may pass."""
        address = bare(found)
        return address in self.allowed and not _RUNS_CODE.match(address)

    def _as_code(self, text: str, *, simply: bool = False) -> str:
        """Show blocked URLs as code; if `simply`, so that no markup of the text can be closed in it. The text contains no code."""

        def judged(match: re.Match[str]) -> str:
            if self._passes(match[0]):
                return match[0]
            address = bare(match[0])
            rest = match[0][len(address) :] if not match[0].startswith("<") else ""
            shown = self._in_short(address)
            if simply:
                shown = _MARKS_IN_CODE.sub(lambda mark: f"%{ord(mark[0]):02X}", shown)
            before = text[match.start() - 1 : match.start()]
            # A character right before code may cancel its beginning.
            code = f" `{shown}`" if simply and not (before.isspace() or before in "(") else f"`{shown}`"
            if not _IS_LINK.match(address) and "/" not in address:
                return f"{code}{rest}"
            if before == "(" and (rest or text[match.end() :]).startswith(")"):
                return f"{code}, {REMARK}{rest}"
            return f"{code} ({REMARK}){rest}"

        return self._pattern.sub(judged, text)

    def _is_crossed(self, divided: Pieces) -> bool:
        """Return whether markup opened outside of code could be closed inside of it by some client."""
        outside = "\0".join(piece for kind, piece in divided if kind == "text")
        code = "\0".join(piece for kind, piece in divided if kind != "text")
        spans = "".join(piece for kind, piece in divided if kind == "span")
        in_addresses = "".join(self._pattern.findall(outside))
        left = _BULLET.sub("", self._pattern.sub("\0", outside))
        for _ in range(3):
            for closed in _CLOSED_MARKS:
                left = closed.sub("x", left)
        return (
            any(mark in left + in_addresses and mark in code for mark in ("*", "_", "~~", "||"))
            or ("|" in outside and "|" in spans)
            or ("[" in outside and "](" in code)
        )


def _unmasked(text: str, *, angled: bool) -> str:
    """Show links as text and destination, in angle brackets if `angled`. The text contains no code."""

    def shown(link: re.Match[str]) -> str:
        to = f"<{link['to']}>" if angled and ADDRESS.fullmatch(f"<{link['to']}>") else link["to"]
        return f"{link['text']} ({to})" if link["text"] else f"({to})"

    return _JOINT.sub("] ", _LINK.sub(shown, text))
