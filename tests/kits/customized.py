"""What a process of `lyra` is given before it begins: a module that is missing, a disk that is full, an umask."""

from pathlib import Path

from tests.kits.forked import REPO


def customized(folder: Path, code: str) -> dict[str, str]:
    """Return an environment in which `lyra` first runs this, as Python's sitecustomize; it is written into a new folder."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": f"{folder}:{REPO}"}


def full(size: int) -> str:
    """Return what has `lyra` find no room for a file that is larger than so many bytes."""
    return f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
