"""A cross-signing identity: the three keys by which an account vouches for its devices."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from Crypto.PublicKey import ECC

from adapters.matrix.account.published import packed, signature, unpacked
from adapters.matrix.homeserver import Json

MASTER, SELF, USER = "master", "self_signing", "user_signing"
_USAGES = (MASTER, SELF, USER)


@dataclass(frozen=True, slots=True)
class CrossSigningIdentity:
    """The keys of one account, each by its usage, as seeds of 32 bytes."""

    user: str
    seeds: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def new(cls, user: str) -> Self:
        """Make an identity that nobody has."""
        return cls(user, {usage: secrets.token_bytes(32) for usage in _USAGES})

    @classmethod
    def noted(cls, user: str, note: Any) -> Self | None:
        """Return the identity of a note, None without one."""
        return cls(user, {usage: unpacked(note[usage]) for usage in _USAGES}) if note else None

    def note(self) -> Json:
        """Return what to keep of it."""
        return {usage: packed(seed) for usage, seed in self.seeds.items()}

    def public(self, usage: str) -> str:
        """Return a key as others know it."""
        key = ECC.construct(curve="Ed25519", seed=self.seeds[usage]).public_key()
        return packed(key.export_key(format="raw"))

    def described(self, usage: str) -> Json:
        """Return the document that makes a key known, signed by the master key where it is another's."""
        public = self.public(usage)
        document: Json = {"user_id": self.user, "usage": [usage], "keys": {f"ed25519:{public}": public}}
        return document if usage == MASTER else self.signed(document, MASTER)

    def signed(self, document: Json, usage: str) -> Json:
        """Return a document with the signature of one of the keys, and no other."""
        signatures = {self.user: {f"ed25519:{self.public(usage)}": signature(self.seeds[usage], document)}}
        return document | {"signatures": signatures}
