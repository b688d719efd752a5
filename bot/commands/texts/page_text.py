"""Rendering of the page of a person, pet, place or project: facts and messages, each with its time and origin."""

from collections.abc import Iterator, Mapping, Sequence

from adapters.command_table import Card
from bot.commands.texts import kinds, ladder_text
from bot.commands.texts.receipts import Ids, message_place, one_line
from localization.sentences import _, ngettext
from memory.tiers.exchanges import PlacedMessage
from memory.types import Exchange
from memory.view.pages import Page

_SHOWN = 8
_LONG = 300


def unknown_name_notice(name: str) -> str:
    """Return the notice that nothing is known under a name."""
    return _('Nothing here names "{name}".', name=one_line(name, 100))


def shown_ids(page: Page) -> list[str]:
    """Return the ids shown on a page."""
    return [fact.id for fact in page.facts] + [placed.exchange.id for placed in (*page.said, *page.own)]


def render(page: Page, said: Mapping[int, Sequence[Exchange]], ids: Ids, now: int, time_zone: str) -> str:
    """Return a page: what it is about, its facts, what was said of it, and what a person of that name said last."""
    return "\n".join(_lines(page, said, ids, now, time_zone))


def cards(
    page: Page, said: Mapping[int, Sequence[Exchange]], ids: Ids, now: int, time_zone: str, links: Mapping[PlacedMessage, str]
) -> Iterator[Card]:
    """Return a page as cards: one with its subject and facts, and one per message, linked to it."""
    yield Card("\n".join(_fact_lines(page, said, ids, now, time_zone)), _head(page))
    for heading, placed in _sections(page):
        yield Card("\n".join([heading, *_left_out(placed)]))
        for one in placed[-_SHOWN:]:
            where = message_place(one.exchange, one.session, now, time_zone)
            yield Card(one_line(one.exchange.text, _LONG), where, f"id {ids[one.exchange.id]}", links[one])


def _head(page: Page) -> str:
    more = ", ".join(part for part in (kinds.name(page.kind), *page.aliases) if part)
    return f"{page.name} ({more})" if more else page.name


def _fact_lines(page: Page, said: Mapping[int, Sequence[Exchange]], ids: Ids, now: int, time_zone: str) -> Iterator[str]:
    if page.facts:
        yield _("What I know:")
        for at, fact in enumerate(sorted(page.facts, key=lambda one: one.key), start=1):
            yield f"{at}. {ladder_text.statement(fact, said[fact.key], ids, now, time_zone)}"


def _sections(page: Page) -> Iterator[tuple[str, Sequence[PlacedMessage]]]:
    if page.said:
        yield _("What was said of it:") if page.kind != "person" else _("What was said of them:"), page.said
    own = [placed for placed in page.own if placed not in page.said]
    if own:
        yield _("What they said last:"), own


def _lines(page: Page, said: Mapping[int, Sequence[Exchange]], ids: Ids, now: int, time_zone: str) -> Iterator[str]:
    yield _head(page)
    yield from _fact_lines(page, said, ids, now, time_zone)
    for heading, placed in _sections(page):
        yield heading
        yield from _left_out(placed)
        for one in placed[-_SHOWN:]:
            where = message_place(one.exchange, one.session, now, time_zone)
            yield f'- "{one_line(one.exchange.text, _LONG)}"\n    {where} · id {ids[one.exchange.id]}'


def _left_out(said: Sequence[PlacedMessage]) -> Iterator[str]:
    if len(said) > _SHOWN:
        yield ngettext("({n} message before; recall finds it)", "({n} messages before; recall finds them)", len(said) - _SHOWN)
