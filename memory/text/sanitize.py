"""Sanitization: text that every store and terminal can hold, and for prompts and names none with invisible characters or special tokens
by which chat templates mark roles.

Visible text is kept in every script, as are joiners within emoji and scripts that need them, variation selectors after the
characters they modify, and flags encoded by tags.
"""

import re

from memory.text.lazy_patterns import lazy_pattern

EMPTY = "[an empty message]"
"""What an empty message without attachments is shown as."""
_REMOVED = lazy_pattern(r"[\x00-\x08\x0b-\x1f]")
_SURROGATES = lazy_pattern(r"[\ud800-\udfff]")
_PLAIN = lazy_pattern("[\n\t -;=-Z\\\\^-~\xa1-\xac\xae-\u024f\u2010-\u2027\u20ac]*")
"""Text that needs no change: most of what people write."""
_BREAKS = lazy_pattern("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = lazy_pattern(r"[\x00-\x08\x0e-\x1b\x1f\x7f]")
_REGION_FLAGS = "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
# Controls, directional marks, fillers and zero-width spaces, lone surrogates, tags.
_UNSEEN = lazy_pattern(
    f"({_REGION_FLAGS})"
    "|[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
# A selector follows the character it modifies: an emoji or symbol, a Han character, a Mongolian letter.
_SELECTORS = lazy_pattern(
    "(?<![#*0-9\xa9\xae\u203c-\ufdff\U0001f000-\U0001ffff])[\ufe0e\ufe0f]"
    "|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
    "|(?<![\u1820-\u18aa])[\u180b-\u180d\u180f]"
)
# A joiner follows the character it joins, and only emoji and scripts from U+0590 on use them.
_JOINERS = lazy_pattern("(?<![\u0590-\u1fff\u2190-\ufdff\ufe0f\ufe10-\U000dffff\U000e007f])[\u200c\u200d]")

_TAGS = r"""
    s | bos | eos | pad | unk | mask(?::\d+)? | cls | sep | sop | eop | eot | eod | eoh | eoa | eom | [a-z]{2,5}_token
    | (?:start|end|begin|beginning)_of_\w{1,20} | think(?:ing)? | tools? | tool_(?:calls?|responses?|results?)
    | system | developer | user | assistant | human | bot | model | instructions?
    | (?:tokens_)?unused_?\d+ | reserved_?\d+ | extra_id_\d+ | special_\d+ | (?:image|audio)_soft_token | seed:\w{1,20}
    | fim[_-]\w{1,10} | (?-i:PRE|SUF|MID) | repo_?name | file_sep | gh_stars
"""
_BRACKETED = r"""
    (?i:INST) | SYSTEM_PROMPT | AVAILABLE_TOOLS | TOOL_CALLS | TOOL_RESULTS | TOOL_CONTENT | ARGS | CALL_ID | THINK
    | MODEL_SETTINGS | IMG(?:_BREAK|_END)? | PREFIX | MIDDLE | SUFFIX | (?:BEGIN_)?AUDIO | TRANSCRIBE
    | [gs]?MASK | CLS | SEP | BOS | EOS | EOT | EOD | PAD | UNK
"""
# The special tokens of ChatML, Llama, Mistral, Gemma, Phi, DeepSeek, Qwen, Command R, Harmony, GLM, EXAONE, MiniMax, StarCoder
# and their kin, and role tags used in prompts. Full-width bars and brackets count like the plain ones.
_OPENING = lazy_pattern(
    rf"""
    [<＜](?= [|｜] | [^<>＜＞‹\s]{{0,64}}[|｜][>＞] | (?i: /? (?:{_TAGS}) [>＞] | [<＜] /? SYS [>＞] ) )
    | [\[［](?= [|｜] | /? (?:{_BRACKETED}) [\]］] | e~\[ )
    | \](?= <\] | ~!?b[\[\]] )
    """,
    re.VERBOSE,
)
_HARMLESS = {"<": "‹", "＜": "‹", "[": "(", "［": "(", "]": ")"}


def sanitized(text: str) -> str:
    r"""Return text whose only line break is \n, in which everything can be seen and nothing is a special token of a model.

    A special token stays readable: it loses its opening bracket to one that looks like it.
    """
    if _PLAIN.fullmatch(text):
        return text
    lines = _BREAKS.sub("\n", text)
    seen = _CONTROLS.sub("", lines) if lines.isascii() else _JOINERS.sub("", _SELECTORS.sub("", _UNSEEN.sub(r"\1", lines)))
    return _OPENING.sub(lambda mark: _HARMLESS[mark.group()], seen)


def clean(text: str) -> str:
    r"""Return text that every store and terminal can hold.

    Control characters other than \n and \t are removed (so CRLF becomes \n), lone surrogates become U+FFFD.
    """
    return _SURROGATES.sub("\ufffd", _REMOVED.sub("", text))
