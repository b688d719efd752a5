"""How the page of a person, a pet, a place or a project is shown: facts and messages, each with when and from where it is."""

from collections.abc import Iterator, Mapping, Sequence

from bot.commands.texts import kinds, ladder_text
from bot.commands.texts.receipts import Ids, place, short
from localization.sentences import _, ngettext
from memory.tiers.exchanges import Placed
from memory.types import Exchange
from memory.view.pages import Page

_SHOWN = 8
_LONG = 300


def nothing(name: str) -> str:
    """Say that nothing is known under a name."""
    return _('Nothing here names "{name}".', name=short(name, 100))


def named(page: Page) -> list[str]:
    """Return the ids that a page shows."""
    return [fact.id for fact in page.facts] + [placed.exchange.id for placed in (*page.said, *page.own)]


def told(page: Page, said: Mapping[int, Sequence[Exchange]], ids: Ids, now: int, time_zone: str) -> str:
    """Return a page: what it is about, facts, what was said of it, and what somebody of that name said last."""
    return "\n".join(_lines(page, said, ids, now, time_zone))


def _lines(page: Page, said: Mapping[int, Sequence[Exchange]], ids: Ids, now: int, time_zone: str) -> Iterator[str]:
    more = ", ".join(part for part in (kinds.name(page.kind), *page.aliases) if part)
    yield f"{page.name} ({more})" if more else page.name
    if page.facts:
        yield _("What I know:")
        for at, fact in enumerate(sorted(page.facts, key=lambda one: one.key), start=1):
            yield f"{at}. {ladder_text.statement(fact, said[fact.key], ids, now, time_zone)}"
    if page.said:
        yield _("What was said of it:") if page.kind != "person" else _("What was said of them:")
        yield from _messages(page.said, ids, now, time_zone)
    own = [placed for placed in page.own if placed not in page.said]
    if own:
        yield _("What they said last:")
        yield from _messages(own, ids, now, time_zone)


def _messages(said: Sequence[Placed], ids: Ids, now: int, time_zone: str) -> Iterator[str]:
    if len(said) > _SHOWN:
        yield ngettext("({n} message before; recall finds it)", "({n} messages before; recall finds them)", len(said) - _SHOWN)
    for placed in said[-_SHOWN:]:
        e = placed.exchange
        where = place(e, placed.session, now, time_zone)
        yield f'- "{short(e.text, _LONG)}"\n    {where} · id {ids[e.id]}'
