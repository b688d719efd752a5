"""`lyra persona`: show, set, edit or test the persona outside of a conversation."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.app import open_app, prepare
from bot.cli.output import interruptible
from bot.context.persona import Persona
from bot.errors import BadInput, LyraError
from bot.models.port import complete
from bot.printing import show
from localization.sentences import _

_HELLO = "Say in two sentences who you are."


async def persona(file: str, *, edit: bool, reset: bool, tries: bool) -> None:
    """Show, set (from a file, - for standard input), edit or reset the persona; with `tries`, have the model greet in it."""
    environment, settings = prepare()
    current = Persona(environment, settings.persona)
    if reset:
        show(_("I am again who I was at first.") if current.reset() else _("I am who I was at first already."))
    elif file or edit:
        editor = environment.variables.get("VISUAL") or environment.variables.get("EDITOR") or "vi"
        current.write(_read_input(file) if file else _edited(current.read(), editor))
        show(_("Written to {path}. {live}", path=current.path, live=_("She is so from her next answer on.")))
    elif not tries:
        show(current.read())
        from_there = _("This stands in {path}", path=current.path) if current.is_own else _("This came with her")
        changes = _(
            "{from_there}; lyra persona FILE or lyra persona --edit changes it, --reset goes back, --try has her say it.",
            from_there=from_there,
        )
        show(f"\n{changes}")
    if tries:
        await _try_persona(current)


async def _try_persona(kept: Persona) -> None:
    async with open_app() as app:
        if app.models.chat is None:
            raise LyraError("No model is connected to try it with; lyra model connects one.")
        show(await complete(app.models.chat, [{"role": "system", "content": kept.read()}, {"role": "user", "content": _HELLO}]))


def _read_input(file: str) -> str:
    try:
        with interruptible():
            raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput("{file} is not UTF-8; save it as UTF-8.", file=file) from error


def _edited(text: str, editor: str) -> str:
    """Open a text in the person's editor and return the result. Raises LyraError."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "persona.md"
        path.write_text(text + "\n", "utf-8")
        try:
            code = subprocess.run([*shlex.split(editor), os.fspath(path)], check=False).returncode
        except (OSError, ValueError) as error:
            raise LyraError("The editor {editor} cannot be started; name another with EDITOR.", editor=editor) from error
        if code:
            raise LyraError("The editor ended with an error; she stays who she is.")
        return _read_input(os.fspath(path))
