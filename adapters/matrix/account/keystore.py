"""nio's client with its key store: one SQLite file per device, which only its owner can read."""

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import peewee  # type: ignore[import-untyped]
import vodozemac
from nio import AsyncClient, AsyncClientConfig, KeysQueryResponse, KeyVerificationEvent
from nio.api import Api
from nio.events import ToDeviceEvent
from nio.store import SqliteStore

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.matrix.account.encrypted_step import PREFIX, EncryptedStep
from adapters.matrix.account.tolerant_olm import DeviceKeys, TolerantOlm
from localization.sentences import lazy

_TRIES = 2
_UNREADABLE = (peewee.DatabaseError, vodozemac.PickleException, vodozemac.LibolmPickleException, ValueError)


class KeysUnreadable(Exception):
    """A key store is damaged, or was written with another pickle key."""


class _Store(SqliteStore):  # type: ignore[misc]
    """A store that keeps its key out of its repr, and leaves nothing open if it cannot be read."""

    def __post_init__(self) -> None:
        try:
            super().__post_init__()
        except BaseException:
            self.database.close()
            raise

    def __repr__(self) -> str:
        return f"<key store of {self.device_id}>"


@dataclass(frozen=True)
class _Config(AsyncClientConfig):  # type: ignore[misc]
    pickle_key: str = field(default="", repr=False)


class Client(AsyncClient):  # type: ignore[misc]
    """Processes each to-device message in one database transaction: a kill between two halves of a key would lose it for good.

    Verification is not left to nio: no current app understands what nio speaks, and its answers would interfere. nio would
    also drop the encrypted verification steps that apps send to her device.
    """

    machine: type[TolerantOlm] = TolerantOlm
    """What reads and writes ciphertext."""

    def load_store(self) -> None:
        """Open the key store; from then on decrypted verification steps are passed on."""
        if self.store is not None:
            return
        config = self.config
        store = config.store(self.user_id, self.device_id, self.store_path, config.pickle_key, config.store_name)
        self.store: Any = store
        self.olm = self.machine(self.user_id, self.device_id, store)
        self.encrypted_rooms = store.load_encrypted_rooms()
        self._querying = asyncio.Lock()
        self.olm._handle_olm_event = partial(self._opened, self.olm._handle_olm_event)

    async def keys_query(self) -> Any:
        """Query the devices of those whose devices have changed; return nio's answer.

        One at a time, and again those that change meanwhile: nio would take an older answer for the newest one.
        """
        async with self._querying:
            asked, before = set(self.users_for_key_query), dict(self.olm.changes)
            if not asked:
                return KeysQueryResponse({}, {})
            answer = await self._send(DeviceKeys, *Api.keys_query(self.access_token, asked))
            if isinstance(answer, KeysQueryResponse):
                again = {user for user in asked if self.olm.changes[user] != before.get(user, 0)}
                self.olm.users_for_key_query.update(again)
            return answer

    def encrypted_step(self, source: Mapping[str, Any], sender_key: str, signing_key: str) -> ToDeviceEvent:
        """Return a verification step that was encrypted for this device, with the keys of the device that encrypted it."""
        return EncryptedStep(dict(source), str(source["sender"]), sender_key, signing_key)

    def _opened(self, known: Callable[..., object], sender: str, sender_key: str, payload: Mapping[str, Any]) -> object:
        if not str(payload["type"]).startswith(PREFIX):
            return known(sender, sender_key, payload)
        source = {name: payload[name] for name in ("type", "sender", "content")}
        return self.encrypted_step(source, sender_key, str(payload["keys"].get("ed25519", "")))

    def _handle_decrypt_to_device(self, to_device_event: object) -> Any:
        if isinstance(to_device_event, KeyVerificationEvent):
            return None
        if self.store is None:
            return super()._handle_decrypt_to_device(to_device_event)
        with self.store.database.atomic():
            return super()._handle_decrypt_to_device(to_device_event)


class KeyStores:
    """The folder of the key stores, which are encrypted with `pickle_key`."""

    kind: type[AsyncClient] = Client

    def __init__(self, folder: Path, pickle_key: str) -> None:
        self._folder = folder
        self._pickle_key = pickle_key

    def client(self, homeserver: str, user: str, device: str) -> AsyncClient:
        """Return a client that has no token yet, and loads its keys only with one."""
        config = _Config(
            store=_Store,
            store_name=self.path(device).name,
            pickle_key=self._pickle_key,
            max_timeouts=_TRIES,
        )
        return self.kind(homeserver.rstrip("/"), user, device, str(self._folder), config)

    def prepare(self) -> None:
        """Create the folder, readable by its owner only. Raises PlatformRefused if it cannot be written."""
        with self._writing():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o700)

    def unlock(self, client: AsyncClient, user: str, token: str) -> str:
        """Give a client its token and its keys, created if there are none; return the key that identifies the device.

        Raises KeysUnreadable, PlatformFailure if transient, or like `prepare`.
        """
        with self._writing():
            _made_private(self.path(client.device_id))
        try:
            client.restore_login(user, client.device_id, token)
        except peewee.OperationalError as error:
            raise PlatformFailure(
                lazy(
                    "The keys in {folder} cannot be used just now ({error}); Lyra tries again.",
                    folder=self._folder,
                    error=error,
                )
            ) from None
        except _UNREADABLE:
            raise KeysUnreadable from None
        assert client.olm is not None
        return str(client.olm.account.identity_keys["ed25519"])

    def path(self, device: str) -> Path:
        """Return the path of a device's key store."""
        return self._folder / f"{quote(device, safe='')}.db"

    def remove(self, device: str) -> None:
        """Remove the key store of a device that no longer exists."""
        path = self.path(device)
        with self._writing():
            for one in (path, path.with_name(f"{path.name}-journal")):
                one.unlink(missing_ok=True)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PlatformRefused(
                lazy(
                    "Lyra cannot keep her keys in {folder} ({strerror}); let her write there.",
                    folder=self._folder,
                    strerror=error.strerror,
                )
            ) from None


async def close(client: AsyncClient) -> None:
    """Close a client and its key store."""
    await client.close()
    if client.store is not None:
        client.store.database.close()


def _made_private(file: Path) -> None:
    # SQLite gives the journal the mode of its file.
    os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    file.chmod(0o600)
