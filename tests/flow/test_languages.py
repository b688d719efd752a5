"""What was told in one language is found by a question in other words, and by one in another language."""

import pytest

from bot.models.local.e5 import E5
from tests.kits.languages import certain, local_models, places, shares
from tests.kits.size import few

FEW = 12


@pytest.mark.parametrize(("told", "asked"), few([("zh", "en"), ("de", "de"), ("en", "fr")]))
async def test_what_was_told_is_found_in_other_words_and_languages(told: str, asked: str) -> None:
    first, others = local_models()
    assert isinstance(others, E5), "`make model` installs it"
    try:
        _, found = shares((await places(first, others, told, [asked], FEW))[asked])
        _, without = shares((await places(first, None, told, [asked], FEW))[asked])
    finally:
        await first.close()
        await others.close()
    assert found >= 65
    assert found >= without + 20


@pytest.mark.parametrize(("told", "asked"), few([("en", "de"), ("de", "de")]))
async def test_what_answers_in_other_words_and_languages_is_not_weak_and_what_was_never_told_is(told: str, asked: str) -> None:
    first, others = local_models()
    assert isinstance(others, E5), "`make model` installs it"
    try:
        answered, recognized = await certain(first, others, told, asked)
    finally:
        await first.close()
        await others.close()
    print(answered, recognized)
    assert answered >= 7
    assert recognized >= 13
