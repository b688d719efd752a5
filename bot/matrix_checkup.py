"""What `lyra doctor` says about Matrix: whether the homeserver answers, lets her in, and shows her device as hers.

Nothing is logged in or changed for it, so that a Lyra who is awake keeps her device to herself.
"""

from nio import AsyncClient

from adapters.base import Notes
from adapters.errors import PlatformFailure
from adapters.matrix.account import Access, noted_device
from adapters.matrix.homeserver import PASSWORD, Denied, SignedOut, ask
from adapters.matrix.keystore import close
from adapters.matrix.published import is_vouched_for, published
from adapters.matrix.signing import REPLACE
from bot.finding import Finding


async def checkup(access: Access, notes: Notes) -> list[Finding]:
    """Return what the homeserver says of the account. No secret is in any sentence."""
    client = AsyncClient(access.homeserver, access.user_id)
    try:
        return [await _examined(client, access, notes)]
    except SignedOut as ended:
        return [Finding(False, f"Matrix: {ended}")]
    except Denied as denied:
        return [Finding(False, f"Matrix: {denied.final('look at her account')}")]
    except PlatformFailure as failure:
        return [Finding(False, f"Matrix: {failure}")]
    finally:
        await close(client)


async def _examined(client: AsyncClient, access: Access, notes: Notes) -> Finding:
    flows = [flow.get("type") for flow in (await ask(client, "GET", "login")).get("flows", [])]
    device = await noted_device(notes, access.user_id)
    if device is None:
        if not access.password and not access.token:
            return Finding(False, f"Matrix: she has never logged in to {access.homeserver}; {PASSWORD}.")
        if not access.token and "m.login.password" not in flows:
            return Finding(False, f"Matrix: {access.homeserver} takes no passwords; give her a token (token_env in [matrix]).")
        return Finding(True, f"Matrix: {access.homeserver} answers; she logs in as {access.user_id} at the next `lyra run`.")
    client.access_token, client.user_id, client.device_id = device.token, device.user, device.id
    shown = await published(client)
    if not is_vouched_for(shown):
        return Finding(
            False, f"Matrix: she is {device.user}, but her device is not signed; `lyra run` says why, {REPLACE} may help."
        )
    return Finding(True, f"Matrix: she is {device.user} at {access.homeserver}, device {device.id}, signed by herself.")
