"""German names and nouns that end in a vowel take an s that the stemmer leaves: "Omas Geburtstag" is about Oma."""

from pathlib import Path

import pytest

from tests.kits.memory_kit import at_home

TOLD = "Omas Geburtstag war schön, wir hatten viele Gäste"


@pytest.mark.parametrize(
    ("told", "asked"), [(TOLD, "Oma"), ("Oma wird im Sommer neunzig und freut sich", "wann ist Omas Geburtstag?")]
)
async def test_a_genitive_and_its_name_find_one_another(tmp_path: Path, told: str, asked: str) -> None:
    async with at_home(tmp_path) as here:
        await here.say(told)
        await here.say("wir haben heute die Hecke geschnitten und es war sehr warm")
        found = await here.view.recall.messages(asked, 2)
        assert found[0].exchange.text == told
        assert any("oma" in why for why in found[0].why)


async def test_what_is_told_of_somebody_in_the_genitive_is_forgotten_with_them(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say(TOLD)
        await here.say("wir haben heute die Hecke geschnitten und es war sehr warm")
        assert [one.text for one in (await here.view.selecting.select("Oma", None)).messages] == [TOLD]


async def test_the_past_of_a_verb_is_found_by_its_ing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("I swam in the lido today")
        await here.say("the ferry was late")
        found = await here.view.recall.messages("when did I last go swimming", 2)
        assert (found[0].exchange.text, "words: swimming" in found[0].why) == ("I swam in the lido today", True)
