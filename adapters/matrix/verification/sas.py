"""The key agreement and proofs of two devices (m.sas.v1), and the emoji that people compare."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest

import vodozemac
from nio.api import Api

from adapters.matrix.account.published_keys import packed
from adapters.matrix.homeserver import Json
from localization.sentences import Sentence, lazy

METHOD = "m.sas.v1"
AGREEMENT, HASH, MAC, STRING = "curve25519-hkdf-sha256", "sha256", "hkdf-hmac-sha256.v2", "emoji"
KEY_IDS = "KEY_IDS"
"""The pseudo id under which the list of all key ids is proven."""
EMOJI = (
    ("🐶", lazy("Dog")), ("🐱", lazy("Cat")), ("🦁", lazy("Lion")), ("🐎", lazy("Horse")), ("🦄", lazy("Unicorn")),
    ("🐷", lazy("Pig")), ("🐘", lazy("Elephant")), ("🐰", lazy("Rabbit")), ("🐼", lazy("Panda")), ("🐓", lazy("Rooster")),
    ("🐧", lazy("Penguin")), ("🐢", lazy("Turtle")), ("🐟", lazy("Fish")), ("🐙", lazy("Octopus")),
    ("🦋", lazy("Butterfly")), ("🌷", lazy("Flower")), ("🌳", lazy("Tree")), ("🌵", lazy("Cactus")),
    ("🍄", lazy("Mushroom")), ("🌏", lazy("Globe")), ("🌙", lazy("Moon")), ("☁️", lazy("Cloud")), ("🔥", lazy("Fire")),
    ("🍌", lazy("Banana")), ("🍎", lazy("Apple")), ("🍓", lazy("Strawberry")), ("🌽", lazy("Corn")), ("🍕", lazy("Pizza")),
    ("🎂", lazy("Cake")), ("❤️", lazy("Heart")), ("😀", lazy("Smiley")), ("🤖", lazy("Robot")), ("🎩", lazy("Hat")),
    ("👓", lazy("Glasses")), ("🔧", lazy("Spanner")), ("🎅", lazy("Santa")), ("👍", lazy("Thumbs Up")),
    ("☂️", lazy("Umbrella")), ("⌛", lazy("Hourglass")), ("⏰", lazy("Clock")), ("🎁", lazy("Gift")),
    ("💡", lazy("Light Bulb")), ("📕", lazy("Book")), ("✏️", lazy("Pencil")), ("📎", lazy("Paperclip")),
    ("✂️", lazy("Scissors")), ("🔒", lazy("Lock")), ("🔑", lazy("Key")), ("🔨", lazy("Hammer")), ("☎️", lazy("Telephone")),
    ("🏁", lazy("Flag")), ("🚂", lazy("Train")), ("🚲", lazy("Bicycle")), ("✈️", lazy("Aeroplane")), ("🚀", lazy("Rocket")),
    ("🏆", lazy("Trophy")), ("⚽", lazy("Ball")), ("🎸", lazy("Guitar")), ("🎺", lazy("Trumpet")), ("🔔", lazy("Bell")),
    ("⚓", lazy("Anchor")), ("🎧", lazy("Headphones")), ("📁", lazy("Folder")), ("📌", lazy("Pin")),
)  # fmt: skip
"""The 64 emoji, with their names in the Matrix specification."""


@dataclass(frozen=True, slots=True)
class DeviceParty:
    """A device of a user."""

    user: str
    device: str


def commitment(public: str, start: Json) -> str:
    """Return the commitment of a device to its public key before it sees the other's; `start` is the start event as sent."""
    return packed(sha256((public + Api.to_canonical_json(start)).encode()).digest())


@dataclass(frozen=True, slots=True)
class Agreement:
    """A shared secret of two devices, under the id of their verification."""

    secret: vodozemac.EstablishedSas
    id: str

    def emoji(self, starter: DeviceParty, starters: str, accepter: DeviceParty, accepters: str) -> tuple[int, ...]:
        """Return the numbers of the seven emoji, given who started and who accepted, each with their public key."""
        who = f"{starter.user}|{starter.device}|{starters}|{accepter.user}|{accepter.device}|{accepters}"
        return tuple(self.secret.bytes(f"MATRIX_KEY_VERIFICATION_SAS|{who}|{self.id}").emoji_indices)

    def mac(self, text: str, sender: DeviceParty, receiver: DeviceParty, key: str) -> str:
        """Return the MAC by which a device proves a text: one of its keys under its id, or all ids under KEY_IDS."""
        who = f"{sender.user}{sender.device}{receiver.user}{receiver.device}"
        return str(self.secret.calculate_mac(text, f"MATRIX_KEY_VERIFICATION_MAC{who}{self.id}{key}"))

    def proves(self, mac: object, text: str, sender: DeviceParty, receiver: DeviceParty, key: str) -> bool:
        """Return whether a MAC proves a text of the sender."""
        expected = self.mac(text, sender, receiver, key)
        return isinstance(mac, str) and compare_digest(mac.rstrip("=").encode(), expected.rstrip("=").encode())


class KeyPair:
    """An ephemeral key, good for one agreement in one verification."""

    def __init__(self) -> None:
        self._sas = vodozemac.Sas()
        self.public = str(self._sas.public_key.to_base64())

    def agreed(self, theirs: str, id: str) -> Agreement:
        """Agree with somebody's public key, in the verification with this id. Raises ValueError for an invalid key."""
        return Agreement(self._sas.diffie_hellman(vodozemac.Curve25519PublicKey.from_base64(theirs)), id)


def emoji_line(numbers: Sequence[int]) -> Sentence:
    """Return seven of them on a line, each with its name in the reader's language."""
    shown = (lazy("{sign} {name}", sign=EMOJI[at][0], name=EMOJI[at][1]) for at in numbers)
    of_place = dict(zip(("one", "two", "three", "four", "five", "six", "seven"), shown, strict=True))
    return lazy("{one} · {two} · {three} · {four} · {five} · {six} · {seven}", **of_place)
