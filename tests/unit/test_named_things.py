"""Who and what a text names: of what kind, and what else they are called."""

import pytest

from memory.text.told.named_things import aliases_in, key, keys_in, named
from tests.kits.tabled import tabled


@pytest.mark.parametrize(("text", "names"), tabled("names", "things"))
def test_a_text_tells_whom_and_what_it_names(text: str, names: tuple[tuple[str, str, str], ...]) -> None:
    assert tuple((one.name, one.kind.value, one.alias) for one in named(text)) == names


def test_a_name_is_found_by_any_spelling_and_never_by_that_of_another_account() -> None:
    assert key("Bruno") == key("BRUNO") != key("Bruno#abcd") != key("Bruno#abce")
    assert keys_in("What about Bruno's walk with ana lopez?").keys() >= {key("Bruno"), key("Ana Lopez")}
    assert aliases_in("how old is my little sister, and our dog?") == ["sister", "dog"]
