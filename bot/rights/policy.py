"""A privacy policy generated from the configuration: what is stored, how long, which hosts receive it, and people's rights."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from adapters.markup import typed_prefix
from bot.config.server_urls import is_nearby, is_this_machine
from bot.config.settings import Settings
from localization.numerals import number
from localization.sentences import _, ngettext
from memory.store.postgresql.database_server import DatabaseAddress

_DISCORD = "discord.com"


def policy(settings: Settings, answering: Sequence[str], writing: Sequence[str], database: DatabaseAddress | None = None) -> str:
    """Return the policy as Markdown, for the operator to publish.

    `answering` and `writing` are the URLs of the models in use, which may differ from the configured ones; `database` is the one
    that stores everything, if any.
    """
    sections = [
        (_("Who is responsible"), _responsible(settings)),
        (_("What is kept"), _what_is_kept(database, by_model=bool(writing))),
        (_("How long"), _how_long(settings)),
        (_("Where words go"), _hosts(settings, answering, writing, database)),
        (_("Who reads it"), _readers()),
        (_("What you may ask"), _rights(settings)),
    ]
    title = _("Privacy policy of Lyra")
    return "\n\n".join([f"# {title}", *(f"## {head}\n\n" + "\n\n".join(lines) for head, lines in sections)])


def _responsible(settings: Settings) -> Sequence[str]:
    named = settings.privacy
    who = named.operator or _("whoever runs this Lyra, and has not given a name here")
    reached = _("You reach them at {contact}.", contact=named.contact) if named.contact else ""
    return [
        _("Responsible: {who}. {reached}", who=who, reached=reached).strip(),
        _("Lyra is a program that remembers; it is not a person who answers you."),
    ]


def _what_is_kept(database: DatabaseAddress | None, *, by_model: bool) -> Sequence[str]:
    lines = [
        _(
            "In private: what you say to her and what she answers. In channels and rooms: what is said to her, and what she answers; all that is said there only where an admin turned that on, with a notice."
        ),
        _(
            "With each message: the account's id and name, the place, and the time. Of files their names and, where they are text, their words."
        ),
        _("All of it is in a database, encrypted with a key on the machine she runs on.")
        if database
        else _("All of it is in one encrypted file on the machine she runs on."),
        _("What was said just before a question is read from the platform and not kept. The log holds nobody's words."),
    ]
    derived = (
        _("From it she makes summaries, facts, a digest a month and thoughts, each with what it rests on.")
        if by_model
        else _("From it she makes summaries, on that machine alone.")
    )
    return [*lines, derived]


def _how_long(settings: Settings) -> Sequence[str]:
    tiers = {
        "messages": _("messages, with all that was made of them"), "gists": _("summaries"), "facts": _("facts"), "months": _("digests of months"),
        "narrative": _("what goes on"), "thoughts": _("her thoughts"), "notes": _("notes of shared places"),
    }  # fmt: skip
    days = settings.retention.model_dump()
    lines = [
        ngettext("{what}: {n} day.", "{what}: {n} days.", int(days[name]), what=what)
        if days[name] == int(days[name])
        else _("{what}: {n} days.", what=what, n=number(days[name], digits=2))
        for name, what in tiers.items()
        if days[name]
    ]
    rest = _("Everything else stays until you forget it.") if lines else _("It stays until you forget it.")
    deletion = _(
        "What was said in a channel, a server or a room that disappears, or that she is no longer in, is forgotten after a week, unless somebody who ruled it has it kept; a room that another one replaces is not meant. Words on their way to a platform are blanked a day after they were sent."
    )
    return ["\n".join(f"- {line}" for line in lines), rest, deletion] if lines else [rest, deletion]


def _hosts(
    settings: Settings, answering: Sequence[str], writing: Sequence[str], database: DatabaseAddress | None
) -> Sequence[str]:
    embedding = [settings.models[name].shown_url for name in settings.embed[:1] if name in settings.models]
    uses = (
        (_("to answer"), answering),
        (_("to sum up and to think about what was said"), writing),
        (_("to find things by their meaning"), embedding),
    )
    found: dict[str, list[str]] = {}
    for use, addresses in uses:
        for host in dict.fromkeys(map(_host_in_words, addresses)):
            found.setdefault(host, []).append(use)
    lines = [f"- {host}: {', '.join(uses)}" for host, uses in found.items()]
    lines += [f"- {host}: {_('the platform on which you talk with her')}" for host in _platforms(settings)]
    # An address without a host is a local socket.
    if database and urlsplit(where := str(database)).hostname and not is_this_machine(where):
        lines.append(f"- {_host_in_words(where)}: {_('the database in which all of it is kept')}")
    if not lines:
        return [_("No word leaves the machine she runs on.")]
    return [_("Words go to these hosts, and to no others:"), "\n".join(lines)]


def _host_in_words(address: str) -> str:
    host = urlsplit(address).hostname or address
    if is_this_machine(address):
        return _("a model on the same machine")
    return _("{host}, in the same network", host=host) if is_nearby(address) else host


def _platforms(settings: Settings) -> list[str]:
    found = []
    if settings.discord:
        found.append(urlsplit(settings.discord.api_url).hostname or _DISCORD if settings.discord.api_url else _DISCORD)
    if settings.matrix:
        found.append(urlsplit(settings.matrix.homeserver).hostname or settings.matrix.homeserver)
    return found


def _readers() -> Sequence[str]:
    return [
        _(
            "What you say in private comes up for you alone. What is said in a server, a channel or a room comes up only where everyone who reads could read it there as well; that is decided anew for every answer."
        ),
        _(
            "Accounts that people linked are one person's: each reads what was told in private under the others, and can have it forgotten. None is added unless each that is linked already agrees, and each can part at any time."
        ),
        _("Whoever runs the machine holds the key, and can read what is kept."),
    ]


def _rights(settings: Settings) -> Sequence[str]:
    sign = typed_prefix(settings.matrix.prefix) if settings.matrix and not settings.discord else "/"
    asked = {
        "privacy": _("what is kept here"), "memory": _("what she made of it, with what it rests on; to put it right"),
        "recall": _("what was said"), "export": _("all that is yours, as files"),
        "forget": _("to forget a message, a conversation, a topic, a time or everything, with all that was made of it"),
        "incognito": _("to be answered with nothing kept"),
        "privacy stop": _("that nothing of yours is kept any more, and nothing learnt of you from others"),
    }  # fmt: skip
    lines = "\n".join(f"- `{sign}{name}`: {what}" for name, what in asked.items())
    also = _("Deleting or changing a message on its platform does so here as well.")
    return [lines, also]
