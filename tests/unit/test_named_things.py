"""Who and what a text names: of what kind, and what else they are called."""

import pytest

from memory.text.told.named_things import aliases_in, key, keys_in, named


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("My dog Bruno is a beagle.", [("Bruno", "pet", "dog")]),
        ("My cat is called Turing.", [("Turing", "pet", "cat")]),
        ("The dog's name is Rex", [("Rex", "pet", "dog")]),
        ("Bruno is our dog", [("Bruno", "pet", "dog")]),
        ("our sister Lea lives in Graz", [("Lea", "person", "sister"), ("Graz", "place", "")]),
        ("Lea, my sister, moved to Lisbon", [("Lea", "person", "sister"), ("Lisbon", "place", "")]),
        ("my best friend Marie-Claire van der Berg", [("Marie-Claire van der Berg", "person", "friend")]),
        ("we begin project Atlas on Monday", [("Atlas", "project", "")]),
        ("we work on the Atlas project with Ben#abcd", [("Atlas", "project", ""), ("Ben#abcd", "", "")]),
        ("I met Ana Lopez in May", [("Ana Lopez", "", "")]),
        ("I met Dr. Smith on Monday", [("Smith", "", "")]),
        ("Meine Schwester Lea hat einen Hund namens Bello", [("Bello", "pet", "hund"), ("Lea", "person", "schwester")]),
        ("I think that Monday is fine, and I'm in England in May", [("England", "place", "")]),
        ("ada said: The tulips opened. ada said: We planted them; Ben: Jonas helped", [("Ben", "", ""), ("Jonas", "", "")]),
        ("nothing is named here", []),
    ],
)
def test_a_text_tells_whom_and_what_it_names(text: str, names: list[tuple[str, str, str]]) -> None:
    assert [(one.name, one.kind.value, one.alias) for one in named(text)] == names


def test_a_name_is_found_by_any_spelling_and_never_by_that_of_another_account() -> None:
    assert key("Bruno") == key("BRUNO") != key("Bruno#abcd") != key("Bruno#abce")
    assert keys_in("What about Bruno's walk with ana lopez?").keys() >= {key("Bruno"), key("Ana Lopez")}
    assert aliases_in("how old is my little sister, and our dog?") == ["sister", "dog"]
