"""The privacy policy and what she says of herself: every word of it is what holds, whatever is configured or connected."""

from collections.abc import Sequence

import pytest

from adapters.events import Place, Reach
from bot.config.settings import Settings
from bot.conversation.introduction import privacy
from bot.rights.policy import policy
from memory.store.postgresql.database_server import DatabaseAddress

NEAR, FAR = "http://127.0.0.1:11434/v1", "https://models.example.org/v1"
DATABASE = DatabaseAddress("postgresql://lyra:geheim@db.example.org/lyra")


@pytest.mark.parametrize(
    ("answering", "writing", "told", "made"),
    [
        ([], [], [], "From it she makes summaries, on that machine alone."),
        ([FAR], [FAR], ["models.example.org: to answer, to sum up and to think about what was said"], "a digest a month"),
        ([NEAR, FAR], [NEAR], ["a model on the same machine: to answer, to sum up", "models.example.org: to answer"], "a digest"),
        ([], [FAR], ["models.example.org: to sum up and to think about what was said"], "a digest a month"),
    ],
    ids=["none", "connected", "a cheaper one beside it", "for summaries alone"],
)
def test_the_models_in_use_are_named_with_what_they_get(
    answering: Sequence[str], writing: Sequence[str], told: Sequence[str], made: str
) -> None:
    text = policy(Settings(), answering, writing)
    assert all(f"- {one}" in text for one in told) and made in text
    assert ("No word leaves the machine she runs on." in text) is (told == [])


def test_a_database_is_named_as_the_place_of_all_of_it_and_of_no_file() -> None:
    text = policy(Settings(), (), (), DATABASE)
    assert "- db.example.org: the database in which all of it is kept" in text and "geheim" not in text
    assert "No word leaves" not in text and "one encrypted file" not in text
    near = policy(Settings(), (), (), DatabaseAddress("postgresql:///lyra"))
    assert "No word leaves the machine she runs on." in near and "one encrypted file" not in near


def test_who_may_keep_what_disappears_is_said() -> None:
    text = policy(Settings(), (), ())
    assert (
        "is forgotten after a week, unless somebody who ruled it has it kept; a room that another one replaces is not meant."
        in text
    )


@pytest.mark.parametrize("in_database", [True, False])
def test_where_it_lies_and_who_holds_the_key_is_said(in_database: bool) -> None:
    place = Place("discord", "ada", "", Reach.DIRECT)
    told = privacy(place, "", listening=False, paused=False, reach=False, in_database=in_database)
    assert ("one encrypted file" in told) is not in_database and ("in a database until" in told) is in_database
    assert "holds the key" in told
