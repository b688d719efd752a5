"""`lyra model`: show, connect or test the chat model outside of a conversation."""

from adapters.command_table import Call
from adapters.events import Person, Place, Reach
from bot.app import App, open_app
from bot.cli.checkups import model_checkup
from bot.cli.output import confirm
from bot.imports import imported
from bot.models.connect import Connector
from bot.printing import note, show
from bot.service import awake
from localization.sentences import _

_RELOAD = "reload"
_NO_SERVER = frozenset({"", "off", "config", _RELOAD})
"""The argument given instead of a server's URL."""


class _Screen:
    """Asks at the terminal, if it is interactive."""

    def __init__(self, *, yes: bool) -> None:
        self._yes = yes

    async def confirm(self, question: str) -> bool:
        """Return whether the person confirmed."""
        return confirm(question, yes=self._yes)

    def enter(self, thread: str, name: str) -> bool:
        """Return False: there is no conversation here."""
        return False


async def model(name: str, which: str, *, yes: bool, tries: bool) -> int:
    """Show, connect or disconnect the model; with `tries`, have it answer. Returns 1 on failure."""
    async with open_app() as app:
        if name == _RELOAD:
            reached = awake.reload(app.base.environment.home)
            show(
                _("Lyra, who is awake, reads the configuration again.")
                if reached
                else _("Lyra is not awake; she reads it when she starts.")
            )
            return 0
        connector = Connector(app.models, app.base.environment, imported("bot.models.endpoints.probing:local_models"))
        before = app.models.chatting, app.models.connected
        if name or not tries:
            show(await connector.command(_call(app, name, which, yes=yes), "lyra "))
        changed = (app.models.chatting, app.models.connected) != before
        if changed:
            awake.reload(app.base.environment.home)
        if name not in _NO_SERVER and not changed and app.models.chat is None:
            return 1
        return await _try_models(app) if tries else 0


def _call(app: App, name: str, which: str, *, yes: bool) -> Call:
    user = app.base.environment.user
    arguments = {key: value for key, value in (("name", name), ("model", which)) if value}
    return Call(Person("console", user, user), Place("console", user, user, Reach.DIRECT), arguments, _Screen(yes=yes))


async def _try_models(app: App) -> int:
    findings = [
        await model_checkup.checkup(app.base.environment, backend.model, backend, app.models.learnt.facts(backend))
        for backend in app.models.chatting
    ]
    for finding in findings:
        show(finding.sentence)
    if not findings:
        note(_("No model is connected; lyra model ollama, or lyra model URL, connects one."))
    return 0 if findings and all(finding.sound for finding in findings) else 1
