"""Filter for a model's thoughts in its answer: between tags, or before a lone closing tag."""

import re
from collections.abc import Iterable

_CLOSING_OF = {
    **{f"<{name}>": f"</{name}>" for name in ("think", "thinking", "thought", "reasoning", "seed:think")},
    "[think]": "[/think]",
    "<|start_thinking|>": "<|end_thinking|>",
    "<|channel>thought": "<channel|>",
    # OpenAI's open models say everything in channels, and only the last of them to people.
    "<|channel|>analysis": "<|channel|>final<|message|>",
    "<|channel|>commentary": "<|channel|>final<|message|>",
}
_TAGS = {*_CLOSING_OF, *_CLOSING_OF.values()}


def _any(tags: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(tag) for tag in sorted(tags)), re.IGNORECASE)


_TAG, _CLOSING = _any(_TAGS), _any({*_CLOSING_OF.values()})
_LONGEST = max(map(len, _TAGS))
_OPENINGS = {tag[0] for tag in _TAGS}
_CODE = "```"


class WithoutThinking:
    """A streaming filter that drops thoughts from an answer. A possible beginning of a tag is held back.

    An opening tag counts only at the beginning of a line, and no tag counts in code. A closing tag without an opening one ends
    `unopened` thoughts: the text before was not part of the answer. With `waits`, everything is held back until this is
    certain.
    """

    def __init__(self, *, waits: bool = False) -> None:
        self._waits = waits
        self._held = ""
        self._judged = 0
        """How much of what is held has no tag that counts."""
        self._given = ""
        self._inside = ""
        """The tag that opened the thoughts that are being read, if any."""
        self._after = False
        self._anew = False
        self.found = False
        """Whether there were any thoughts; who reads an answer notes those in a field of their own."""
        self.unopened = False
        self.plain = False
        """Whether the text held back to the end turned out to be all answer."""

    def feed(self, piece: str) -> str:
        """Add a piece and return the part of the answer known so far."""
        self._held += piece
        return self._known(whole=False)

    def flush(self, *, cut: bool = False) -> str:
        """Return what was held back at the end; if the output was `cut`, text that may be thoughts is dropped."""
        if self._waits and not cut:
            self.plain, self._waits = not _CLOSING.search(self._held), False
        return "" if self._waits and not _CLOSING.search(self._held) else self._known(whole=True)

    def begins_anew(self) -> bool:
        """Return, once, whether the text before the last piece turned out not to be part of the answer."""
        anew, self._anew = self._anew, False
        return anew

    def _known(self, *, whole: bool) -> str:
        known = ""
        while (tag := self._next(known)) is not None:
            before, self._held, self._judged = self._held[: tag.start()], self._held[tag.end() :], 0
            closes = tag[0].lower() not in _CLOSING_OF
            if not self._inside and closes:
                self.unopened, self._anew = True, bool(self._given)
                self._given, known = "", ""
            elif not self._inside:
                known += self._stripped(before)
            self._inside = "" if closes else tag[0].lower()
            self._waits, self._after, self.found = False, True, True
        if not self._inside and not self._waits:
            kept = 0 if whole else _begun(self._held)
            known += self._stripped(self._held[: len(self._held) - kept])
            self._held, self._judged = self._held[len(self._held) - kept :], 0
        elif self._inside:
            self._held = self._held[-_LONGEST:]
        self._given += known
        return known

    def _next(self, known: str) -> re.Match[str] | None:
        """Return the next tag that counts, given the answer known so far."""
        if self._inside:
            return re.search(re.escape(_CLOSING_OF[self._inside]), self._held, re.IGNORECASE)
        tags = _TAG.finditer(self._held, max(0, self._judged - _LONGEST))
        found = next((tag for tag in tags if self._counts(tag, self._given + known)), None)
        self._judged = len(self._held) if found is None else 0
        return found

    def _counts(self, tag: re.Match[str], said: str) -> bool:
        before = said + self._held[: tag.start()]
        if tag[0].lower() not in _CLOSING_OF:
            mentioned = before.count(_CODE) % 2 or before.endswith(("`", '"', "'")) or _TAG.search(before)
            return self._waits or not mentioned
        return before.count(_CODE) % 2 == 0 and not before.rpartition("\n")[2].strip()

    def _stripped(self, text: str) -> str:
        if self._after:
            text = text.lstrip()
            self._after = not text
        return text


def _begun(text: str) -> int:
    """Return the length of a possible beginning of a tag at the end of a text."""
    end = text[-_LONGEST:].lower()
    if _OPENINGS.isdisjoint(end):
        return 0
    starts = (at for at, character in enumerate(end) if character in _OPENINGS and any(tag.startswith(end[at:]) for tag in _TAGS))
    return next((len(end) - at for at in starts), 0)
