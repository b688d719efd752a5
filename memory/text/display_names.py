"""Display names: what people are called where their words are shown, and which names could be taken for each other."""

import re
import unicodedata

from memory.text.sanitize import sanitized

LYRA = "Lyra"
NOBODY = "someone"
LONGEST = 40
"""The most characters of a name, its tag included."""
COLONS = ":：﹕︓︰꞉∶ː˸⁚׃։᛬"
"""What looks like the colon between a speaker and what was said."""
TAG = re.compile(r"(?<=\S)#([a-z2-7]{4})(?!\w)")
"""What tells later accounts of one name apart: NAME#xxxx."""

_SEPARATORS = re.compile(rf"[{COLONS}<>|｜`·\s\u2800]+")
_BRACKETS = str.maketrans('[]{}"', "()()’")
_ROOM_FOR_A_TAG = 5
_LOOKED_AT = 200
_NEITHER_LETTER_NOR_DIGIT = re.compile("[^a-z0-9]+")
# Letters of other alphabets that are drawn like Latin ones, and the few Latin ones that are drawn like each other. Whose name has
# a letter that comes in here is known by another likeness than before: none of those that names are commonly written in.
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
    """Return a name on one line, of at most `longest` characters, without what separates a name from what was said.

    A name that cannot be seen is "someone".
    """
    seen = " ".join(_SEPARATORS.sub(" ", sanitized(name[:_LOOKED_AT]).translate(_BRACKETS)).split())
    # A flag that is cut in two leaves something unseen.
    short = seen if len(seen) <= longest else sanitized(seen[: longest - 1]).rstrip() + "…"
    return short or NOBODY


def untagged(name: str) -> str:
    """Return the name that an account gives itself as it is shown, with room for a tag and nothing that looks like one."""
    return display_name(name.replace("#", "♯"), LONGEST - _ROOM_FOR_A_TAG)


def tagged(name: str, public_id: str) -> str:
    """Return a name with the tag that the id of its account gives it."""
    return f"{name}#{public_id[:4]}"


def likeness(name: str) -> str:
    """Return what two names share that could be taken for each other: they differ in case, width, accents, marks or signs, or
    in letters that are drawn alike."""
    name = name[:_LOOKED_AT]
    # Most names, in half the time: nothing of such a one has other forms.
    if name.isascii() and (plain := _NEITHER_LETTER_NOR_DIGIT.sub("", name.lower().translate(_DRAWN_ALIKE))):
        return plain
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", sanitized(name)).casefold())
    drawn = folded.translate(_DRAWN_ALIKE)
    return "".join(char for char in drawn if char.isalnum()) or "".join(folded.split())


def is_reserved(name: str) -> bool:
    """Say whether a name could be taken for Lyra's, or for a role or a label in a prompt, and so is never shown alone."""
    whole, words = likeness(name), name.split()
    return (
        whole in _RESERVED or whole.startswith(_TITLES) or (len(words) > 1 and all(likeness(word) in _RESERVED for word in words))
    )


_ROLES = "system developer user human assistant bot chatbot model agent tool function".split()
_LABELS = (
    "note notes memory message prompt instructions receipt summary gist profile persona today you inferred arc trend".split()
)
# "AI" is left out: "Al" is drawn like it, and is somebody's name.
_RESERVED = frozenset(map(likeness, (LYRA, NOBODY, "going on", *_ROLES, *_LABELS)))
_TITLES = tuple(map(likeness, (
    *("what you know", "what you looked up", "what was said earlier", "where things stand", "how you are", "today is"),
    *("how they want you to talk", "to take up again", "just before, others said", "the message answers this"),
    *("notes of earlier conversations", "your answer has begun", "known before, only"),
)))  # fmt: skip
"""What stands above the parts of a prompt begins so."""
