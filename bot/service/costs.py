"""Model costs: calls, tokens and money by purpose, at the configured prices only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.commands.texts import kinds
from bot.config.sections import Backend
from bot.service.runtime_metrics import measures
from localization.numerals import number
from localization.sentences import _, lazy, ngettext
from memory.core import Memory
from memory.journal.usage import UsageTotals

_REPORTED = ((lazy("Models, today"), 1), (lazy("Models, the last 30 days"), 30))
"""The times that are reported: what each is called, and its days, including today."""
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """The usage of one purpose; `money` is None if none of its backends has a price, `unpriced` are those without."""

    purpose: str
    used: UsageTotals
    money: float | None
    unpriced: tuple[str, ...] = ()


async def save_usage(memory: Memory) -> None:
    """Persist what this process counted since the last call."""
    await memory.usage.add(measures.take_usage())


async def usage_report(memory: Memory, models: Mapping[str, Backend]) -> list[tuple[str, list[Cost]]]:
    """Return the usage per purpose today and in the last 30 days, each under what it is called."""
    await save_usage(memory)
    return [(str(label), await _costs(memory, models, days)) for label, days in _REPORTED]


async def _costs(memory: Memory, models: Mapping[str, Backend], days: int) -> list[Cost]:
    by_purpose: dict[str, list[tuple[str, UsageTotals]]] = {}
    for (purpose, backend), used in (await memory.usage.since(days)).items():
        by_purpose.setdefault(purpose, []).append((backend, used))
    return [_cost(purpose, some, models) for purpose, some in by_purpose.items()]


def _cost(purpose: str, some: Sequence[tuple[str, UsageTotals]], models: Mapping[str, Backend]) -> Cost:
    total, money, unpriced = UsageTotals(), 0.0, []
    for name, used in some:
        total += used
        backend = models.get(name)
        if backend is None or not (backend.price_in or backend.price_out):
            unpriced.append(name)
        else:
            money += (backend.price_in * used.tokens_in + backend.price_out * used.tokens_out) / _MILLION
    return Cost(purpose, total, None if len(unpriced) == len(some) else money, tuple(unpriced))


def in_words(label: str, some: Sequence[Cost]) -> list[str]:
    """Return the usage as lines, a total and one per purpose; none if there was no usage."""
    if not some:
        return []
    total = sum((one.used for one in some), UsageTotals())
    priced = [one.money for one in some if one.money is not None]
    unpriced = tuple(dict.fromkeys(name for one in some for name in one.unpriced))
    overall = Cost("", total, sum(priced) if priced else None, unpriced)
    return [f"{label}: {_cost_in_words(overall)}.", *(f"  {kinds.purpose(one.purpose)}: {_cost_in_words(one)}" for one in some)]


def _cost_in_words(one: Cost) -> str:
    words = _(
        "{calls}, about {tokens_in} tokens in and {tokens_out} out",
        calls=ngettext("{n} call", "{n} calls", one.used.calls),
        tokens_in=number(one.used.tokens_in),
        tokens_out=number(one.used.tokens_out),
    )
    if one.money is None:
        return words
    without = ""
    if one.unpriced:
        without = _(" (without {unpriced}, of which the configuration names no price)", unpriced=", ".join(one.unpriced))
    return _("{words}, {money} in your currency{without}", words=words, money=_amount(one.money), without=without)


def _amount(money: float) -> str:
    """Return an amount to the hundredth; less than a hundredth is shown as such, not as zero."""
    return _("less than {amount}", amount=number(0.01, digits=2)) if 0 < money < 0.005 else number(money, digits=2)


def as_json(some: Sequence[Cost]) -> dict[str, dict[str, object]]:
    """Return the usage per purpose for scripts; `money` is null if no price is known."""
    return {
        one.purpose: {
            "calls": one.used.calls, "tokens_in": one.used.tokens_in, "tokens_out": one.used.tokens_out,
            "money": None if one.money is None else round(one.money, 6), "unpriced": list(one.unpriced),
        }
        for one in some
    }  # fmt: skip
