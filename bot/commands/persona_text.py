"""What is said of who she is: in a conversation and on the command line."""

from bot.context.persona import Persona

QUESTION = "Shall I be this from now on, in the place of who I am?"
WRITTEN = "That is who I am from my next answer on. /persona shows it, /persona reset undoes it."


LIVE = "She is so from her next answer on."


def where(persona: Persona, *, shell: bool = False) -> str:
    """Say where the text is from, and how it is changed, at the command line or in a conversation."""
    if shell:
        from_there = f"This stands in {persona.path}" if persona.is_own else "This came with her"
        return f"{from_there}; lyra persona FILE or lyra persona --edit changes it, --reset goes back, --try has her say it."
    if persona.is_own:
        return f"This stands in {persona.path}; edit it there, or say /persona and the new text."
    return "This came with me; /persona and a text of yours takes its place."


def reset(persona: Persona) -> str:
    """Go back to who she was at first, and say so. Raises BadInput."""
    return "I am again who I was at first." if persona.reset() else "I am who I was at first already."
