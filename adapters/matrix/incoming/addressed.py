"""Whether something is said to Lyra, and what is left of it when her name is taken off."""

import re
from collections.abc import Collection
from urllib.parse import unquote

from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.event import part, word

_QUOTED = re.compile(r"<mx-reply>.*?</mx-reply>", re.DOTALL | re.IGNORECASE)


def mentions_her(content: Json, me: str) -> bool:
    """Whether a message mentions her, as its client says it, or as a link where its client says nothing of mentions."""
    if "m.mentions" in content:
        users = part(content, "m.mentions").get("user_ids")
        return isinstance(users, list) and me in users
    return f"matrix.to/#/{me}" in unquote(_QUOTED.sub("", word(content, "formatted_body")))


def names_her(content: Json, me: str, names: Collection[str], said: str) -> bool:
    """Whether a message mentions her. Where its client says nothing of mentions, her name as a word is one."""
    if mentions_her(content, me) or "m.mentions" in content:
        return mentions_her(content, me)
    return any(_as_word(name).search(said) for name in (me, *names))


def without_call(said: str, me: str, names: Collection[str], *, named: bool) -> str:
    """Return what was said without the call at its beginning: 'Lyra: !recall cats' is '!recall cats'.

    A name that stands there is a call where it is `named` as a mention, or marked as one by an @, a colon or a comma.
    """
    any_name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name)
    end = r"[\s,:;]+" if named else r"\s*[,:;]\s*"
    call = rf"{re.escape(me)}(?!\w)[\s,:;]*|\[@?(?:{any_name})\]\([^)\s]*\)[\s,:;]*|@(?:{any_name})(?!\w)[\s,:;]*|(?:{any_name})(?!\w){end}"
    left = re.sub(rf"\A\s*(?:{call})", "", said, count=1, flags=re.IGNORECASE)
    return left if left.strip() else said


def _as_word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
