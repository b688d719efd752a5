"""What people and the operator are told about verifications: in the DM, and in the log at the terminal."""

import logging

from adapters.events import PlatformNotice
from adapters.listener import Listener
from adapters.matrix.verification import steps
from adapters.matrix.verification.channel import Channel
from adapters.matrix.verification.records import OPERATOR, Attestation
from adapters.matrix.verification.sas import emoji_line
from adapters.matrix.verification.steps import Verification
from localization.sentences import Sentence, lazy

COMMAND = "verify"
"""The command by which people verify her."""
AT_TERMINAL = "lyra matrix verify"
LOST, RESTARTED = "lost", "restarted"
"""Ends without a Matrix code."""

log = logging.getLogger(__name__)

_OTHERWISE = lazy("Your app and I did not understand each other, so nothing was verified. Begin anew in a moment.")
_BY_APP = lazy("Your app ended the verification; nothing was verified.")
_DIFFERENT = lazy(
    "The emoji were not the same, so nothing was verified. Somebody may stand between us and read along: tell whoever runs me, and "
    "begin anew from another network."
)
_FORGED = lazy(
    "Your app's keys were not those that were promised, so nothing was verified. Somebody may stand between us and read along: tell "
    "whoever runs me, and begin anew from another network."
)
_ENDINGS = {
    steps.TIMED_OUT: lazy(
        "The verification took more than ten minutes, so it ended; nothing was verified. Begin anew at any time."
    ),
    steps.DIFFERENT: _DIFFERENT,
    steps.COMMITMENT: _FORGED,
    steps.MISMATCH: _FORGED,
    steps.NO_METHOD: lazy("Your app cannot compare emoji with me, so nothing was verified. Try another app."),
    LOST: lazy("I could not reach the homeserver while we verified each other; nothing was verified. Begin anew in a moment."),
    RESTARTED: lazy(
        "My connection began anew while we verified each other; nothing was verified. Begin anew in your app, or with my command verify."
    ),
}


class VerificationNotices:
    """Reports the progress of verifications. `prefix` is the command prefix."""

    def __init__(self, channel: Channel, listener: Listener, prefix: str) -> None:
        self._channel, self._listener, self._prefix = channel, listener, prefix

    async def compare(self, one: Verification) -> None:
        """Show a verification's emoji, and ask whether they match."""
        log.warning(
            "%s",
            lazy(
                "{user} verifies Lyra. The app has to show: {emoji}. Compare with whoever holds it, then answer in: {command}",
                user=one.other.user,
                emoji=emoji_line(one.emoji),
                command=AT_TERMINAL,
            ),
        )
        said = lazy(
            "These are my emoji: {emoji}. Does your app show the same, in the same order? Then say {prefix}verify yes, else {prefix}verify "
            "no, or react with ✅ or ❌. What I show here is as sure as this chat is: who could forge the one could forge the other. "
            "To be sure, have whoever runs me compare with `{command}` at their terminal, and answer there.",
            emoji=emoji_line(one.emoji),
            prefix=self._prefix,
            command=AT_TERMINAL,
        )
        await self._say(one, said, asks=COMMAND)

    async def verified(self, one: Verification, by: str) -> None:
        """Report verified keys."""
        if by == OPERATOR:
            log.warning("%s", lazy("{user} is verified, as whoever runs Lyra compared.", user=one.other.user))
            said = lazy("Verified: whoever runs me found the emoji to be the same. I know your keys from now on.")
        else:
            log.warning("%s", lazy("{user} is verified on their word, given in the chat.", user=one.other.user))
            said = lazy(
                "Verified on your word, which is as sure as this chat is. I know your keys from now on, and tell you when they change."
            )
        await self._say(one, said)

    async def ended(self, one: Verification, code: str, *, by_them: bool = False) -> None:
        """Report that nothing was verified, and why."""
        if code == steps.ACCEPTED:
            # Another device continues it.
            return
        known = _ENDINGS.get(code, _OTHERWISE)
        await self._say(one, _BY_APP if by_them and code != steps.DIFFERENT else known)

    async def changed(self, lost: Attestation) -> None:
        """Report that verified keys have changed."""
        log.warning(
            "%s",
            lazy(
                "The keys of {user}, which were verified, are others now; nothing is verified of them any more.", user=lost.user
            ),
        )
        said = lazy(
            "Your keys are no longer the ones that we verified: you reset your identity or signed in "
            "anew, or somebody stands between us. They count as not verified; {prefix}verify begins anew.",
            prefix=self._prefix,
        )
        await self._announce(lost.user, "", "", said)

    async def _say(self, one: Verification, said: Sentence, *, asks: str = "") -> None:
        await self._announce(one.other.user, one.room, one.id if one.room else "", said, asks)

    async def _announce(self, user: str, room: str, answers: str, said: Sentence, asks: str = "") -> None:
        found = self._channel.dm(user, room)
        if found is not None:
            place, person = found
            await self._listener.hear([PlatformNotice(answers, place, person, said, asks)])
