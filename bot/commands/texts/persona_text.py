"""Messages about the persona, in a conversation and on the command line."""

from bot.context.persona import Persona
from localization.sentences import _, lazy

QUESTION = lazy("Shall I be this from now on, in the place of who I am?")
LIVE = lazy("She is so from her next answer on.")


def written(sign: str) -> str:
    """Return the notice that a text is stored, and how to undo that; `sign` is the command prefix."""
    return _("That is who I am from my next answer on. {sign}persona shows it, {sign}persona reset undoes it.", sign=sign)


def where(persona: Persona, sign: str = "") -> str:
    """Return where the text comes from, and how to change it: by a command if there is a prefix, else on the command line."""
    if not sign:
        from_there = _("This stands in {path}", path=persona.path) if persona.is_own else _("This came with her")
        return _(
            "{from_there}; lyra persona FILE or lyra persona --edit changes it, --reset goes back, --try has her say it.",
            from_there=from_there,
        )
    if persona.is_own:
        return _("This is written in {path}; edit it there, or say {sign}persona and the new text.", path=persona.path, sign=sign)
    return _("This is the persona I came with; {sign}persona and a text of yours replaces it.", sign=sign)


def reset(persona: Persona) -> str:
    """Reset the persona to the original, and return a notice. Raises BadInput."""
    return _("I am again who I was at first.") if persona.reset() else _("I am who I was at first already.")
