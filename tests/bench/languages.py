"""What is found in fourteen languages, and across them: `python -m tests.bench languages`."""

from collections.abc import Sequence

from rich.table import Table

from memory.ports import Embedder
from tests.kits.languages import FURTHER, LANGUAGES, large_model, local_models, places, shares

_ACROSS = (("en", "de"), ("de", "en"), ("en", "zh"), ("zh", "en"), ("fr", "ru"), ("ja", "es"), ("ar", "pl"), ("tr", "ko"))


async def measure() -> Table:
    """Return how many of a hundred facts are the first and among the first five, by words alone, the English model, and both.

    With the large model too, if LYRA_LARGE names a home that has it.
    """
    (first, others), large = local_models(), large_model()
    ways: dict[str, tuple[Embedder | None, Embedder | None]] = {
        "words alone": (None, None), "with the model for English": (first, None), "with both": (first, others),
    }  # fmt: skip
    if large:
        ways["with the large one"] = (large, None)
    table = Table("told in", "asked in", *ways, title="first / among the first five, %")
    pairs = [(language, language) for language in (*LANGUAGES, *FURTHER)] + list(_ACROSS)
    kept: list[list[tuple[float, float]]] = []
    for language, asked in pairs:
        kept.append([shares((await places(*way, language, [asked]))[asked]) for way in ways.values()])
        table.add_row(language, asked, *map(_cell, kept[-1]))
    table.add_section()
    _mean(table, "each by itself", kept[: len(LANGUAGES)])
    _mean(table, "further facts", kept[len(LANGUAGES) : -len(_ACROSS)])
    _mean(table, "across", kept[-len(_ACROSS) :])
    for model in (first, others, large):
        if model:
            await model.close()
    return table


def _mean(table: Table, name: str, rows: Sequence[Sequence[tuple[float, float]]]) -> None:
    ways = zip(*rows, strict=True)
    table.add_row(name, "", *(_cell((sum(a for a, _ in way) / len(way), sum(b for _, b in way) / len(way))) for way in ways))


def _cell(both: tuple[float, float]) -> str:
    return f"{both[0]:.0f} / {both[1]:.0f}"
