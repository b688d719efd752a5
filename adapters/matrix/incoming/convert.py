"""What was said on Matrix, as Lyra reads it. Ids are opaque; names and texts are what people typed; nothing is trusted."""

import re
from typing import Any

from adapters.display import clean, line
from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.event import POLL, STICKER, part, word
from adapters.message_parts import Attachment

PLATFORM = "matrix"

_FILES = frozenset({"m.image", "m.file", "m.audio", "m.video"})
_UNSAID = frozenset({"m.notice", "m.server_notice", "m.key.verification.request"})
"""What nobody says: a notice must not be answered."""
_LONGEST_FILE_NAME = 200
_MOST_OFFERED = 20
# The fallback that clients put before a reply for clients without replies: who is answered, and what they said.
_FALLBACK = re.compile(r"\A> (?:\* ?)?<@[^\n]*(?:\n>[^\n]*)*\n+")


def is_heard(content: Json) -> bool:
    """Return whether this is something a person says; of a type that is not known here, as clients show it: if it has words."""
    kind = word(content, "msgtype")
    known = kind in ("m.text", "m.emote", "m.location", STICKER, POLL, *_FILES)
    return known or (kind not in ("", *_UNSAID) and bool(word(content, "body")))


def text(content: Json, speaker: str) -> str:
    """Return what was said, as people read it; '' for a file without a caption."""
    kind = word(content, "msgtype")
    body = clean(word(content, "body"))
    if part(part(content, "m.relates_to"), "m.in_reply_to"):
        body = _FALLBACK.sub("", body)
    if kind in _FILES:
        return _caption(content)
    if kind == "m.emote":
        return f"* {speaker} {body}"
    if kind == "m.location":
        return f"[location: {', '.join(one for one in (line(body, 300), line(word(content, 'geo_uri'), 300)) if one)}]"
    if kind == STICKER:
        return f"[sticker: {line(body)}]"
    if kind == POLL:
        poll = part(content, "m.poll")
        answers = poll.get("answers")
        words = [line(_words(one)) for one in answers[:_MOST_OFFERED]] if isinstance(answers, list) else []
        offered = " / ".join(filter(None, words))
        return f"[poll: {line(_words(poll.get('question')), 300)}: {offered}]"
    return body.strip()


def _words(found: Any) -> str:
    """Return the words of a poll's question or answer, in whichever of the specification's forms."""
    versions = found.get("m.text") if isinstance(found, dict) else None
    first = versions[0] if isinstance(versions, list) and versions else None
    return word(found, "org.matrix.msc1767.text") or word(first, "body") or word(found, "m.text") or word(found, "body")


def attachments(event: str, content: Json) -> tuple[Attachment, ...]:
    """Return a message's attachments; the id of each is its event's."""
    if word(content, "msgtype") not in _FILES:
        return ()
    info = part(content, "info")
    kind = word(info, "mimetype").partition(";")[0].strip().lower()
    size = info.get("size")
    return (Attachment(event, _file_name(content), kind, size if isinstance(size, int) and size > 0 else 0),)


def _file_name(content: Json) -> str:
    named = word(content, "filename") or word(content, "body")
    return line(named, _LONGEST_FILE_NAME) or word(content, "msgtype").removeprefix("m.")


def _caption(content: Json) -> str:
    named, body = word(content, "filename"), clean(word(content, "body"))
    return body.strip() if named and body != named else ""
