"""Filters for what models invent: receipts before their lines, in imitation of the prompt, and turns of other speakers."""

import re
from collections.abc import Iterable, Sequence

from memory.text.function_words import FIRST_PERSON
from memory.text.generated.stream_filters import OpeningFilter, StreamFilter
from memory.text.lazy_patterns import lazy_pattern

_WHO = r"[^\W\d_][\w'’-]{0,20}(?: [A-ZÀ-Þ][\w'’-]{0,19})?"
_TURN = lazy_pattern(rf"^[^\S\n]*(?:[*_#>]+[^\S\n]*)?(?P<who>{_WHO})[*_]*:[*_]*(?=[^\S\n]|$|\n)[^\S\n]*")
_MAY_BE_TURN = lazy_pattern(rf"^[^\S\n]*(?:[*_#>]+[^\S\n]*)?(?:{_WHO} ?[*_]*:?[*_]*)?$")
_NAME, _HERSELF = "lyra", "assistant"
_THEIRS = frozenset(("user", "human"))
_HEADED = {"instruction": "user", "input": "user", "response": _HERSELF}
"""What the headings of Alpaca's template stand for."""
_FENCE = "```"
_HERE = r" +(?:hier|here|ici|aquí|qui|speaking)"
_LABELS = lazy_pattern(rf"(?:^|[>,:] )[\"“„]?(?P<who>[^\W\d_][\w'’-]{{0,30}})[\"”]?{_HERE}: ", re.MULTILINE)
_I = lazy_pattern(rf"(?:{FIRST_PERSON})(?:['’]\w*)?\s", re.IGNORECASE)
_HERS = lazy_pattern(
    r"\b(?:you\w*|du|dir|dich|dein\w*|euch|ihr|tu|te|toi|tú|ti|know|think|remember|recall|found|find|kept|can|could|would|hope|glad|sorry"
    r"|weiß|denke|glaube|erinnere|finde|gefunden|kann|könnte|würde|hoffe|sais|crois|peux|sé|creo|puedo)\b",
    re.IGNORECASE,
)
"""What she says where she addresses somebody by name: of them, of what she knows and of what she can."""
_CLAIMS = "i am|i'm|i’m|my name is|ich bin|ich heiße|mein name ist|je suis|je m'appelle|je m’appelle|soy|me llamo".split("|")
_FIRST_SENTENCE = lazy_pattern(r"[.!?…\n]")
_LONGEST_SENTENCE, _LONGEST_WORD = 200, 12


class WithoutRoles(OpeningFilter):
    """A streaming filter that ends an answer which opens in the role of somebody else, before anything of it is shown.

    Such an answer opens with a name that opened a message of the conversation ("Jan here: …"), with one of these `names` and tells
    in the first person what is not hers, or says that it is one of these ("I am Jan"). `said` are the messages of the prompt.
    """

    def __init__(self, said: Iterable[str], names: Sequence[str]) -> None:
        here = frozenset(found["who"].casefold() for text in said for found in _LABELS.finditer(text)) - {_NAME}
        plain = frozenset(map(str.casefold, names)) - {_NAME}
        self._names = here | plain
        super().__init__(is_open=not self._names)
        either = "|".join(map(re.escape, self._names))
        # As the name is written: "I'm happy" is nobody's who is called Happy.
        written = "|".join(re.escape(name) for name in names if name[:1].isupper()) or "(?!)"
        self._claim = re.compile(rf"(?i:{'|'.join(_CLAIMS)}) (?:{written})\b")
        self._label = re.compile(
            rf"(?:{_NAME}: *)?[\"“„*_]*(?P<who>{either})[\"”*_]*(?P<here>{_HERE})?[*_]*:[*_]*\s*", re.IGNORECASE
        )

    def _known(self, *, final: bool) -> str:
        begun = self._held.lstrip()
        label = self._label.match(begun)
        if label is None:
            self.ended = self._claim.match(begun) is not None and (final or self._claim.fullmatch(begun) is None)
            if self.ended or (not final and (self._may_be_label(begun) or self._may_be_claim(begun))):
                return ""
        elif label["here"]:
            self.ended = True
            return ""
        else:
            told = begun[label.end() :]
            first = _FIRST_SENTENCE.split(told)[0]
            is_final = final or len(first) < len(told) or len(told) > _LONGEST_SENTENCE
            own = _I.match(told)
            if not is_final and (own or len(told) <= _LONGEST_WORD):
                return ""
            self.ended = own is not None and not _HERS.search(first)
            if self.ended:
                return ""
        self._open = True
        return self._held

    def _may_be_claim(self, begun: str) -> bool:
        """Return whether a text may go on to say that it is somebody's."""
        plain = begun.casefold()
        return any(f"{claim} {name}".startswith(plain) for claim in _CLAIMS for name in self._names if plain[:1] == claim[0])

    def _may_be_label(self, begun: str) -> bool:
        """Return whether a text may be the beginning of a label."""
        plain = re.sub(rf"^{_NAME}: *", "", begun.casefold()).lstrip('"“„*_')
        if f"{_NAME}: ".startswith(plain):
            return True
        return "\n" not in begun and any(
            name.startswith(plain) or (plain.startswith(name) and len(plain) <= len(name) + _LONGEST_WORD) for name in self._names
        )


class WithoutTurns:
    """A streaming filter that drops invented turns of others.

    Before the answer, Lyra's own label is stripped along with any turn invented before it. After it, the text ends where a line
    begins with "User:" or one of these names, with one of the `speakers` and what only they can say ("Ben: my train is late"), or
    with any name that "Lyra:" answers. Lists of such labels and code blocks are kept.
    """

    def __init__(self, names: Iterable[str] = (), speakers: Iterable[str] = ()) -> None:
        self._others = _THEIRS.union(name.casefold() for name in names)
        self._speakers = frozenset(name.casefold() for name in speakers) - {_NAME}
        self.ended = False
        self._line = ""
        self._inside = False
        self._held = ""
        self._theirs = False
        self._before = ""
        self._announced = False
        self._fenced = False
        self._said = False

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown so far."""
        shown = ""
        for part in piece.splitlines(keepends=True):
            if self.ended:
                break
            self._line += part
            if self._inside:
                shown += self._pass(part)
            elif part.endswith("\n"):
                shown += self._judge(self._line)
            elif self._is_known():
                shown += self._judge(self._line)
                self._inside = True
            if part.endswith("\n"):
                self._announced = self._line.rstrip().endswith(":") if self._line.strip() else self._announced
                self._line, self._inside = "", False
        return shown

    def flush(self) -> str:
        """Return what was held back, at the end of the text."""
        shown = "" if self.ended or self._inside or not self._line else self._judge(self._line)
        if self.ended:
            return shown
        # Unanswered turns: drop invented ones after an answer, and bare ones before it.
        unsaid = self._said or not _TURN.sub("", self._held).strip()
        return shown + ("" if self._theirs and unsaid else self._held)

    def _is_known(self) -> bool:
        """Return whether an incomplete line can already be classified."""
        if label := self._label(self._line):
            return self._is_hers(self._who(label), self._before) and bool(self._line[label.end() :].strip())
        begun = self._line.strip()
        return bool(begun) and not (self._theirs or _FENCE.startswith(begun) or _MAY_BE_TURN.match(self._line))

    def _is_hers(self, who: str, listed: str) -> bool:
        """Return whether a label is Lyra's own; a bare "Assistant:" may also be an entry in a list of roles."""
        return (bool(self._held) or not listed) and (who == _NAME or (who == _HERSELF and (self._theirs or not self._said)))

    def _label(self, line: str) -> re.Match[str] | None:
        return None if self._fenced else _TURN.match(line)

    def _who(self, label: re.Match[str] | None) -> str:
        who = label["who"].strip().casefold() if label else ""
        return _HEADED.get(who, who) if label and "#" in label[0] else who

    def _pass(self, text: str) -> str:
        self._said = self._said or bool(text.strip())
        return text

    def _judge(self, line: str) -> str:
        """Return the text that can be shown once a line is complete, including what was held back."""
        if line.lstrip().startswith(_FENCE):
            self._fenced = not self._fenced
        label = self._label(line)
        who = self._who(label)
        listed, self._before = self._before, (who if line.strip() else self._before)
        if label and self._is_hers(who, listed):
            return self._hers(line, label.end())
        # Further lines of an invented turn belong to it.
        if self._held and (not line.strip() or (self._theirs and (not who or who in self._others or who in self._speakers))):
            self._held += line
            return ""
        held, self._held, self._theirs = self._held, "", False
        if who and not listed:
            # Behind a colon it is a list, if only of one entry.
            self._held, self._theirs = line, self._is_theirs(who, line[label.end() if label else 0 :])
            return self._pass(held) if held else ""
        return self._pass(held + line)

    def _is_theirs(self, who: str, told: str) -> bool:
        """Return whether a label with these words behind it begins a turn of somebody else."""
        if self._announced or who in self._others:
            return who in (_THEIRS if self._announced else self._others)
        return who in self._speakers and _I.match(told) is not None and not _HERS.search(_FIRST_SENTENCE.split(told)[0])

    def _hers(self, line: str, end: int) -> str:
        self._held, self._theirs = "", False
        self.ended = self._said
        return "" if self.ended else self._pass(line[end:])


_ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.+Z-]*(?:[^\S\n](?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b)?"
_DAY = r"(?:[^\W\d]+, )?\d{1,2} [^\W\d]+ \d{4} \d\d:\d\d"
_MARKS = r"(?:[|>][|>\s]*)?"
# For example: [m1] 2026-11-20T21:04+01:00 · Ada |, and 20 November 2026 21:04, Ada:
_SOURCE = rf"(?:\[[^][\n]*\]\s*)?{_ISO}\s*(?:·[^|:\n]{{1,40}}(?:[|:]|$))?"
_QUOTED = rf"{_DAY}, [^|:\n]{{1,40}}:"
_OF_A_DIGEST = lazy_pattern(rf"^{_MARKS}(?:(?:{_SOURCE}|{_QUOTED})\s*)*")
_LABEL = r"\[[a-gm-s]\d{1,3}\](?!\(|:)"
_OF_AN_ANSWER = lazy_pattern(rf"^(?:{_MARKS}(?:{_SOURCE.removesuffix('?')}|{_QUOTED}|{_LABEL})[^\S\n]*)+")
_LISTED = lazy_pattern(rf"^(?P<bullet>[^\S\n]*[-*•][^\S\n]+)(?P<receipt>{_QUOTED})[^\S\n]*")
# An incomplete line that may still become such a receipt.
_BEGUN = lazy_pattern(
    rf"^[^\S\n]*(?:[-*•][^\S\n]*)?{_MARKS}(?:\[[^][\n]*\][^\S\n]*{_MARKS})*(?:\[[^][\n]*)?(?:[^\W\d]+,? ?)?(?:\d{{1,4}}(?:[- ][^\n]{{0,70}})?)?$"
)


def unmarked(line: str) -> str:
    """Return a line of a digest without leading receipts and marks."""
    return _OF_A_DIGEST.sub("", line)


class WithoutReceipts(StreamFilter):
    """A streaming filter that drops receipts from the beginning of lines. A possible receipt is held back.

    In a list a receipt stays if it stands in the prompt, whose messages `said` are: it may have been asked for.
    """

    def __init__(self, said: Iterable[str] = ()) -> None:
        super().__init__()
        self._said = "\n".join(said)
        self._inside = False

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown so far."""
        shown = ""
        for part in piece.splitlines(keepends=True):
            ends = part.endswith("\n")
            if self._inside:
                shown += part
            else:
                self._held += part
                shown += self._known(final=ends)
            self._inside = self._inside and not ends
        return shown

    def _known(self, *, final: bool) -> str:
        if not final and not self._held[:1].isalpha() and _BEGUN.match(self._held):
            return ""
        listed = _LISTED.match(self._held)
        if listed and listed["receipt"] not in self._said:
            known = listed["bullet"] + self._held[listed.end() :]
        else:
            known = _OF_AN_ANSWER.sub("", self._held)
        self._held, self._inside = "", True
        return known
