"""Display names: how people are shown by name, and which names are confusable."""

import re
import unicodedata

from memory.text.sanitize import sanitized

LYRA = "Lyra"
NOBODY = "someone"
LONGEST = 40
"""The maximum length of a name in characters, including its tag."""
COLONS = ":：﹕︓︰꞉∶ː˸⁚׃։᛬"
"""Characters that look like the colon between a speaker and their words."""
COMMAS = ",，﹐︐‚⹁、､﹑︑꓾"
"""Characters that look like the comma between the labels of a message and its speaker: "corrected later, Ada" is no name."""
TAG = re.compile(r"(?<=\S)#([a-z2-7]{4})(?!\w)")
"""The tag of a later account with the same name: NAME#xxxx."""

_SEPARATORS = re.compile(rf"[{COLONS}{COMMAS}<>|｜`·\s\u2800]+")
_BRACKETS = str.maketrans('[]{}"', "()()’")
_ROOM_FOR_A_TAG = 5
_LOOKED_AT = 200
_NEITHER_LETTER_NOR_DIGIT = re.compile("[^a-z0-9]+")
# Letters of other alphabets that look like Latin ones, and the few Latin ones that look like each other. Adding a letter
# changes the likeness of names that contain it, so letters common in names are left out.
_DRAWN_ALIKE = str.maketrans(
    "аеорсухіѕјһԁӏкмтвнгαορνυκιτχγεηʟʏʀᴀʙᴄᴅᴇɢʜɪᴊᴋᴍɴᴏᴘᴛᴜᴠᴡᴢꜱꜰłđøıi1|0"
    "ɑɡʋƒȷɫƚⱡɭɏƴɼɽɾɍⱥᶏѵԝԛ"
    "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"
    "ᒪᗪᗷᖇᗩᗅᑭᑌᕼᒍᐯ᙭ᔕᑕᗰᑎᖴᗯ"
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴⲟⲣⲥⲩⲭ",
    "aeopcyxlsjhdlkmtbhraopvykltxyenlyrabcdeghljkmnoptuvwzsfldollllo"
    "agufjllllyyrrrraavwq"
    "bpdtgkjczfmnlsrvhwxyaelou"
    "ldbraapuhjvxscmnfw"
    "drtlyajewmhyghzbrwsvslcpkdgbopcyx",
)


def display_name(name: str, longest: int = LONGEST) -> str:
    """Return a name on one line, of at most `longest` characters, without the separators used before a message.

    A name with nothing visible becomes "someone".
    """
    seen = " ".join(_SEPARATORS.sub(" ", sanitized(name[:_LOOKED_AT]).translate(_BRACKETS)).split())
    # Cutting a flag in two leaves an invisible character.
    short = seen if len(seen) <= longest else sanitized(seen[: longest - 1]).rstrip() + "…"
    return short or NOBODY


def untagged(name: str) -> str:
    """Return the display name of an account's own name, with room for a tag and nothing that looks like one."""
    return display_name(name.replace("#", "♯"), LONGEST - _ROOM_FOR_A_TAG)


def tagged(name: str, public_id: str) -> str:
    """Return a name with the tag derived from its account's id."""
    return f"{name}#{public_id[:4]}"


def likeness(name: str) -> str:
    """Return a key that confusable names share, ignoring case, width, accents, punctuation and look-alike letters."""
    name = name[:_LOOKED_AT]
    # A fast path for most names: ASCII needs no normalization.
    if name.isascii() and (plain := _NEITHER_LETTER_NOR_DIGIT.sub("", name.lower().translate(_DRAWN_ALIKE))):
        return plain
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", sanitized(name)).casefold())
    drawn = folded.translate(_DRAWN_ALIKE)
    return "".join(char for char in drawn if char.isalnum()) or "".join(folded.split())


def is_reserved(name: str) -> bool:
    """Return whether a name may be confused with Lyra's, or with a role or label in a prompt, and so is never shown alone."""
    whole, words = likeness(name), name.split()
    return (
        whole in _RESERVED or whole.startswith(_TITLES) or (len(words) > 1 and all(likeness(word) in _RESERVED for word in words))
    )


_ROLES = "system developer user human assistant bot chatbot model agent tool function".split()
_LABELS = (
    "note notes memory message prompt instructions receipt summary gist profile persona today you inferred arc trend".split()
)
# "AI" is left out: "Al" looks like it and is a real name.
_RESERVED = frozenset(map(likeness, (LYRA, NOBODY, "going on", *_ROLES, *_LABELS)))
_TITLES = tuple(map(likeness, (
    *("what you know", "what you looked up", "what was said earlier", "where things stand", "how you are", "today is"),
    *("how they want you to talk", "to take up again", "just before, others said", "the message answers this"),
    *("notes of earlier conversations", "your answer has begun", "known before, only"),
)))  # fmt: skip
"""Beginnings of the headings in a prompt."""
