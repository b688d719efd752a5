"""Buttons under a message. Discord stores what they stand for, so they work after a restart."""

from collections.abc import Sequence

import discord

from adapters.command_table import Action
from localization.sentences import _

_PREFIX = "lyra"
_QUESTION = "confirm"
_LONGEST_LABEL = 80
_MOST = 25


def view(actions: Sequence[Action]) -> discord.ui.View | None:
    """Return actions as buttons in rows of five, at most 25; None if there are none."""
    shown = _view()
    for action in actions[:_MOST]:
        style = discord.ButtonStyle.danger if action.command == "forget" else discord.ButtonStyle.secondary
        _add(shown, action.label, f"{_PREFIX}:{action.command}:{action.argument}", style)
    return shown if actions else None


def pressed(custom_id: str) -> tuple[str, str] | None:
    """Return the command and argument of a button made by `view`, None for any other."""
    prefix, _, rest = custom_id.partition(":")
    command, colon, argument = rest.partition(":")
    return (command, argument) if prefix == _PREFIX and colon else None


def question(call: int) -> discord.ui.View:
    """Return Yes and No buttons for the question of a call."""
    shown = _view()
    _add(shown, _("Yes"), f"{_QUESTION}:{call}:yes", discord.ButtonStyle.danger)
    _add(shown, _("No"), f"{_QUESTION}:{call}:no", discord.ButtonStyle.secondary)
    return shown


def parse_answer(custom_id: str) -> tuple[str, bool] | None:
    """Return the call whose question a button answers, and whether with yes; None for any other button."""
    match custom_id.split(":"):
        case [prefix, call, word] if prefix == _QUESTION:
            return call, word == "yes"
    return None


def _view() -> discord.ui.View:
    # A stopped view is only rendered: the library neither keeps it nor handles its clicks.
    shown = discord.ui.View(timeout=None)
    shown.stop()
    return shown


def _add(shown: discord.ui.View, label: str, custom_id: str, style: discord.ButtonStyle) -> None:
    shown.add_item(discord.ui.Button(style=style, label=label[:_LONGEST_LABEL], custom_id=custom_id))
