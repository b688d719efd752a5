"""What somebody is told of a confidence: from whom what is kept, or who may know it now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.models.offline.phrases import Phrases
from localization.formatting import listed
from localization.sentences import _, ngettext
from memory.types import DiscretionScope
from memory.view.confidence_view import ConfidedMessage


def discretion_confirmation(told: Sequence[ConfidedMessage], covered: Mapping[int, DiscretionScope], prefix: str = "") -> str:
    """Return the confirmation of a confidence: from whom messages are kept, how many earlier ones, and how to undo it.

    The content is not mentioned, as everybody reads this. `covered` is known until a kill; /confide shows it.
    """
    whom, sign = kept_from(told), prefix or "/"
    known = [covered[one.exchange.key] for one in told if one.exchange.key in covered]
    earlier = sum(one.earlier for one in known)
    if any(one.of_another for one in known):
        return _(
            "I cannot keep that message from anybody: only whoever wrote it can ask for that. Of your own words: {whom}. {sign}confide "
            "takes it back.",
            whom=whom,
            sign=sign,
        )
    if not all(one.sure for one in known):
        last = (
            ngettext(", with your last message before it", ", with your last {n} messages before it", earlier) if earlier else ""
        )
        unsure = _(
            "I cannot tell which message you mean. To be safe {whom}{last}. {sign}confide shows what I keep so, "
            "{sign}confide ID NAME keeps another.",
            whom=whom,
            last=last,
            sign=sign,
        )
        later = _("What you tell me of it later I keep as well.")
        return f"{unsure} {later}" if any(one.ahead for one in known) else unsure
    if any(one.ahead for one in known):
        return _ahead(whom, earlier, sign)
    if len(known) < len(told):
        return _("Understood: {whom}. {sign}confide shows what that is, and takes it back.", whom=whom, sign=sign)
    if not earlier:
        return _("Understood: {whom}. {sign}confide takes it back.", whom=whom, sign=sign)
    return ngettext(
        "Understood: {whom}, with {n} earlier message of yours. {sign}confide shows them, and takes it back.",
        "Understood: {whom}, with {n} earlier messages of yours. {sign}confide shows them, and takes it back.",
        earlier,
        whom=whom,
        sign=sign,
    )


def _ahead(whom: str, earlier: int, sign: str) -> str:
    if not earlier:
        return _(
            "Understood: {whom}, and what you tell me next as well. {sign}confide shows it, and takes it back.",
            whom=whom,
            sign=sign,
        )
    return ngettext(
        "Understood: {whom}, with your last message before it and what you tell me next. {sign}confide shows them, and takes it back.",
        "Understood: {whom}, with your last {n} messages before it and what you tell me next. {sign}confide shows them, and takes it back.",
        earlier,
        whom=whom,
        sign=sign,
    )


def kept_from(told: Sequence[ConfidedMessage]) -> str:
    """Return from whom messages are kept: names, or everybody else, perhaps but for some."""
    names, but = _meant(told)
    if names:
        return _("I keep this from {names}", names=listed(names))
    return _("only you and {names} may know this", names=listed(but)) if but else _("this stays between the two of us")


def _meant(told: Sequence[ConfidedMessage]) -> tuple[list[str], list[str]]:
    """Return the names of those from whom messages are kept, none for everybody, and of those who may know them even so."""
    if all(one.names for one in told):
        return list(dict.fromkeys(name for one in told for name in one.names)), []
    return [], [name for name in told[0].but if all(name in one.but for one in told)]


def the_rest_is_kept(prefix: str = "") -> str:
    """Return the sentence that a permission ended what was told in confidence last, and nothing else."""
    return _(
        "What you told me before that I still keep: say that I can tell everything, or use {sign}confide.", sign=prefix or "/"
    )


def discretion_ended_notice(messages: int, names: Sequence[str] = (), *, elsewhere: bool = False) -> str:
    """Return the confirmation that a confidence ended, here or elsewhere, with the number of messages, and for whom if names are told."""
    if elsewhere:
        return ngettext(
            "Understood: what you told me elsewhere in confidence may be known there now ({n} message).",
            "Understood: what you told me elsewhere in confidence may be known there now ({n} messages).",
            messages,
        )
    if names:
        return ngettext(
            "Understood: {names} may know now what you told me here in confidence ({n} message).",
            "Understood: {names} may know now what you told me here in confidence ({n} messages).",
            messages,
            names=listed(names),
        )
    return ngettext(
        "Understood: what you told me here in confidence may be known now ({n} message).",
        "Understood: what you told me here in confidence may be known now ({n} messages).",
        messages,
    )


def discretion_not_ended_notice(prefix: str = "") -> str:
    """Return the notice that a permission to tell changed nothing, as it is not known what may be told, or to whom."""
    return _(
        "I still keep what you told me in confidence: say where you told it what may be known now and by whom, or use {sign}confide "
        "there.",
        sign=prefix or "/",
    )


def kept_elsewhere(told: Sequence[ConfidedMessage], places: Sequence[str], prefix: str = "") -> str:
    """Return the confirmation of a request made in private: from whom what was said at these places is kept, and who could read it there."""
    whom, where, sign = kept_from(told), listed(places), prefix or "/"
    names, _but = _meant(told)
    if names:
        return _(
            "Understood: {whom}. It is what you said in {places}, where {names} could read it before. {sign}confide there shows it, and "
            "takes it back.",
            whom=whom,
            places=where,
            names=listed(names),
            sign=sign,
        )
    return _(
        "Understood: {whom}. It is what you said in {places}, where others could read it before. {sign}confide there shows it, and takes "
        "it back.",
        whom=whom,
        places=where,
        sign=sign,
    )


def nothing_kept_elsewhere(*, named: bool) -> str:
    """Return the notice that a request made in private has nothing to keep from anybody, whether or not it `named` what it is about."""
    alone = _("I tell it only to you, here or elsewhere.")
    if not named:
        return alone
    nothing = _("I found nothing of yours about that where others read, as far as I can see from here.")
    later = _("If you tell it where others read, ask me there again: I do not keep it there by itself.")
    return f"{nothing} {alone} {later}"


@dataclass(frozen=True, slots=True)
class VoicedNotices:
    """The same in short, in a language that the voice speaks and the program does not, by its code."""

    language: str
    prefix: str = ""

    def kept(self, told: Sequence[ConfidedMessage], covered: Mapping[int, DiscretionScope]) -> str:
        """Return the confirmation of a confidence."""
        says, sign = Phrases(self.language), self.prefix or "/"
        known = [covered[one.exchange.key] for one in told if one.exchange.key in covered]
        whom = self._kept_from(told)
        if any(one.of_another for one in known):
            return says.framed(
                "Only whoever wrote that message can have it kept from somebody. Of your own words: {whom}.", whom=whom
            )
        if not all(one.sure for one in known):
            return says.framed(
                "I cannot tell which message you mean. To be safe {whom}. {sign}confide shows what I keep, and takes it back.",
                whom=whom,
                sign=sign,
            )
        if any(one.ahead for one in known):
            return says.framed(
                "Understood: {whom}, and what you tell me next as well. {sign}confide shows what I keep, and takes it back.",
                whom=whom,
                sign=sign,
            )
        if any(one.earlier for one in known):
            return says.framed(
                "Understood: {whom}, with what you told me just before. {sign}confide shows what I keep, and takes it back.",
                whom=whom,
                sign=sign,
            )
        return says.framed("Understood: {whom}. {sign}confide shows what I keep, and takes it back.", whom=whom, sign=sign)

    def _kept_from(self, told: Sequence[ConfidedMessage]) -> str:
        says, (names, but) = Phrases(self.language), _meant(told)
        if names:
            return says.framed("I keep this from {names}", names=", ".join(names))
        if but:
            return says.framed("only you and {names} may know this", names=", ".join(but))
        return says.framed("this stays between the two of us")

    def ended(self, messages: int) -> str:
        """Return the confirmation that a confidence ended, with the number of messages."""
        return Phrases(self.language).framed(
            "Understood: what you told me here in confidence may be known now ({n}).", n=str(messages)
        )

    def still_kept(self) -> str:
        """Return the notice that a permission to tell changed nothing."""
        return Phrases(self.language).framed(
            "I still keep what you told me in confidence. {sign}confide shows it.", sign=self.prefix or "/"
        )
