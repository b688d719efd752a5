"""What clients put into their events."""

from collections.abc import Iterable

from tests.fakes.matrix.client import Json


def text(body: str, *, html: str = "", mentions: Iterable[str] = (), kind: str = "m.text") -> Json:
    """Return the content of a text. Today's clients always say whom they mention, if only nobody."""
    people = list(mentions)
    content: Json = {"msgtype": kind, "body": body, "m.mentions": {"user_ids": people} if people else {}}
    if html:
        content |= {"format": "org.matrix.custom.html", "formatted_body": html}
    return content


def edit(event_id: str, new: Json) -> Json:
    """Return the content of an edit, with its fallback for clients that know none. It notifies nobody again."""
    old = new | {"body": f"* {new['body']}", "m.mentions": {}}
    return old | {"m.new_content": new, "m.relates_to": {"rel_type": "m.replace", "event_id": event_id}}


def related(content: Json, *, thread: str = "", last: str = "", reply_to: str = "") -> Json:
    """Return content with its place: in the thread of a root, as a reply, both or neither.

    `last` is the latest event of the thread, which clients without threads show as what is answered.
    """
    relation: Json = {}
    if thread:
        relation = {"rel_type": "m.thread", "event_id": thread, "is_falling_back": not reply_to}
    if thread or reply_to:
        relation["m.in_reply_to"] = {"event_id": reply_to or last or thread}
    return content | ({"m.relates_to": relation} if relation else {})


def reaction(event_id: str, key: str) -> Json:
    """Return the content of a reaction."""
    return {"m.relates_to": {"rel_type": "m.annotation", "event_id": event_id, "key": key}}


def media(name: str, content_type: str, size: int, source: Json, *, caption: str = "", voice: bool = False) -> Json:
    """Return the content of a file, an image or a recording. `source` says where its bytes are."""
    content: Json = source | {
        "msgtype": _kind(content_type),
        "body": caption or name,
        "filename": name,
        "info": {"mimetype": content_type, "size": size},
        "m.mentions": {},
    }
    if voice:
        content |= {"org.matrix.msc3245.voice": {}, "org.matrix.msc1767.audio": {"duration": 2000, "waveform": [0, 512, 1024]}}
        content["info"]["duration"] = 2000
    return content


def _kind(content_type: str) -> str:
    family = content_type.partition("/")[0]
    return f"m.{family}" if family in ("image", "audio", "video") else "m.file"
