"""How mood and energy move: in bounded steps, for reasons that are counted, and back to their baseline when nothing happens.

Energy rises with how much was said and falls with what piled up; mood rises where she is caught up and falls where she is not,
and with how what she heard felt to her, as she says in a reflection.
"""

from dataclasses import replace

from memory.dream.drives import HOUR, saturating
from memory.tiers.selfstate import Mind

HALF_LIFE = 48 * HOUR
MOST_STEP = 0.2
_BASE = Mind()
_LIVELY = 40
_TALK, _PILE, _CAUGHT_UP, _FEELING = 0.2, 0.1, 0.1, 0.15


def evolved(mind: Mind, elapsed: int, said: int, stability: float, feeling: float = 0.0) -> Mind:
    """Return how she is after so many microseconds, so many messages of people, and what she felt, from -1 to 1.

    Where nothing was said, nothing moves her but time.
    """
    rest = 2.0 ** (-max(0, elapsed) / HALF_LIFE)
    mood, energy = (now * rest + base * (1 - rest) for base, now in ((_BASE.mood, mind.mood), (_BASE.energy, mind.energy)))
    if said:
        mood += _bounded(_CAUGHT_UP * (2 * stability - 1) + _FEELING * max(-1.0, min(1.0, feeling)))
        energy += _bounded(_TALK * saturating(said, _LIVELY) - _PILE * (1 - stability))
    return replace(mind, mood=max(-1.0, min(1.0, mood)), energy=max(0.0, min(1.0, energy)))


def _bounded(step: float) -> float:
    return max(-MOST_STEP, min(MOST_STEP, step))
