"""A device's keys on the homeserver: its identity keys, one-time keys, and a fallback key."""

from nio import AsyncClient, KeysUploadResponse
from nio.crypto import Olm

from adapters.matrix.homeserver import Json, ask

_KIND = "signed_curve25519"


async def publish(client: AsyncClient) -> None:
    """Publish this device with its keys. Raises like `ask`; RequestRefused means that other keys were published before."""
    await _upload(client, {"device_keys": countersigned(client.olm, described(client.olm))}, 0)


async def refill(client: AsyncClient, left: int | None) -> None:
    """Publish missing one-time keys. `left` is how many there are; None asks. Raises like `publish`."""
    if left is None:
        left = await _count(client, {})
    client.olm.uploaded_key_count = left
    if left < client.olm.account.max_one_time_keys:
        await _upload(client, {}, left)


def described(olm: Olm) -> Json:
    """Return the unsigned document that publishes a device's keys."""
    own = olm.account.identity_keys
    keys = {f"{kind}:{olm.device_id}": own[kind] for kind in ("curve25519", "ed25519")}
    return {"user_id": olm.user_id, "device_id": olm.device_id, "algorithms": list(olm._algorithms), "keys": keys}


def countersigned(olm: Olm, document: Json) -> Json:
    """Return a document signed by this device, without other signatures."""
    bare = {name: value for name, value in document.items() if name != "signatures"}
    return document | {"signatures": {olm.user_id: {f"ed25519:{olm.device_id}": olm.sign_json(bare)}}}


async def _upload(client: AsyncClient, body: Json, left: int) -> None:
    account = client.olm.account
    if not account.one_time_keys["curve25519"]:
        account.generate_one_time_keys(account.max_one_time_keys - left)
    # If no key was left, the fallback key may have been used. nio publishes none.
    if left == 0 and not account._account.fallback_key:
        account._account.generate_fallback_key()
    # Saved first: messages encrypted to a key whose private half is lost cannot be read.
    client.olm.save_account()
    count = await _count(client, body | _one_time_keys(client.olm))
    client.olm.handle_response(KeysUploadResponse(0, count))


async def _count(client: AsyncClient, body: Json) -> int:
    answer = await ask(client, "POST", "keys", "upload", body=body)
    return int(answer.get("one_time_key_counts", {}).get(_KIND, 0))


def _one_time_keys(olm: Olm) -> Json:
    fresh = olm.account.one_time_keys["curve25519"]
    last = {name: key.to_base64() for name, key in olm.account._account.fallback_key.items()}
    found: Json = {"one_time_keys": {f"{_KIND}:{name}": countersigned(olm, {"key": key}) for name, key in fresh.items()}}
    if last:
        found["fallback_keys"] = {
            f"{_KIND}:{name}": countersigned(olm, {"key": key, "fallback": True}) for name, key in last.items()
        }
    return found
