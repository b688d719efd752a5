"""Drafting: a text is written from its sources in pieces, and only what these support is kept."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from localization.sentences import lazy
from memory.derive import prompts
from memory.derive.checks import junk
from memory.derive.checks.concrete_words import ConcreteWords
from memory.derive.checks.evidence import SentenceFindings
from memory.derive.checks.sentence_judge import SentenceJudge
from memory.errors import TooMuchToRead, WriterFailed, WriterRefused
from memory.ports import Entry, Source, Task, TaskKind, Writer
from memory.text.display_names import LYRA
from memory.text.passages import only_asks, reports_request
from memory.text.quotations import closed, introduction, named, quoted
from memory.tiers.profile import adds_nothing

_STATED = ("gist", "merge", "profile", "era")
"""Tasks whose sentences state something; the others may ask."""
_TOLD = ("gist", "merge", "profile", "era", "narrative")
"""Tasks whose sentences name people; in the others Lyra writes about herself, or a group in the first person."""
_WHOLE, _LEAST_SHARE = ("gist", "merge"), 3
"""Tasks whose text stands for all that was said: one of which less than a third of the sentences is left is asked for again."""
_JOINED: Mapping[TaskKind, TaskKind] = {"gist": "merge"}
"""How partial texts are joined if one call cannot read everything, where that is another kind of task."""
_LONGEST_SENTENCE = 2_000
_SHRINKS = 6
_LEAST_CHARS = 200
"""A writer that cannot read this much at once is unusable."""
Keep = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class WritingTask:
    """What to write, by one call or several.

    `most_chars` is how much one call may read, `most_sources` how many sources (None: any number); `dropped` is called with
    rejected sentences.
    """

    task: Task
    most_chars: int
    dropped: Keep
    most_sources: int | None = None


async def compose(writer: Writer, order: WritingTask) -> list[Entry]:
    """Write a text with one call per piece of its sources, and join the results.

    Every sentence rests on what it cites. If a piece exceeds what the writer can read, it and those after it are made smaller.
    Raises WriterFailed, WriterRefused.
    """
    partial = await _in_pieces(writer, order)
    if len(partial) == 1:
        return partial[0][1]
    rests: dict[str, tuple[str, ...]] = {}
    steps: list[Source] = []
    for piece, part in partial:
        for entry in (one for one in part if not adds_nothing(one)):
            label = f"p{len(steps) + 1}"
            rests[label] = entry.cites
            steps.append(Source(label, "", piece[0].said_at, entry.text))
    if not steps:
        return partial[0][1]
    joined = replace(order.task, kind=_JOINED.get(order.task.kind, order.task.kind), sources=tuple(steps))
    try:
        merged = await checked(writer, joined, order.dropped)
    except TooMuchToRead:
        if _length(steps) >= _length(order.task.sources):
            raise
        merged = await compose(writer, replace(order, task=joined, most_sources=None))
    return [
        Entry(one.text, tuple(dict.fromkeys(label for cite in one.cites for label in rests.get(cite, (cite,))))) for one in merged
    ]


async def _in_pieces(writer: Writer, order: WritingTask) -> list[tuple[list[Source], list[Entry]]]:
    made: list[tuple[list[Source], list[Entry]]] = []
    remaining = chunks(order.task.sources, order.most_chars, order.most_sources)
    tries = _SHRINKS
    while remaining:
        piece = remaining[0]
        try:
            made.append((piece, await checked(writer, replace(order.task, sources=tuple(piece)), order.dropped)))
            remaining = remaining[1:]
        except TooMuchToRead as refusal:
            most = int(_length(piece) * refusal.share)
            tries -= 1
            if most < _LEAST_CHARS and not refusal.sure:
                raise WriterFailed(str(refusal)) from refusal
            if most < _LEAST_CHARS or not tries:
                raise
            remaining = chunks([source for some in remaining for source in some], most, order.most_sources)
    return made


def _length(sources: Sequence[Source]) -> int:
    return sum(len(source.text) for source in sources)


def wording(entries: Sequence[Entry]) -> str:
    """Return the text of entries."""
    return "\n".join(entry.text for entry in entries)


async def checked(writer: Writer, task: Task, dropped: Keep) -> list[Entry]:
    """Return the supported sentences of an answer, no more than were asked for.

    Raises WriterFailed, WriterRefused if there are none.
    """
    good, bad = await asyncio.to_thread(supported, await writer.write(task), task, copied=writer.extractive)
    if not good:
        raise WriterRefused(lazy("no sentence rests on its sources"), "\n".join(bad))
    if task.kind in _WHOLE and len(good) + len(bad) > _LEAST_SHARE * len(good):
        raise WriterRefused(lazy("few of its sentences rest on their sources"), "\n".join(bad))
    if bad:
        await dropped("\n".join(bad))
    return good[: task.sentences]


def supported(entries: Sequence[Entry], task: Task, *, copied: bool = False) -> tuple[list[Entry], list[str]]:
    """Return the sentences supported by the sources they cite, and the reason for rejecting each of the others.

    Sentences that are `copied` only need citations: they say no more than their sources, even if that is no more than a
    greeting; so does the line that there is nothing new for a profile. Suppliers of names are added to the citations of the
    others. Checking 100,000 characters takes a second: call it in a thread.
    """
    judge = SentenceJudge(task.sources, [entry.text for entry in entries], task.known)
    by_label = {source.label: source for source in task.sources}
    spoken = junk.SpokenWords([*task.sources, *task.known] if task.kind in _WHOLE else ())
    concrete = ConcreteWords([*task.sources, *task.known])
    rules = junk.RequestRules(prompts.render(replace(task, sources=(), known=())).system)
    good: list[Entry] = []
    bad: list[str] = []
    for entry in entries:
        labels = tuple(label for label in entry.cites if label in by_label)
        cited = [by_label[label] for label in labels]
        if labels and (copied or (task.kind == "profile" and adds_nothing(entry))):
            good.append(Entry(entry.text, labels))
            continue
        copied_message = None
        if task.kind == "gist" and (source := junk.copied_from(entry.text, cited) or junk.copied_from(entry.text, task.sources)):
            # Without its speaker nobody could tell who "I" is. Where that is not what it begins with, the name is enough: a longer
            # quotation would come before the message itself in recall.
            said = introduction(source.speaker, source.said_at) + quoted(entry.text)
            quotation = closed(said) if junk.is_spoken(entry.text) else f"{named(source.speaker)}: {entry.text}"
            entry, labels, cited, copied_message = Entry(quotation, (source.label,)), (source.label,), [source], source
        # What has no end is no sentence, and checking it would take minutes.
        is_endless = len(entry.text) > _LONGEST_SENTENCE
        findings = SentenceFindings() if is_endless or copied_message else judge.judge(entry.text, cited)
        fault = "is endless" if is_endless else _fault(entry.text, cited, findings, rules, task.kind)
        if not fault and junk.misquotes(entry.text, task.sources):
            fault = "quotes another one"
        if not fault and task.kind == "gist" and _is_only_hers(entry.text, cited, judge):
            fault = "tells what only Lyra said"
        if not fault and spoken.is_translated(entry.text):
            fault = "is in another language"
        if not fault and not is_endless and (clause := spoken.lack(entry.text, judge.names)):
            fault = f"tells what nobody spoke of: {clause}"
        if not fault and not is_endless and task.kind in _TOLD and (word := concrete.lack(entry.text)):
            fault = f"tells what nobody spoke of: {word}"
        if fault:
            bad.append(f"{entry.text} [{', '.join(entry.cites)}] {fault}")
        else:
            good.append(Entry(entry.text, tuple(dict.fromkeys((*labels, *(source.label for source in findings.supplied))))))
    return good, bad


def _is_only_hers(text: str, cited: Sequence[Source], judge: SentenceJudge) -> bool:
    """Return whether a sentence tells as a fact what Lyra said: it does not name her, and nothing or too little else holds it."""
    if LYRA in text or not any(source.speaker == LYRA for source in cited):
        return False
    others = [source for source in cited if source.speaker != LYRA]
    # What somebody answers to her question holds by the words of both.
    asks_it = any(source.speaker == LYRA and only_asks(source.text) for source in cited)
    return not others or (not asks_it and bool(judge.judge(text, others).missing))


def _fault(text: str, cited: Sequence[Source], findings: SentenceFindings, rules: junk.RequestRules, kind: TaskKind) -> str:
    """Return what speaks against a sentence of a kind of text, '' for nothing."""
    if missing := [*findings.missing, *junk.links(text, cited)]:
        return f"invents {missing}"
    if rules.hold(text, cited):
        return "repeats the rules"
    if junk.is_in_another_script(text, cited):
        return "is in another script"
    if junk.says_nothing(text, cited):
        return "says nothing"
    if not cited:
        return "cites nothing"
    if kind in _TOLD and junk.is_spoken(text):
        return "does not say whose it is"
    if kind == "profile" and reports_request(text):
        return "holds for a day only"
    return "is no statement" if junk.is_formless(text) or (kind in _STATED and junk.asks(text)) else ""


def chunks(sources: Sequence[Source], most: int, most_sources: int | None = None) -> list[list[Source]]:
    """Split a transcript into pieces of at most `most` characters and `most_sources` sources (None: any number).

    A source longer than a piece is split, never dropped.
    """
    found: list[list[Source]] = [[]]
    room = most
    for source in sources:
        for start in range(0, max(1, len(source.text)), most):
            piece = Source(source.label, source.speaker, source.said_at, source.text[start : start + most])
            if found[-1] and (len(piece.text) > room or len(found[-1]) == most_sources):
                found.append([])
                room = most
            found[-1].append(piece)
            room -= len(piece.text)
    return found
