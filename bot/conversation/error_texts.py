"""Error messages: in full for the operator, for others what it means for them, and never a path or an address."""

from bot.errors import BadConfig, BadSecret, ModelDenied, ModelError, ModelMissing
from localization.sentences import _, ngettext
from localization.sentences import told as in_words
from memory.errors import BusyElsewhere, LinkRefused, MemoryFailure, NotFound, NotYours, ToldInConfidence

_FOR_ANYONE = (NotFound, NotYours, ToldInConfidence, BusyElsewhere, LinkRefused)


def error_text(error: Exception, *, owner: bool) -> str:
    """Return an error as one sentence, in the current language."""
    if owner or isinstance(error, _FOR_ANYONE):
        return in_words(error)
    match error:
        case ModelDenied():
            return _("My model does not let me in; whoever runs me can see why in the log.")
        case ModelError(transient=True) | ModelMissing():
            return _("My model does not answer just now.")
        case ModelError():
            return _("My model refuses this; whoever runs me can see why in the log.")
        case MemoryFailure() | BadConfig() | BadSecret():
            return _("I cannot do that just now; whoever runs me can see why in the log.")
    return in_words(error)


def too_much(seconds: int, *, kept: bool) -> str:
    """Return the notice that a limit is reached, when answers resume, and whether the message is kept."""
    minutes = -(-seconds // 60)
    again = (
        _("in a minute")
        if minutes <= 1
        else ngettext("in {n} minute", "in {n} minutes", minutes)
        if minutes < 120
        else ngettext("in {n} hour", "in {n} hours", -(-minutes // 60))
    )
    if kept:
        return _("That was a lot in a short time. I keep what you say, and will answer you again {again}.", again=again)
    return _("That was a lot in a short time. I will answer you again {again}; I keep none of this.", again=again)
