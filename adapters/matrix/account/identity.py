"""The cross-signing identity: the three keys by which an account vouches for its devices."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from Crypto.PublicKey import ECC

from adapters.matrix.account.published_keys import packed, signature, unpacked
from adapters.matrix.homeserver import Json

MASTER, SELF, USER = "master", "self_signing", "user_signing"
_USAGES = (MASTER, SELF, USER)


@dataclass(frozen=True, slots=True)
class CrossSigningIdentity:
    """The keys of one account by usage, as seeds of 32 bytes."""

    user: str
    seeds: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def new(cls, user: str) -> Self:
        """Create a new identity."""
        return cls(user, {usage: secrets.token_bytes(32) for usage in _USAGES})

    @classmethod
    def from_note(cls, user: str, note: Any) -> Self | None:
        """Deserialize an identity from a note, None without one."""
        return cls(user, {usage: unpacked(note[usage]) for usage in _USAGES}) if note else None

    def note(self) -> Json:
        """Serialize the identity for a note."""
        return {usage: packed(seed) for usage, seed in self.seeds.items()}

    def public(self, usage: str) -> str:
        """Return a public key, in base64."""
        key = ECC.construct(curve="Ed25519", seed=self.seeds[usage]).public_key()
        return packed(key.export_key(format="raw"))

    def described(self, usage: str) -> Json:
        """Return the document that publishes a key, signed by the master key unless it is the master key."""
        public = self.public(usage)
        document: Json = {"user_id": self.user, "usage": [usage], "keys": {f"ed25519:{public}": public}}
        return document if usage == MASTER else self.signed(document, MASTER)

    def signed(self, document: Json, usage: str) -> Json:
        """Return a document signed by one of the keys, without other signatures."""
        signatures = {self.user: {f"ed25519:{self.public(usage)}": signature(self.seeds[usage], document)}}
        return document | {"signatures": signatures}
