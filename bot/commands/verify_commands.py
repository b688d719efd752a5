"""Emoji verification of the keys of a person's app and Lyra."""

from adapters.command_table import Call, Parameter, Reply
from adapters.errors import PlatformFailure
from bot.commands.group import Group, command, plain
from bot.errors import BadInput
from localization.sentences import lazy, told

VERIFY = "verify"
_SAME = {"yes": True, "ja": True, "no": False, "nein": False}


class VerifyCommands(Group):
    """/verify, on platforms with end-to-end encryption."""

    @command(
        VERIFY,
        lazy("compare emoji, so that your app and I know each other's keys"),
        Parameter(
            "answer", lazy("whether the emoji are the same; without it I ask your app for them"), choices=("yes", "no"), open=True
        ),
        verifies=True,
    )
    async def _verify(self, call: Call) -> Reply:
        adapter = self._adapters[call.place.platform]
        if not adapter.verifies:
            raise BadInput(lazy("Emoji are compared on Matrix alone, where people and their apps have keys."))
        self._require_private(call)
        answer = str(call.arguments.get("answer", "")).casefold()
        if answer and answer not in _SAME:
            raise BadInput(lazy("Are the emoji the same? Say {sign}verify yes or {sign}verify no.", sign=self._sign(call)))
        try:
            outcome = await adapter.verify(call.person, call.place, _SAME.get(answer))
        except PlatformFailure as failed:
            raise BadInput(told(failed)) from None
        return plain(str(outcome))
