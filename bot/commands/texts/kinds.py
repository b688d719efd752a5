"""What kinds of things are called: of places, of names, of what models are asked for."""

from collections.abc import Mapping

from localization.sentences import Sentence, _, lazy
from memory.types import DomainRef

_PLACES: Mapping[str, Sentence] = {
    "dm": lazy("Private conversation"),
    "server": lazy("Server"),
    "channel": lazy("Channel"),
    "room": lazy("Room"),
}
_NAMES: Mapping[str, Sentence] = {
    "person": lazy("person"),
    "pet": lazy("pet"),
    "place": lazy("place"),
    "project": lazy("project"),
}
_PURPOSES: Mapping[str, Sentence] = {
    "conversation": lazy("conversation"),
    "digests": lazy("digests"),
    "embedding": lazy("embedding"),
}


def place(ref: DomainRef) -> str:
    """Return what kind of place a domain is, and where, without saying which: Room on Matrix."""
    return _("{kind} on {platform}", kind=_PLACES[ref.kind.value], platform=platform(ref.platform))


def platform(name: str) -> str:
    """Return what a platform is called."""
    return _("this machine") if name == "console" else name.capitalize()


def name(kind: str) -> str:
    """Return what kind of thing bears a name; '' where nothing tells."""
    return str(_NAMES[kind]) if kind in _NAMES else ""


def purpose(of: str) -> str:
    """Return what a model is asked for."""
    return str(_PURPOSES.get(of, of))
