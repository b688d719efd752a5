"""The commands that read, change or remove what is remembered, with their help; implementations are loaded when called."""

from difflib import get_close_matches
from enum import StrEnum
from typing import Annotated

import typer

from bot.cli import options
from bot.cli.options import NOT_GIVEN, As, Json, OneSession, Yes, argument, execute, option
from localization.sentences import _


class Format(StrEnum):
    """The file formats of imports."""

    AUTO = "auto"
    JSONL = "jsonl"
    CHATGPT = "chatgpt"


_WITH_PAST = ("profile", "eras", "narrative", "self")
_PARTS = (*_WITH_PAST, "bank", "summaries")
_FORMS = {
    "correct": (2, 1000, "lyra memory correct ID TEXT"),
    "forget": (1, 1, "lyra memory forget ID"),
    "reset": (0, 0, "lyra memory reset"),
    "about": (1, 20, "lyra memory about NAME"),
}
"""Parts of `lyra memory` that take words or change something: the number of words, and the usage."""


def import_(
    file: Annotated[str, argument("FILE", "The file to read; - reads from standard input.", options.file)],
    as_: As = NOT_GIVEN,
    format: Annotated[
        Format, typer.Option(metavar="FORMAT", help="jsonl, chatgpt (its conversations.json), or auto to find out.")
    ] = Format.AUTO,
    session: Annotated[
        str, option("--session", "NAME", "Where messages go that name no conversation.", options.name)
    ] = NOT_GIVEN,
) -> None:
    """Import conversations you had elsewhere.

    Importing a file again, even under another name, adds nothing, and what was forgotten stays forgotten."""
    execute("bot.cli.importing:import_file", as_, file, format, session)


def recall(
    query: Annotated[str, argument("QUERY", "What to look for; - reads one question a line.")],
    as_: As = NOT_GIVEN,
    k: Annotated[int, typer.Option("-k", metavar="NUMBER", min=1, max=1000, help="How many messages to find.")] = 5,
    session: OneSession = NOT_GIVEN,
    digests: Annotated[bool, typer.Option("--digests", help="Find gists and months as well, in one list.")] = False,
    json: Json = False,
) -> None:
    """Find what was said about something.

    Every hit says who said it, when, in which conversation, and why it was found."""
    execute("bot.cli.conversations:recall", as_, query, k, session, json, digests=digests)


def sessions(as_: As = NOT_GIVEN, json: Json = False) -> None:
    """List your conversations, newest first."""
    execute("bot.cli.conversations:sessions", as_, json)


def summarize(
    session: Annotated[str, argument("SESSION", "Which conversation; by default the one you had last.")] = NOT_GIVEN,
    as_: As = NOT_GIVEN,
    all_: Annotated[bool, typer.Option("--all", help="Every conversation that has something new.")] = False,
    limit: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="With --all: at most this many conversations.")
    ] = None,
    workers: Annotated[int | None, typer.Option(metavar="NUMBER", min=1, max=64, help="With --all: how many at a time.")] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Summarize a conversation, or all that have something new.

    With --all she first says how much that asks of the model, and whether to go on; in a script she just goes on."""
    if all_ and session:
        raise typer.BadParameter(_("name a conversation, or say --all, not both"))
    if not all_ and (limit or workers):
        raise typer.BadParameter(_("--limit and --workers go with --all"))
    if all_:
        execute("bot.cli.conversations:summarize_all", limit, workers, yes, json)
    execute("bot.cli.conversations:summarize", as_, session, json)


def dream(
    force: Annotated[bool, typer.Option("--force", help="Act on every drive, however low it is.")] = False,
    loop: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=1, help="Dream again and again, with so much time between.")
    ] = None,
    json: Json = False,
) -> None:
    """Dream now: catch up, tidy up, think.

    Does everything that Lyra does while nobody is talking, everywhere, and reports what she did and why. lyra run does this by itself."""
    execute("bot.cli.dream:dream", forced=force, loop=loop, as_json=json)


def memory(
    part: Annotated[
        str, argument("PART", "profile, eras, narrative, self, bank, summaries; about, correct, forget, reset.")
    ] = "summaries",
    words: Annotated[
        list[str] | None,
        argument("ID TEXT", "For correct and forget: the fact's id, and what is true instead. For about: a name."),
    ] = None,
    as_: As = NOT_GIVEN,
    past: Annotated[bool, typer.Option("--past", "--history", help="What was replaced since.")] = False,
    page: Annotated[
        int | None, typer.Option("--page", metavar="NUMBER", min=1, help="The page to show, of 20 entries, from 1 on.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Everything, not a page at a time as in a terminal.")] = False,
    json: Json = False,
) -> None:
    """See what Lyra made of what you told her, and correct it.

    profile: standing facts. eras: a digest a month. narrative: what goes on. self: how she is. Each says what it rests on.
    about NAME: what is known of a person, a pet, a place or a project.
    correct ID TEXT puts what you say in the place of a fact; forget ID lets one go; reset lets her mood and drives begin anew."""
    arguments = words or []
    if part not in (*_PARTS, *_FORMS):
        raise typer.BadParameter(_no_part(part))
    if part in _FORMS and not _FORMS[part][0] <= len(arguments) <= _FORMS[part][1]:
        raise typer.BadParameter(_("write it like this: {form}", form=_FORMS[part][2]))
    if part in _PARTS and arguments:
        raise typer.BadParameter(_('"{given}" is a word too many for {part}', given=arguments[0], part=part))
    if past and part not in _WITH_PAST:
        raise typer.BadParameter(_("--past goes with {parts}", parts=", ".join(_WITH_PAST)))
    match part:
        case "summaries":
            execute("bot.cli.remembered:summaries", as_, json, page or 0, everything=all_)
        case "bank":
            execute("bot.cli.remembered:bank", json)
        case "correct":
            execute("bot.cli.remembered:correct", as_, arguments[0], " ".join(arguments[1:]), json)
        case "forget":
            execute("bot.cli.remembered:forget", as_, arguments[0], json)
        case "about":
            execute("bot.cli.remembered:about", as_, " ".join(arguments), json)
        case "reset":
            execute("bot.cli.remembered:reset", as_, json)
    execute("bot.cli.remembered:tier", as_, part, past, json, page or 0, everything=all_)


def _no_part(part: str) -> str:
    near = get_close_matches(part, (*_PARTS, *_FORMS), 1, 0.7)
    if near:
        return _('there is no "{part}" in memory; did you mean {near}?', part=part, near=near[0])
    return _('there is no "{part}"; the parts of memory are {parts}', part=part, parts=", ".join(_PARTS))


def forget(
    id: Annotated[str, argument("ID", "The id of a message, as recall shows it.")] = NOT_GIVEN,
    as_: As = NOT_GIVEN,
    session: Annotated[str, option("--session", "NAME", "Forget this whole conversation instead.", options.name)] = NOT_GIVEN,
    about: Annotated[str, option("--about", "TOPIC", "Forget everything about this instead.")] = NOT_GIVEN,
    since: Annotated[str, option("--since", "TIME", "What was said from then on, like 2026-03-04 or 2026-03.")] = NOT_GIVEN,
    until: Annotated[str, option("--until", "TIME", "What was said until then, that day or month included.")] = NOT_GIVEN,
    yes: Yes = False,
) -> None:
    """Forget a message, a conversation, a topic or a stretch of time for good.

    Everything made from it goes too: summaries, vectors, replies that quote it. You see first what will go, and nothing else goes."""
    several = bool(about or since or until)
    if bool(id) + bool(session) + several != 1:
        raise typer.BadParameter(_("give the id of a message, --session NAME, or --about, --since and --until"))
    if several:
        execute("bot.cli.conversations:forget_selected", as_, about.strip(), since, until, yes)
    execute("bot.cli.conversations:forget", as_, id, session, yes)


def export(
    as_: As = NOT_GIVEN,
    json: Annotated[bool, typer.Option("--json", help="JSON, a message a line: the default.")] = False,
    text: Annotated[bool, typer.Option("--text", help="As text to read.")] = False,
    own: Annotated[
        bool,
        typer.Option("--own", help="All that is yours, under all your accounts and in shared places, without others' words."),
    ] = False,
) -> None:
    """Print everything that was said, to read or to import again."""
    if json and text:
        raise typer.BadParameter(_("choose --json or --text, not both"))
    execute("bot.cli.conversations:export", as_, text, own=own)
