"""Display names of kinds: of places, of named things, of model purposes."""

from collections.abc import Mapping

from localization.sentences import Sentence, _, lazy, marked
from memory.types import DomainRef

_PLACES: Mapping[str, Sentence] = {
    "dm": lazy("Private conversation"),
    "server": lazy("Server"),
    "channel": lazy("Channel"),
    "room": lazy("Room"),
}
_NAMES = (marked("person"), marked("pet"), marked("place"), marked("project"))
_PURPOSES = (marked("conversation"), marked("digests"), marked("embedding"))


def place(ref: DomainRef) -> str:
    """Return a domain's kind of place and its platform, not identifying it: Room on Matrix."""
    return _("{kind} on {platform}", kind=_PLACES[ref.kind.value], platform=platform(ref.platform))


def platform(name: str) -> str:
    """Return a platform's display name."""
    return _("this machine") if name == "console" else name.capitalize()


def name(kind: str) -> str:
    """Return the kind of thing that has a name; '' if unknown."""
    return _(kind) if kind in _NAMES else ""


def purpose(of: str) -> str:
    """Return the display name of a model purpose."""
    return _(of) if of in _PURPOSES else of
